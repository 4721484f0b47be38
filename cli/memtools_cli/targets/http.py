"""The tools over HTTP: signed (SigV4), with a token, or plain on this machine."""

import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlsplit

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import BotoCoreError
from botocore.httpsession import URLLib3Session
from memtools.wire.incoming import AGENT_HEADER as AGENT
from memtools.wire.incoming import USER_HEADER as USER

from memtools_cli.failures import Failure, bad_usage, forbidden, of_aws, refused, told_by_tool, unavailable
from memtools_cli.options import Reach, Whose

# Credentials go to addresses of API Gateway alone, unless --sign says otherwise.
_API_GATEWAY: Final = re.compile(r"[a-z0-9-]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?")
_THIS_MACHINE: Final = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs requests to API Gateway."""

    credentials: ReadOnlyCredentials
    region: str

    def sign(self, request: AWSRequest) -> None:
        """Add the signature's headers."""
        SigV4Auth(self.credentials, "execute-api", self.region).add_auth(request)


class HttpTarget:
    """The tools behind an address; see ``Target``."""

    def __init__(self, address: str, headers: dict[str, str], signer: Signer | None) -> None:
        self._address = address
        self._headers = headers
        self._signer = signer
        self._session = URLLib3Session(timeout=40)

    @classmethod
    def of(cls, address: str, reach: Reach, whose: Whose) -> "HttpTarget":
        """The target that the options describe. Raises Failure where they do not fit together."""
        host = _host_of(address)
        address = address.rstrip("/")
        if reach.token:
            if not _is_header(reach.token):
                raise bad_usage("The token is no token: it has characters that no header can carry.")
            return cls(address, {"authorization": f"Bearer {reach.token}"}, None)
        local = host in _THIS_MACHINE
        return cls(address, _headers_of(whose, named=local), None if local else _signer(host, sign=reach.sign))

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """The tool's reply."""
        headers = {"content-type": "application/json", **self._headers}
        address = f"{self._address}/tools/{quote(tool, safe='')}"
        request = AWSRequest("POST", address, headers=headers, data=json.dumps(arguments).encode())
        if self._signer:
            self._signer.sign(request)
        try:
            answer = self._session.send(request.prepare())
            return _reply(tool, answer.status_code, answer.content)
        except BotoCoreError as error:
            problem = f"Nothing answers at {self._address} ({type(error).__name__}). Check the address, or try again."
            raise unavailable(problem) from None


def _host_of(address: str) -> str:
    """The host of an address that may be called. Raises Failure."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise bad_usage("--url is no address.") from None
    if not host or parts.username or parts.query or parts.fragment or not _is_header(address):
        raise bad_usage("--url has to be an address such as https://abc.execute-api.eu-west-1.amazonaws.com.")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _THIS_MACHINE):
        raise bad_usage("--url has to begin with https://, or with http:// on this machine.")
    return host


def _signer(host: str, *, sign: bool) -> Signer:
    found = _API_GATEWAY.fullmatch(host)
    if not found and not sign:
        raise bad_usage(f"{host} is no address of API Gateway: name a --token, or --sign to send signatures there.")
    session = boto3.session.Session()
    region = found[1] if found else session.region_name
    if not region:
        raise bad_usage("No AWS region: set AWS_REGION.")
    try:
        credentials = session.get_credentials()
        if credentials:
            return Signer(credentials.get_frozen_credentials(), region)
    except BotoCoreError as error:
        raise of_aws(error, "sign the request") from None
    raise forbidden("No AWS credentials to sign with: sign in, or set AWS_PROFILE or AWS_ACCESS_KEY_ID.")


def _headers_of(whose: Whose, *, named: bool) -> dict[str, str]:
    """The headers that name the scope; ``named`` where both have to be. Raises Failure for what they cannot carry."""
    if named:
        whose.scope()
    headers = {AGENT: whose.agent, USER: whose.user}
    for name, value in headers.items():
        if not _is_header(value) or "," in value or value != value.strip():
            kind = name.rpartition("-")[2]
            raise bad_usage(f"Over HTTP, --{kind} takes ASCII without commas; use --stack for any other name.")
    return {name: value for name, value in headers.items() if value}


def _is_header(value: str) -> bool:
    return value.isascii() and (value.isprintable() or not value)


def _reply(tool: str, status: int, body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        answer = {}
    elif status == HTTPStatus.OK:
        return answer
    raise _failure(tool, status, answer)


def _failure(tool: str, status: int, answer: dict[str, Any]) -> Failure:
    """The tool's error, or that of what stands before it (API Gateway, a proxy), which has no code of ours."""
    if isinstance(answer.get("code"), str) and isinstance(answer.get("detail"), str):
        return told_by_tool(answer["code"], answer["detail"], answer.get("details"))
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return forbidden(
            f"The API refused the caller (HTTP {status}): check that the credentials may call execute-api:Invoke"
            " there, or that the token is of the issuer and audience it accepts."
        )
    if status == HTTPStatus.NOT_FOUND:
        return refused(f"There is no tool {tool} at this address.", "not_found")
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return unavailable(f"The API could not answer (HTTP {status}). Run the command again.")
    return refused(f"What answers there (HTTP {status}) is not the API of memtools: check --url.")
