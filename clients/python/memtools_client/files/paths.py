"""Paths as models write them."""

from typing import Final

from memtools_client.files.store import Path, Refused

ROOT: Final = "/memories"


def parse(path: object) -> Path:
    """The parts below ``/memories``. Nothing is decoded: ``%2e`` is three characters of a name. Raises Refused."""
    if not isinstance(path, str):
        raise Refused("`path` is missing: give one that starts with /memories.")
    # With the slash, since /memories-of-others starts with /memories too.
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise Refused(f"Path must start with {ROOT}, got: {path}")
    parts = tuple(part for part in path.removeprefix(ROOT).split("/") if part)
    if any(part in (".", "..") or "\\" in part for part in parts):
        raise Refused(f"Path {path} would escape {ROOT} directory")
    if not all(part.isprintable() for part in parts):
        raise Refused(f"Path {path!r} has characters that no name may have")
    return parts


def shown(path: Path) -> str:
    """The path as models write it."""
    return "/".join((ROOT, *path))
