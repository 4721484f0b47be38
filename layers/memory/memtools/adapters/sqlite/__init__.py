"""A memory in one SQLite file on this machine, for any number of processes at once."""
