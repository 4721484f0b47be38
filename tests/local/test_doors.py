"""Every socket of the local program answers programs and its own page, and no page of another site."""

import http.client
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import boto3
import pytest

from local.service import Service
from local.template import Template
from tests.local.doors import HOSTILE, SIGNED, ask

CALLER = {"x-memory-agent": "helper", "x-memory-user": "maya"}
SENT = pytest.mark.parametrize("sent", HOSTILE.values(), ids=HOSTILE)


@pytest.fixture
def stores(running: Service, moto: Template) -> Iterator[str]:
    """The emulator's address, with an object in the bucket that is still the only one afterwards."""
    s3, bucket = boto3.client("s3"), moto.environment["BUCKET_NAME"]
    s3.put_object(Bucket=bucket, Key="kept", Body=b"kept")
    yield running.emulator
    listed = s3.list_object_versions(Bucket=bucket, Prefix="kept")
    assert [one["Key"] for one in listed["Versions"]] == ["kept"]
    s3.delete_object(Bucket=bucket, Key="kept", VersionId=listed["Versions"][0]["VersionId"])


@SENT
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/"), ("GET", "/window/app.js"), ("POST", "/tools/memory_list"), ("OPTIONS", "/x"), ("GET", "/none")],
)
def test_the_service_answers_no_other_sites_page(
    running: Service, sent: Mapping[str, str], method: str, path: str
) -> None:
    """Whatever the path, known or not."""
    answer = ask(running.url, method, path, {**CALLER, **sent})
    assert (answer.status, answer.permissions) == (403, [])


@SENT
@pytest.mark.parametrize("method", ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD"])
def test_the_emulator_answers_no_page_even_with_the_key(
    stores: str, moto: Template, sent: Mapping[str, str], method: str
) -> None:
    answer = ask(stores, method, f"/{moto.environment['BUCKET_NAME']}/kept", {**SIGNED, **sent})
    assert (answer.status, answer.permissions) == (403, [])


@pytest.mark.parametrize(
    "sent",
    [{}, {"authorization": "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/s3/aws4_request"}]
    + [{"authorization": f"{kind} {SIGNED['authorization']}"} for kind in ("Basic", "Bearer")],
    ids=["unsigned", "another key", "basic", "bearer"],
)
@pytest.mark.parametrize(
    "path", ["/", "/moto-api/reset", "/moto-api/", "/kept?X-Amz-Credential=local%2F20260101%2Fus-east-1%2Fs3"]
)
def test_the_emulator_answers_only_who_knows_the_key(stores: str, sent: Mapping[str, str], path: str) -> None:
    """Its own pages and its reset included, which need no signature of AWS's."""
    for method in ("GET", "POST"):
        assert ask(stores, method, path, sent).status == 403


@pytest.mark.usefixtures("stores")
def test_the_programs_own_clients_are_answered_without_cors(moto: Template) -> None:
    """No answer permits a page to read it, where the emulator alone would permit all."""
    told = boto3.client("s3").get_object(Bucket=moto.environment["BUCKET_NAME"], Key="kept")["ResponseMetadata"]
    assert told["HTTPStatusCode"] == 200
    assert [name for name in told["HTTPHeaders"] if name.startswith("access-control-")] == []


def test_a_refused_request_is_not_read(running: Service) -> None:
    """The refusal comes although the body that was announced never does."""
    for address in (running.url, running.emulator):
        asked = http.client.HTTPConnection("127.0.0.1", urlsplit(address).port or 0, timeout=60)
        asked.putrequest("POST", "/tools/memory_add")
        asked.putheader("Origin", "https://evil.example")
        asked.putheader("Content-Length", "1000000")
        asked.endheaders()
        assert asked.getresponse().status == 403
        asked.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_window_is_answered_under_its_own_names(running: Service, name: str, site: str) -> None:
    sent = {"Host": f"{name}:{{port}}", "Sec-Fetch-Site": site}
    own = {"Origin": f"http://{name}:{{port}}"} if site == "same-origin" else {}
    assert ask(running.url, "GET", "/", {**sent, **own}).status == 200
