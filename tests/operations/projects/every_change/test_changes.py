"""Rules for every change in a project."""

import pytest

from models.idempotency import StoredResponseRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.roles import OPEN_WHEN_ARCHIVED, REQUIRED_ROLES
from models.storage.write_locks import WriteLock
from tests.factories.projects import OWNER, READER, STRANGER
from tests.locked_tables import changed_without_lock
from tests.operations.projects.every_change.conftest import OWN
from tests.operations.projects.every_change.world import CASES

CHANGES = [case for case in REQUIRED_ROLES if case != "projects:export"]
# Restoring and purging an archived project, leaving it, and creating another one.
ALLOWED_WHEN_ARCHIVED = OPEN_WHEN_ARCHIVED - {"projects:export"}
# The state is already so in this world; the change has no effect.
UNCHANGED = {
    "projects:restore",
    "milestones:restore",
    "work-items:restore",
    "relationships:remove",
    "specifications:restore",
    "specifications:restore beyond review",
    "documents:restore",
    # An import stores no content before it is applied.
    "document-imports:start",
    "document-imports:add-texts",
    "document-imports:add-file",
}
# The slug is taken the second time; and an unknown reference cannot be attributed to a
# project, so nothing is recorded.
WITHOUT_SECOND_RESPONSE = ("projects:create", "references:remove")
WORDS = ("Words.", "New.", "Hm.", "Mine.")


# The accounts of cases that only the account itself, or the author, may do.
ACCOUNTS = {
    "members:add of oneself as reader": STRANGER,
    "members:remove of oneself": READER,
    "comments:update": OWNER,
    "comments:remove of one's own": OWNER,
}


def committed_state(raw_database):
    """All rows of the database except those that the tests themselves add."""
    return [row for row in raw_database.rows(excluded_table="key") if OWN not in row]


@pytest.mark.parametrize(
    "case", [case for case in CHANGES if case not in ALLOWED_WHEN_ARCHIVED]
)
def test_archived_project_is_read_only(case, try_case, ids, clock, refusal):
    """An archived project cannot be changed until it is restored."""
    ProjectRow.update(archived_at=clock.now).execute()

    response = try_case(case, ACCOUNTS.get(case))

    assert response.status_code == 409, response.text
    refusal(response, "project-archived")


@pytest.mark.parametrize("case", sorted(ALLOWED_WHEN_ARCHIVED))
def test_what_an_archived_project_allows(case, try_case, ids, clock):
    """An archived project can be archived again, restored and left."""
    ProjectRow.update(archived_at=clock.now).execute()

    assert try_case(case, ACCOUNTS.get(case)).status_code == 200


@pytest.mark.parametrize("case", CHANGES)
def test_rehearsal(case, try_case, ids, raw_database):
    """A dry run returns the response of the change, and stores nothing of it."""
    before = committed_state(raw_database)

    response = try_case(case, ACCOUNTS.get(case), **{"Dry-Run": "true"})

    assert response.status_code == 200, response.text
    assert response.headers["Dry-Run"] == "true"
    assert committed_state(raw_database) == before


@pytest.mark.sqlite
@pytest.mark.parametrize("case", CHANGES)
def test_tables_of_its_lock(case, try_case, ids, raw_database):
    """A change in projects writes only to their tables."""
    try_case(case, ACCOUNTS.get(case), **{"Dry-Run": "true"})

    with raw_database.statements() as statements:
        response = try_case(case, ACCOUNTS.get(case))

    assert response.status_code == 200, response.text
    assert changed_without_lock(statements, WriteLock.PROJECTS) == set()


@pytest.mark.parametrize("case", CHANGES)
def test_activity(case, try_case, ids):
    """
    A change is recorded in the activity, with the id of the request and without text.
    """
    account = ACCOUNTS.get(case)
    before = ActivityRow.select().count()

    response = try_case(case, account)

    assert response.status_code == 200, response.text
    records = list(ActivityRow.select().order_by(ActivityRow.number).offset(before))
    assert (records == []) == (case in UNCHANGED)
    for record in records:
        assert record.metadata["requestId"] == response.headers["X-Request-Id"]
        assert record.actor_id == (account or record.actor_id)
        assert not any(word in str(record.metadata) for word in WORDS)


@pytest.mark.parametrize("case", CHANGES)
def test_repeat(case, try_case, ids):
    """
    With the same Idempotency-Key, the first response is returned and nothing else
    happens.
    """
    headers = {"Idempotency-Key": "abc"}
    account = ACCOUNTS.get(case)
    first = try_case(case, account, **headers)
    count = ActivityRow.select().count()

    second = try_case(case, account, **headers)

    assert second.data == first.data
    assert second.headers["Idempotent-Replayed"] == "true"
    assert ActivityRow.select().count() == count


@pytest.mark.parametrize(
    "case", [case for case in CHANGES if case != "projects:create"]
)
def test_purge_takes_the_answer(case, try_case, ids, api, clock):
    """A purge deletes the stored responses of the project (3.14.18)."""
    assert (
        try_case(case, ACCOUNTS.get(case), **{"Idempotency-Key": "abc"}).status_code
        == 200
    )
    assert StoredResponseRow.select().count() == 1
    ProjectRow.update(archived_at=clock.now).execute()

    purge = {"id": ids["$project"], "confirm": "atlas"}
    response = api("POST /projects/v1/admin/projects/purge", purge)

    assert response.status_code == 200, response.text
    assert StoredResponseRow.select().count() == 0


@pytest.mark.parametrize(
    "case", [case for case in CHANGES if not case.startswith(WITHOUT_SECOND_RESPONSE)]
)
def test_purge_takes_the_answer_of_no_change(case, try_case, ids, api, clock):
    """A purge also deletes the stored responses of requests that changed nothing."""
    for text in ("abc", "abd"):
        try_case(case, ACCOUNTS.get(case), **{"Idempotency-Key": text})
    ProjectRow.update(archived_at=clock.now).execute()

    purge = {"id": ids["$project"], "confirm": "atlas"}
    response = api("POST /projects/v1/admin/projects/purge", purge)

    assert response.status_code == 200, response.text
    assert StoredResponseRow.select().count() == 0


def test_every_case_is_known():
    """Every change has a case, so that a new one is held to these rules as well."""
    assert {*CHANGES} >= ALLOWED_WHEN_ARCHIVED | UNCHANGED
    assert CASES.keys() >= {*CHANGES}
