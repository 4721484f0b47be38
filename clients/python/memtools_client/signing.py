"""SigV4, with the credentials that boto3 finds."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError

from memtools_client.errors import Unscoped

_SERVICE: Final = "execute-api"


class Signed:
    """Signs as whoever ``session`` is; ``region`` is read off the address of an HTTP API where it is not given."""

    scoped = True

    def __init__(self, url: str, *, region: str | None = None, session: Any = None) -> None:
        self._session = session or boto3.session.Session()
        self._region = region or _region_of(url) or self._session.region_name
        if not self._region:
            raise ValueError("The address does not tell the API's region: give `region`.")

    def headers(self, url: str, body: bytes, named: Mapping[str, str]) -> Mapping[str, str]:
        """The names and the signature over them."""
        request = AWSRequest("POST", url, headers=dict(named), data=body)
        SigV4Auth(self._credentials(), _SERVICE, self._region).add_auth(request)
        return dict(request.headers.items())

    def _credentials(self) -> Any:
        """Asked for each request, since they may be renewed."""
        try:
            found = self._session.get_credentials()
            if found is not None:
                return found.get_frozen_credentials()
        except BotoCoreError as error:
            raise Unscoped(f"The AWS credentials to sign with could not be had: {error}") from error
        raise Unscoped("There are no AWS credentials to sign with.")


def _region_of(url: str) -> str | None:
    """``eu-west-1`` of ``https://id.execute-api.eu-west-1.amazonaws.com``."""
    parts = (urlsplit(url).hostname or "").split(".")
    return parts[2] if parts[1:2] == [_SERVICE] and len(parts) > 2 else None  # noqa: PLR2004
