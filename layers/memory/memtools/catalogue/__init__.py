"""Every tool: its name, what a model reads about it, its arguments, its reply. The only place where they stand."""

import re
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from memtools.catalogue import arguments as takes
from memtools.catalogue import replies
from memtools.errors import InvalidArguments


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as callers know it; ``function`` is the Lambda function that serves it."""

    name: str
    function: str
    description: str
    arguments: type[takes.Arguments]
    reply: type[replies.Reply]

    def parse(self, given: Any) -> takes.Arguments:
        """The arguments, typed; null is the same as absent.

        Raises InvalidArguments, which names each argument that is wrong and what it may be.
        """
        if not isinstance(given, dict):
            raise InvalidArguments(f"The arguments of {self.name} have to be a JSON object.")
        try:
            return self.arguments.model_validate({name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            problems = [self._problem(problem) for problem in error.errors(include_input=False, include_url=False)]
        raise InvalidArguments(
            f"{self.name} was not called: {'; '.join(problem['problem'] for problem in problems)}.",
            arguments=problems,
        )

    @property
    def argument_names(self) -> list[str]:
        """The names on the wire, in order."""
        return [field.alias or name for name, field in self.arguments.model_fields.items()]

    def _problem(self, problem: Any) -> dict[str, str]:
        path = ".".join(str(part) for part in problem["loc"]).encode(errors="replace").decode()
        message = problem["msg"].removeprefix("Value error, ")
        match problem["type"]:
            case "extra_forbidden":
                text = f"`{path}` is no argument; it takes {', '.join(self.argument_names)}"
            case "missing":
                text = f"`{path}` is missing"
            case _:
                text = f"`{path}`: {message}" if path else message
        named = path or next(iter(re.findall(r"`(\w+)`", text)), "")
        return {"argument": named, "problem": text}


TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool(
            "memory_search",
            "search",
            "Search what you remember about this user. Call it before you answer anything that may depend on earlier"
            " conversations: preferences, people, plans, decisions, past events. Finds facts by meaning and by"
            " words and"
            " returns only those relevant enough, best first; an empty list means that nothing relevant is"
            " remembered. It"
            " never changes a memory, and never sees those of other users.",
            takes.Search,
            replies.Found,
        ),
        Tool(
            "memory_list",
            "search",
            "List what you remember about this user, newest first, page by page. Call it to look through memories"
            " without a question in mind, or before tidying them up. To find something particular call"
            " memory_search. It changes nothing.",
            takes.List,
            replies.Listed,
        ),
        Tool(
            "memory_read",
            "search",
            "Read the persona documents. Call it at the start of a conversation (`soul`), or before an edit to"
            " see the exact"
            " text and its version (`self` or `user`). The text is complete, never shortened. It changes nothing.",
            takes.Read,
            replies.Document,
        ),
        Tool(
            "memory_history",
            "search",
            "See the versions of one memory (`traceId`) or of a document (`target`), newest first, each with what"
            " made it. Call it before memory_restore or memory_edit's undo, or when the user asks why you remember"
            " something. It changes nothing.",
            takes.History,
            replies.Versions,
        ),
        Tool(
            "memory_duplicates",
            "search",
            "Find memories that likely say the same, in groups. Call it to tidy up, before memory_merge: read each"
            " group first, since memories that contradict each other look alike too. It changes nothing.",
            takes.Duplicates,
            replies.Groups,
        ),
        Tool(
            "memory_add",
            "add",
            "Remember new facts about the user or your work with them. Call it as soon as you learn something"
            " worth knowing"
            " in a later conversation. All facts of a call are stored, or none. A fact that is known already is"
            " not stored"
            " twice but named under `duplicates`, so repeating a call does no harm. It never changes or replaces"
            " a memory.",
            takes.Add,
            replies.Added,
        ),
        Tool(
            "memory_edit",
            "edit",
            "Edit your notes (MEMORY.md, target `self`) or what you know of the user (USER.md, target `user`):"
            " the few things"
            " that should be present in every conversation. The edit happens whole or is refused with the reason"
            " and the"
            " current text; text that does not occur exactly once is never guessed at. It is stored at once and"
            " loads with"
            " the next session. Facts to be found by search belong into memory_add instead.",
            takes.Edit,
            replies.Edited,
        ),
        Tool(
            "memory_update",
            "edit",
            "Correct one memory: its content, its tags or both. Call it when a fact has changed or was wrong;"
            " search for its id first. The version replaced is kept and can be restored. It never adds a memory and"
            " never touches another one.",
            takes.Update,
            replies.Updated,
        ),
        Tool(
            "memory_delete",
            "edit",
            "Forget one memory. Call it when the user asks you to, or when it is wrong and nothing should take its"
            " place. No search returns it from then on; for some weeks memory_restore can bring it back.",
            takes.Delete,
            replies.Deleted,
        ),
        Tool(
            "memory_restore",
            "edit",
            "Bring back a deleted memory, or what a memory said at an earlier version. Call it when a deletion or a"
            " change was a mistake. It makes a new version; nothing that was there is lost.",
            takes.Restore,
            replies.Restored,
        ),
        Tool(
            "memory_merge",
            "merge",
            "Merge memories that say the same, or parts of the same, into one. Call it when a search returns"
            " near-duplicates"
            " or fragments. The one retrieved most survives with the merged content and all tags; the others no longer"
            " appear. All of it happens or none of it, and a memory that changed meanwhile is never overwritten.",
            takes.Merge,
            replies.Merged,
        ),
        Tool(
            "memory_unmerge",
            "merge",
            "Take back the last merge of a memory: what went into it lives again, and the memory says what it said"
            " before. Call it when a merge was a mistake. If the memory changed since, it is refused and nothing"
            " changes.",
            takes.Unmerge,
            replies.Unmerged,
        ),
    )
}
