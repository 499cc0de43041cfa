"""Importing projects through HTTP."""

import json

import pytest

from models.changes import marks
from models.projects.documents.rows import DocumentAliasRow, DocumentRow
from models.projects.planning.rows import LabelRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.work.rows import WorkRelationshipRow
from tests.factories.full_project import HELD, Maker, make_full
from tests.factories.life import Life
from tests.factories.projects import KEY, OWNER, STRANGER, make_project
from tests.rules.storage.test_text_index import expected, held

IMPORT = "POST /projects/v1/admin/projects/import"
PURGE = "POST /projects/v1/admin/projects/purge"
WORD = "quillfeather"


@pytest.fixture
def bring(api):
    """Import the bundle, and return what is told of it."""

    def brought(bundle, **more):
        body = {"slug": "atlas", "ownerId": OWNER, "bundle": bundle}
        response = api(IMPORT, body | more)
        assert response.status_code == 200, response.json
        return response.json["data"]

    return brought


@pytest.fixture
def full(store, clock):
    return make_full(clock.now, WORD)


def purge(api, id):
    api("POST /projects/v1/projects/remove", {"id": id})
    response = api(PURGE, {"id": id, "confirm": "atlas"})
    assert response.status_code == 200


def with_new_ids(bundle, ids):
    """The bundle in which every id is the one that import gave."""
    text = json.dumps(bundle)
    for old, new in ids.items():
        text = text.replace(old, new)
    return json.loads(text)


def without_record(bundle):
    """The bundle but for its time and the record of the import."""
    *activity, record = bundle["activity"]
    assert record["action"] == "project.imported"
    return bundle | {"exportedAt": None, "activity": activity}


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_there_and_back(api, export, bring, clock, raw_database, seed, archived):
    """After any history a project that was purged comes back as it was."""
    life = Life(api, seed)
    for _ in range(150):
        clock.pass_(seconds=1)
        life.step()
    if archived:
        api("POST /projects/v1/projects/remove", {"id": life.project})
    document = DocumentRow.select().first()
    document.language = "pt-BR"
    document.save()
    DocumentAliasRow.create(document=document, address="/old/", is_declared=False)
    before = export(life.project)
    purge(api, life.project)
    clock.pass_(days=1)

    result = bring(before)

    after = export(result["project"]["id"])
    assert without_record(after) == with_new_ids(before, result["ids"]) | {
        "exportedAt": None
    }
    assert result["dropped"] == {"relationships": 0}
    assert held(raw_database) == expected()
    assert (after["project"]["archivedAt"] is not None) == archived
    lists = {kind for kind in before if isinstance(before[kind], list)}
    files = {"files", "pinnedFiles", "fileContents"}
    assert all(len(before[kind]) for kind in lists - files)


def test_import_beside_the_original(export, bring, full, raw_database):
    """A copy has ids of its own; what leads elsewhere is dropped and counted."""
    bundle = export(full.project.id)

    result = bring(bundle, slug="copy", name="Copy")

    assert (result["project"]["slug"], result["project"]["name"]) == ("copy", "Copy")
    assert result["project"]["id"] == result["ids"][full.project.id]
    gone = {"workRelationships": 1, "workSpecifications": 0}
    assert result["counts"] == HELD | gone
    assert result["dropped"] == {"relationships": 2}
    assert WorkRelationshipRow.select().count() == 3
    assert len(export(full.project.id)["activity"]) == 1
    assert held(raw_database) == expected()


def test_bundle_of_before(export, bring, full):
    """A bundle from before it had aliases and files is still imported."""
    bundle = export(full.project.id)
    assert [alias["address"] for alias in bundle.pop("aliases")] == ["/old/"]
    for kind in ("files", "pinnedFiles", "fileContents"):
        del bundle[kind]

    result = bring(bundle, slug="copy")

    assert export(result["project"]["id"])["aliases"] == []


def test_record_of_an_import(export, bring, full):
    """The new project tells from what it was made, and nobody else does."""
    bundle = export(full.project.id)

    result = bring(bundle, slug="copy")

    record = ActivityRow.select().order_by(ActivityRow.number.desc()).get()
    assert (record.action, record.entity_id) == (
        "project.imported",
        result["project"]["id"],
    )
    assert record.metadata["sourceSlug"] == "atlas"
    assert record.metadata["counts"] == result["counts"]
    assert record.metadata["dropped"] == result["dropped"]


