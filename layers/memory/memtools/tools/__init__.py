"""The tools, a module each: arguments, reply, the words a model reads, and ``run``."""
