"""SigV4 signatures with the credentials that boto3 finds."""

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
    """Signs with the credentials of ``session``.

    Without ``region`` the URL's is used, else the session's. Raises ValueError where neither has one.
    """

    scoped = True

    def __init__(self, url: str, *, region: str | None = None, session: Any = None) -> None:
        self._session = session or boto3.session.Session()
        self._region = region or _region_of(url) or self._session.region_name
        if not self._region:
            raise ValueError("The address does not name the API's region: give `region`.")

    def headers(self, url: str, body: bytes, headers: Mapping[str, str]) -> Mapping[str, str]:
        """See Authorization."""
        request = AWSRequest("POST", url, headers=dict(headers), data=body)
        SigV4Auth(self._credentials(), _SERVICE, self._region).add_auth(request)
        return dict(request.headers.items())

    def _credentials(self) -> Any:
        """Read for each request, since the session may renew them."""
        try:
            found = self._session.get_credentials()
            if found is not None:
                return found.get_frozen_credentials()
        except BotoCoreError as error:
            raise Unscoped(f"Getting the AWS credentials to sign with failed: {error}") from error
        raise Unscoped("There are no AWS credentials to sign with.")


def _region_of(url: str) -> str | None:
    """``eu-west-1`` of ``https://id.execute-api.eu-west-1.amazonaws.com``."""
    match (urlsplit(url).hostname or "").split("."):
        case [_, "execute-api", region, *_]:
            return region
        case _:
            return None
