"""Serves the window, a page that shows a memory to a person. It serves only the files in page/."""

import json
from pathlib import Path
from typing import Any, Final

_PAGE: Final = Path(__file__).parent / "page"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "cache-control": "no-cache",
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def _address(file: Path) -> str:
    name = file.relative_to(_PAGE).as_posix()
    return "/" if name == "index.html" else f"/window/{name}"


# Paths are looked up here, never on the disk, so that none leads out of the folder.
FILES: Final = {_address(file): file for file in _PAGE.rglob("*") if file.suffix in _TYPES}


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ARG001 - Lambda passes it
    """The file at the request's path (payload 2.0)."""
    file = FILES.get(str(event.get("rawPath")))
    if file is None:
        return _reply(404, "application/json", json.dumps({"message": "Not Found"}))
    return _reply(200, _TYPES[file.suffix], file.read_text("utf-8"))


def _reply(status: int, content_type: str, body: str) -> dict[str, Any]:
    headers = {**HEADERS, "content-type": content_type}
    return {"statusCode": status, "headers": headers, "body": body, "isBase64Encoded": False}
