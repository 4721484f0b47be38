"""The HTTP API against its own description, by a tool that makes up requests."""
