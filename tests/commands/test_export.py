"""Exporting everything, and importing it elsewhere."""

import json
import re
from hashlib import sha256
from itertools import islice

import pytest

import app
from models.projects.bundles.bundle import ProjectBundle
from models.projects.bundles.export import ExportProject, export_project
from models.projects.bundles.project_import import (
    ImportProject,
    import_project,
    prepared_import,
)
from models.projects.documents.documents import UpdateDocument, update_document
from models.projects.documents.rows import DOCUMENTS, DocumentRow
from models.projects.fields import Actor
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.archive import RemoveDocument, remove_document
from models.status.measurements.rollups import HourRow
from models.storage.database import database, open_database, reading, writing
from sitegen.export.record_types import RECORD_TYPES, SAMPLES
from sitegen.export.writer import ExportOptions, write_export
from tests import world
from tests.conftest import NOON
from tests.conventions.words import MANUAL
from tests.factories.corrections import make_corrections
from tests.factories.full_project import make_full
from tests.factories.notifications import subscribe
from tests.factories.projects import OWNER
from tests.operations.projects.bundles.test_import import with_new_ids, without_record

PAGE = next(words for words in MANUAL if words.path.stem == "exporting")
SECRET = re.compile(r"mh_\w{8}_\w{49}")
WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
FILES = (*RECORD_TYPES, SAMPLES)
BY_OWNER = Actor("account", OWNER)


# Documents with everything that a file must preserve.
TREE = {
    "first.md": "---\ntitle: 'Colon: \"quotes\"'\n---\nSee [it](deep/one.md).\n",
    "deep/one.md": "---\ntitle: Umlaute äöü\nposition: 7\n---\n# Not the title\n",
    "deep/README.md": "---\ntitle: The index\ndescription: '# - hash'\n---\nText.",
    "2024.md": "---\ntitle: '2024'\n---\n\n```\n# code\n```\n",
}


@pytest.fixture(scope="module")
def exported_instance(tmp_path_factory, engine):
    """A folder with an instance of all kinds of content, and its export."""
    folder = tmp_path_factory.mktemp("taken")
    for name, text in TREE.items():
        file = folder / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASTHEAD_DATABASE", engine.at(folder / "masthead.db"))
        tree = ("docs", "import", str(folder / "tree"), "--collection", "guides")
        assert app.main([*tree, "--publish"]) == 0
        _live()
        assert app.main(["export", str(folder / "out"), "--samples"]) == 0
    database.close()
    return folder


def _live():
    world.populate(NOON, days=2)
    world.people(NOON)
    subscribe(NOON, secret=WEBHOOK_SECRET)
    with writing():
        make_full(NOON)
        _change("2024", title="Doubled", content="# Doubled\n\nA draft.\n")
        _change("one", section="HTTP: own words", position=3)
        _change("deep", collection="support")
        removed = DocumentRow.get(DocumentRow.slug == "d")
        remove_document(RemoveDocument(id=removed.id), NOON, BY_OWNER)
        make_corrections(NOON)


def _change(slug, **changes):
    found = DocumentRow.get(DocumentRow.slug == slug)
    owner = Actor("account", found.project.owner_id)
    update_document(UpdateDocument(id=found.id, **changes), NOON, owner)


@pytest.fixture
def exported(exported_instance, engine, beside):
    """The folder of the export, beside an open copy of its instance."""
    engine.copy(
        engine.at(exported_instance / "masthead.db"), copy := beside("masthead.db")
    )
    open_database(copy)
    yield exported_instance / "out"
    database.close()


def lines_of(path):
    return [json.loads(each) for each in path.read_text().splitlines()]


def test_manifest(exported):
    """Every file is in the manifest, and readable only by its owner."""
    manifest = json.loads((exported / "manifest.json").read_text())
    listed = {each["path"]: each for each in manifest["files"]}

    found = {f.relative_to(exported).as_posix(): f for f in exported.rglob("*.*")}

    assert found.keys() - {"manifest.json"} == listed.keys()
    assert len(listed) == len(manifest["files"])
    for name, each in listed.items():
        content = found[name].read_bytes()
        count = content.count(b"\n") if name.endswith(".jsonl") else 1
        assert each["bytes"] == len(content), name
        assert each["sha256"] == sha256(content).hexdigest(), name
        assert each["records"] == count, name
    assert all(each.stat().st_mode & 0o077 == 0 for each in exported.rglob("*"))


