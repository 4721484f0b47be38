"""What other programs remembered, into a memory through its tools.

The tools recognise a fact or an entry that they have stored already, so an import that was interrupted is simply run
again.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from memtools.adapters.archive.documents import create_agent_document, read_agent_document
from memtools.domain.scope import Scope
from memtools.domain.trace import require_fitting
from memtools_client import MemoryClient

from memtools_cli.connection import call
from memtools_cli.failures import BadUsage, Refused
from memtools_cli.formats.plan import Plan
from memtools_cli.output import Advance

_TAGS_A_CALL: Final = 50


def require_storable(plan: Plan) -> None:
    """Raise Failure or ToolError, before anything is written, for a text that the tools would refuse."""
    for _, arguments in plan.calls:
        facts, tags = arguments.get("facts", []), arguments.get("tags", [])
        try:
            "".join((arguments.get("text", ""), *facts, *tags)).encode()
        except UnicodeEncodeError:
            raise BadUsage(
                "A text holds half of a surrogate pair, which cannot be stored.", "invalid_arguments"
            ) from None
        require_fitting(facts, argument="facts")
        if len(tags) > _TAGS_A_CALL:
            raise BadUsage(f"A memory has {len(tags)} tags; it may have {_TAGS_A_CALL}.", "invalid_arguments")


def require_user(plan: Plan, user: str | None) -> None:
    """Raise Failure where the file has memories of several users, or of another than the one expected."""
    if len(plan.users) > 1:
        names = ", ".join(sorted(plan.users))
        raise BadUsage(f"The file has memories of several users ({names}), and a memory is about one. Split it first.")
    if user is not None and plan.users - {user}:
        raise BadUsage(f"The file has memories of {', '.join(plan.users)}, not of {user}.")


def import_plan(client: MemoryClient, plan: Plan, advance: Advance) -> dict[str, int]:
    """Make the calls; how many facts and entries were new, and how many known."""
    counts = Counter(facts=0, knownFacts=0, entries=0, knownEntries=0)
    for tool, arguments in plan.calls:
        counts.update(_counts(tool, call(client, tool, arguments)))
        advance(1)
    return dict(counts)


def _counts(tool: str, reply: Mapping[str, Any]) -> dict[str, int]:
    if tool == "memory_add":
        return {"facts": len(reply.get("saved", [])), "knownFacts": len(reply.get("duplicates", []))}
    # A deployment of an earlier version has no `changed` in its reply.
    changed = reply.get("changed", "already so" not in str(reply.get("message")))
    return {"entries" if changed else "knownEntries": 1}


def missing_agent_documents(s3: Any, bucket: str, scope: Scope, plan: Plan) -> dict[str, bytes]:
    """The agent's own documents that are not in the bucket. Raises Failure where one is there with another text."""
    missing = {}
    for name, text in plan.agent_documents.items():
        found = read_agent_document(s3, bucket, scope, name)
        if found is None:
            missing[name] = text.encode()
        elif found != text.encode():
            raise Refused(f"The agent has another {name} already; nothing was imported. Write it yourself.", "conflict")
    return missing


def create_agent_documents(s3: Any, bucket: str, scope: Scope, documents: Mapping[str, bytes]) -> None:
    """Store them where there are none."""
    for name, data in documents.items():
        create_agent_document(s3, bucket, scope, name, data)
