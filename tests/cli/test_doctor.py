"""The check-up names what is wrong, and says what to do."""

from collections.abc import Iterator
from typing import Any

import pytest
from memtools.adapters.archive.permissions import NOBODY
from memtools.adapters.table import schema
from memtools_cli.checks import bucket
from memtools_cli.checks import tools as checks
from memtools_client.functions import FUNCTIONS
from memtools_client.specs import specs

from local.service import Service
from local.template import Template
from tests.cli.aws_stand_in import STACK, StandIn
from tests.cli.worlds import Ended, Run, client


def states(ended: Ended) -> dict[str, str]:
    return {one["check"]: one["state"] for one in ended.reply["findings"]}


@pytest.fixture
def sound(moto: Template) -> Iterator[None]:
    """The local table and bucket with all settings of a deployment."""
    dynamodb, s3, names = client("dynamodb"), client("s3"), moto.environment
    named = {"Bucket": names["BUCKET_NAME"]}
    recovery = "PointInTimeRecoveryEnabled"
    dynamodb.update_continuous_backups(TableName=names["TABLE_NAME"], PointInTimeRecoverySpecification={recovery: True})
    rule: Any = {"ID": "x", "Status": "Enabled", "Prefix": "", "NoncurrentVersionExpiration": {"NoncurrentDays": 30}}
    s3.put_bucket_lifecycle_configuration(**named, LifecycleConfiguration={"Rules": [rule]})
    blocks: Any = dict.fromkeys(
        ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"), True
    )
    s3.put_public_access_block(**named, PublicAccessBlockConfiguration=blocks)
    encryption: Any = {"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}
    s3.put_bucket_encryption(**named, ServerSideEncryptionConfiguration=encryption)
    yield
    dynamodb.update_continuous_backups(
        TableName=names["TABLE_NAME"], PointInTimeRecoverySpecification={recovery: False}
    )
    s3.delete_bucket_lifecycle(**named)
    s3.delete_public_access_block(**named)
    s3.delete_bucket_encryption(**named)


def test_a_sound_deployment_has_no_problem(sound: None, aws: StandIn, bare: Run) -> None:
    ended = bare("doctor", "--stack", STACK, "--json")
    assert {state for check, state in states(ended).items() if check != "table deletion protection"} == {"ok"}
    assert ended.code == 0
    assert FUNCTIONS.keys() < states(ended).keys()


def test_the_local_service_is_sound(running: Service, bare: Run) -> None:
    ended = bare("doctor", "--url", running.url, "--json")
    assert ended.code == 0
    assert set(states(ended).values()) == {"ok"}


def test_a_problem_comes_with_advice(run: Run, moto: Template) -> None:
    """The local table has no backups, and its bucket none of what guards a deployment's."""
    ended = run("doctor")
    assert ended.code == 1
    found = {one["check"] for one in ended.reply["findings"] if one["state"] == "problem"}
    assert found == {"table backups"}
    assert all(one["advice"] for one in ended.reply["findings"] if one["state"] != "ok")


def test_missing_versions_and_expiry_are_problems(run: Run, moto: Template) -> None:
    dynamodb, s3, names = client("dynamodb"), client("s3"), moto.environment
    table, bucket = names["TABLE_NAME"], names["BUCKET_NAME"]
    ttl: Any = {"AttributeName": "purgeAt", "Enabled": False}
    dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=ttl)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
    try:
        ended = run("doctor")
    finally:
        dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification={**ttl, "Enabled": True})
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    assert {check for check, state in states(ended).items() if state == "problem"} == {
        "table backups",
        "table expiry",
        "bucket versions",
    }


@pytest.mark.parametrize(
    ("options", "check"),
    [
        (["--table", "none", "--bucket", "none"], "table"),
        (["--stack", "none"], "stores"),
        (["--url", "http://127.0.0.1:9"], "tools"),
    ],
)
def test_what_is_missing_is_a_finding(options: list[str], check: str, bare: Run, aws: StandIn) -> None:
    ended = bare("doctor", *options, "--json")
    assert ended.code == 1
    assert states(ended)[check] == "problem"


