"""A folder as the memory tool shows it: two levels deep, hidden files left out."""

from collections.abc import Mapping
from typing import Final

from memtools_client.files.store import Path

_DEPTH: Final = 2
_UNITS: Final = "BKMG"


def listing(name: str, files: Mapping[Path, int], folder: Path) -> str:
    """The files below ``folder``, shown as ``name``, each with its size; a folder's is that of all its files."""
    relative = {path[len(folder) :]: size for path, size in files.items()}
    shown = {path: size for path, size in relative.items() if not _hidden(path)}
    sizes: dict[Path, int] = {}
    for path, size in shown.items():
        for depth in range(1, min(len(path), _DEPTH) + 1):
            sizes[path[:depth]] = sizes.get(path[:depth], 0) + size
    lines = [
        f"{_size(size)}\t{name}/{'/'.join(path)}{'' if path in shown else '/'}" for path, size in sorted(sizes.items())
    ]
    header = f"Here're the files and directories up to 2 levels deep in {name}, excluding hidden items:"
    return "\n".join((header, f"{_size(sum(relative.values()))}\t{name}", *lines))


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path[:_DEPTH])


def _size(size: int) -> str:
    unit = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    amount = size / 1024**unit
    return f"{amount:.0f}{_UNITS[unit]}" if amount == int(amount) else f"{amount:.1f}{_UNITS[unit]}"
