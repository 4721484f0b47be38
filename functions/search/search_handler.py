"""Searches and reads memory; changes nothing except retrieval counts."""

from memtools.handler import handler_for

handler = handler_for("search")
