"""The tools, one module each: arguments, reply, description and ``run``."""
