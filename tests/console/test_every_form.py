"""Every operation of the API can be done with its form, as the page shows it."""

import hashlib
import re
from html import unescape
from io import BytesIO

import pytest

from api.console.operations.operations import _entries
from api.operation import OPERATIONS
from models.audit import AuditRow
from models.platform.keys import CreateKey, issue_key
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.storage.database import writing
from tests.conftest import ROUTES
from tests.console.shown_form import ShownForm, shown_data
from tests.console.test_operations import sent_by
from tests.factories.projects import OWNER
from tests.operations.http.test_every_mutation import SAMPLES, sample
from tests.operations.projects.every_change.conftest import (
    OWN,
    _own_comment,
    filled,
    ids,
    store,
    world,
)
from tests.operations.projects.every_change.test_changes import UNCHANGED
from tests.operations.projects.every_change.world import CASES

__all__ = ["ids", "sample", "store", "world"]

PATHS = {entry.operation.route: entry.path for entry in _entries()}
ROUTE_OF = {operation.scope: operation.route for operation in OPERATIONS}
STATUS, PROJECTS = "POST /status/v1/admin", "POST /projects/v1/admin"

# The parameters of operations that change nothing; without an entry, none.
READS = {
    "GET /platform/v1/keys/get": {"id": "$key"},
    "POST /platform/v1/keys/verify": {"hash": "$hash"},
    "GET /projects/v1/access/get": {"projectId": "$project"},
    "GET /projects/v1/activity/list": {"projectId": "$project", "limit": 2},
    "GET /projects/v1/admin/projects/purge-preview": {"id": "$project"},
    "GET /projects/v1/comments/get": {"id": "$comment"},
    "GET /projects/v1/comments/list": {"entityType": "work", "entityId": "$item"},
    "GET /projects/v1/document-revisions/diff": {"documentId": "$document", "from": 1},
    "GET /projects/v1/document-revisions/get": {
        "documentId": "$document",
        "version": 1,
    },
    "GET /projects/v1/document-revisions/list": {"documentId": "$document"},
    "GET /projects/v1/documents/address": {"id": "$document"},
    "GET /projects/v1/documents/get": {"id": "$document"},
    "GET /projects/v1/documents/links": {"id": "$document"},
    "GET /projects/v1/documents/list": {"type": ["note", "rfc"], "published": True},
    "GET /projects/v1/files/content": {"id": "$file"},
    "GET /projects/v1/files/get": {"id": "$file"},
    "GET /projects/v1/files/list": {"projectId": "$project"},
    "GET /projects/v1/labels/list": {"projectId": "$project"},
    "GET /projects/v1/members/list": {"projectId": "$project", "role": ["owner"]},
    "GET /projects/v1/milestones/get": {"id": "$milestone"},
    "GET /projects/v1/milestones/list": {"projectId": "$project"},
    "GET /projects/v1/milestones/progress": {"id": "$milestone"},
    "GET /projects/v1/projects/export": {"id": "$project", "activity": False},
    "GET /projects/v1/projects/get": {"slug": "atlas"},
    "GET /projects/v1/published/get": {"slug": "shown"},
    "GET /projects/v1/references/get": {"id": "$reference"},
    "GET /projects/v1/references/list": {"entityType": "work", "entityId": "$item"},
    "GET /projects/v1/relationships/graph": {"workItemId": "$item", "depth": 2},
    "GET /projects/v1/relationships/list": {"workItemId": "$item"},
    "GET /projects/v1/roadmap/get": {"projectId": "$project"},
    "GET /projects/v1/search/list": {"q": "One", "types": ["work"]},
    "GET /projects/v1/specification-revisions/diff": {
        "specificationId": "$specification",
        "from": 1,
    },
    "GET /projects/v1/specification-revisions/get": {
        "specificationId": "$specification",
        "version": 1,
    },
    "GET /projects/v1/specification-revisions/list": {
        "specificationId": "$specification"
    },
    "GET /projects/v1/specifications/coverage": {"projectId": "$project"},
    "GET /projects/v1/specifications/get": {"id": "$specification"},
    "GET /projects/v1/specifications/lineage": {"id": "$specification"},
    "GET /projects/v1/work-items/context": {"id": "$item", "withContent": True},
    "GET /projects/v1/work-items/get": {"projectId": "$project", "number": 1},
    "GET /projects/v1/work-items/list": {
        "projectId": "$project",
        "status": ["backlog", "planned"],
        "createdAfter": "2026-02-01T00:00:00.001Z",
    },
    "GET /status/v1/admin/deliveries/get": {"id": "$delivery"},
    "GET /status/v1/admin/incident-updates/history": {"incidentId": "$incident"},
    "GET /status/v1/admin/services/list": {"includeDisabled": False},
    "GET /status/v1/admin/subscriptions/get": {"id": "$hook"},
    "GET /status/v1/incidents/get": {"id": "$incident"},
    "GET /status/v1/maintenance/get": {"id": "$work"},
    "GET /status/v1/services/get": {"slug": "api"},
    "GET /status/v1/uptime/get": {"slug": "api"},
}
# The changes of administrators in Area A, which no role of a project allows.
ADMINISTRATION = {
    f"{PROJECTS}/labels/add": {"name": "everywhere"},
    f"{PROJECTS}/labels/update": {"id": "$global", "name": "anywhere"},
    f"{PROJECTS}/labels/remove": {"id": "$global"},
    f"{PROJECTS}/projects/import": {
        "slug": "atlas-2",
        "ownerId": OWNER,
        "bundle": "$bundle",
    },
    f"{PROJECTS}/projects/purge": {"id": "$project", "confirm": "atlas"},
}
IN_PROJECTS = {
    case: (ROUTE_OF[f"projects:{case.partition(' ')[0]}"], body)
    for case, body in CASES.items()
    if "oneself" not in case and case != "projects:export"
}
ALL = {
    **{each.route: each.route for each in OPERATIONS if not each.is_mutation},
    **{route: route for route in (*SAMPLES, *ADMINISTRATION)},
    **{case: route for case, (route, _) in IN_PROJECTS.items()},
}
# Values that differ each time: ids, times, and random values.
RANDOM = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z"
)
RANDOM_FIELDS = ("secret", "prefix", "confirmationToken")


