"""Importing projects over HTTP."""

import json

import pytest

from models.changes import marks
from models.projects.documents.rows import DocumentAliasRow, DocumentRow
from models.projects.planning.rows import LabelRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.work.rows import WorkRelationshipRow
from tests.factories.full_project import PURGE_COUNTS, Maker, make_full
from tests.factories.life import Life
from tests.factories.projects import KEY, OWNER, STRANGER, make_project
from tests.rules.storage.test_text_index import expected, indexed

IMPORT = "POST /projects/v1/admin/projects/import"
PURGE = "POST /projects/v1/admin/projects/purge"
WORD = "quillfeather"


@pytest.fixture
def import_bundle(api):
    """Import the bundle, and return the data of the response."""

    def send(bundle, **more):
        body = {"slug": "atlas", "ownerId": OWNER, "bundle": bundle}
        response = api(IMPORT, body | more)
        assert response.status_code == 200, response.json
        return response.json["data"]

    return send


@pytest.fixture
def full(store, clock):
    return make_full(clock.now, WORD)


def purge(api, id):
    api("POST /projects/v1/projects/remove", {"id": id})
    response = api(PURGE, {"id": id, "confirm": "atlas"})
    assert response.status_code == 200


def with_new_ids(bundle, ids):
    """Return the bundle with every id replaced by the one from the import."""
    text = json.dumps(bundle)
    for old, new in ids.items():
        text = text.replace(old, new)
    return json.loads(text)


def without_record(bundle):
    """Return the bundle without its time and the record of the import."""
    *activity, record = bundle["activity"]
    assert record["action"] == "project.imported"
    return bundle | {"exportedAt": None, "activity": activity}


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_there_and_back(
    api, export, import_bundle, clock, raw_database, seed, archived
):
    """After any history, a purged project is restored as it was."""
    life = Life(api, seed)
    for _ in range(150):
        clock.pass_(seconds=1)
        life.step()
    if archived:
        api("POST /projects/v1/projects/remove", {"id": life.project})
    document = DocumentRow.select().first()
    document.language, document.nav_title = "pt-BR", "Label"
    document.is_listed, document.changed_at = False, clock.now
    document.has_lead = False
    document.save()
    DocumentAliasRow.create(document=document, address="/old/", is_declared=False)
    before = export(life.project)
    purge(api, life.project)
    clock.pass_(days=1)

    result = import_bundle(before)

    after = export(result["project"]["id"])
    assert without_record(after) == with_new_ids(before, result["ids"]) | {
        "exportedAt": None
    }
    assert result["dropped"] == {"relationships": 0}
    assert indexed(raw_database) == expected()
    assert (after["project"]["archivedAt"] is not None) == archived
    assert [each["hasLead"] for each in after["documents"] if "hasLead" in each] == [
        False
    ]
    lists = {kind for kind in before if isinstance(before[kind], list)}
    files = {"files", "pinnedFiles", "fileContents"}
    assert all(len(before[kind]) for kind in lists - files)


def test_import_beside_the_original(export, import_bundle, full, raw_database):
    """A copy has its own ids; links to other projects are dropped and counted."""
    bundle = export(full.project.id)

    result = import_bundle(bundle, slug="copy", name="Copy")

    assert (result["project"]["slug"], result["project"]["name"]) == ("copy", "Copy")
    assert result["project"]["id"] == result["ids"][full.project.id]
    dropped = {"workRelationships": 1, "workSpecifications": 0}
    assert result["counts"] == PURGE_COUNTS | dropped
    assert result["dropped"] == {"relationships": 2}
    assert WorkRelationshipRow.select().count() == 3
    assert len(export(full.project.id)["activity"]) == 1
    assert indexed(raw_database) == expected()


def test_bundle_of_before(export, import_bundle, full):
    """A bundle from a version without aliases and files can be imported."""
    bundle = export(full.project.id)
    assert [alias["address"] for alias in bundle.pop("aliases")] == ["/old/"]
    for kind in ("files", "pinnedFiles", "fileContents"):
        del bundle[kind]

    result = import_bundle(bundle, slug="copy")

    assert export(result["project"]["id"])["aliases"] == []


def test_record_of_an_import(export, import_bundle, full):
    """
    The activity of the new project names the bundle; no other project has a record.
    """
    bundle = export(full.project.id)

    result = import_bundle(bundle, slug="copy")

    record = ActivityRow.select().order_by(ActivityRow.number.desc()).get()
    assert (record.action, record.entity_id) == (
        "project.imported",
        result["project"]["id"],
    )
    assert record.metadata["sourceSlug"] == "atlas"
    assert record.metadata["counts"] == result["counts"]
    assert record.metadata["dropped"] == result["dropped"]


