"""Finds traces: terms, the index and the ranking. Pure; numpy is imported only when a call needs it."""
