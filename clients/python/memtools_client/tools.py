"""One method for each tool, blocking. Made from the catalogue by `make generate`: change it there."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from memtools_client import replies
from memtools_client.wire import Moment

Reply = TypeVar("Reply")


class Tools(ABC):
    """The tools of the catalogue; what is None is not sent, so that the service's default applies."""

    @abstractmethod
    def _ask(self, tool: str, arguments: Mapping[str, Any], reply: Callable[[Mapping[str, Any]], Reply]) -> Reply: ...

    def memory_search(
        self,
        query: str,
        *,
        limit: int | None = None,
        tags: Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        explain: bool | None = None,
    ) -> replies.Found:
        """Search what you remember about this user.

        Call it before you answer anything that may depend on earlier conversations: preferences, people, plans,
        decisions, past events. Finds facts by meaning and by words and returns only those relevant enough, best
        first; an empty list means that nothing relevant is remembered. It never changes a memory, and never sees
        those of other users.

        Args:
            query: What you want to know, in plain words: a question or a few key words with names.
            limit: How many memories at most, 1 to 100. Fewer come back where fewer are relevant.
            tags: Only memories that carry all of these tags.
            since: Only what happened at or after this: a date or a time in ISO 8601, such as 2026-11-30 or
                2026-11-30T17:45:00Z.
            until: Only what happened up to this; a date means its whole day: a date or a time in ISO 8601, such
                as 2026-11-30 or 2026-11-30T17:45:00Z.
            explain: For programs: also say how each score came about.
        """
        arguments = {"query": query, "limit": limit, "tags": tags, "since": since, "until": until, "explain": explain}
        return self._ask("memory_search", arguments, replies.Found.of)

    def memory_list(
        self, *, limit: int | None = None, tags: Sequence[str] | None = None, cursor: str | None = None
    ) -> replies.Listed:
        """List what you remember about this user, newest first, page by page.

        Call it to look through memories without a question in mind, or before tidying them up. To find something
        particular call memory_search. It changes nothing.

        Args:
            limit: How many memories a page has at most, 1 to 100.
            tags: Only memories that carry all of these tags.
            cursor: `nextCursor` of the page before, with the same tags. Without it the newest.
        """
        arguments = {"limit": limit, "tags": tags, "cursor": cursor}
        return self._ask("memory_list", arguments, replies.Listed.of)

    def memory_read(self, *, target: Literal["soul", "self", "user"] | None = None) -> replies.DocumentText:
        """Read the persona documents.

        Call it at the start of a conversation (`soul`), or before an edit to see the exact text and its version
        (`self` or `user`). The text is complete, never shortened. It changes nothing.

        Args:
            target: `soul`: all persona documents together, as loaded at the start of a conversation. `self`:
                MEMORY.md alone. `user`: USER.md alone, both to the letter.
        """
        arguments = {"target": target}
        return self._ask("memory_read", arguments, replies.DocumentText.of)

    def memory_history(
        self, *, trace_id: str | None = None, target: Literal["self", "user"] | None = None, limit: int | None = None
    ) -> replies.Versions:
        """See the versions of one memory (`traceId`) or of a document (`target`), newest first, each with what made it.

        Call it before memory_restore or memory_edit's undo, or when the user asks why you remember something. It
        changes nothing.

        Args:
            trace_id: The memory whose versions you want.
            target: Or the document: `self` for MEMORY.md, `user` for USER.md.
            limit: How many versions at most, 1 to 100.
        """
        arguments = {"traceId": trace_id, "target": target, "limit": limit}
        return self._ask("memory_history", arguments, replies.Versions.of)

    def memory_duplicates(self, *, limit: int | None = None, threshold: float | None = None) -> replies.Groups:
        """Find memories that likely say the same, in groups.

        Call it to tidy up, before memory_merge: read each group first, since memories that contradict each other
        look alike too. It changes nothing.

        Args:
            limit: How many groups at most, 1 to 100.
            threshold: How alike the memories of a group have to be, from 0 to 1. At 0.9 they say the same in
                nearly the same words; at 0.6 they are about the same thing.
        """
        arguments = {"limit": limit, "threshold": threshold}
        return self._ask("memory_duplicates", arguments, replies.Groups.of)

    def memory_add(
        self,
        facts: Sequence[str],
        *,
        tags: Sequence[str] | None = None,
        occurred_at: Moment | None = None,
        expires_at: Moment | None = None,
    ) -> replies.Added:
        """Remember new facts about the user or your work with them.

        Call it as soon as you learn something worth knowing in a later conversation. All facts of a call are
        stored, or none. A fact that is known already is not stored twice but named under `duplicates`, so
        repeating a call does no harm. It never changes or replaces a memory.

        Args:
            facts: The facts to remember, each a sentence that makes sense on its own: names instead of pronouns,
                dates instead of 'yesterday'. Up to 100.
            tags: Labels for all facts of this call, to narrow a search by.
            occurred_at: When it happened, if not now: a date or a time in ISO 8601, such as 2026-11-30 or
                2026-11-30T17:45:00Z.
            expires_at: When to forget the facts, if ever: a date or a time in ISO 8601, such as 2026-11-30 or
                2026-11-30T17:45:00Z, in the future.
        """
        arguments = {"facts": facts, "tags": tags, "occurredAt": occurred_at, "expiresAt": expires_at}
        return self._ask("memory_add", arguments, replies.Added.of)

    def memory_edit(
        self,
        action: Literal["add", "replace", "remove", "undo"],
        *,
        text: str | None = None,
        with_: str | None = None,
        target: Literal["self", "user"] | None = None,
        version: str | None = None,
    ) -> replies.Edited:
        """Edit your notes (MEMORY.md, target `self`) or what you know of the user (USER.md, target `user`).

        The few things that should be present in every conversation. The edit happens whole or is refused with the
        reason and the current text; text that does not occur exactly once is never guessed at. It is stored at
        once and loads with the next session. Facts to be found by search belong in memory_add.

        Args:
            action: `add` appends `text` as one entry; `replace` swaps `text` for `with`; `remove` deletes `text`;
                `undo` puts back what the document was before its last change.
            text: For `add` the new entry. Else the exact text to find, which has to occur exactly once: copy it,
                no patterns.
            with_: For `replace`: what stands there afterwards, to the letter.
            target: `self`: MEMORY.md, your own notes. `user`: USER.md, what you know of the user.
            version: The version that memory_read or memory_edit returned, to refuse the edit if it has changed
                since.
        """
        arguments = {"action": action, "text": text, "with": with_, "target": target, "version": version}
        return self._ask("memory_edit", arguments, replies.Edited.of)

    def memory_update(
        self,
        trace_id: str,
        *,
        content: str | None = None,
        tags: Sequence[str] | None = None,
        version: int | None = None,
    ) -> replies.Updated:
        """Correct one memory: its content, its tags or both.

        Call it when a fact has changed or was wrong; search for its id first. The version replaced is kept and
        can be restored. It never adds a memory and never touches another one.

        Args:
            trace_id: The memory to change, by its id.
            content: What it says from now on, whole. Without it the content stays.
            tags: All its tags from now on. Without it the tags stay.
            version: The version you have seen, to refuse the change if it is another one by now.
        """
        arguments = {"traceId": trace_id, "content": content, "tags": tags, "version": version}
        return self._ask("memory_update", arguments, replies.Updated.of)

    def memory_delete(self, trace_id: str, *, reason: str | None = None, version: int | None = None) -> replies.Deleted:
        """Forget one memory.

        Call it when the user asks you to, or when it is wrong and nothing should take its place. No search
        returns it from then on; for some weeks memory_restore can bring it back. Deleting it again changes
        nothing.

        Args:
            trace_id: The memory to forget, by its id.
            reason: Why, for whoever looks into the history.
            version: The version you have seen, to refuse the deletion if it is another one by now.
        """
        arguments = {"traceId": trace_id, "reason": reason, "version": version}
        return self._ask("memory_delete", arguments, replies.Deleted.of)

    def memory_restore(self, trace_id: str, *, version: int | None = None) -> replies.Restored:
        """Bring back a deleted memory, or what a memory said at an earlier version.

        Call it when a deletion or a change was a mistake. It makes a new version; nothing that was there is lost.

        Args:
            trace_id: The memory to bring back, by its id.
            version: A version out of memory_history, to bring back what it said then. Without it a deleted memory
                comes back as it was.
        """
        arguments = {"traceId": trace_id, "version": version}
        return self._ask("memory_restore", arguments, replies.Restored.of)

    def memory_merge(self, trace_ids: Sequence[str], *, merged_content: str | None = None) -> replies.Merged:
        """Merge memories that say the same, or parts of the same, into one.

        Call it when a search returns near-duplicates or fragments. The one retrieved most survives with the
        merged content and all tags; the others no longer appear. All of it happens or none of it, and a memory
        that changed meanwhile is never overwritten.

        Args:
            trace_ids: The ids of 2 to 50 memories that say the same or belong together, as memory_search returned
                them.
            merged_content: The one text that says it all, kept to the letter. Without it the contents are joined
                by ' | '.
        """
        arguments = {"traceIds": trace_ids, "mergedContent": merged_content}
        return self._ask("memory_merge", arguments, replies.Merged.of)

    def memory_unmerge(self, survivor_id: str) -> replies.Unmerged:
        """Take back the last merge of a memory: what went into it lives again, and the memory says what it said before.

        Call it when a merge was a mistake. If the memory changed since, it is refused and nothing changes.

        Args:
            survivor_id: The memory that came out of the merge, by its id.
        """
        arguments = {"survivorId": survivor_id}
        return self._ask("memory_unmerge", arguments, replies.Unmerged.of)
