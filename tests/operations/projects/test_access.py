"""The permissions of a caller, over HTTP."""

import pytest

from api.operation import OPERATIONS
from models.projects.projects.rows import ProjectRow
from models.projects.roles import REQUIRED_ROLES
from tests.factories.projects import (
    CONTRIBUTOR,
    MAINTAINER,
    OWNER,
    READER,
    STRANGER,
    make_project,
)

GET = "GET /projects/v1/access/get"
ALL = {
    operation.scope.removeprefix("projects:")
    for operation in OPERATIONS
    if operation.area == "projects"
}
READS = {
    operation.scope.removeprefix("projects:")
    for operation in OPERATIONS
    if operation.area == "projects" and not operation.is_mutation
} - {"projects:export"}


@pytest.fixture
def sample_project(store, clock):
    return make_project("atlas", clock.now)


def access_of(response):
    assert response.status_code == 200, response.json
    return response.json["data"]


def test_account(api_as, sample_project):
    """A member's response has the role as stored, and as it is effective."""
    access = access_of(api_as(MAINTAINER, GET, {"projectId": sample_project.id}))

    allowed = access.pop("allowed")
    assert access == {
        "actorType": "account",
        "actorId": MAINTAINER,
        "projectId": sample_project.id,
        "role": "maintainer",
        "effectiveRole": "maintainer",
        "scopes": ["*", "platform:actors:assert"],
    }
    assert allowed == sorted(allowed)
    assert {"projects:update", "documents:publish", "members:remove"} <= {*allowed}
    assert not {"projects:remove", "projects:transfer"} & {*allowed}


@pytest.mark.parametrize("account", [OWNER, MAINTAINER, CONTRIBUTOR, READER, STRANGER])
def test_allowed(api_as, sample_project, account):
    """All reads, and each change with at least one case that the role allows."""
    ranks = [OWNER, MAINTAINER, CONTRIBUTOR, READER, STRANGER]
    needs = {"owner": 0, "maintainer": 1, "contributor": 2, "reader": 3, None: 4}

    allowed = {*access_of(api_as(account, GET, {"projectSlug": "atlas"}))["allowed"]}

    rank = ranks.index(account)
    passed = {
        case.partition(" ")[0]
        for case, role in REQUIRED_ROLES.items()
        if rank <= needs[role]
    }
    assert allowed & REQUIRED_ROLES.keys() == passed & ALL
    assert allowed >= READS


@pytest.mark.parametrize(
    ("account", "changes"),
    [
        (OWNER, {"create", "remove", "restore", "export"}),
        (MAINTAINER, {"create", "export"}),
        (READER, {"create"}),
    ],
)
def test_archived_project(api_as, sample_project, account, changes):
    """
    In an archived project a caller may only read, leave and, as an owner, restore.
    """
    ProjectRow.update(archived_at=1).execute()

    allowed = {
        *access_of(api_as(account, GET, {"projectId": sample_project.id}))["allowed"]
    }

    open_changes = {f"projects:{verb}" for verb in changes} | {"members:remove"}
    assert allowed & REQUIRED_ROLES.keys() == open_changes
    assert allowed >= READS


def test_key_of_nobody_in_an_archived_project(api, sample_project):
    """A key without an account cannot leave a project, because it is no member."""
    ProjectRow.update(archived_at=1).execute()

    access = access_of(api(GET, {"projectId": sample_project.id}))

    assert "members:remove" not in access["allowed"]


def test_stranger(api_as, clock, sample_project):
    """Without a membership there is no role, except in the docs project."""
    make_project("docs", clock.now, builtin=True)

    stranger = access_of(api_as(STRANGER, GET, {"projectSlug": "atlas"}))
    docs = access_of(api_as(STRANGER, GET, {"projectSlug": "docs"}))

    assert (stranger["role"], stranger["effectiveRole"]) == (None, None)
    assert (docs["role"], docs["effectiveRole"]) == (None, "contributor")
    assert "documents:update" in {*docs["allowed"]} - {*stranger["allowed"]}


def test_key_of_nobody(api, issue, sample_project):
    """
    A key without an account has no membership and acts as owner, within its scopes.
    """
    scopes = ["projects:access:get", "projects:members:*", "status:*"]

    access = access_of(api(GET, {"projectId": sample_project.id}, key=issue(*scopes)))

    assert access["actorType"] == "key"
    assert (access["role"], access["effectiveRole"]) == (None, "owner")
    assert access["scopes"] == scopes
    members = [f"members:{verb}" for verb in ("add", "list", "remove", "update")]
    assert access["allowed"] == ["access:get", *members]


def test_without_a_project(api_as):
    """Without a project, the permissions are those of the key."""
    access = access_of(api_as(STRANGER, GET))

    assert access["projectId"] is access["role"] is access["effectiveRole"] is None
    assert {*access["allowed"]} == ALL


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"projectId": OWNER}, 404),
        ({"projectSlug": "ghost"}, 404),
        ({"projectId": OWNER, "projectSlug": "atlas"}, 422),
        ({"projectId": "x"}, 422),
    ],
)
def test_of_nothing(api, sample_project, query, status):
    """The project must exist, and be given once."""
    assert api(GET, query).status_code == status
