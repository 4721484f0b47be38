"""The function behind the window: the files of the page and no others, each with the headers that make it safe."""

import re
from typing import Any

import pytest
from memtools_cli.service.http import application
from werkzeug.test import Client

from local.service import load_handler
from local.template import ROOT, Function, Template

FOLDER = ROOT / "functions" / "memtools_window"
handler = load_handler(Function(FOLDER, "window_handler", "handler"))
page = FOLDER / "page"
files = sorted(file for file in page.rglob("*") if file.suffix in (".css", ".html", ".js", ".svg"))
scripts = [file for file in files if file.suffix == ".js"]
own = [file for file in scripts if "vendor" not in file.parts]


def get(path: str) -> Any:
    return handler({"rawPath": path}, None)


def text_of(path: str) -> str:
    return (page / path).read_text("utf-8")


@pytest.mark.parametrize("file", files, ids=str)
def test_every_file_is_served_as_what_it_is(file: Any) -> None:
    name = file.relative_to(page).as_posix()
    reply = get("/" if name == "index.html" else f"/window/{name}")
    assert reply["statusCode"] == 200
    assert reply["body"] == file.read_text("utf-8")
    kind = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}[file.suffix]
    assert reply["headers"]["content-type"].startswith(kind)


@pytest.mark.parametrize(
    "path",
    [
        "/window/",
        "/window/index.html",
        "/window/../window_handler.py",
        "/window/%2e%2e/window_handler.py",
        "/window//etc/passwd",
        "/window/views",
        "/window/vendor/diff/LICENSE",
        "/window/app.js/",
        "/window/\x00app.js",
        "window/app.js",
        "",
    ],
)
def test_nothing_else_is(path: str) -> None:
    assert get(path)["statusCode"] == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/window/app.js", 200),
        ("/window/../window_handler.py", 404),
        ("/window", 404),
        ("/index.html", 404),
    ],
)
def test_the_local_service_serves_it_by_the_routes_of_the_template(path: str, status: int) -> None:
    client = Client(application(Template().routes, {"WindowFunction": handler}))
    reply = client.get(path)
    assert reply.status_code == status
    if status == 200:
        assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert client.post(path).status_code == 404


def test_an_event_without_a_path_is_not_found() -> None:
    assert handler({}, None)["statusCode"] == 404


@pytest.mark.parametrize("path", ["/", "/window/app.js", "/window/none"])
def test_each_reply_says_what_the_page_may_do(path: str) -> None:
    headers = get(path)["headers"]
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_page_holds_no_script_and_no_style_and_loads_nothing_from_elsewhere() -> None:
    html = text_of("index.html")
    assert re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL) == [""]
    assert not re.search(r"<style|\sstyle=|\son\w+=|https?://", html)
    assert not re.search(r"@import|url\(", text_of("style.css"))


@pytest.mark.parametrize("file", own, ids=str)
def test_no_script_makes_markup_of_text(file: Any) -> None:
    text = file.read_text("utf-8")
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|Function\(|DOMParser|srcdoc"
    assert not re.search(markup, text)
    assert "https://" not in text


@pytest.mark.parametrize("file", scripts, ids=str)
def test_what_a_script_imports_is_there(file: Any) -> None:
    for name in re.findall(r"""^import .* from ["'](.+?)["'];$""", file.read_text("utf-8"), re.MULTILINE):
        assert (file.parent / name).resolve() in files


def test_the_vendored_library_has_its_licence_beside_it() -> None:
    assert "BSD 3-Clause" in text_of("vendor/diff/LICENSE")