def test_another_index_is_a_problem(bare: Run, moto: Template) -> None:
    names = moto.environment
    where = ("--table", names["TABLE_NAME"], "--bucket", names["BUCKET_NAME"])
    assert states(bare("doctor", *where, "--index", "other", "--json"))["table index"] == "problem"


def test_a_tool_with_other_arguments_is_a_problem(running: Service, bare: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the command line were older or newer than what is deployed."""
    search, listing = specs(["memory_search", "memory_list"])
    known = [{**search, "name": "memory_add"}, listing, {**listing, "name": "memory_fly"}]
    monkeypatch.setattr(checks, "specs", lambda: known)
    ended = bare("doctor", "--url", running.url, "--json")
    found = {one["check"]: one.get("found") for one in ended.reply["findings"] if one["state"] == "problem"}
    assert found == {
        "memory_add": "does not take anyTags, explain, limit, query, since, tokenBudget, until, withoutTags; also takes"
        " expiresAt, facts, occurredAt",
        "memory_fly": "is not there, or does not say what it takes",
    }


def test_an_unknown_tool_is_a_problem(aws: StandIn, bare: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    less = {tool: function for tool, function in FUNCTIONS.items() if tool != "memory_duplicates"}
    monkeypatch.setattr(checks, "FUNCTION_OF_TOOL", less)
    ended = bare("doctor", "--stack", STACK, "--json")
    (found,) = [one for one in ended.reply["findings"] if one["check"] == "function search"]
    assert (found["state"], found["found"]) == ("problem", "also serves memory_duplicates")


def test_wrong_settings_are_problems(aws: StandIn, bare: Run) -> None:
    plain = dict(aws.variables)
    aws.variables["RETENTION_DAYS"] = "soon"
    (found,) = [
        one for one in bare("doctor", "--stack", STACK, "--json").reply["findings"] if one["check"] == "settings of add"
    ]
    assert "RETENTION_DAYS" in found["found"]
    aws.variables.clear()
    aws.variables.update({**plain, "TABLE_NAME": "other"})
    assert states(bare("doctor", "--stack", STACK, "--json"))["settings of add"] == "problem"


def test_a_missing_permission_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from botocore.client import BaseClient
    from botocore.exceptions import ClientError

    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(client: BaseClient, operation: str, parameters: Any) -> Any:
        if operation in ("BatchWriteItem", "DescribeTimeToLive"):
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, operation)
        return plain(client, operation, parameters)

    monkeypatch.setattr(BaseClient, "_make_api_call", call)
    ended = run("doctor")
    assert states(ended)["permission to erase"] == "warning"
    assert states(ended)["permission to import"] == "ok"
    assert states(ended)["table expiry"] == "problem"


def test_a_check_up_changes_nothing(run: Run, moto: Template, bare: Run, running: Service) -> None:
    dynamodb, s3, names = client("dynamodb"), client("s3"), moto.environment
    before = dynamodb.scan(TableName=names["TABLE_NAME"])["Count"]
    run("doctor")
    bare("doctor", "--url", running.url)
    assert dynamodb.scan(TableName=names["TABLE_NAME"])["Count"] == before
    listed = s3.list_object_versions(Bucket=names["BUCKET_NAME"], Prefix=f"agents/{NOBODY}")
    assert not listed.get("Versions")
    assert not listed.get("DeleteMarkers")


def test_the_schema_is_the_templates(moto: Template) -> None:
    table = moto.table
    (index,) = table["LocalSecondaryIndexes"]
    assert {one["AttributeName"]: one["KeyType"] for one in table["KeySchema"]} == schema.KEYS
    assert {one["AttributeName"]: one["KeyType"] for one in index["KeySchema"]} == schema.INDEX_KEYS
    assert set(index["Projection"]["NonKeyAttributes"]) == schema.INDEX_ATTRIBUTES
    assert table["TimeToLiveSpecification"] == {"AttributeName": schema.TTL_ATTRIBUTE, "Enabled": True}
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert moto.environment["INDEX_NAME"] == index["IndexName"]
    (rule,) = moto.bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert [rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"]] in bucket._ENCRYPTIONS
