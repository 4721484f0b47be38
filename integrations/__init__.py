"""Templates that put the memory functions behind other services, and what keeps them in step with the catalogue."""
