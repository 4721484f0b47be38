"""The tools over HTTP on this machine: the HTTP API's routes, the window, and MCP."""
