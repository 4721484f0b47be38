"""The check-up of a deployment: each check finds one thing, and says what to do about it."""
