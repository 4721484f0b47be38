"""Finds and reads what is remembered; changes nothing but the count of retrievals."""

from memtools.handler import handler_for

handler = handler_for("search")