@pytest.fixture
def key(store, clock):
    """A key for all scopes, of an account that owns the project."""
    request = CreateKey(name="test", scopes=["*"], rate_capacity=10_000)
    with writing():
        _, secret = issue_key(
            request, clock.now, issuer="ada@example.com", account_id=OWNER
        )
    return secret.text


@pytest.fixture
def person(visitor, key):
    someone = visitor()
    assert someone.sign_in(key).status_code == 303
    return someone


@pytest.fixture
def named(api, key, ids, clock):
    """Return the ids of the test data, by `$noun`."""
    _own_comment(ids["$item"], ids["$project"], OWNER, clock.now)
    return ids | {
        "$own-comment": OWN,
        "$self": OWNER,
        "$hash": hashlib.sha256(key.encode()).hexdigest(),
    }


@pytest.fixture
def request_of(api, key, named, request):
    """Return a valid request, by the name of its case."""

    def possible(case):
        route = ALL[case]
        if case in IN_PROJECTS:
            return filled(IN_PROJECTS[case][1], named)
        if route in ADMINISTRATION:
            return filled(ADMINISTRATION[route], named | administered(route, api, key))
        if route == "GET /projects/v1/published/get":
            request.getfixturevalue("docs_project").publish("shown")
        if "/projects/" in route:
            return filled(READS.get(route, {}), named)
        sample = request.getfixturevalue("sample")
        if route in SAMPLES:
            return sample(route)
        more = {
            "$key": sample("POST /platform/v1/keys/update")["id"],
            "$incident": sample(f"{STATUS}/incidents/update")["id"],
            "$hook": sample(f"{STATUS}/subscriptions/update")["id"],
            "$work": sample(f"{STATUS}/maintenance/update")["id"],
            "$delivery": sample(f"{STATUS}/deliveries/replay")["id"],
        }
        return filled(READS.get(route, {}), named | more)

    return possible


