"""The examples for nginx and Caddy, as the manual changes them for a path."""

import json
import re
from dataclasses import replace

import pytest

from tests.deploy.conftest import DEPLOY, get
from tests.deploy.test_fronts import (  # noqa: F401  (one is a fixture)
    API,
    FRONTS,
    SITE,
    compare,
    example,
    masthead,
)
from tests.ports import free_port

PATH = "/docs/v2"
MANUAL = DEPLOY.parent / "manual/operating/site-below-a-path.md"


@pytest.fixture
def settings(settings, home):
    output = f"{home}/output{PATH}"
    return replace(settings, output=output, site_url=f"https://{SITE}{PATH}")


@pytest.fixture(params=FRONTS)
def front(request, world, masthead, run, home):  # noqa: F811
    """The port of a front that runs an example as the manual changes it."""
    port, manual = free_port(), MANUAL.read_text(encoding="utf-8")
    (line,) = re.findall(r"^set \$masthead_base .*;$", manual, re.MULTILINE)
    (variable,) = re.findall(r"^Environment=(SITE_PATH)=(.*)$", manual, re.MULTILINE)
    text = example(request.param, home, port, masthead)
    text = text.replace('set $masthead_base "";', line)
    (home / "front").mkdir()
    FRONTS[request.param](run, home / "front", text, port, dict([variable]))
    return port


def test_site(front, masthead, output):  # noqa: F811
    """Everything is below the path as it would be at the root of a host."""
    compare(front, masthead, output, PATH)

    assert get(front, "/status/", SITE)[0] == 404


def test_api(front):
    """The API and its pages for readers are at the same addresses as without a path."""
    status, _, body = get(front, "/status/v1/services/list", API)
    assert (status, json.loads(body)["instance"]) == (401, "/status/v1/services/list")

    status, _, body = get(front, "/subscribe", SITE)
    assert status == 200
    assert f'href="{PATH}/status/"'.encode() in body
