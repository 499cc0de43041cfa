"""The examples for nginx and Caddy, as the manual changes them for a path."""

import json
import re
import subprocess
from dataclasses import replace

import pytest

from tests.deploy.conftest import DEPLOY, get
from tests.deploy.test_fronts import API, FRONTS, SITE, serves_site
from tests.ports import free_port, served
from tests.worlds.readers import MAIL, app_for_readers

PATH = "/docs/v2"
MANUAL = DEPLOY.parent / "manual/operating/site-below-a-path.md"


@pytest.fixture
def settings(settings, home):
    output = f"{home}/output{PATH}"
    return replace(settings, output=output, site_url=f"https://{SITE}{PATH}")


@pytest.fixture(params=FRONTS)
def front(request, world, store, settings, clock, run, home):
    """The port of a front that runs a changed example, before the API."""
    port = free_port()
    app = app_for_readers(replace(settings, **MAIL), clock)
    (home / "front").mkdir()
    with served(app, threads=2) as behind:
        text = changed(request.param).replace("/srv/masthead", str(home))
        text = text.replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
        text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
        FRONTS[request.param](run, home / "front", text, port)
        yield port


def changed(name):
    """The example after the command of the manual."""
    manual = MANUAL.read_text(encoding="utf-8")
    (command,) = re.findall(rf"```text\n(sed [^`]*? deploy/{name}) >", manual)
    return subprocess.run(
        ["sh", "-c", command], cwd=DEPLOY.parent, check=True, capture_output=True
    ).stdout.decode()


def test_site(front, output):
    """Everything is below the path as it would be at the root of a host."""
    serves_site(front, output, PATH)

    assert get(front, "/status/", SITE)[0] == 404


def test_api(front):
    """The API and its pages for readers are where they are without a path."""
    status, _, body = get(front, "/status/v1/services/list", API)
    assert (status, json.loads(body)["instance"]) == (401, "/status/v1/services/list")

    status, _, body = get(front, "/subscribe", SITE)
    assert status == 200
    assert f'href="{PATH}/status/"'.encode() in body
