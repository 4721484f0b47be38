"""The parts of `benchmarks.scale`: scopes of a size, a process that searches one, calls counted at the client."""
