"""Further notes: an object each, in a folder of the stack's bucket that belongs to one agent and one user."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote, unquote

from botocore.exceptions import BotoCoreError, ClientError

from memtools_client.errors import Unavailable, Unscoped
from memtools_client.files.paths import told
from memtools_client.files.store import ConditionFailed, File, Path, Refused

LIMIT: Final = 256 * 1024
_KEY_LIMIT: Final = 1024
_ABSENT: Final = frozenset({"NoSuchKey", "404", "NotFound"})
_LOST: Final = frozenset({"PreconditionFailed", "412", "ConditionalRequestConflict", "409", *_ABSENT})


class Notes:
    """The notes of one agent and one user, as the application names them.

    ``s3`` is a boto3 client that may list, get, put and delete under ``agents/<agent>/users/<user>/notes/``.
    """

    def __init__(self, s3: Any, bucket: str, *, agent: str, user: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._folder = f"agents/{_owner(agent)}/users/{_owner(user)}/notes"

    def read(self, path: Path) -> File | None:
        """See Store."""
        with _told_as_unavailable():
            try:
                answer = self._s3.get_object(Bucket=self._bucket, Key=self._key(path))
                data = answer["Body"].read()
            except ClientError as error:
                if _code(error) in _ABSENT:
                    return None
                raise
        try:
            return File(data.decode(), answer["ETag"])
        except UnicodeDecodeError:
            raise Refused(f"{told(path)} is not UTF-8 text, so it was left alone.") from None

    def write(self, path: Path, text: str, replaces: File | None) -> None:
        """See Store. A lost race may be our own success, sent again by botocore: then the object bears our name."""
        condition = {"IfMatch": replaces.tag} if replaces else {"IfNoneMatch": "*"}
        name = uuid.uuid4().hex
        with _told_as_unavailable():
            try:
                self._s3.put_object(
                    Bucket=self._bucket,
                    Key=self._key(path),
                    Body=_body(text, path),
                    ContentType="text/plain; charset=utf-8",
                    Metadata={"write": name},
                    **condition,
                )
            except ClientError as error:
                if _code(error) not in _LOST:
                    raise
                standing = self._standing(path)
                if standing is None or standing.get("write") != name:
                    raise ConditionFailed from None

    def delete(self, path: Path, file: File) -> None:
        """See Store. The bucket keeps the version for as long as any."""
        with _told_as_unavailable():
            try:
                self._s3.delete_object(Bucket=self._bucket, Key=self._key(path), IfMatch=file.tag)
            except ClientError as error:
                if _code(error) not in _LOST:
                    raise
                if self._standing(path) is not None:
                    raise ConditionFailed from None

    def below(self, path: Path) -> dict[Path, int]:
        """See Store."""
        # With the slash, since notes-of-others starts with notes too.
        prefix = self._key(path) + "/"
        with _told_as_unavailable():
            pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
            listed = [one for page in pages for one in page.get("Contents", [])]
        return {self._path(one["Key"]): one["Size"] for one in listed}

    def _standing(self, path: Path) -> dict[str, str] | None:
        try:
            metadata: dict[str, str] = self._s3.head_object(Bucket=self._bucket, Key=self._key(path))["Metadata"]
        except ClientError as error:
            if _code(error) in _ABSENT:
                return None
            raise
        return metadata

    def _key(self, path: Path) -> str:
        try:
            key = "/".join((self._folder, *(quote(part, safe="") for part in path)))
        except UnicodeEncodeError:
            raise Refused("The path is no valid text.") from None
        if len(key) > _KEY_LIMIT:
            raise Refused(f"The path {told(path)} is too long.")
        return key

    def _path(self, key: str) -> Path:
        return tuple(unquote(part) for part in key.removeprefix(self._folder + "/").split("/"))


def _owner(name: str) -> str:
    """As the service encodes it: dots too, so that no name is a step in a path."""
    if not name.strip():
        raise Unscoped("Notes belong to an agent and a user: the application has to name both.")
    return quote(name, safe="").replace(".", "%2E")


def _body(text: str, path: Path) -> bytes:
    try:
        body = text.encode()
    except UnicodeEncodeError:
        raise Refused("The text holds half of a surrogate pair, which cannot be stored.") from None
    if len(body) > LIMIT:
        raise Refused(f"{told(path)} would have {len(body)} bytes; it may have {LIMIT}. Nothing was written.")
    return body


def _code(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])


@contextmanager
def _told_as_unavailable() -> Iterator[None]:
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise Unavailable("The notes did not answer in time. Try once more, then go on without them.") from error
