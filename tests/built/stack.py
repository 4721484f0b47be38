"""The stack: built by SAM from a copy of the source, and deployed to a ministack that runs its functions."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import boto3
from botocore.config import Config

from local.template import ROOT
from tests.emulator import PINS, environment, ministack_endpoint, settings_for

VERSION: Final = "3.13"
AGENT: Final = "helper"  # the deployment's agent, as the events have it
_HERE = Path(__file__).parent
_COPY = ROOT / "build" / "built"
TEMPLATES = ("integrations/agentcore-gateway.yaml", "integrations/bedrock-agent.yaml")
_SOURCE = ("template.yaml", "samconfig.toml", "layers", "functions")
_ARCHITECTURES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
SERVICES: Final = "s3,dynamodb,cloudformation,lambda,iam,logs,apigateway,sts"
_STACK = "memtools"


def interpreter() -> Path | None:
    """Python 3.13, on the path or from pyenv; only one that runs, since pyenv puts names on the path that do not."""
    name = f"python{VERSION}"
    found = shutil.which(name)
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{VERSION}*/bin/{name}"))
    return next(filter(None, map(_real, [*([found] if found else []), *map(str, pyenv)])), None)


def _real(command: str) -> Path | None:
    """Where the Python behind the command is."""
    asked = [command, "-c", "import sys, venv; print(sys.version_info[:2] == (3, 13) and sys.executable)"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    path = Path(told.stdout.strip())
    return path if told.returncode == 0 and path.is_absolute() else None


def architecture() -> str:
    """This machine's processor, as the template calls it."""
    return _ARCHITECTURES[platform.machine().lower()]


def hindrance() -> str | None:
    """Why nothing can be built and run here, if so."""
    if sys.platform != "linux" or platform.machine().lower() not in _ARCHITECTURES:
        return f"the layer runs on Linux with one of Lambda's processors, and this is {platform.platform()}"
    if interpreter() is None:
        return f"there is no python{VERSION} on the path or under ~/.pyenv/versions, and `sam build` needs it"
    return None


class Stack:
    """The commands of SAM on a copy of the source, so that nothing appears in the work tree."""

    def __init__(self, python: Path) -> None:
        self._python = python
        self._sam = sam(python)

    @property
    def built(self) -> Path:
        """Where `sam build` leaves what it made."""
        return _COPY / ".aws-sam" / "build"

    @property
    def _parameters(self) -> tuple[str, str]:
        return "--parameter-overrides", f"Architecture={architecture()} AgentId={AGENT}"

    def build(self) -> None:
        """Copy the source, have SAM judge every template of it, and build it."""
        shutil.rmtree(_COPY, ignore_errors=True)
        copy_of(source_files(*_SOURCE), _COPY)
        for template in ("template.yaml", *TEMPLATES):
            self._run("validate", "--lint", "--template", str(ROOT / template))
        self._run("build", *self._parameters)

    def sizes(self) -> dict[str, int]:
        """The bytes of the layer and of each function, unzipped."""
        folders = sorted(one for one in self.built.iterdir() if one.is_dir())
        return {one.name: sum(file.stat().st_size for file in one.rglob("*") if file.is_file()) for one in folders}

    @contextmanager
    def deployed(self) -> Iterator[tuple[str, dict[str, str]]]:
        """The address of AWS with the stack in it, and the stack's outputs."""
        with ministack_endpoint(emulator(self._python), SERVICES) as address:
            options = ("--no-confirm-changeset", "--no-progressbar", *self._parameters)
            self._run("deploy", *options, settings=settings_for(address))
            (stack,) = client("cloudformation", address).describe_stacks(StackName=_STACK)["Stacks"]
            yield address, {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}

    def _run(self, command: str, *options: str, settings: Mapping[str, str] | None = None) -> None:
        """Run SAM without the caller's AWS settings; what it says is shown only where it fails."""
        said = subprocess.run(
            [str(self._sam), command, *options],
            cwd=_COPY,
            env={**settings_of_sam(self._python, _COPY), **(settings or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if said.returncode:
            raise RuntimeError(f"sam {command} failed:\n{said.stdout}")


def sam(python: Path) -> Path:
    """The command line of SAM."""
    return environment("sam", _HERE / "sam.txt", interpreter=str(python)).with_name("sam")


def emulator(python: Path) -> list[str]:
    """The command that starts ministack, running functions in an environment as bare as Lambda's."""
    ministack = environment("ministack-sam", PINS, _HERE / "translator.txt", interpreter=str(python))
    runtime = environment("lambda-runtime", _HERE / "runtime.txt", interpreter=str(python))
    return [str(ministack), "-P", str(_HERE / "emulated.py"), str(runtime)]


def source_files(*folders: str) -> list[str]:
    """The files there, committed or not, without folders all of them; nothing that git ignores."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


def copy_of(files: Sequence[str], to: Path) -> None:
    """A copy of these files of the work tree."""
    for name in files:
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)


def settings_of_sam(python: Path, home: Path) -> dict[str, str]:
    """This process's environment, with the Python first on its path and nothing of AWS or of a caller's SAM."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SAM_"))}
    nowhere = str(home / "none")
    return {
        **kept,
        "PATH": f"{python.parent}{os.pathsep}{kept.get('PATH', os.defpath)}",
        "AWS_CONFIG_FILE": nowhere,
        "AWS_SHARED_CREDENTIALS_FILE": nowhere,
        "AWS_EC2_METADATA_DISABLED": "true",
        "SAM_CLI_TELEMETRY": "0",
        "SAM_CLI_CHECK_FOR_UPDATES": "0",
        "__SAM_CLI_APP_DIR": str(home / ".sam"),
    }


def client(service: Any, address: str) -> Any:
    """A client of the service at ``address``; a call that changes something is not made twice."""
    given = settings_for(address)
    return boto3.client(
        service,
        endpoint_url=address,
        region_name=given["AWS_DEFAULT_REGION"],
        aws_access_key_id=given["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=given["AWS_SECRET_ACCESS_KEY"],
        config=Config(retries={"total_max_attempts": 1}),
    )
