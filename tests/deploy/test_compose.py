"""The names in the compose file refer to what exists."""

import re
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import pytest

from app import build_parser
from models.runtime.startup import BUILDER_CONNECTIONS
from models.runtime.supervisor import STOP_SECONDS
from models.settings import Settings
from tests.deploy.composing import (
    APIS,
    ENV_VALUES,
    FRONT,
    NEEDED,
    SERVICES,
    SOURCE,
    WHOLE,
)
from tests.deploy.conftest import DEPLOY
from tests.deploy.test_image import arguments_of

ONCE = {"migrate", "bucket"}
IMAGE_PORT = int(arguments_of("EXPOSE")[0])
ENV = dict(line.split("=", 1) for line in arguments_of("ENV"))

each_service = pytest.mark.parametrize("name", SERVICES)
each_api = pytest.mark.parametrize("name", [*APIS, "migrate"])


def settings(name):
    """
    Return the settings of a container: those of its image, and those of its service.
    """
    return Settings.from_environment(ENV | SERVICES[name]["environment"])


def volume(each):
    return each.partition(":")[0]


def test_there_are_two_hosts():
    """There are two hosts of the API, equal except for their volumes."""
    one, two = (SERVICES[name] for name in APIS)

    assert one | {"volumes": None} == two | {"volumes": None}
    assert one["volumes"] != two["volumes"]
    assert {each.partition(":")[2] for each in one["volumes"]} == {
        arguments_of("VOLUME")[0]
    }


def test_connections_are_enough():
    """All hosts together open no more connections than PostgreSQL allows."""
    found = settings("api-1")

    needed = found.processes * (found.threads + 2) + BUILDER_CONNECTIONS

    # By default it allows 100, and reserves three of them for superusers.
    assert found.processes
    assert len(APIS) * needed <= 97


@each_api
def test_settings(name):
    """Each name is a setting, each value is valid, and the database is PostgreSQL."""
    found = settings(name)

    assert found.database.startswith("postgresql://")
    assert found.publishes_to_bucket
    assert found.host == "0.0.0.0"
    assert found.port == IMAGE_PORT
    assert PurePosixPath(found.output).is_relative_to(arguments_of("VOLUME")[0])


@each_api
def test_addresses_lead_to_services(name):
    """Database and store are services, at the right ports and names."""
    found = settings(name)
    database, store = urlsplit(found.database), urlsplit(found.publish_endpoint)
    made = WHOLE["configs"]["role"]["content"]

    assert (database.hostname, database.port) == ("postgres", 5432)
    assert f"CREATE DATABASE {database.path[1:]} OWNER {database.username} " in made
    assert f"'{database.password}'" in made
    assert store.hostname == "store"
    assert f"-s3.port={store.port} " in SERVICES["store"]["command"] + " "


def test_key_is_made():
    """The command that creates the bucket creates the hosts' key for it."""
    made, env = SERVICES["bucket"]["command"][0], SERVICES["bucket"]["environment"]
    result, bucket = SERVICES[APIS[0]]["environment"], "site"

    assert settings(APIS[0]).publish == f"s3://{bucket}"
    assert f"s3.bucket.create -name={bucket}\n" in made
    assert f"s3.anonymous.set -bucket={bucket} -access=Read\n" in made
    assert f"-buckets={bucket} -actions=Read,Write,List -access_key=$STORE_KEY" in made
    assert env["STORE_KEY"] == result["AWS_ACCESS_KEY_ID"]
    assert env["STORE_SECRET"] == result["AWS_SECRET_ACCESS_KEY"]
    assert f" /{bucket}{{path}}?" in FRONT


@each_service
def test_needs(name):
    """A service that others wait for has a health check, or ends."""
    for needed, how in SERVICES[name].get("depends_on", {}).items():
        if how["condition"] == "service_healthy":
            assert SERVICES[needed]["healthcheck"]["test"]
        else:
            assert how["condition"] == "service_completed_successfully"
            assert needed in ONCE


