"""Everything in the repository that is made from the catalogue. Nothing that runs in a function imports this."""
