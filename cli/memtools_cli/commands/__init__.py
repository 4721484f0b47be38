"""The commands: each turns options into a call of another module, and its result into output."""
