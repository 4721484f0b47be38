"""The cells that the code does not pass yet. Delete what is mended: a cell that is listed and passes fails the run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Open:
    """An open fault of the code: the cells of these tools' scenarios at an operation under any of these faults."""

    issue: str
    tools: str
    operation: str
    faults: tuple[str, ...]

    def rows(self) -> set[tuple[str, str, str]]:
        """Tool, operation and fault of each cell."""
        return {(tool, self.operation, fault) for tool in self.tools.split() for fault in self.faults}


KNOWN = [
    # Permanent failures are called an outage that passes, some after 61 tries.
    Open(
        "A10",
        "add delete merge restore unmerge update",
        "TransactWriteItems",
        ("access denied", "cancelled as invalid", "cancelled at 10 GB", "invalid"),
    ),
    Open("A10", "delete history list merge restore search unmerge update", "BatchGetItem", ("access denied",)),
    Open("A10", "history list restore search unmerge", "Query", ("access denied",)),
    Open("A10", "edit history list read search", "GetObject", ("access denied",)),
    Open("A10", "history", "ListObjectVersions", ("access denied",)),
    Open("A10", "edit", "PutObject", ("access denied",)),
]
