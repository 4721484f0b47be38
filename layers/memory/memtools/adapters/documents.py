"""Persona documents in a versioned S3 bucket, one object each, with conditional writes."""

from collections.abc import Sequence
from dataclasses import replace

from botocore.exceptions import ClientError

from memtools.adapters.aws import (
    Client,
    code_of,
    get_object,
    in_parallel,
    put_object,
    translated_errors,
)
from memtools.adapters.translation import READ_FAILED, WRITE_FAILED
from memtools.domain.document import ABSENT, FILES, Document, text_of
from memtools.domain.scope import Scope
from memtools.ports import ConditionFailed

# No version of any object has this name; it is the name of a deletion marker.
_NO_VERSION = ("InvalidArgument", "MethodNotAllowed")
CONTENT_TYPE = "text/markdown; charset=utf-8"


def document_key(scope: Scope, name: str) -> str:
    """The object's key: under the agent for what no tool changes, else under agent and user."""
    owner = f"agents/{scope.agent_path}"
    return f"{owner}/users/{scope.user_path}/{name}" if name in FILES.values() else f"{owner}/{name}"


class S3Personas:
    """The PersonaStore on S3."""

    def __init__(self, client: Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def read(self, scope: Scope, names: Sequence[str]) -> dict[str, Document]:
        with translated_errors(READ_FAILED):
            found = in_parallel(lambda name: self._read_one(scope, name), names)
            return {document.name: document for document in found if document}

    def versions(self, scope: Scope, name: str, limit: int) -> list[Document]:
        """See the port. A version that the bucket's lifecycle removes between the list and the read is left out."""
        with translated_errors(READ_FAILED):
            ids = self._version_ids(document_key(scope, name), limit)
            found = in_parallel(lambda version: self._read_one(scope, name, VersionId=version), ids)
            return [document for document in found if document]

    def version(self, scope: Scope, name: str, version: str) -> Document | None:
        with translated_errors(READ_FAILED):
            try:
                return self._read_one(scope, name, VersionId=version)
            except ClientError as error:
                if code_of(error) in _NO_VERSION:
                    return None
                raise

    def _version_ids(self, key: str, limit: int) -> list[str]:
        """The newest versions of an object, at most ``limit``. Deletion markers and longer keys take no place."""
        pages = self._client.get_paginator("list_object_versions").paginate(
            Bucket=self._bucket, Prefix=key, PaginationConfig={"PageSize": limit}
        )
        ids: list[str] = []
        for page in pages:
            listed = page.get("Versions", [])
            ids += [one["VersionId"] for one in listed if one["Key"] == key]
            if len(ids) >= limit or any(one["Key"] != key for one in listed):
                break
        return ids[:limit]

    def _read_one(self, scope: Scope, name: str, **version: str) -> Document | None:
        answer = get_object(self._client, Bucket=self._bucket, Key=document_key(scope, name), **version)
        if answer is None:
            return None
        metadata = answer["Metadata"]
        return Document(
            name=name,
            text=text_of(name, answer["Body"].read()),
            version=answer["VersionId"],
            tag=answer["ETag"],
            edit=metadata.get("edit", ""),
            replaces=metadata.get("replaces"),
            written_at=answer["LastModified"],
            writes=tuple(filter(None, metadata.get("writes", "").split(","))),
        )

    def write(self, scope: Scope, document: Document, replaces: Document | None) -> Document:
        replaced = replaces.version if replaces else ABSENT
        with translated_errors(WRITE_FAILED):
            answer = put_object(
                self._client,
                replaces.tag if replaces else None,
                Bucket=self._bucket,
                Key=document_key(scope, document.name),
                Body=document.text.encode(),
                ContentType=CONTENT_TYPE,
                Metadata={"edit": document.edit, "replaces": replaced, "writes": ",".join(document.writes)},
            )
        if answer is None:
            raise ConditionFailed
        return replace(document, version=answer["VersionId"], tag=answer["ETag"], replaces=replaced)
