"""A site with many changes since its build."""

from dataclasses import asdict
from functools import partial

import pytest

from api.http.problem_types import PROBLEM_TYPES
from tests.crash.scene import Scene

ADMIN = "POST /status/v1/admin"
# Only one of the problem pages: they never change and would be half of the site.
PROBLEMS = {"not-found": asdict(PROBLEM_TYPES["not-found"])}


@pytest.fixture
def scene(api, docs_project, build_site, settings, output, tmp_path, clock, engine):
    """A site with many changes since its build."""
    api(f"{ADMIN}/services/add", {"slug": "api", "name": "API"})
    api(f"{ADMIN}/services/add", {"slug": "mail", "name": "Mail"})
    build_site = partial(build_site, problems=PROBLEMS)
    moving, withdrawn = (
        docs_project.publish("limits"),
        docs_project.publish("old", section="Old"),
    )
    build_site()
    clock.pass_(minutes=1)
    api(f"{ADMIN}/services/remove", {"slug": "api"})
    incident = {"title": "Slow", "severity": "degraded", "body": "Looking."}
    api(f"{ADMIN}/incidents/add", incident | {"services": ["mail"]})
    docs_project.update(moving, collection="support")
    docs_project.withdraw(withdrawn)
    docs_project.publish("new", "See [limits](limits.md).\n")
    yield Scene(settings, build_site, output, tmp_path, engine)
    engine.leave(tmp_path)
