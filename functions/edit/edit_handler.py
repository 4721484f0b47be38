"""Edits persona documents; corrects, deletes and restores traces."""

from memtools.handler import handler_for

handler = handler_for("edit")
