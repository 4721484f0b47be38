"""Segments in S3, one object for each scope, with conditional writes."""

from memtools.adapters.aws import Client, get_object, put_object, translated_errors
from memtools.adapters.translation import READ_FAILED, WRITE_FAILED
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
        with translated_errors(READ_FAILED):
            answer = get_object(self._client, Bucket=self._bucket, Key=segment_key(scope))
            return StoredSegment(answer["Body"].read(), answer["ETag"]) if answer else None

    def save(self, scope: Scope, data: bytes, replaces: str | None) -> str:
        """See the port. A success with a lost response raises ConditionFailed."""
        with translated_errors(WRITE_FAILED):
            place = {"Bucket": self._bucket, "Key": segment_key(scope)}
            answer = put_object(self._client, replaces, **place, Body=data, ContentType="application/octet-stream")
        if answer is None:
            raise ConditionFailed
        tag: str = answer["ETag"]
        return tag
