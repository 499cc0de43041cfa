"""Invalid bundles: each is rejected at the place that is wrong."""

import copy

import pytest

from models.projects.projects.rows import ProjectRow
from models.storage.database import database
from tests.factories.full_project import make_full
from tests.factories.life import Life
from tests.factories.projects import OWNER, STRANGER

EXPORT = "GET /projects/v1/projects/export"
IMPORT = "POST /projects/v1/admin/projects/import"
TIME = "2026-03-01T12:00:00.000Z"


@pytest.fixture
def bundle(api, store, clock):
    full = make_full(clock.now, "quillfeather")
    return api(EXPORT, {"id": full.project.id}).json["data"]


@pytest.fixture
def wrong(api, bundle, refusal):
    """Import the bundle with this place changed, and return (kind, pointer)."""

    def tried(path, value):
        changed = copy.deepcopy(bundle)
        *way, last = [int(each) if each.isdigit() else each for each in path.split("/")]
        at = changed
        for each in way:
            at = at[each]
        if isinstance(at, list) and last == len(at):
            at.append(value)
        else:
            at[last] = value(at[last]) if callable(value) else value
        body = {"slug": "copy", "ownerId": OWNER, "bundle": changed}
        response = api(IMPORT, body)
        assert response.status_code == 422, response.json
        kind = response.json["type"].split("/")[-2]
        return kind, refusal(response, kind)["errors"][0]["pointer"]

    return tried


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", "bundle"),
        ("version", 2),
        ("exportedAt", "today"),
        ("more", 1),
        ("project/slug", "A"),
        ("project/name", "n" * 121),
        ("project/builtin", "no"),
        ("members/0/role", "king"),
        ("members", [{}] * 1001),
        ("labels/0/name", "Not a slug"),
        ("labels/0/global", False),
        ("labels/1/global", True),
        ("milestones/0/name", "a\nb"),
        ("work/0/number", 0),
        ("work/0/number", 2**31),
        ("work/0/title", "t" * 201),
        ("work/0/title", "a\x00b"),
        ("work/0/description", "d" * 50_001),
        ("work/0/assigneeIds", [OWNER] * 21),
        ("work/0/status", "done"),
        ("work/0/completedAt", TIME),
        ("work/0/creatorId", "me"),
        ("relationships/0/relationship", "depends_on"),
        ("specifications/0/content", "c" * 500_001),
        ("specifications/0/supersededAt", TIME),
        ("specifications/0/status", "superseded"),
        ("specificationRevisions/0/version", 0),
        ("documents/0/publishedAt", TIME),
        ("documents/0/position", 10_001),
        ("documents/0/section", ""),
        ("documentRevisions/0/note", "n" * 301),
        ("aliases/0/address", "/status/x/"),
        ("aliases/0/address", "/../x/"),
        ("aliases/0/address", "/a"),
        ("comments/0/content", ""),
        ("comments/0/deletedAt", TIME),
        ("references/0/url", "javascript:alert(1)"),
        ("references/0/url", None),
        ("references/0/metadata", "none"),
        ("activity/0/action", "comment.added"),
        ("activity/0/action", "work created"),
        ("activity/0/metadata", {"a": "x" * 70_000}),
        ("activity/0/createdAt", 1),
    ],
)
def test_out_of_shape(wrong, path, value):
    """Every limit of the API applies to a bundle, and is reported by its place."""
    kind, pointer = wrong(path, value)

    assert kind == "validation-failed"
    assert f"/bundle/{path}".startswith(pointer)
    assert len(pointer.split("/")) > 2


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        ("work/0/milestoneId", OWNER, "work/0/milestoneId"),
        ("work/0/labelIds", [OWNER], "work/0/labelIds"),
        ("comments/0/entityId", OWNER, "comments/0/entityId"),
        ("comments/0/entityType", "document", "comments/0/entityId"),
        ("references/0/entityType", "project", "references/0/entityId"),
        ("activity/0/entityId", OWNER, "activity/0/entityId"),
        ("documents", [], "documentRevisions/0/documentId"),
        ("specifications", [], "specificationRevisions/0/specificationId"),
        ("aliases/0/documentId", OWNER, "aliases/0/documentId"),
        ("labels", [], "work/0/labelIds"),
    ],
)
def test_names_what_is_not_there(wrong, path, value, pointer):
    """An id that a bundle refers to must be in the bundle."""
    assert wrong(path, value) == ("reference-not-found", f"/bundle/{pointer}")


def test_relates_what_is_not_there(wrong):
    """At least one end of a relationship must be in the bundle."""
    ends = {"sourceId": OWNER, "targetId": STRANGER}

    result = wrong("relationships/0", lambda each: each | ends)

    assert result == ("reference-not-found", "/bundle/relationships/0/sourceId")


def test_names_what_is_superseded_by_nothing(wrong):
    """A successor must be in the bundle as well."""
    superseded = {"supersededAt": TIME, "supersededBy": OWNER, "status": "superseded"}

    result = wrong("specifications/0", lambda each: each | superseded)

    assert result == ("validation-failed", "/bundle/specifications/0/status")


