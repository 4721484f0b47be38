"""Segments in S3, one object for each scope, with conditional writes."""

from typing import Any

from botocore.exceptions import ClientError

from memtools.adapters.aws import READ_FAILED, WRITE_FAILED, Client, code_of, translated_errors
from memtools.adapters.documents import ABSENT_CODES, LOST_CODES
from memtools.domain.scope import Scope
from memtools.ports import ConditionFailed, StoredSegment


def segment_key(scope: Scope) -> str:
    """The object's key."""
    return f"segments/{scope.agent_path}/{scope.user_path}"


class S3Segments:
    """The SegmentStore on S3."""

    def __init__(self, client: Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def load(self, scope: Scope) -> StoredSegment | None:
        """The segment that was stored last, if there is one."""
        with translated_errors(READ_FAILED):
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=segment_key(scope))
            except ClientError as error:
                if code_of(error) in ABSENT_CODES:
                    return None
                raise
            return StoredSegment(answer["Body"].read(), answer["ETag"])

    def save(self, scope: Scope, data: bytes, replaces: str | None) -> str:
        """Replace ``replaces`` by ``data``; see the port. A success whose response was lost raises ConditionFailed."""
        condition: dict[str, Any] = {"IfMatch": replaces} if replaces else {"IfNoneMatch": "*"}
        with translated_errors(WRITE_FAILED):
            try:
                answer = self._client.put_object(
                    Bucket=self._bucket,
                    Key=segment_key(scope),
                    Body=data,
                    ContentType="application/octet-stream",
                    **condition,
                )
            except ClientError as error:
                if code_of(error) in LOST_CODES:
                    raise ConditionFailed from None
                raise
        tag: str = answer["ETag"]
        return tag