def test_numbers_go_on(api, export, import_bundle, full):
    """The next work item has the number after the highest one."""
    result = import_bundle(export(full.project.id), slug="copy")
    body = {"projectId": result["project"]["id"], "type": "task", "title": "Next"}

    made = api("POST /projects/v1/work-items/create", body)

    assert made.json["data"]["number"] == 3


def test_members(export, import_bundle, full):
    """Members are kept or dropped; the responsible account is an owner in any case."""
    bundle = export(full.project.id)

    with_members = import_bundle(bundle, slug="kept", ownerId=STRANGER)
    dropped = import_bundle(bundle, slug="dropped", ownerId=OWNER, members="drop")

    roles = [each["role"] for each in export(with_members["project"]["id"])["members"]]
    assert roles == ["owner", "maintainer", "contributor", "reader", "owner"]
    [member] = export(dropped["project"]["id"])["members"]
    assert (member["accountId"], member["role"]) == (OWNER, "owner")
    assert with_members["project"]["ownerId"] == STRANGER


def test_global_labels(export, import_bundle, full):
    """
    Global labels are matched by name; an unmatched one becomes a label of the project.
    """
    bundle = export(full.project.id)
    LabelRow.update(name="renamed").where(LabelRow.name == "plain").execute()
    LabelRow.create(id=OWNER, project=None, name=WORD, created_at=1)

    result = import_bundle(bundle, slug="copy")

    labels = export(result["project"]["id"])["labels"]
    assert {each["name"]: each["global"] for each in labels} == {
        "plain": False,
        WORD: True,
    }
    assert result["counts"]["workLabels"] == 2
    assert result["ids"][full.label.id] == OWNER


def test_built_in(export, import_bundle, clock, store):
    """A copy of the built-in project is an ordinary project, and not on the site."""
    docs = make_project("docs", clock.now, builtin=True)
    Maker(docs, clock.now, WORD).document()
    before = marks()

    result = import_bundle(export(docs.id), slug="copy")

    assert result["project"]["builtin"] is False
    assert ProjectRow.get(ProjectRow.builtin).id == docs.id
    assert marks() == before


def test_slug_taken(api, export, full, refusal):
    """The slug of a project is taken, even if the project is archived."""
    body = {"slug": "next", "ownerId": OWNER, "bundle": export(full.project.id)}

    response = api(IMPORT, body)

    assert response.status_code == 409
    refusal(response, "slug-taken")


def test_twice(api, export, full):
    """A repeat with the Idempotency-Key creates nothing new, and a dry run nothing."""
    body = {"slug": "copy", "ownerId": OWNER, "bundle": export(full.project.id)}

    rehearsed = api(IMPORT, body, headers={"Dry-Run": "true"})
    first = api(IMPORT, body, headers={"Idempotency-Key": "a"})
    second = api(IMPORT, body, headers={"Idempotency-Key": "a"})

    assert rehearsed.status_code == first.status_code == 200
    assert second.data == first.data
    assert ProjectRow.select().where(ProjectRow.slug == "copy").count() == 1


def test_import_is_forgotten_with_its_project(api, export, full, import_bundle):
    """Purging a copy also deletes the stored response of its import."""
    bundle = export(full.project.id)
    purge(api, full.project.id)
    body = {"slug": "atlas", "ownerId": OWNER, "bundle": bundle}
    first = api(IMPORT, body, headers={"Idempotency-Key": "a"}).json["data"]

    purge(api, first["project"]["id"])

    again = api(IMPORT, body, headers={"Idempotency-Key": "a"}).json["data"]
    assert again["project"]["id"] != first["project"]["id"]
    assert KEY.id not in again["ids"]


def test_too_many_labels_or_members(api, export, full, monkeypatch, refusal):
    """An imported project is limited to the labels and members of any project."""
    bundle = export(full.project.id)
    body = {"slug": "copy", "ownerId": STRANGER, "bundle": bundle}
    for limit, most in (("MAX_MEMBERS", 4), ("MAX_PROJECT_LABELS", 0)):
        with monkeypatch.context() as patch:
            patch.setattr(f"models.projects.bundles.project_import.{limit}", most)

            refusal(api(IMPORT, body), "limit-exceeded")
    assert api(IMPORT, body).status_code == 200