@pytest.mark.parametrize(
    ("kind", "at"),
    [
        ("members", "accountId"),
        ("labels", "id"),
        ("work", "id"),
        ("relationships", "targetId"),
        ("specifications", "id"),
        ("documentRevisions", "id"),
        ("aliases", "address"),
        ("comments", "id"),
        ("activity", "id"),
    ],
)
def test_said_twice(wrong, kind, at):
    """An entry may not occur twice in a bundle."""
    result = wrong(kind, lambda rows: [*rows, rows[0]])

    assert result[0] == "validation-failed"
    assert result[1].startswith(f"/bundle/{kind}/")
    assert result[1].endswith(f"/{at}")


@pytest.mark.parametrize(
    ("kind", "at"),
    [
        ("labels", "name"),
        ("work", "number"),
        ("specifications", "slug"),
        ("documents", "slug"),
        ("documentRevisions", "version"),
        ("references", "url"),
    ],
)
def test_two_of_one_name(wrong, kind, at):
    """Names that are unique in a project are unique in a bundle, whatever their ids."""
    result = wrong(kind, lambda rows: [*rows, rows[0] | {"id": OWNER}])

    assert result[0] == "validation-failed"
    assert result[1].endswith(f"/{at}")


@pytest.mark.parametrize("kind", ["work", "documents", "comments", "activity"])
def test_of_another_project(wrong, kind):
    """All contents of a bundle must belong to its project."""
    result = wrong(f"{kind}/0/projectId", OWNER)

    assert result == ("validation-failed", f"/bundle/{kind}/0/projectId")


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        ("documents/0/version", 2, "documents/0/version"),
        ("documentRevisions/0/version", 2, "documents/0/version"),
        ("documentRevisions", [], "documents/0/version"),
        ("documents/0/title", "Other", "documents/0/title"),
        ("documents/0/content", "Other", "documents/0/content"),
        ("specifications/0/status", "review", "specifications/0/status"),
    ],
)
def test_unlike_its_revisions(wrong, path, value, pointer):
    """There is a revision of every version, and the newest is the current state."""
    assert wrong(path, value) == ("validation-failed", f"/bundle/{pointer}")


@pytest.mark.parametrize("kind", ["blocks", "supersedes"])
def test_ring(wrong, bundle, kind):
    """Neither blocking relationships nor successors may form a ring."""
    there = bundle["relationships"][0] | {"relationship": kind}
    back = there | {"sourceId": there["targetId"], "targetId": there["sourceId"]}

    result = wrong("relationships", [there, back])

    assert result == ("validation-failed", "/bundle/relationships")


def test_nothing_is_half_done(api, bundle):
    """A bundle that is rejected at its very end leaves nothing."""
    count = "SELECT (SELECT COUNT(*) FROM work_item), (SELECT COUNT(*) FROM document)"
    before = database.execute_sql(count).fetchone()
    bundle["activity"][-1]["entityId"] = OWNER
    body = {"slug": "copy", "ownerId": OWNER, "bundle": bundle}

    assert api(IMPORT, body).status_code == 422

    assert database.execute_sql(count).fetchone() == before
    assert not ProjectRow.select().where(ProjectRow.slug == "copy").exists()


def test_ends_in_things_of_other_kinds(api, bundle):
    """A relationship or link to another kind of row is dropped."""
    label = bundle["labels"][0]["id"]
    item, relationship = bundle["work"][0], bundle["relationships"][0]
    relationship |= {"sourceId": item["id"], "targetId": label}
    bundle["relationships"] = [relationship]
    item["specifications"] = [{"specificationId": label, "relationship": "implements"}]

    result = api(IMPORT, {"slug": "copy", "ownerId": OWNER, "bundle": bundle})

    assert result.json["data"]["dropped"] == {"relationships": 2}


def test_numbers_without_end(api, bundle, refusal):
    """NaN is no JSON and is rejected, although some encoders write it."""
    sent = {"slug": "copy", "ownerId": OWNER, "bundle": bundle}
    bundle["activity"][0]["metadata"] = {"a": [float("nan")]}

    response = api(IMPORT, sent)

    problem = refusal(response, "validation-failed")
    assert problem["errors"][0]["pointer"] == "/bundle/activity/0/metadata"


def test_line_of_successors_that_is_a_ring(api, app, refusal):
    """Two specifications cannot supersede each other."""
    life = Life(api, 0)
    for _ in range(2):
        life.create("specifications")
    one, other = life.ids["specifications"]
    life.do("specifications/supersede", {"id": one, "supersededBy": other})
    bundle = api(EXPORT, {"id": life.project}).json["data"]
    for each in bundle["specifications"]:
        each |= {"status": "superseded", "supersededAt": TIME}
        each["supersededBy"] = other if each["id"] == one else one
    for each in bundle["specificationRevisions"]:
        each["status"] = "superseded"

    response = api(IMPORT, {"slug": "copy", "ownerId": OWNER, "bundle": bundle})

    problem = refusal(response, "validation-failed")
    assert problem["errors"][0]["pointer"] == "/bundle/specifications"
