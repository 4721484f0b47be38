from collections.abc import Iterator

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools_cli import stack

from local.service import Service
from local.template import Template
from tests.calls import Caller
from tests.cli.aws_stand_in import StandIn, listening, outputs
from tests.cli.worlds import Run, client, runner


@pytest.fixture(autouse=True)
def _nothing_in_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No names but a folder for what is kept on this machine."""
    monkeypatch.setenv("MEMTOOLS_DATA", str(tmp_path_factory.mktemp("data")))
    for name in ("AGENT", "USER", "URL", "TOKEN", "STACK", "TABLE", "BUCKET", "DEBUG"):
        monkeypatch.delenv(f"MEMTOOLS_{name}", raising=False)


@pytest.fixture
def bare(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, with what is given and nothing else."""
    return runner(capsys)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], moto: Template, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line on the session's table and bucket."""
    names = moto.environment
    monkeypatch.setattr(stack, "client", client)
    return runner(capsys, "--table", names["TABLE_NAME"], "--bucket", names["BUCKET_NAME"], "--json")


@pytest.fixture
def ana(moto_memory: Backend, scope: Scope, moto: Template) -> Iterator[Caller]:
    """Somebody with a memory on moto; afterwards its bucket is empty too."""
    yield Caller(moto_memory, scope)
    bucket = moto.environment["BUCKET_NAME"]
    listed = client("s3").list_object_versions(Bucket=bucket)
    for one in [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]:
        client("s3").delete_object(Bucket=bucket, Key=one["Key"], VersionId=one["VersionId"])


@pytest.fixture
def api(capsys: pytest.CaptureFixture[str], running: Service, ana: Caller) -> Run:
    """The command line on the running service, as Ana."""
    whose = ("--agent", ana.scope.agent, "--user", ana.scope.user)
    return runner(capsys, "--url", running.url, *whose, "--json")


@pytest.fixture
def aws(running: Service, moto: Template, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """What AWS says about a deployment: the stack `memtools`."""
    variables = moto.environment
    with listening(StandIn(running.handlers, outputs(variables), variables)) as stand_in:
        for name in ("LAMBDA", "CLOUDFORMATION"):
            monkeypatch.setenv(f"AWS_ENDPOINT_URL_{name}", stand_in.address)
        yield stand_in
