"""Many clients with all tools at once, through the local service; what they were told against what is there."""
