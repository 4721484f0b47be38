"""What no emulator has, on loopback: a model that follows a script, and an AgentCore Gateway."""
