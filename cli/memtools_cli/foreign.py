"""What other programs remembered, into a memory through its tools.

The tools recognise a fact or an entry that they have stored already, so an import that was interrupted is simply run
again.
"""

from collections.abc import Mapping
from functools import partial

from memtools.adapters.archive.port import Archive
from memtools.domain.scope import Scope
from memtools_client import MemoryClient

from memtools_cli import documents
from memtools_cli.connection import call
from memtools_cli.failures import BadUsage, Refused
from memtools_cli.formats.plan import Plan
from memtools_cli.output import Advance


def require_user(plan: Plan, user: str | None) -> None:
    """Raise Failure where the file has memories of several users, or of another than the one expected."""
    if len(plan.users) > 1:
        names = ", ".join(sorted(plan.users))
        raise BadUsage(f"The file has memories of several users ({names}), and a memory is about one. Split it first.")
    if user is not None and plan.users - {user}:
        raise BadUsage(f"The file has memories of {', '.join(plan.users)}, not of {user}.")


def import_plan(client: MemoryClient, plan: Plan, advance: Advance) -> dict[str, int]:
    """Write documents, which may lack room, then facts; how many entries and facts were new, and how many known."""
    counts = {"facts": 0, "knownFacts": 0, **documents.write(partial(call, client), plan.documents)}
    for arguments in plan.calls:
        reply = call(client, "memory_add", arguments)
        counts["facts"] += len(reply.get("saved", []))
        counts["knownFacts"] += len(reply.get("duplicates", []))
        advance(1)
    return counts


def missing_agent_documents(archive: Archive, scope: Scope, plan: Plan) -> dict[str, bytes]:
    """The agent's own documents that are not there. Raises Failure where one is there with another text."""
    missing = {}
    for name, text in plan.agent_documents.items():
        found = archive.read_agent_document(scope, name)
        if found is None:
            missing[name] = text.encode()
        elif found != text.encode():
            raise Refused(f"The agent has another {name} already; nothing was imported. Write it yourself.", "conflict")
    return missing


def create_agent_documents(archive: Archive, scope: Scope, missing: Mapping[str, bytes]) -> None:
    """Store them where there are none."""
    for name, data in missing.items():
        archive.create_agent_document(scope, name, data)
