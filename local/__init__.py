"""The same functions on this machine: no account, no container."""
