"""Requests as a browser sends them for another site's page, to any socket of the local program."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from local.guard import KEY

SIGNED = {"authorization": f"AWS4-HMAC-SHA256 Credential={KEY}/20260101/us-east-1/dynamodb/aws4_request"}


@dataclass(frozen=True)
class Answer:
    """Status and headers, with names in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def permissions(self) -> list[str]:
        """What it lets other sites' pages do."""
        return [name for name in self.headers if name.startswith("access-control-")]


def ask(address: str, method: str, path: str, headers: Mapping[str, str]) -> Answer:
    """The answer to a request with just these headers; ``{port}`` in them is the port asked."""
    port = urlsplit(address).port
    asked = http.client.HTTPConnection("127.0.0.1", port or 0, timeout=60)
    try:
        asked.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": "127.0.0.1:{port}", **headers}.items():
            asked.putheader(name, value.replace("{port}", str(port)))
        asked.endheaders()
        answer = asked.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()})
    finally:
        asked.close()


# By what a page can make a browser send. A rebound name leads to 127.0.0.1, and its page counts as of the same origin.
HOSTILE: dict[str, dict[str, str]] = {
    "a rebound name": {
        "Host": "evil.example:{port}",
        "Origin": "http://evil.example:{port}",
        "Sec-Fetch-Site": "same-origin",
    },
    "a rebound name, no page": {"Host": "evil.example:{port}"},
    "a name that begins like ours": {"Host": "127.0.0.1.evil.example:{port}"},
    "our name without the port": {"Host": "127.0.0.1"},
    "our name with another port": {"Host": "localhost:1"},
    "no name": {"Host": ""},
    "another address of this machine": {"Host": "0.0.0.0:{port}"},
    "a page of another site": {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    "a page of another port here": {"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "same-site"},
    "a page of another of our names": {"Origin": "http://localhost:{port}"},
    "a page over TLS": {"Origin": "https://127.0.0.1:{port}"},
    "a sandboxed frame": {"Origin": "null"},
    "a link or an image elsewhere": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    "a preflight": {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"},
    "a preflight without an origin": {"Access-Control-Request-Method": "POST"},
}
