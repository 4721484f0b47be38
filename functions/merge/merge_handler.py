"""Merges several traces into one."""

from memtools.handler import handler_for

handler = handler_for("merge")
