"""What the pages show is so: every block of code on them is run, or checked."""
