"""For each page the proof of each of its blocks, in their order. Pages are run in the order that they have here."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tests.pages.proofs import By, Draw, Prepared, Proof, Run, Save, Serve
from tests.stand_ins.model import Messages, Step

# Run before the others: for each page that needs it a local service of its own, and the deployment for all.
LOCAL: Final = ("docs/tutorial.md", "make local")
DEPLOYING: Final = ("README.md", "sam build")
# What the emulator leaves out of the template, and `memtools doctor` misses.
LEFT_OUT: Final = """
aws dynamodb update-time-to-live --table-name "$TABLE_NAME" \
  --time-to-live-specification Enabled=true,AttributeName=purgeAt
aws dynamodb update-continuous-backups --table-name "$TABLE_NAME" \
  --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true
"""

FACTS: Final = "tests/pages/test_blocks.py"
FRAMEWORKS: Final = "clients/python/tests"
MCP: Final = "tests/mcp/test_page.py"

# The first two memories of a list, to be merged.
_TWO_IDS: Final = """$(memtools list --json | python3 -c '
import json, sys
print(*[one["id"] for one in json.load(sys.stdin)["results"]][:2])') """
_NOTES: Final = """
mkdir notes && echo "- Sails on Sundays" > notes/USER.md
echo '{"results": [{"id": "1", "memory": "Likes figs", "created_at": "2026-01-02T00:00:00Z"}]}' > mem0.json
echo '{"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Plays the oboe"]}' > memory.jsonl
"""
_TOKEN: Final = "token=x.$(printf '{\"sub\": \"ann\"}' | base64 | tr -d '=\\n').x"
_UNCHANGED: Final = (
    'diff -r exports "$WORK_TREE/exports" && diff -r integrations "$WORK_TREE/integrations" -x __pycache__'
)
_FRAMEWORKS: Final = '"$WORK_TREE/tests/clients/frameworks.txt"'
_FIRST_ID: Final = """$(.venv/bin/memtools list --json --stack memtools --agent helper --user "$subject" | python3 -c '
import json, sys
print(json.load(sys.stdin)["results"][0]["id"])')"""

_SOUL: Final = 'aws s3 cp "s3://$BUCKET_NAME/agents/helper/SOUL.md" -'
_TWO_SOULS: Final = """
for soul in "the first" "the second"; do
  echo "$soul" | aws s3 cp - "s3://$BUCKET_NAME/agents/helper/SOUL.md"
done
version=$(aws s3api list-object-versions --bucket "$BUCKET_NAME" --prefix agents/helper/SOUL.md \
  --query 'Versions[1].VersionId' --output text)
"""
_MAYA: Final = "--agent helper --user maya --stack memtools"
_REMEMBERED: Final = f"memtools add 'Maya sails' {_MAYA}"
_SAILING: Final = f"memtools search sails {_MAYA}"
_KEPT: Final = """
BACKUP_ARN=$(aws dynamodb create-backup --table-name memtools-restored --backup-name memtools-restored \
  --query BackupDetails.BackupArn --output text)
"""
# Of another name: the emulator would give its table the name that the old one has, which AWS never does.
_NEW_STACK: Final = """
sam deploy --stack-name memtools-again
BUCKET_NAME=$(aws cloudformation describe-stacks --stack-name memtools-again --output text \
  --query "Stacks[0].Outputs[?OutputKey=='BucketName'].OutputValue")
"""

# Pages that are written by a program as a whole, and the test that compares them with what it writes today.
GENERATED: Final[Mapping[str, str]] = {
    "docs/envelopes.md": "tests/exports/test_generated.py::test_every_generated_file_is_up_to_date",
}

PROOFS: Final[Mapping[str, Sequence[Proof]]] = {
    "README.md": [
        Run("make demo", filled_in={"make test ": "make --dry-run test "}, says=("-m pytest -q",)),
        By("{", f"{MCP}::test_each_configuration_starts_a_server_or_leads_to_one"),
        Draw("flowchart"),
        Run("curl -s http://127.0.0.1:8765/tools/memory_add", says=("Saved 2 fact(s)", "walnuts", "Portuguese")),
        Run('curl -s "$API_URL', says=('"results"',)),
        Run("aws lambda invoke", says=('"ok": true',)),
        Run(".venv/bin/python -m generate --format", says=("memory_search", "input_schema")),
        Prepared("sam build"),
        Run("aws s3 cp SOUL.md", first="echo 'You are brief.' > SOUL.md", says=("upload: ./SOUL.md",)),
        Run("make bench", filled_in={"make bench": "make --dry-run bench"}, says=("benchmarks.locomo",)),
        By("template.yaml", f"{FACTS}::test_the_layout_names_what_is_there"),
    ],
    "docs/mcp.md": [
        *[By("{", f"{MCP}::test_each_configuration_starts_a_server_or_leads_to_one")] * 4,
        By("[mcp_servers", f"{MCP}::test_each_configuration_starts_a_server_or_leads_to_one"),
        By("import asyncio", f"{MCP}::test_each_program_names_a_server_that_answers"),
        *[By("from ", f"{MCP}::test_each_program_names_a_server_that_answers")] * 2,
        By("import asyncio", f"{MCP}::test_each_program_names_a_server_that_answers"),
    ],
    "docs/prompting.md": [By("You have a memory", f"{MCP}::test_the_lines_for_a_model_name_tools_that_are_there")],
    "CONTRIBUTING.md": [Draw("flowchart"), By("handler >", f"{FACTS}::test_imports_point_as_contributors_are_told")],
    "clients/python/README.md": [
        By("from memtools_client", f"{FRAMEWORKS}/test_examples.py::test_the_client_of_the_packages_own_page")
    ],
    "docs/decisions/0006-one-thread-for-the-model.md": [Run("for threads", says=("50 loops",))],
    "docs/cost.md": [Run(".venv/bin/python -m benchmarks.bill", says=("memory_search", "with alarms and dashboard"))],
    "docs/window.md": [Serve("make local ")],
    "docs/operations.md": [
        Draw("flowchart"),
        By("filter outcome", f"{FACTS}::test_queries_of_the_log_ask_for_fields_that_are_there"),
        By("filter correlation", f"{FACTS}::test_queries_of_the_log_ask_for_fields_that_are_there"),
    ],
    "docs/security.md": [
        Draw("flowchart"),
        By("{", "tests/template/test_operations.py::test_the_page_has_the_policy_that_the_key_needs"),
    ],
    "docs/clients.md": [
        Run(
            "pip install",
            first="python3 -m venv build/env && . build/env/bin/activate",
            then="pip list",
            says=("anthropic ",),
        ),
        By("from memtools_client import", f"{FRAMEWORKS}/test_examples.py::test_the_client_of_the_page"),
        By("import boto3", f"{FRAMEWORKS}/test_anthropic.py::test_the_example_of_the_page"),
        By("from langgraph", f"{FRAMEWORKS}/test_langgraph.py::test_the_example_of_the_page"),
        By("from memtools_client.strands", f"{FRAMEWORKS}/test_strands.py::test_the_example_of_the_page"),
        By("from ant_ai", f"{FRAMEWORKS}/test_ant_ai.py::test_the_example_of_the_page"),
    ],
    "docs/command-line.md": [
        Run("pipx install", then="~/bin/memtools --help", says=("installed package memtools",)),
        Run("python3 -m venv", says=("Usage:",)),
        Run(
            "memtools export --agent coder",
            first="memtools add 'Likes tea' --agent coder --user me",
            then="memtools list --stack memtools --agent coder --user me",
            says=("Likes tea",),
        ),
        Run(
            "export MEMTOOLS_URL",
            filled_in={"mt_… mt_… ": _TWO_IDS, '"…"': '"Maya sings alto, and is allergic to walnuts"'},
            says=("Maya sings alto, and is allergic to walnuts",),
        ),
        Run(
            "memtools export",
            first="memtools add 'Maya sails' --stack memtools",
            then="cat maya.jsonl maya.md",
            says=("sails",),
        ),
        Run(
            "memtools import",
            filled_in={"--user maya ": "--user ana "},
            first=_NOTES,
            then="memtools list",
            says=("oboe", "figs"),
        ),
        Run(
            "memtools erase",
            filled_in={"memtools erase": "memtools erase --yes"},
            then="cat memtools-erased-*.json; memtools list --stack memtools",
            lacks=("Maya sails",),
        ),
    ],
    "docs/sam-local.md": [
        Serve("make local"),
        Run(
            "mkdir -p build",
            filled_in={"PORT": "4566"},
            then="cat build/sam-env.json",
            says=("host.docker.internal:4566",),
        ),
        Run("sam build", filled_in={"x86_64": "$ARCHITECTURE"}, says=("Build Succeeded",)),
        # As far as it goes without containers: SAM has read the template, the event and the settings.
        Run("sam local invoke", filled_in={"sam local": "! sam local"}, says=("container runtime",)),
    ],
    "docs/agentcore-gateway.md": [
        Run("sam build && sam deploy"),
        Run("output() {", says=("arn:aws:lambda:",)),
        Run("aws cloudformation deploy", says=("Successfully created/updated stack - memtools-gateway",)),
        Run(
            "url=$(aws",
            filled_in={"token=…": _TOKEN},
            says=("search___memory_search", "Saved 1 fact(s)", "Ann prefers green tea"),
        ),
        By("{", f"{FACTS}::test_errors_look_as_they_are_shown"),
        Run("make generate", then=_UNCHANGED),
        Run("aws cloudformation delete-stack"),
    ],
    "docs/bedrock-agent.md": [
        Run("sam build && sam deploy"),
        Run("output() {", says=("arn:aws:lambda:",)),
        Run("model=", says=("Successfully created/updated stack - memtools-agent",)),
        Save("import sys", "ask.py"),
        Run("agent=$(output", says=("green tea", '"results": []')),
        Run(".venv/bin/python -m generate --format bedrock-openapi", says=('"/tools/memory_search"',)),
        By("{", f"{FACTS}::test_errors_look_as_they_are_shown"),
        Run("aws bedrock-agent update-agent-alias", says=('"agentAliasName": "live"',)),
        Run("make generate", then=_UNCHANGED),
        Run("aws cloudformation delete-stack"),
    ],
    "docs/tutorial.md": [
        Draw("flowchart"),
        Prepared("make local"),
        Run("export MEMTOOLS_URL", says=("Saved 2 fact(s)", "walnuts", "Speaks Portuguese")),
        Run(".venv/bin/memtools search", lacks=("walnuts",)),
        Run("python3 -m venv", filled_in={"pip install": f"pip install -c {_FRAMEWORKS}"}),
        Save("import sys", "agent.py"),
        Run("agent-env/bin/python agent.py local", finds=("Speaks Portuguese", "Lisbon", "oat milk", "walnuts")),
        Run("sam build"),
        Run("output() {", says=("upload: ./SOUL.md",), finds=("brief and kind", "oat milk", "walnuts")),
        Run(".venv/bin/memtools list", says=("allergic to walnuts",)),
        Run("pool=$(aws"),
        Run("region=$(aws", says=("Successfully created/updated stack - memtools-gateway",)),
        Run("export GATEWAY_URL"),
        Run("subject=$(aws"),
        Save("import os", "gateway_agent.py"),
        Run("agent-env/bin/python gateway_agent.py", finds=("brief and kind", "walnuts", "peanuts")),
        Run(".venv/bin/memtools search nuts", filled_in={"mt_…": _FIRST_ID}, says=("peanuts", "walnuts")),
        Run("aws cloudformation delete-stack", filled_in={"memtools erase": "memtools erase --yes"}),
    ],
    "docs/backup.md": [
        Run(
            "aws s3api list-object-versions",
            filled_in={"versionId=…": "versionId=$version"},
            first=_TWO_SOULS,
            then=_SOUL,
            says=("the first",),
        ),
        Run(
            "aws dynamodb restore-table-to", first=_REMEMBERED, filled_in={"2026-11-30T09:00:00Z": "$(date -u +%FT%TZ)"}
        ),
        Run("memtools export now.jsonl", then="cmp now.jsonl then.jsonl && wc -l then.jsonl", says=("then.jsonl",)),
        Run(
            "memtools erase", filled_in={"memtools erase": "memtools erase --yes"}, then=_SAILING, says=("Maya sails",)
        ),
        Run("for arn in", then=f"! {_SAILING}"),
        Run("aws dynamodb update-table", first=_KEPT),
        Run("aws dynamodb restore-table-from-backup"),
        Run("aws dynamodb update-time-to-live"),
        Run("aws s3 rm"),
        Run("for arn in", then=f"{_SAILING}; memtools doctor --stack memtools", says=("Maya sails",)),
        Draw("flowchart"),
    ],
    "docs/upgrading.md": [
        Run("sam list stack-outputs", first=_REMEMBERED, then="OLD_TABLE=$TABLE_NAME OLD_BUCKET=$BUCKET_NAME"),
        Run(
            "memtools export",
            first=_NEW_STACK,
            filled_in={"--stack memtools": "--stack memtools-again"},
            then=_SAILING.replace("--stack memtools", "--stack memtools-again"),
            says=("Maya sails",),
        ),
    ],
}


def _first(messages: Messages) -> str:
    """The first memory that the last tool told of."""
    found: list[str] = re.findall(r"mt_[0-9a-f]{32}", str(messages[-1]["content"]))
    return found[0]


# What the model of a page's agents says: what it calls, and how it ends each of its turns.
SCRIPTS: Final[Mapping[str, Sequence[Step]]] = {
    "docs/tutorial.md": [
        ("memory_add", {"facts": ["Maya moved to Lisbon last week"]}),
        "I will remember.",
        ("memory_search", {"query": "Where does Maya live?"}),
        ("memory_search", {"query": "coffee, allergies"}),
        "In Lisbon; oat milk, no walnuts.",
        ("memory_add", {"facts": ["Maya takes oat milk in her coffee", "Maya is allergic to walnuts"]}),
        "I will remember.",
        ("memory_search", {"query": "coffee, allergies"}),
        "Oat milk, no walnuts.",
        ("search___memory_read", {}),
        ("search___memory_search", {"query": "coffee, allergies"}),
        "Oat milk, no walnuts.",
        ("search___memory_search", {"query": "allergic to walnuts", "limit": 1}),
        (
            "edit___memory_update",
            lambda messages: {"traceId": _first(messages), "content": "Maya is allergic to peanuts"},
        ),
        "Corrected.",
        ("search___memory_search", {"query": "Which nuts is Maya allergic to?"}),
        "Peanuts.",
    ],
}
