"""Makes all files in the repository that are made from the catalogue. No function imports this."""
