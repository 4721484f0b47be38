"""What the memory costs and how well it finds, measured."""
