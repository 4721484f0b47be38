"""Serves all tools over the Model Context Protocol."""

from memtools.handler import mcp_handler

handler = mcp_handler()
