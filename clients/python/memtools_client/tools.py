"""One method for each tool. Made from the catalogue by `make generate`: change it there."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from memtools_client import replies
from memtools_client.awaiting import awaitable
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
        token_budget: int | None = None,
        tags: Sequence[str] | None = None,
        any_tags: Sequence[str] | None = None,
        without_tags: Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        explain: bool | None = None,
    ) -> replies.Found:
        """Search what you remember about this user.

        Call it before you answer anything that may depend on earlier conversations: preferences, people, plans,
        decisions, past events. It finds facts by meaning and by words, and returns only the relevant ones, best
        first. An empty list means that nothing relevant is remembered. It never changes a memory and never sees
        the memories of other users.

        Args:
            query: What you want to know, in plain words: a question, or a few keywords with names.
            limit: Maximum number of memories, 1 to 100. Fewer are returned if fewer are relevant.
            token_budget: Return only as many of the best memories as fit into about this many tokens.
            tags: Only memories that have all of these tags.
            any_tags: Only memories that have at least one of these tags.
            without_tags: Only memories that have none of these tags.
            since: Only what happened at or after this time: a date or a time in ISO 8601, such as 2026-11-30 or
                2026-11-30T17:45:00Z.
            until: Only what happened up to this time: a date or a time in ISO 8601, such as 2026-11-30 or
                2026-11-30T17:45:00Z. A date includes the whole day.
            explain: For programs: also return the parts of each score.
        """
        arguments = {
            "query": query,
            "limit": limit,
            "tokenBudget": token_budget,
            "tags": tags,
            "anyTags": any_tags,
            "withoutTags": without_tags,
            "since": since,
            "until": until,
            "explain": explain,
        }
        return self._ask("memory_search", arguments, replies.Found.of)

    def memory_list(
        self, *, limit: int | None = None, tags: Sequence[str] | None = None, cursor: str | None = None
    ) -> replies.Listed:
        """List what you remember about this user, newest first, page by page.

        Call it to look through memories without a question in mind, or before you tidy them up. To find something
        specific, call memory_search. It changes nothing.

        Args:
            limit: Maximum number of memories on a page, 1 to 100.
            tags: Only memories that have all of these tags.
            cursor: `nextCursor` of the previous page; keep the same tags. Without it, the list starts with the
                newest.
        """
        arguments = {"limit": limit, "tags": tags, "cursor": cursor}
        return self._ask("memory_list", arguments, replies.Listed.of)

    def memory_read(self, *, target: Literal["soul", "self", "user"] | None = None) -> replies.DocumentText:
        """Read the persona documents.

        Call it at the start of a conversation (`soul`), or before an edit to see the exact text and its version
        (`self` or `user`). It always returns the complete text. It changes nothing.

        Args:
            target: `soul`: all persona documents together, as loaded at the start of a conversation. `self`: only
                MEMORY.md, verbatim. `user`: only USER.md, verbatim.
        """
        arguments = {"target": target}
        return self._ask("memory_read", arguments, replies.DocumentText.of)

    def memory_history(
        self, *, trace_id: str | None = None, target: Literal["self", "user"] | None = None, limit: int | None = None
    ) -> replies.Versions:
        """See the versions of one memory (`traceId`) or one document (`target`), newest first, each with its change.

        Call it before memory_restore, before `undo` in memory_edit, or when the user asks why you remember
        something. It changes nothing.

        Args:
            trace_id: The id of the memory whose versions you want.
            target: Or a document: `self` for MEMORY.md, `user` for USER.md.
            limit: Maximum number of versions, 1 to 100.
        """
        arguments = {"traceId": trace_id, "target": target, "limit": limit}
        return self._ask("memory_history", arguments, replies.Versions.of)

    def memory_duplicates(self, *, limit: int | None = None, threshold: float | None = None) -> replies.Groups:
        """Find groups of memories that probably say the same thing.

        Call it to tidy up, before memory_merge. Read each group first, because memories that contradict each
        other also look alike. It changes nothing.

        Args:
            limit: Maximum number of groups, 1 to 100.
            threshold: Minimum similarity of the memories in a group, from 0 to 1. At 0.9 they say the same thing
                in nearly the same words. At 0.6 they are about the same thing.
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

        Call it as soon as you learn something worth knowing in a later conversation. It stores all facts of a
        call, or none. A fact that is already known is not stored again but listed under `duplicates`, so
        repeating a call does no harm. It never changes or replaces a memory.

        Args:
            facts: The facts to remember. Each is a sentence that makes sense by itself: use names instead of
                pronouns and dates instead of 'yesterday'. Up to 100.
            tags: Labels for all facts of this call. Searches can filter by them.
            occurred_at: When it happened, if not now: a date or a time in ISO 8601, such as 2026-11-30 or
                2026-11-30T17:45:00Z.
            expires_at: When to forget the facts, if ever: a date or a time in ISO 8601, such as 2026-11-30 or
                2026-11-30T17:45:00Z. It must be in the future.
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
        """Edit your notes (MEMORY.md, target `self`) or what you know about the user (USER.md, target `user`).

        The few things that should be present in every conversation. The edit happens whole, or is refused with
        the reason and the current text. The text to change must occur exactly once; nothing is guessed. The edit
        is stored at once and loads with the next session. For facts that a search should find, use memory_add
        instead.

        Args:
            action: `add` appends `text` as one entry. `replace` replaces `text` with `with`. `remove` deletes
                `text`. `undo` takes back the last change; called again, the change before it, and so on.
            text: For `add`: the new entry. For `replace` and `remove`: the exact text to find, which must occur
                exactly once. Copy it; patterns do not work.
            with_: For `replace`: the new text, used verbatim except for line ends.
            target: `self`: MEMORY.md, your own notes. `user`: USER.md, what you know about the user.
            version: The version that memory_read or memory_edit returned. If the document has changed since, the
                edit is refused.
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

        Call it when a fact has changed or was wrong. Search for its id first. The replaced version is kept and
        can be restored. It never adds a memory and never changes another one.

        Args:
            trace_id: The id of the memory to change.
            content: The new content, complete. Without it, the content stays.
            tags: The new tags, all of them. Without it, the tags stay.
            version: The version that you have seen. If the memory has changed since, the update is refused.
        """
        arguments = {"traceId": trace_id, "content": content, "tags": tags, "version": version}
        return self._ask("memory_update", arguments, replies.Updated.of)

    def memory_delete(self, trace_id: str, *, reason: str | None = None, version: int | None = None) -> replies.Deleted:
        """Forget one memory.

        Call it when the user asks you to, or when the memory is wrong and nothing should replace it. Searches no
        longer return it. For some weeks, memory_restore can bring it back. Deleting it again changes nothing.

        Args:
            trace_id: The id of the memory to forget.
            reason: The reason, shown in the history.
            version: The version that you have seen. If the memory has changed since, the deletion is refused.
        """
        arguments = {"traceId": trace_id, "reason": reason, "version": version}
        return self._ask("memory_delete", arguments, replies.Deleted.of)

    def memory_restore(self, trace_id: str, *, version: int | None = None) -> replies.Restored:
        """Bring back a deleted memory, or an earlier version of a memory.

        Call it when a deletion or a change was a mistake. It makes a new version, so nothing is lost.

        Args:
            trace_id: The id of the memory to bring back.
            version: A version from memory_history, to bring back its content. Without it, a deleted memory comes
                back as it was.
        """
        arguments = {"traceId": trace_id, "version": version}
        return self._ask("memory_restore", arguments, replies.Restored.of)

    def memory_merge(self, trace_ids: Sequence[str], *, merged_content: str | None = None) -> replies.Merged:
        """Merge memories that say the same thing, or parts of it, into one.

        Call it when a search returns near-duplicates or fragments. The memory that was retrieved most often
        survives, with the merged content and all tags. The others no longer appear. The merge happens whole or
        not at all, and never overwrites a memory that changed in the meantime.

        Args:
            trace_ids: The ids of 2 to 50 memories that say the same thing or belong together, as returned by
                memory_search.
            merged_content: One text that says everything, stored verbatim. Without it, the contents are joined
                with ' | '.
        """
        arguments = {"traceIds": trace_ids, "mergedContent": merged_content}
        return self._ask("memory_merge", arguments, replies.Merged.of)

    def memory_unmerge(self, survivor_id: str, *, version: int | None = None) -> replies.Unmerged:
        """Undo the last merge of a memory: the merged memories come back, and the survivor says what it said before.

        Call it when a merge was a mistake. Called again, it undoes the merge before that one. If the survivor has
        changed since the merge, the call is refused and nothing changes.

        Args:
            survivor_id: The id of the memory that resulted from the merge.
            version: The version that you have seen. If the memory has changed since, the call is refused.
        """
        arguments = {"survivorId": survivor_id, "version": version}
        return self._ask("memory_unmerge", arguments, replies.Unmerged.of)


class AsyncTools:
    """The same tools, each to be awaited."""

    memory_search = awaitable(Tools.memory_search)
    memory_list = awaitable(Tools.memory_list)
    memory_read = awaitable(Tools.memory_read)
    memory_history = awaitable(Tools.memory_history)
    memory_duplicates = awaitable(Tools.memory_duplicates)
    memory_add = awaitable(Tools.memory_add)
    memory_edit = awaitable(Tools.memory_edit)
    memory_update = awaitable(Tools.memory_update)
    memory_delete = awaitable(Tools.memory_delete)
    memory_restore = awaitable(Tools.memory_restore)
    memory_merge = awaitable(Tools.memory_merge)
    memory_unmerge = awaitable(Tools.memory_unmerge)
