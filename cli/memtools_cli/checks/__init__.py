"""The check-up of a deployment: each check looks at one thing, and says what to do about it."""
