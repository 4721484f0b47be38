"""What the envelopes in transports/ share: reading events and shortening replies."""