@each_service
def test_service(name):
    """A service restarts, its volumes are declared, and only the front has ports."""
    found = SERVICES[name]
    named = {volume(each) for each in found.get("volumes", ()) if each[0] != "."}

    assert found["restart"] == ("on-failure" if name in ONCE else "unless-stopped")
    assert named <= set(WHOLE["volumes"])
    assert ("ports" in found) == ("outside" in found["networks"]) == (name == "front")
    assert set(found["networks"]) <= set(WHOLE["networks"])
    assert WHOLE["networks"]["inside"] == {"internal": True}


def test_way_out():
    """Only the hosts have outbound access, for relays, webhooks and chat."""
    inside = {name for name, each in WHOLE["networks"].items() if each.get("internal")}

    reaching = {name for name, each in SERVICES.items() if {*each["networks"]} - inside}

    assert reaching == {*APIS, "front"}


@each_api
def test_public_urls(name):
    """The URLs for readers and operators are the hosts of the front."""
    found = settings(name)

    assert found.site_url == f"https://{ENV_VALUES['SITE_HOST']}"
    assert found.subscribe_origin == found.site_url
    assert found.api_origin == f"https://{ENV_VALUES['API_HOST']}"


@each_service
def test_image(name):
    """An image is built here, or has a version and its short name."""
    built, image = (SERVICES[name].get(word) for word in ("build", "image"))

    assert (built is None) != (image is None)
    if built:
        made = DEPLOY / built["context"] / built["dockerfile"]
        assert made.samefile(DEPLOY / "Dockerfile")
    else:
        assert re.fullmatch(r"([a-z]+/)?[a-z]+:\d[\w.-]*", image)


def test_store_is_made_by_its_own_program():
    """The bucket is created by the store's own version."""
    assert SERVICES["bucket"]["image"] == SERVICES["store"]["image"]


@each_api
def test_command(name):
    """A command that replaces the image's own is a command of app.py."""
    assert build_parser().parse_args(SERVICES[name].get("command", ["serve"])).run


def test_every_volume_is_used():
    """Every volume is used by exactly one service."""
    used = [
        volume(each) for one in SERVICES.values() for each in one.get("volumes", ())
    ]

    assert sorted(each for each in used if each[0] != ".") == sorted(WHOLE["volumes"])


def test_example_names_what_is_asked_for():
    """Every variable is in the example, and no secret has a public default."""
    secrets = {name for name in ENV_VALUES if re.search("PASSWORD|KEY|SECRET", name)}

    assert set(NEEDED.findall(SOURCE)) == set(ENV_VALUES)
    assert len(secrets) == 4
    assert not any(ENV_VALUES[name] for name in secrets)
    assert "/deploy/.env" in (DEPLOY.parent / ".gitignore").read_text().splitlines()


def test_front_knows_the_services():
    """The front addresses each host and the store, at their ports and names."""
    # For the API, and for the pages on which readers subscribe.
    (hosts,) = set(re.findall(r"reverse_proxy (api-.*) \{", FRONT))
    stores = set(re.findall(r"reverse_proxy (store:\d+)", FRONT))
    (config,) = [each for each in SERVICES["front"]["volumes"] if each[0] == "."]

    assert hosts.split() == [f"{name}:{IMAGE_PORT}" for name in APIS]
    assert stores == {urlsplit(settings(APIS[0]).publish_endpoint).netloc}
    assert set(re.findall(r"\{\$(\w+)\}", FRONT)) == set(
        SERVICES["front"]["environment"]
    )
    assert (DEPLOY / volume(config)).name == "several.Caddyfile"
    assert (DEPLOY / volume(config)).is_file()


@each_api
def test_processes_have_time_to_end(name):
    """Docker waits longer than the server waits for its processes."""
    grace = SERVICES[name]["stop_grace_period"]

    assert int(grace.removesuffix("s")) > STOP_SECONDS
