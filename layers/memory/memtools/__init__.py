"""The code that all functions share: domain, ranking, tools, adapters and transports."""
