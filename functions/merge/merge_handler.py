"""Merges duplicate traces, and undoes merges."""

from memtools.handler import handler_for

handler = handler_for("merge")
