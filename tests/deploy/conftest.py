"""A built site with files of every kind, and web servers on ports of this machine."""

import http.client
import os
import re
import shutil
import socket
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.sources import document_source
from models.response_headers import CONTENT_TYPES
from models.status.importers.page_formats import parse_status_page, status_page_files
from models.status.importers.status_import import import_status_page
from models.status.incidents.incidents import (
    IncidentRow,
    StatusRemoveIncident,
    remove_incident,
)
from models.storage.database import writing
from tests.factories.projects import KEY
from tests.factories.readers import MAIL
from tests.samples import pictures
from tests.samples.openapi_document import DESCRIBED
from tests.world import populate

DEPLOY = Path(__file__).parents[2] / "deploy"
ELSEWHERE = Path(__file__).parents[1] / "elsewhere"


def needed(program):
    """Return the path of a program; without it the test is skipped, except in CI."""
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    if not found:
        assert not os.environ.get("CI"), f"CI needs {program}: see the Makefile."
        pytest.skip(f"{program} is not installed")
    return found


# Document files: one of each type, and names that web servers may treat differently.
FILES = pictures.FILES | {
    "_under.png": pictures.png(),
    "LOUD.PNG": pictures.png(),
    "two.parts.pdf": pictures.PDF,
    "-dash_.csv": b"a,b\n",
}
# Assets of an operator: one of each type, and some without a type.
ASSETS = [f"own{suffix}" for suffix in CONTENT_TYPES]
ASSETS += ["_under.css", "own.exe", "own.JPG", "LICENCE"]
# Earlier addresses that documents declare, beside the one that the test has moved.
ALIASES = ["/docs/2.0/setup/", "/setup.html", "/d\u00f6cs/"]


@pytest.fixture
def settings(settings, home):
    """Readers can subscribe, and the URLs are those of the manual."""
    assets = home / "templates/assets"
    assets.mkdir(parents=True)
    for name in ASSETS:
        (assets / name).write_text("/* An asset. */")
    manual = (DEPLOY.parent / "manual/operating/deployment.md").read_text()
    result = dict(
        re.findall(r"^MASTHEAD_(SITE_URL|API_URL)=(.*)$", manual, re.MULTILINE)
    )
    urls = {"site_url": result["SITE_URL"], "api_url": result["API_URL"]}
    return replace(settings, templates=str(home / "templates"), **urls, **MAIL)


@pytest.fixture
def world(build_site, clock, docs_project):
    """
    The sample content, in which each kind of file and address occurs.

    The oldest incident was removed, a document was moved, another has aliases, and a
    status page was imported.
    """
    populate(clock.now, days=2)
    imported = parse_status_page(status_page_files(ELSEWHERE / "cstate"))
    import_status_page(imported, clock.now)
    with writing():
        oldest = IncidentRow.select().order_by(IncidentRow.id).get()
        remove_incident(StatusRemoveIncident(id=oldest.id), clock.now)
    for name, content in FILES.items():
        docs_project.add(name, content)
    docs_project.publish("files", "".join(f"[{name}]({name})\n" for name in FILES))
    moved = docs_project.publish("limits", collection="support")
    docs_project.update(moved, collection="products")
    setup = {"path": "setup.md", "slug": "setup", "title": "Setup", "content": "Words."}
    fields = {"section": None, "position": 0, "summary": None, "aliases": ALIASES}
    options = ImportOptions("guides", clock.now, KEY, tree="docs", publish=True)
    import_documents([document_source(**setup, **fields)], options)
    assert build_site(openapi=DESCRIBED).failed == []


@pytest.fixture
def run():
    """Start a program and wait until it responds on its port."""
    started = []

    def ran(port, command, **more):
        process = subprocess.Popen(command, **more)
        started.append(process)
        for _ in range(1200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                assert process.poll() is None, f"{command[0]} ended: see above."
                time.sleep(0.05)
            else:
                return process
        raise AssertionError(f"{command[0]} does not answer.")

    yield ran
    for process in started:
        process.terminate()
        process.wait(10)


def get(port, at, host="127.0.0.1", method="GET", sent=None, **headers):
    """Send a browser's request to a server; return status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    result = {"Host": host, "Accept": "text/html,*/*;q=0.8"} | headers
    connection.request(method, at, sent, result)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body
