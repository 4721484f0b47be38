"""Notes: all other files, an S3 object each, in a folder of the stack's bucket for each agent and user."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote, unquote

from botocore.exceptions import BotoCoreError, ClientError

from memtools_client.errors import Unavailable, Unscoped
from memtools_client.files.paths import shown
from memtools_client.files.store import ConditionFailed, File, Path, Refused

LIMIT: Final = 256 * 1024
_KEY_LIMIT: Final = 1024
_ABSENT: Final = frozenset({"NoSuchKey", "404", "NotFound"})
_LOST: Final = frozenset({"PreconditionFailed", "412", "ConditionalRequestConflict", "409", *_ABSENT})


class Notes:
    """A Store of the notes of one agent and one user.

    ``s3`` is a boto3 client that may list, get, put and delete under ``agents/<agent>/users/<user>/notes/`` in
    ``bucket``, the stack's output ``BucketName``. Raises Unscoped where agent or user is blank.
    """

    def __init__(self, s3: Any, bucket: str, *, agent: str, user: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._folder = f"agents/{_owner(agent)}/users/{_owner(user)}/notes"

    def read(self, path: Path) -> File | None:
        """See Store."""
        with _translated_errors():
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
            raise Refused(f"{shown(path)} is not UTF-8 text, so it was left alone.") from None

    def write(self, path: Path, text: str, replaces: File | None) -> None:
        """See Store.

        botocore may send a write twice, and the second meets the first as a failed condition. So each write has a
        random id, which the object then bears.
        """
        condition = {"IfMatch": replaces.tag} if replaces else {"IfNoneMatch": "*"}
        write_id = uuid.uuid4().hex
        with _translated_errors():
            try:
                self._s3.put_object(
                    Bucket=self._bucket,
                    Key=self._key(path),
                    Body=_body(text, path),
                    ContentType="text/plain; charset=utf-8",
                    Metadata={"write": write_id},
                    **condition,
                )
            except ClientError as error:
                if _code(error) not in _LOST:
                    raise
                metadata = self._metadata(path)
                if metadata is None or metadata.get("write") != write_id:
                    raise ConditionFailed from None

    def delete(self, path: Path, file: File) -> None:
        """See Store. The bucket keeps the version as long as any other."""
        with _translated_errors():
            try:
                self._s3.delete_object(Bucket=self._bucket, Key=self._key(path), IfMatch=file.tag)
            except ClientError as error:
                if _code(error) not in _LOST:
                    raise
                if self._metadata(path) is not None:
                    raise ConditionFailed from None

    def below(self, path: Path) -> dict[Path, int]:
        """See Store."""
        # With the slash, since notes-of-others starts with notes too.
        prefix = self._key(path) + "/"
        with _translated_errors():
            pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
            objects = [entry for page in pages for entry in page.get("Contents", [])]
        return {self._path(entry["Key"]): entry["Size"] for entry in objects}

    def _metadata(self, path: Path) -> dict[str, str] | None:
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
            raise Refused(f"The path {shown(path)} is too long.")
        return key

    def _path(self, key: str) -> Path:
        return tuple(unquote(part) for part in key.removeprefix(self._folder + "/").split("/"))


def _owner(name: str) -> str:
    """The name as the service encodes it in keys. Dots are encoded too, so that no name is ``..``."""
    if not name.strip():
        raise Unscoped("Notes belong to an agent and a user: the application has to name both.")
    return quote(name, safe="").replace(".", "%2E")


def _body(text: str, path: Path) -> bytes:
    try:
        body = text.encode()
    except UnicodeEncodeError:
        raise Refused("The text holds half of a surrogate pair, which cannot be stored.") from None
    if len(body) > LIMIT:
        raise Refused(f"{shown(path)} would have {len(body)} bytes; it may have {LIMIT}. Nothing was written.")
    return body


def _code(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Raise S3's errors as Unavailable."""
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise Unavailable("The notes did not answer in time. Try once more, then go on without them.") from error