@pytest.mark.parametrize("record_type", FILES, ids=lambda record_type: record_type.file)
def test_members(record_type):
    """The manual lists exactly the members of every file."""
    sections = re.split(r"^#+ ", PAGE.text, flags=re.MULTILINE)
    (result,) = [
        each for each in sections if f"`{record_type.file}`" in each.split("\n")[0]
    ]

    assert _members_in(result) == {
        each.alias for each in record_type.schema.model_fields.values()
    }


def test_members_of_bundles():
    """The manual lists exactly the members of a bundle."""
    data = PAGE.text.partition("### `projects/atlas.json`")[2].partition("\n## ")[0]

    fields = ProjectBundle.model_fields.values()
    assert _members_in(data) == {each.alias for each in fields}


def test_members_of_the_manifest(exported):
    """The manual lists exactly the members of the manifest."""
    data = PAGE.text.partition("## `manifest.json`")[2].partition("\n## ")[0]

    assert (
        _members_in(data) == json.loads((exported / "manifest.json").read_text()).keys()
    )


def _members_in(section):
    rows = re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_removed_incident_and_window(exported):
    """An export has removed incidents and windows, marked as removed."""
    for file in ("incidents", "maintenance"):
        lines = lines_of(exported / f"status/{file}.jsonl")

        removed = [line for line in lines if line["removedAt"]]
        assert len(removed) == 1
        assert len(lines) > 1


def test_severities(exported):
    """An export has every severity of an incident, with its times."""
    incidents = lines_of(exported / "status/incidents.jsonl")

    for incident in incidents:
        first, last = incident["severities"][0], incident["severities"][-1]
        assert first["startsAt"] == incident["startedAt"]
        assert last["endsAt"] == incident["resolvedAt"]
    lowered = [i for i in incidents if len(i["severities"]) > 1]
    assert [
        [span["severity"] for span in incident["severities"]] for incident in lowered
    ] == [["major-outage", "degraded"]]


def test_corrected_updates(exported):
    """An export has the earlier texts of updates, and those of removed updates."""
    incidents = lines_of(exported / "status/incidents.jsonl")
    updates = [update for incident in incidents for update in incident["updates"]]

    (corrected,) = [update for update in updates if update["editedAt"]]
    (removed,) = [update for update in updates if update["removedAt"]]
    first, second = corrected["versions"]
    assert (second["version"], second["body"]) == (2, corrected["body"])
    assert first["body"] not in ("", corrected["body"])
    (version,) = removed["versions"]
    assert removed["body"] == "This update was removed."
    assert version["body"] != removed["body"]
    others = [update for update in updates if update not in (corrected, removed)]
    assert all(len(update["versions"]) == 1 for update in others)


def test_lines(exported):
    """Every line has the members of its schema, and each noun has some."""
    for record_type in FILES:
        members = {each.alias for each in record_type.schema.model_fields.values()}
        lines = lines_of(exported / record_type.file)
        assert all(each.keys() == members for each in lines), record_type.file
        # No day has been folded, no project purged, and there is no global label. The
        # sample world measures without a key.
        none = ("status/days.jsonl", "projects/audit.jsonl", "projects/labels.jsonl")
        none += ("status/source-keys.jsonl",)
        assert lines or record_type.file in none


def test_counters(exported):
    """The hourly counters include all samples, also those not rolled up yet."""
    words = ("operational", "degraded", "down")

    hours = lines_of(exported / "status/hours.jsonl")

    samples = lines_of(exported / "status/measurements.jsonl")
    assert HourRow.select().count() < len(hours)
    assert sum(each[word] for each in hours for word in words) == len(samples)