def test_numbers_go_on(api, export, bring, full):
    """The next work item has the number after the highest."""
    result = bring(export(full.project.id), slug="copy")
    body = {"projectId": result["project"]["id"], "type": "task", "title": "Next"}

    made = api("POST /projects/v1/work-items/create", body)

    assert made.json["data"]["number"] == 3


def test_members(export, bring, full):
    """They are kept or dropped; who answers for the project is an owner anyway."""
    bundle = export(full.project.id)

    kept = bring(bundle, slug="kept", ownerId=STRANGER)
    dropped = bring(bundle, slug="dropped", ownerId=OWNER, members="drop")

    roles = [each["role"] for each in export(kept["project"]["id"])["members"]]
    assert roles == ["owner", "maintainer", "contributor", "reader", "owner"]
    [member] = export(dropped["project"]["id"])["members"]
    assert (member["accountId"], member["role"]) == (OWNER, "owner")
    assert kept["project"]["ownerId"] == STRANGER


def test_global_labels(export, bring, full):
    """They are found by name; where there is none, the project has one of its own."""
    bundle = export(full.project.id)
    LabelRow.update(name="renamed").where(LabelRow.name == "plain").execute()
    LabelRow.create(id=OWNER, project=None, name=WORD, created_at=1)

    result = bring(bundle, slug="copy")

    labels = export(result["project"]["id"])["labels"]
    assert {each["name"]: each["global"] for each in labels} == {
        "plain": False,
        WORD: True,
    }
    assert result["counts"]["workLabels"] == 2
    assert result["ids"][full.label.id] == OWNER


def test_built_in(export, bring, clock, store):
    """A copy of the built-in project is an ordinary one; the site knows nothing."""
    docs = make_project("docs", clock.now, builtin=True)
    Maker(docs, clock.now, WORD).document()
    before = marks()

    result = bring(export(docs.id), slug="copy")

    assert result["project"]["builtin"] is False
    assert ProjectRow.get(ProjectRow.builtin).id == docs.id
    assert marks() == before


def test_slug_taken(api, export, full, refusal):
    """The slug of a project, archived or not, is taken."""
    body = {"slug": "next", "ownerId": OWNER, "bundle": export(full.project.id)}

    response = api(IMPORT, body)

    assert response.status_code == 409
    refusal(response, "slug-taken")


def test_twice(api, export, full):
    """A repeat under one Idempotency-Key makes nothing new; a rehearsal nothing."""
    body = {"slug": "copy", "ownerId": OWNER, "bundle": export(full.project.id)}

    rehearsed = api(IMPORT, body, headers={"Dry-Run": "true"})
    first = api(IMPORT, body, headers={"Idempotency-Key": "a"})
    second = api(IMPORT, body, headers={"Idempotency-Key": "a"})

    assert rehearsed.status_code == first.status_code == 200
    assert second.data == first.data
    assert ProjectRow.select().where(ProjectRow.slug == "copy").count() == 1


def test_import_is_forgotten_with_its_project(api, export, full, bring):
    """Once the copy is purged the answer to its import is gone as well."""
    bundle = export(full.project.id)
    purge(api, full.project.id)
    body = {"slug": "atlas", "ownerId": OWNER, "bundle": bundle}
    first = api(IMPORT, body, headers={"Idempotency-Key": "a"}).json["data"]

    purge(api, first["project"]["id"])

    again = api(IMPORT, body, headers={"Idempotency-Key": "a"}).json["data"]
    assert again["project"]["id"] != first["project"]["id"]
    assert KEY.id not in again["ids"]


def test_too_many_labels_or_members(api, export, full, monkeypatch, refusal):
    """A project that comes in has no more of them than one that grew here."""
    bundle = export(full.project.id)
    body = {"slug": "copy", "ownerId": STRANGER, "bundle": bundle}
    for limit, most in (("MAX_MEMBERS", 4), ("MAX_PROJECT_LABELS", 0)):
        with monkeypatch.context() as patch:
            patch.setattr(f"models.projects.bundles.project_import.{limit}", most)

            refusal(api(IMPORT, body), "limit-exceeded")
    assert api(IMPORT, body).status_code == 200
