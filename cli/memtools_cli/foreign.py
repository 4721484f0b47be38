"""What other programs remembered, into a memory by way of its tools.

The tools know a fact and an entry again, so an import that was interrupted is simply run again.
"""

from collections import Counter
from typing import Any, Final

from botocore.exceptions import ClientError
from memtools.adapters.aws import code_of
from memtools.adapters.documents import ABSENT_CODES, document_key
from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope
from memtools.domain.trace import require_fitting

from memtools_cli.failures import bad_usage, refused, told
from memtools_cli.formats.found import Found
from memtools_cli.output import Bar
from memtools_cli.targets import Target, patiently

_UNCHANGED: Final = "already so"


def require_sound(found: Found) -> None:
    """Raise Failure or ToolError, before anything is written, for a text that a tool would refuse."""
    for tool, arguments in found.calls:
        given = TOOLS[tool].parse(arguments)
        if tool == "memory_add":
            require_fitting(given.facts, argument="facts")  # type: ignore[attr-defined]


def of_user(found: Found, user: str | None) -> None:
    """Raise Failure where the file has memories of several users, or of others than the one expected."""
    if len(found.users) > 1:
        names = ", ".join(sorted(found.users))
        raise bad_usage(f"The file has memories of several users ({names}), and a memory is about one. Split it first.")
    if user is not None and found.users - {user}:
        raise bad_usage(f"The file has memories of {', '.join(found.users)}, not of {user}.")


def import_found(target: Target, found: Found, bar: Bar) -> dict[str, int]:
    """Make the calls; what became of them."""
    counts: Counter[str] = Counter(facts=0, knownFacts=0, entries=0, knownEntries=0)
    for tool, arguments in found.calls:
        reply = patiently(target, tool, arguments)
        counts.update(_outcome(tool, reply))
        bar.advance()
    return dict(counts)


def _outcome(tool: str, reply: dict[str, Any]) -> dict[str, int]:
    if tool == "memory_add":
        return {"facts": len(reply.get("saved", [])), "knownFacts": len(reply.get("duplicates", []))}
    return {"knownEntries" if _UNCHANGED in str(reply.get("message")) else "entries": 1}


def agent_documents_to_write(s3: Any, bucket: str, scope: Scope, found: Found) -> dict[str, str]:
    """Those of the agent's own documents that are not there. Raises Failure where one there says something else."""
    missing = {}
    for name, text in found.agent_documents.items():
        with told("read the bucket"):
            try:
                there = s3.get_object(Bucket=bucket, Key=document_key(scope, name))["Body"].read()
            except ClientError as error:
                if code_of(error) not in ABSENT_CODES:
                    raise
                missing[name] = text
                continue
        if there != text.encode():
            raise refused(
                f"The agent has another {name} already; nothing was imported. Put it there yourself.", "conflict"
            )
    return missing


def write_agent_documents(s3: Any, bucket: str, scope: Scope, documents: dict[str, str]) -> None:
    """Put them where nothing stands."""
    for name, text in documents.items():
        with told(f"write {name} to the bucket"):
            s3.put_object(
                Bucket=bucket,
                Key=document_key(scope, name),
                Body=text.encode(),
                ContentType="text/markdown; charset=utf-8",
                IfNoneMatch="*",
            )
