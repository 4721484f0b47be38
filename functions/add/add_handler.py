"""Adds new facts."""

from memtools.handler import handler_for

handler = handler_for("add")