def test_secrets(exported):
    """An export has no secret and no hash of one."""
    hashes = [found for (found,) in database.execute_sql("SELECT hash FROM key")]
    text = "".join(each.read_text() for each in exported.rglob("*.*"))

    assert hashes
    assert not SECRET.search(text)
    assert not any(each in text for each in hashes)
    assert WEBHOOK_SECRET not in text


def words_of_documents():
    """Return the public and the draft content of each document of the docs project."""
    found = {}
    names = ("title", "summary", "collection", "section", "position")
    for row in DocumentRow.select().join(ProjectRow).where(ProjectRow.builtin):
        words = [getattr(row, name) for name in names]
        shown = DOCUMENTS.revision_of(row, row.published_version)
        texts = (DOCUMENTS.load_content(row).content, shown.title, shown.content)
        found[row.slug] = (*words, *texts)
    return found


def test_documents_come_back(exported, command, beside, monkeypatch):
    """Documents are imported with their states and all their texts."""
    before = words_of_documents()
    monkeypatch.setenv("MASTHEAD_DATABASE", beside("new.db"))

    for kind, more in (("published", ["--publish"]), ("drafts", [])):
        for tree in sorted((exported / "documents/docs" / kind).iterdir()):
            words = ("docs", "import", tree, "--collection", tree.name, *more)
            code, _, result = command(*words)
            assert code == 0, result

    assert words_of_documents() == before
    assert len(before) == 4


def test_every_version_is_a_file(exported):
    """Earlier versions are exported, and those of archived documents."""
    revisions = exported / "documents/docs/revisions"

    assert sorted(f.name for f in (revisions / "2024").iterdir()) == [
        "0001.md",
        "0002.md",
    ]
    assert "A draft." in (revisions / "2024/0002.md").read_text()
    assert (exported / "documents/atlas/revisions/d/0001.md").is_file()
    assert not (exported / "documents/atlas/drafts").exists()


def test_projects_come_back(exported):
    """A bundle of the export equals that of the API, and can be imported."""
    bundle = json.loads((exported / "projects/atlas.json").read_text())
    body = {"slug": "again", "owner_id": OWNER, "bundle": poured(bundle)}
    with reading():
        same = exported_by_api(bundle["project"]["id"])

    request = ImportProject(**body)
    with prepared_import(request) as files, writing():
        imported = import_project(
            request, files, NOON, BY_OWNER, files_max_bytes=1_000_000
        )

    assert without_time(same) == without_time(bundle)
    again = without_record(exported_by_api(imported.project.id))
    expected = with_new_ids(bundle, imported.ids)
    for name in ("milestones", "documentRevisions", "specifications", "comments"):
        assert again[name] == expected[name] != []


def exported_by_api(id):
    return json.loads("".join(export_project(ExportProject(id=id), NOON, BY_OWNER)))


def without_time(bundle):
    return bundle | {"exportedAt": None}


def poured(bundle):
    return ProjectBundle.model_validate_json(json.dumps(bundle))


def broken_off(lines):
    """Interrupt, as Ctrl-C does, in the middle of a file."""
    yield from islice(lines, 2)
    raise KeyboardInterrupt


def test_broken_off(exported, tmp_path):
    """An interrupted export leaves nothing, and can be repeated."""
    request = ExportOptions(NOON, "0.1.0", "https://status.example.com")

    with pytest.raises(KeyboardInterrupt):
        write_export(tmp_path / "again", request, broken_off)

    assert list((tmp_path / "again").iterdir()) == []
    assert len(write_export(tmp_path / "again", request)) > 10


def test_snapshot(exported, engine, beside, tmp_path):
    """Concurrent writes are in no file."""
    request = ExportOptions(NOON, "0.1.0", "https://a.example")

    def written_meanwhile(lines):
        yield from lines
        with engine.elsewhere(beside("masthead.db")) as other:
            other.execute("UPDATE project SET name = 'Later'")
            other.execute("DELETE FROM incident")

    write_export(tmp_path / "again", request, written_meanwhile)

    assert "Later" not in (tmp_path / "again/projects/atlas.json").read_text()
    assert lines_of(tmp_path / "again/status/incidents.jsonl")
