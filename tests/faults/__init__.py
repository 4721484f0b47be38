"""Every AWS call of every tool meets every fault, and the memory stays whole and the answer true."""
