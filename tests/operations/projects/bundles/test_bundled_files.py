"""The files of a project, and the files that its pages show, in its bundle."""

import copy
import hashlib
from base64 import b64decode, b64encode

import pytest

from models.projects.files.contents import CHUNK_BYTES, read_content
from models.projects.files.rows import FileContentRow, FileRow, PinnedFileRow
from models.projects.projects.rows import ProjectRow
from tests.factories.docs_project import DocsProject
from tests.factories.projects import OWNER, make_project
from tests.samples import pictures

IMPORT = "POST /projects/v1/admin/projects/import"
OLD, NEW = pictures.png(4, 3), pictures.png(8, 6)

pytestmark = pytest.mark.both_engines


@pytest.fixture
def project(api, store, clock):
    """A document whose two published versions show two states of a picture."""
    project = make_project("atlas", clock.now)
    docs_project = DocsProject(api, project)
    docs_project.add("images/a.png", OLD)
    document = docs_project.publish("start", "![](images/a.png)\n")
    clock.pass_(minutes=1)
    docs_project.add("images/a.png", NEW)
    docs_project.add("b.txt", b"Words.\n")
    docs_project.update(document, content="![](images/a.png) [](b.txt)\n")
    docs_project.release(document)
    return project


@pytest.fixture
def import_bundle(api):
    """Import the bundle; return the response."""

    def send(bundle, slug="copy"):
        return api(IMPORT, {"slug": slug, "ownerId": OWNER, "bundle": bundle})

    return send


@pytest.fixture
def wrong(import_bundle, export, project, refusal):
    """Import the bundle after a change to it; return the pointer of the problem."""
    bundle = export(project.id)

    def tried(change, kind="validation-failed"):
        changed = copy.deepcopy(bundle)
        change(changed)
        response = import_bundle(changed)
        problem = refusal(response, kind)
        assert not ProjectRow.select().where(ProjectRow.slug == "copy").exists()
        assert FileContentRow.select().count() == 3
        return problem["errors"][0]["pointer"]

    return tried


def set_content(bundle, content):
    """Replace the picture that is shown now, and everything that refers to it."""
    [file] = [each for each in bundle["files"] if each["name"] == "images/a.png"]
    before, digest = file["sha256"], hashlib.sha256(content).hexdigest()
    file["sha256"] = digest
    for pin in bundle["pinnedFiles"]:
        pin["sha256"] = digest if pin["sha256"] == before else pin["sha256"]
    data = b64encode(content).decode()
    for each in bundle["fileContents"]:
        if each["sha256"] == before:
            each |= {"sha256": digest, "data": data}


def test_export(export, project):
    """
    A bundle has the files as the API returns them, the pins, and every shown content.
    """
    bundle = export(project.id)

    assert [file["name"] for file in bundle["files"]] == ["b.txt", "images/a.png"]
    pins = [(pin["version"], pin["name"]) for pin in bundle["pinnedFiles"]]
    assert pins == [(1, "images/a.png"), (2, "b.txt"), (2, "images/a.png")]
    contents = {
        content["sha256"]: b64decode(content["data"])
        for content in bundle["fileContents"]
    }
    assert set(contents.values()) == {OLD, NEW, b"Words.\n"}
    assert all(hashlib.sha256(data).hexdigest() == s for s, data in contents.items())


def test_there_and_back(api, export, import_bundle, project):
    """After a purge, the project is restored with its files and what its pages show."""
    before = export(project.id)
    api("POST /projects/v1/projects/remove", {"id": project.id})
    confirm = {"id": project.id, "confirm": "atlas"}
    api("POST /projects/v1/admin/projects/purge", confirm)
    assert FileContentRow.select().count() == 0

    response = import_bundle(before, slug="atlas")

    ids = response.json["data"]["ids"]
    after = export(ids[project.id])
    for kind in ("files", "pinnedFiles", "fileContents"):
        names = ("id", "projectId", "documentId")
        expected = [
            each | {name: ids[each[name]] for name in names if name in each}
            for each in before[kind]
        ]
        assert after[kind] == expected
    assert response.json["data"]["counts"]["files"] == 2
    stored = {b"".join(read_content(row.digest)) for row in FileContentRow}
    assert stored == {OLD, NEW, b"Words.\n"}


def test_copy_shares_the_contents(export, import_bundle, project):
    """A copy beside the original has its own files, which share the stored contents."""
    assert import_bundle(export(project.id)).status_code == 200

    assert FileRow.select().count() == 4
    assert PinnedFileRow.select().count() == 6
    assert FileContentRow.select().count() == 3


def test_without_files(export, import_bundle, project):
    """Files may be left out; the rest is imported."""
    bundle = export(project.id, files="false")

    assert bundle["files"] == bundle["pinnedFiles"] == bundle["fileContents"] == []
    assert import_bundle(bundle).json["data"]["counts"]["files"] == 0


@pytest.mark.parametrize("size", [1, 2, 3, CHUNK_BYTES, CHUNK_BYTES + 1, 600_000])
def test_content_in_pieces(api, export, clock, store, size):
    """The Base64 of a file is valid, whatever the sizes of its pieces."""
    project = make_project("atlas", clock.now)
    text = bytes(32 + number % 90 for number in range(size))
    DocsProject(api, project).add("a.txt", text)

    [content] = export(project.id)["fileContents"]

    assert b64decode(content["data"], validate=True) == text


