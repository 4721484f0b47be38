"""The Model Context Protocol without a transport: from a JSON-RPC message to a tool's call, and back."""
