"""The envelopes in which calls arrive, one module each."""
