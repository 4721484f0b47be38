"""The systems that `benchmarks.peers` compares, each in a module that runs in a process of its own.

All but ``ours`` run in the peers' environment, which has neither memtools nor the libraries of the project: what is
imported here beyond the standard library is numpy and the peer.
"""
