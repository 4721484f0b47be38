"""Whom a socket of this program answers. The standard library alone: ministack's Python runs this, too.

Every web page can send requests to 127.0.0.1, and anybody can let a name of theirs lead there. The front door answers
programs and its own page.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]
Rule = Callable[[Mapping[str, str], int], bool]

FORBIDDEN: Final = b'{"message": "Forbidden"}'
_HTTP: Final = 80  # a browser leaves it out
THIS_MACHINE: Final = ("127.0.0.1", "localhost", "[::1]")


def by_program_or_own_page(headers: Mapping[str, str], port: int) -> bool:
    """Whether the front door answers: no other site's page asks, nor one under a name that leads here."""
    host = headers.get("host", "").lower()
    return (
        is_here(host, port, THIS_MACHINE)
        and headers.get("origin", f"http://{host}").lower() == f"http://{host}"
        and headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        and "access-control-request-method" not in headers
    )


def guarded(application: Wsgi, answers: Rule) -> Wsgi:
    """The application for the requests that the rule lets in; it permits no page to read its answers (CORS)."""

    def respond(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if not answers(_headers_of(environ), int(environ["SERVER_PORT"])):
            length = ("content-length", str(len(FORBIDDEN)))
            start_response("403 Forbidden", [("content-type", "application/json"), length])
            return [FORBIDDEN]

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, [one for one in headers if not is_cors(one[0])], *more)

        return application(environ, start)

    return respond


def is_cors(name: str) -> bool:
    """Whether the header lets other sites' pages read an answer."""
    return name.lower().startswith("access-control-")


def is_here(host: str, port: int, names: Iterable[str]) -> bool:
    """Whether the request's host is one of the names, with the port."""
    return host in {f"{name}:{port}" for name in names} or (port == _HTTP and host in names)


def _headers_of(environ: Mapping[str, Any]) -> dict[str, str]:
    """A header sent twice has both values with a comma between, which no rule takes."""
    prefix = "HTTP_"
    names = {name: name.removeprefix(prefix).lower().replace("_", "-") for name in environ if name.startswith(prefix)}
    return {told: environ[name] for name, told in names.items()}
