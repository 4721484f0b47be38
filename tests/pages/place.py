"""Where the pages' commands run: a clone, the local service, and an account in which the stack is deployed."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

from local.environments import environment
from local.template import ROOT
from tests.built import replies, stack
from tests.emulator import ministack_endpoint, settings_for
from tests.pages.shell import Shell, shell
from tests.stand_ins import account, agents, api, gateway, model

_TOOLS: Final = Path(__file__).with_name("tools.txt")
_SERVICES: Final = f"{stack.SERVICES},cognito-idp,bedrock-runtime"
_STACK: Final = "memtools"
_CONFIG: Final = "[default]\nregion = us-east-1\n"


@dataclass
class Place:
    """The clone and its surroundings. ``settings`` are a shell's environment, ``model`` says what agents hear."""

    clone: Path
    settings: dict[str, str]
    model: model.Model
    beside: account.Account
    emulator: str

    @cached_property
    def outputs(self) -> dict[str, str]:
        """What the deployed stack says of itself."""
        (found,) = stack.client("cloudformation", self.emulator).describe_stacks(StackName=_STACK)["Stacks"]
        return {one["OutputKey"]: one["OutputValue"] for one in found["Outputs"]}

    @contextmanager
    def bare_shell(self) -> Iterator[Shell]:
        """A shell in the clone, before there is a stack."""
        with shell(self.clone, self.settings) as opened:
            yield opened

    @contextmanager
    def shell(self) -> Iterator[Shell]:
        """A shell in the clone, which knows the stack's outputs by names such as API_URL, as the pages have them."""
        told = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper(): value for name, value in self.outputs.items()}
        with shell(self.clone, {**self.settings, **told, "API_URL": self.settings["AWS_ENDPOINT_URL"]}) as opened:
            yield opened

    def ask(self, function: str, event: Any, context: Any) -> Any:
        """What a function of the stack answers."""
        return replies.deployed(self.emulator, self.outputs)(function, event, context)


@contextmanager
def place(folder: Path, python: Path) -> Iterator[Place]:
    """All of it, without the stack."""
    clone, home = folder / "memtools", folder / "home"
    stack.copy_of(stack.source_files(), clone)
    (clone / ".venv").symlink_to(ROOT / ".venv")
    _configured(clone)
    (home / ".aws").mkdir(parents=True)
    (home / ".aws" / "config").write_text(_CONFIG, "utf-8")
    with ExitStack() as around:
        speaking = model.Model([])
        told = {model.SETTING: around.enter_context(model.speaking(speaking))}
        started = ministack_endpoint(stack.emulator(python), _SERVICES, settings=told)
        emulator = around.enter_context(started)
        beside = account.Account({})
        address = around.enter_context(account.account(emulator, beside))
        settings = {**_settings(folder, home, python), **settings_for(address)}
        made = Place(clone, settings, speaking, beside, emulator)
        beside.paths = {agents.PATH: partial(agents.agents, made.ask), api.PATH: partial(api.api, made.ask)}
        url = around.enter_context(gateway.gateway(made.ask, "helper"))
        beside.stacks = {
            "memtools-gateway": account.Stack({"GatewayUrl": url, "GatewayId": "gw-1", "GatewayArn": "arn"}),
            "memtools-agent": account.Stack({"AgentId": "AGENT00001", "AgentAliasId": "ALIAS00001"}),
        }
        yield made


def _configured(clone: Path) -> None:
    """As README.md says: parameters go into samconfig.toml."""
    path = clone / "samconfig.toml"
    wanted = f'parameter_overrides = "Architecture={stack.architecture()} AgentId=helper"'
    text, found = re.subn(r"^# parameter_overrides = .*$", wanted, path.read_text("utf-8"), flags=re.MULTILINE)
    if not found:
        raise RuntimeError("samconfig.toml no longer shows where parameters go")
    path.write_text(text, "utf-8")


def _settings(folder: Path, home: Path, python: Path) -> dict[str, str]:
    """A reader's environment: the tools that the pages ask for, and a home of its own."""
    tools = environment("pages", _TOOLS).parent
    commands = folder / "bin"
    commands.mkdir()
    for one in (tools / "aws", tools / "pipx", stack.sam(python), ROOT / ".venv" / "bin" / "memtools"):
        (commands / one.name).symlink_to(one)
    settings = stack.settings_of_sam(python, home)
    return {
        **settings,
        "PATH": f"{commands}{os.pathsep}{settings['PATH']}",
        "HOME": str(home),
        "PIPX_HOME": str(home / "pipx"),
        "PIPX_BIN_DIR": str(home / "bin"),
        "AWS_CONFIG_FILE": str(home / ".aws" / "config"),
        "AWS_REGION": "us-east-1",
        "AWS_SESSION_TOKEN": "local",
        "ARCHITECTURE": stack.architecture(),
        "DOCKER_HOST": f"unix://{home}/none",
        "WORK_TREE": str(ROOT),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
