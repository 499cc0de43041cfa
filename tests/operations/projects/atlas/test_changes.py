"""What holds for every change in a project, whatever it is about."""

import pytest

from models.idempotency import StoredResponseRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.roles import OPEN_WHEN_ARCHIVED, REQUIRED_ROLES
from tests.factories.projects import OWNER, READER, STRANGER
from tests.operations.projects.atlas.conftest import OWN
from tests.operations.projects.atlas.world import CASES

CHANGES = [case for case in REQUIRED_ROLES if case != "projects:export"]
# To archive a project again, to bring it back, to leave it, and to begin another.
OPEN = OPEN_WHEN_ARCHIVED - {"projects:export"}
# What is already so in this world changes nothing.
UNCHANGED = {
    "projects:restore",
    "milestones:restore",
    "work-items:restore",
    "relationships:remove",
    "specifications:restore",
    "specifications:restore beyond review",
    "documents:restore",
    # Nothing of an import is there before it is applied.
    "document-imports:start",
    "document-imports:add-texts",
    "document-imports:add-file",
}
# A slug is taken at the second time; of a reference that is gone nobody knows where
# it was, and nothing is told of it.
FORGETFUL = ("projects:create", "references:remove")
WORDS = ("Words.", "New.", "Hm.", "Mine.")


# Who tries what only oneself may do, or the author.
ACTS = {
    "members:add of oneself as reader": STRANGER,
    "members:remove of oneself": READER,
    "comments:update": OWNER,
    "comments:remove of one's own": OWNER,
}


def committed_state(raw_database):
    """Everything in the database but what the tests themselves have put there."""
    return [row for row in raw_database.rows(but="key") if OWN not in row]


@pytest.mark.parametrize("case", [case for case in CHANGES if case not in OPEN])
def test_archived_project_is_read_only(case, tried, ids, clock, refusal):
    """Nothing in it changes until it is restored."""
    ProjectRow.update(archived_at=clock.now).execute()

    response = tried(case, ACTS.get(case))

    assert response.status_code == 409, response.text
    refusal(response, "project-archived")


@pytest.mark.parametrize("case", sorted(OPEN))
def test_what_an_archived_project_allows(case, tried, ids, clock):
    """It can be archived again, restored and left."""
    ProjectRow.update(archived_at=clock.now).execute()

    assert tried(case, ACTS.get(case)).status_code == 200


@pytest.mark.parametrize("case", CHANGES)
def test_rehearsal(case, tried, ids, raw_database):
    """The answer is that of the change, and not a byte of it is kept."""
    before = committed_state(raw_database)

    response = tried(case, ACTS.get(case), **{"Dry-Run": "true"})

    assert response.status_code == 200, response.text
    assert response.headers["Dry-Run"] == "true"
    assert committed_state(raw_database) == before


@pytest.mark.parametrize("case", CHANGES)
def test_activity(case, tried, ids):
    """A change tells of itself, by the request's id and without any text."""
    account = ACTS.get(case)
    before = ActivityRow.select().count()

    response = tried(case, account)

    assert response.status_code == 200, response.text
    records = list(ActivityRow.select().order_by(ActivityRow.number).offset(before))
    assert (records == []) == (case in UNCHANGED)
    for record in records:
        assert record.metadata["requestId"] == response.headers["X-Request-Id"]
        assert record.actor_id == (account or record.actor_id)
        assert not any(word in str(record.metadata) for word in WORDS)


@pytest.mark.parametrize("case", CHANGES)
def test_repeat(case, tried, ids):
    """Under one Idempotency-Key the first answer comes again and nothing else."""
    headers = {"Idempotency-Key": "abc"}
    account = ACTS.get(case)
    first = tried(case, account, **headers)
    count = ActivityRow.select().count()

    second = tried(case, account, **headers)

    assert second.data == first.data
    assert second.headers["Idempotent-Replayed"] == "true"
    assert ActivityRow.select().count() == count


@pytest.mark.parametrize(
    "case", [case for case in CHANGES if case != "projects:create"]
)
def test_purge_takes_the_answer(case, tried, ids, api, clock):
    """What a repeat would be answered with goes with the project (3.14.18)."""
    assert tried(case, ACTS.get(case), **{"Idempotency-Key": "abc"}).status_code == 200
    assert StoredResponseRow.select().count() == 1
    ProjectRow.update(archived_at=clock.now).execute()

    purge = {"id": ids["$project"], "confirm": "atlas"}
    response = api("POST /projects/v1/admin/projects/purge", purge)

    assert response.status_code == 200, response.text
    assert StoredResponseRow.select().count() == 0


@pytest.mark.parametrize(
    "case", [case for case in CHANGES if not case.startswith(FORGETFUL)]
)
def test_purge_takes_the_answer_of_no_change(case, tried, ids, api, clock):
    """So does what was asked again under another key, and found nothing to do."""
    for text in ("abc", "abd"):
        tried(case, ACTS.get(case), **{"Idempotency-Key": text})
    ProjectRow.update(archived_at=clock.now).execute()

    purge = {"id": ids["$project"], "confirm": "atlas"}
    response = api("POST /projects/v1/admin/projects/purge", purge)

    assert response.status_code == 200, response.text
    assert StoredResponseRow.select().count() == 0


def test_every_case_is_known():
    """A new change is held to these rules as well."""
    assert {*CHANGES} >= OPEN | UNCHANGED
    assert CASES.keys() >= {*CHANGES}
