"""The table and the bucket of the template, on moto in this process or on whatever AWS_ENDPOINT_URL names."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from memtools_cli.service import guard as front
from memtools_cli.service.serving import serving
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from local import guard
from local.ministack import settings_for
from local.moto_patches import spare
from local.template import Template

Wsgi = front.Wsgi

# Each call of the service has several at once.
_CONNECTIONS = 500


def one_at_a_time(application: Wsgi) -> Wsgi:
    """The application behind one lock: moto's conditional writes are no compare-and-swap under threads."""
    lock = threading.Lock()

    def locked(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with lock:
            return list(application(environ, start_response))

    return locked


@contextmanager
def moto_endpoint(around: Callable[[Wsgi], Wsgi] = one_at_a_time) -> Iterator[str]:
    """The address of a moto server of our own, on a free port of loopback; ``around`` makes it fit for threads."""
    spare()
    emulator = front.guarded(around(DomainDispatcherApplication(create_backend_app)), guard.by_own_client)
    with serving(emulator, connections=_CONNECTIONS) as address:
        yield address


@contextmanager
def endpoint(around: Callable[[Wsgi], Wsgi] = one_at_a_time) -> Iterator[str]:
    """The address of AWS_ENDPOINT_URL where that is set, else of a moto server; set for all clients made inside."""
    given = os.environ.get("AWS_ENDPOINT_URL")
    if given:
        yield given
        return
    with moto_endpoint(around) as address, environment(settings_for(address)):
        yield address


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """The process's environment with ``variables`` set, as it was afterwards."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def create(template: Template) -> None:
    """Make the template's table and bucket where they are not there yet."""
    _create_table(boto3.client("dynamodb"), template.table)
    _create_bucket(boto3.client("s3"), template.bucket)


def _create_table(dynamodb: Any, table: dict[str, Any]) -> None:
    if table["Name"] in dynamodb.list_tables()["TableNames"]:
        return
    same = ("AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "BillingMode")
    dynamodb.create_table(TableName=table["Name"], **{name: table[name] for name in same})
    dynamodb.get_waiter("table_exists").wait(TableName=table["Name"])
    dynamodb.update_time_to_live(TableName=table["Name"], TimeToLiveSpecification=table["TimeToLiveSpecification"])


def _create_bucket(s3: Any, bucket: dict[str, Any]) -> None:
    if bucket["Name"] in [one["Name"] for one in s3.list_buckets()["Buckets"]]:
        return
    region = s3.meta.region_name
    place = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
    s3.create_bucket(Bucket=bucket["Name"], **place)
    s3.put_bucket_versioning(Bucket=bucket["Name"], VersioningConfiguration=bucket["VersioningConfiguration"])
