"""Edits the persona documents."""

from memtools.handler import handler_for

handler = handler_for("edit")
