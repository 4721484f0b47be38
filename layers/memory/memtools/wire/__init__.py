"""What the envelopes in transports/ share: reading what comes in, shortening what goes out."""