def administered(route, api, key):
    """Create what an administrator changes; return its ids."""
    project = ProjectRow.get(ProjectRow.slug == "atlas")
    if route.endswith("/purge"):
        ProjectRow.update(archived_at=project.created_at).execute()
    if route.endswith("/import"):
        exported = api("GET /projects/v1/projects/export", {"id": project.id}, key=key)
        ProjectRow.update(archived_at=project.created_at).execute()
        purge = {"id": project.id, "confirm": "atlas"}
        api(f"{PROJECTS}/projects/purge", purge, key=key)
        return {"$bundle": exported.json["data"]}
    label = api(f"{PROJECTS}/labels/add", {"name": "global"}, key=key)
    return {"$global": label.json["data"]["id"]}


def masked(value):
    if isinstance(value, dict):
        return {
            name: "…" if name in RANDOM_FIELDS and part else masked(part)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [masked(part) for part in value]
    return RANDOM.sub("…", value) if isinstance(value, str) else value


def as_parameters(request):
    joined = {n: ",".join(v) if isinstance(v, list) else v for n, v in request.items()}
    texts = {True: "true", False: "false"}
    return {n: texts[v] if isinstance(v, bool) else str(v) for n, v in joined.items()}


def done_by_form(person, operation, request):
    """Fill in the form at the operation's address, and press its button."""
    path = PATHS[operation.route]
    assert f'href="/console/{path}"' in person.get("operations/").text
    form = ShownForm(person.get(path).text, f"/console/{path}")
    sent = form.filled(request, _send=form.buttons["_send"])
    if form.method == "get":
        return person.get(path, query_string=sent)
    if operation.read_upload:
        sent["_file"] = (BytesIO(b"New."), "new.txt")
    return person.post(path, sent, content_type="multipart/form-data")


@pytest.mark.parametrize("case", ALL)
def test_done_through_its_form(case, person, key, api, request_of):
    """A form gets the response of the API, and makes the records of the API."""
    operation = ROUTES[ALL[case]]
    case_request = request_of(case)
    is_query = operation.method == "GET" or operation.read_upload
    body = as_parameters(case_request) if is_query else case_request
    file = b"New." if operation.read_upload else None
    headers = {"Dry-Run": "true"} if operation.is_mutation else {}
    expected = api(operation.route, body, key=key, headers=headers, file=file)
    assert expected.status_code == 200, expected.text
    audited, active = AuditRow.select().count(), ActivityRow.select().count()

    response = done_by_form(person, operation, case_request)

    assert response.status_code == 200, response.text
    if operation.is_download or operation.streamed:
        assert response.data == expected.data
        return
    assert masked(shown_data(response.text)) == masked(expected.json["data"])
    assert sent_by_page(response.text).items() >= as_sent(body, is_query).items()
    records = [row.action for row in AuditRow.select().offset(audited)]
    # Changes within a project have activity records.
    assert len(records) == bool(operation.audit and case not in IN_PROJECTS)
    assert set(records) <= set(operation.audit_actions)
    if case in IN_PROJECTS:
        activity = ActivityRow.select().offset(active)
        assert (list(activity) == []) == (case in UNCHANGED)


def as_sent(body, is_query):
    return {n: str(v) for n, v in body.items()} if is_query else body


def sent_by_page(page):
    """Return the fields that the curl line of a page would send."""
    line = re.search(r'<pre class="line"[^>]*><code>(.*?)</code>', page, re.DOTALL)
    return sent_by(unescape(line[1]))


def test_every_operation_is_done():
    """Every operation has a case, so that a new one is held to this rule as well."""
    assert {*ALL.values()} == {each.route for each in OPERATIONS}
