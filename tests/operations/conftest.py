"""Fixtures of the tests of operations, in addition to those of all tests."""

import pytest

from models.projects.projects.activity import ActivityRow
from models.projects.work.rows import WorkLabelRow
from tests.factories.projects import make_item, make_project


@pytest.fixture
def send(app):
    """Send a request unchanged: nothing is added, not even a key."""
    client = app.test_client()

    def sent(operation, key=None, **request):
        headers = dict(request.pop("headers", {}))
        if key is not None:
            headers.setdefault("Authorization", f"Bearer {key}")
        request.setdefault("path", operation.path)
        return client.open(method=operation.method, headers=headers, **request)

    return sent


@pytest.fixture
def refusal():
    """Assert that a response is a problem of this kind, and return the problem."""

    def assert_problem(response, kind):
        problem = response.json
        assert response.content_type == "application/problem+json"
        assert problem["type"] == f"http://127.0.0.1:8000/problems/{kind}/"
        assert problem["status"] == response.status_code
        assert problem["requestId"] == response.headers["X-Request-Id"]
        return problem

    return assert_problem


@pytest.fixture
def sample_project(store, clock):
    """A project with one member of each role."""
    return make_project("atlas", clock.now)


@pytest.fixture
def item(sample_project, clock):
    """A work item of that project."""
    return make_item(sample_project, clock.now)


@pytest.fixture
def make_label(api, sample_project):
    """Add a label to a project."""

    def made(name, project=sample_project):
        body = {"projectId": project.id, "name": name}
        return api("POST /projects/v1/labels/create", body).json["data"]

    return made


@pytest.fixture
def make_labelled_item(clock):
    """Create an item that has the label."""

    def made(project, label, **more):
        item = make_item(project, clock.now, **more)
        WorkLabelRow.create(work=item, label=label["id"])
        return item

    return made


@pytest.fixture
def api_as(api, issue):
    """Call as an account: `api_as(OWNER, "POST /projects/v1/…", {…})`."""
    key = issue("*", "platform:actors:assert")

    def call(account, route, data=None, **headers):
        headers |= {"Act-As-Account": account}
        return api(route, data, key=key, headers=headers)

    return call


@pytest.fixture
def recorded(store):
    """The recorded activity, oldest first: (action, metadata)."""

    def records():
        rows = ActivityRow.select().order_by(ActivityRow.number)
        drop = "requestId"
        return [
            (row.action, {k: v for k, v in row.metadata.items() if k != drop})
            for row in rows
        ]

    return records


@pytest.fixture
def export(api):
    """Export the project."""

    def exported(id, **more):
        response = api("GET /projects/v1/projects/export", {"id": id, **more})
        assert response.status_code == 200, response.json
        return response.json["data"]

    return exported