def test_too_many_bytes(api, export, project, monkeypatch, refusal):
    """A bundle that is too large to import is not exported, except without files."""
    size = len(api("GET /projects/v1/projects/export", {"id": project.id}).data)
    limit = "models.projects.bundles.export.MAX_BUNDLE_BYTES"
    monkeypatch.setattr(limit, 4096 + size - 20)

    response = api("GET /projects/v1/projects/export", {"id": project.id})

    assert "or the files" in refusal(response, "payload-too-large")["detail"]
    assert export(project.id, files="false")["files"] == []


def test_full_project(import_bundle, export, project, settings, refusal):
    """The files of a bundle are limited like those of any project."""
    bundle = export(project.id)
    object.__setattr__(settings, "files_max_bytes", len(OLD) + len(NEW))

    problem = refusal(import_bundle(bundle), "limit-exceeded")

    assert "MASTHEAD_FILES_MAX_BYTES" in problem["detail"]
    assert not ProjectRow.select().where(ProjectRow.slug == "copy").exists()


def test_content_is_cleaned(import_bundle, export, project):
    """Pictures of a bundle are cleaned like uploaded ones."""
    bundle = export(project.id)
    hidden = pictures.png(8, 6, pictures.chunk(b"tEXt", b"Author\0" + pictures.HIDDEN))
    set_content(bundle, hidden)

    assert import_bundle(bundle).status_code == 200

    stored = [b"".join(read_content(row.digest)) for row in FileContentRow]
    assert not any(pictures.HIDDEN in content for content in stored)
    assert len(stored) == 3


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (pictures.HTML, "images/a.png"),
        (NEW[:20], "images/a.png"),
        (pictures.png(100_000, 100_000), "images/a.png"),
        (NEW, "images/a.svg"),
        (NEW, "images/a.html"),
    ],
)
def test_hostile_content(wrong, content, name):
    """Content that cannot be uploaded cannot be imported either."""

    def change(bundle):
        set_content(bundle, content)
        bundle["files"][1]["name"] = name

    assert wrong(change) == "/bundle/files/1"


def test_content_is_cleaned_before_the_transaction(wrong, raw_database):
    """A bundle with a rejected file writes nothing, and does not block other writes."""

    def change(bundle):
        set_content(bundle, pictures.HTML)

    # The first request uses a new key.
    wrong(change)
    with raw_database.statements() as statements:
        wrong(change)

    writes = ("BEGIN IMMEDIATE", "INSERT", "UPDATE")
    assert statements
    assert not [each for each in statements if each.startswith(writes)]


@pytest.mark.parametrize(
    ("kind", "index", "values", "pointer"),
    [
        ("files", 0, {"name": "../b.txt"}, "files/0/name"),
        ("files", 0, {"name": "/b.txt"}, "files/0/name"),
        ("files", 0, {"name": "images/a.png"}, "files/1/name"),
        ("files", 0, {"sha256": "A" * 64}, "files/0/sha256"),
        ("files", 0, {"sourceSha256": "x"}, "files/0/sourceSha256"),
        ("files", 0, {"projectId": OWNER}, "files/0/projectId"),
        ("pinnedFiles", 0, {"name": "a/../b.png"}, "pinnedFiles/0/name"),
        ("pinnedFiles", 0, {"version": 0}, "pinnedFiles/0/version"),
        ("pinnedFiles", 0, {"version": 3}, "pinnedFiles/0/version"),
        ("pinnedFiles", 0, {"version": 2}, "pinnedFiles/2/name"),
        ("fileContents", 0, {"data": "A"}, "fileContents/0/data"),
        ("fileContents", 0, {"data": "\u00e4" * 4}, "fileContents/0/data"),
        ("fileContents", 0, {"data": "QUJD"}, "fileContents/0/data"),
        ("fileContents", 0, {"data": "A" * 13_333_340}, "fileContents/0/data"),
    ],
)
def test_wrong_entries(wrong, kind, index, values, pointer):
    """
    Wrong entries are rejected by their place, and nothing of the bundle is stored.
    """
    result = wrong(lambda bundle: bundle[kind][index].update(values))

    assert result == f"/bundle/{pointer}"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        (lambda bundle: bundle["fileContents"].clear(), "files/0/sha256"),
        (
            lambda bundle: bundle["files"].clear() or bundle["fileContents"].clear(),
            "pinnedFiles/0/sha256",
        ),
        (
            lambda bundle: bundle["pinnedFiles"][0].update(documentId=OWNER),
            "pinnedFiles/0/documentId",
        ),
    ],
)
def test_what_is_not_there(wrong, change, pointer):
    """A file requires its content, and a pin its document."""
    assert wrong(change, "reference-not-found") == f"/bundle/{pointer}"


def test_content_that_nothing_shows(export, import_bundle, project):
    """Content that no file and no page uses is not stored."""
    bundle = export(project.id)
    digest = hashlib.sha256(b"Else.").hexdigest()
    data = b64encode(b"Else.").decode()
    bundle["fileContents"].append({"sha256": digest, "data": data})

    assert import_bundle(bundle).status_code == 200

    assert FileContentRow.select().count() == 3
