"""The memory core that all functions share: domain, retrieval, tools, adapters, transports."""
