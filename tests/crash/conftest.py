"""A site on which much has changed since its build."""

from dataclasses import asdict
from functools import partial

import pytest

from api.http.problem_types import PROBLEM_TYPES
from tests.crash.scene import Scene

ADMIN = "POST /status/v1/admin"
# One of the pages that nothing changes; all of them are half of the site.
PROBLEMS = {"not-found": asdict(PROBLEM_TYPES["not-found"])}


@pytest.fixture
def scene(ask, shelf, build_site, settings, output, tmp_path, clock, keeping):
    """A site on which much has changed since its build."""
    ask(f"{ADMIN}/services/add", {"slug": "api", "name": "API"})
    ask(f"{ADMIN}/services/add", {"slug": "mail", "name": "Mail"})
    build_site = partial(build_site, problems=PROBLEMS)
    moving, going = shelf.publish("limits"), shelf.publish("old", section="Old")
    build_site()
    clock.pass_(minutes=1)
    ask(f"{ADMIN}/services/remove", {"slug": "api"})
    incident = {"title": "Slow", "severity": "degraded", "body": "Looking."}
    ask(f"{ADMIN}/incidents/add", incident | {"services": ["mail"]})
    shelf.update(moving, collection="support")
    shelf.withdraw(going)
    shelf.publish("new", "See [limits](limits.md).\n")
    yield Scene(settings, build_site, output, tmp_path, keeping)
    keeping.leave(tmp_path)
