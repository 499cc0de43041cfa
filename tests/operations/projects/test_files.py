"""Pictures and other files of projects, over HTTP."""

import hashlib

import pytest

from models.projects.files.rows import FileChunkRow, FileContentRow, FileRow
from models.projects.projects.activity import ActivityRow
from tests.factories.projects import make_project
from tests.samples import pictures

ADD = "POST /projects/v1/files/add"
LIST = "GET /projects/v1/files/list"
GET = "GET /projects/v1/files/get"
CONTENT = "GET /projects/v1/files/content"
REMOVE = "POST /projects/v1/files/remove"
PURGE = "POST /projects/v1/admin/projects/purge"


@pytest.fixture
def add(api, sample_project):
    def added(name, content, project=sample_project, **options):
        query = {"projectId": project.id, "name": name}
        return api(ADD, query, file=content, **options)

    return added


def counts():
    return [row.select().count() for row in (FileRow, FileContentRow, FileChunkRow)]


@pytest.mark.both_engines
def test_life_of_a_file(api, add, sample_project, clock):
    """
    A file is added, listed, read, replaced and removed, each recorded in the activity.
    """
    old, new = pictures.png(4, 3), pictures.png(8, 6) + b"end"
    file = add("images/a.png", old).json["data"]
    clock.pass_(minutes=1)
    replaced = add("images/a.png", new, headers={"Content-Type": "image/png"}).json

    listed = api(LIST, {"projectSlug": "atlas"}).json["data"]
    by_name = {"projectId": sample_project.id, "name": "images/a.png"}
    content = api(CONTENT, by_name)
    removed = api(REMOVE, {"id": file["id"]}).json["data"]

    assert (file["name"], file["type"]) == ("images/a.png", "image/png")
    assert (file["width"], file["height"], file["size"]) == (4, 3, len(old))
    assert listed == [replaced["data"]]
    assert replaced["data"]["id"] == file["id"]
    assert replaced["data"]["sourceSha256"] == hashlib.sha256(new).hexdigest()
    assert content.data == new.removesuffix(b"end")
    assert content.headers["Content-Type"] == "image/png"
    assert content.headers["Content-Disposition"] == 'attachment; filename="a.png"'
    assert replaced["data"]["sha256"] == hashlib.sha256(content.data).hexdigest()
    assert removed == {
        "id": file["id"],
        "projectId": sample_project.id,
        "name": "images/a.png",
    }
    assert counts() == [0, 0, 0]
    assert [
        row.action for row in ActivityRow.select().order_by(ActivityRow.number)
    ] == [
        "project.file-added",
        "project.file-updated",
        "project.file-removed",
    ]
    missing = api(GET, by_name)
    assert (missing.status_code, missing.json["status"]) == (404, 404)


@pytest.mark.both_engines
def test_large_file(api, add):
    """A large file is stored in chunks, and returned unchanged."""
    text = b"0123456789abcdef" * 50_000

    file = add("a.txt", text).json["data"]

    assert FileChunkRow.select().count() == 4
    assert api(CONTENT, {"id": file["id"]}).data == text


def test_same_bytes_again(add):
    """Adding the same bytes again changes nothing, and equal bytes are stored once."""
    first = add("a.png", pictures.png()).json
    again = add("a.png", pictures.png()).json
    add("b.png", pictures.png())

    assert again == first
    assert counts() == [2, 1, 1]
    assert ActivityRow.select().count() == 2


def test_idempotency_key(add):
    """A repeat gets the first response; the key is rejected with other bytes."""
    headers = {"Idempotency-Key": "add-a"}
    first = add("a.png", pictures.png(), headers=headers)
    add("a.png", pictures.png(9, 9))

    again = add("a.png", pictures.png(), headers=headers)
    other = add("a.png", pictures.png(5, 5), headers=headers)

    assert again.json == first.json
    assert again.headers["Idempotent-Replayed"] == "true"
    assert other.json["type"].endswith("/idempotency-key-reused/")


def test_dry_run(add):
    """A dry run returns the response of the change, and stores nothing."""
    response = add("a.png", pictures.png(), headers={"Dry-Run": "true"})

    assert response.json["data"]["width"] == 3
    assert counts() == [0, 0, 0]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("../a.png", pictures.png(), "validation-failed"),
        ("/a.png", pictures.png(), "validation-failed"),
        ("a//b.png", pictures.png(), "validation-failed"),
        ("a/../b.png", pictures.png(), "validation-failed"),
        (".a.png", pictures.png(), "validation-failed"),
        ("a b.png", pictures.png(), "validation-failed"),
        ("é.png", pictures.png(), "validation-failed"),
        ("a.png\n", pictures.png(), "validation-failed"),
        ("a" * 197 + ".png", pictures.png(), "validation-failed"),
        ("a.html", pictures.HTML, "unsupported-media-type"),
        ("a.png", pictures.HTML, "unsupported-media-type"),
        ("a.png", b"", "unsupported-media-type"),
        ("a.png", pictures.png()[:-5], "validation-failed"),
        ("a.png", pictures.png(100_000, 100_000), "limit-exceeded"),
        ("a.txt", b"x" * 10_000_001, "payload-too-large"),
    ],
)
def test_refusal(add, name, content, kind):
    """A rejected name or file gets a 4xx, and nothing is stored."""
    response = add(name, content)

    assert 400 <= response.status_code < 500
    assert response.json["type"].endswith(f"/{kind}/")
    assert counts() == [0, 0, 0]


def test_files_of_too_many_bytes(api, app, sample_project, settings):
    """The files of a project have a common limit, whatever their names."""
    query = {"projectId": sample_project.id, "name": "a.txt"}
    object.__setattr__(settings, "files_max_bytes", 10)
    assert api(ADD, query, file=b"x" * 6).status_code == 200

    response = api(ADD, query | {"name": "b.txt"}, file=b"y" * 6)

    assert response.status_code == 409
    assert "more than 10 bytes" in response.json["detail"]
    assert "MASTHEAD_FILES_MAX_BYTES" in response.json["detail"]
    assert counts() == [1, 1, 1]
    # Another file with the same bytes takes no space.
    assert api(ADD, query | {"name": "c.txt"}, file=b"x" * 6).status_code == 200


def test_published_file(api, docs_project):
    """A file cannot be removed while a published document shows it."""
    file = docs_project.add("a.png", pictures.png())
    document = docs_project.publish("setup", "![A](a.png)\n")

    refused = api(REMOVE, {"id": file["id"]})
    docs_project.withdraw(document)
    removed = api(REMOVE, {"id": file["id"]})

    assert refused.json["type"].endswith("/file-published/")
    assert removed.status_code == 200
    # The version can be published again, and then shows the same file.
    assert FileContentRow.select().count() == 1


@pytest.mark.both_engines
def test_purge(api, add, sample_project, clock):
    """A purge deletes the bytes, unless another project has them too."""
    other = make_project("borea", clock.now)
    add("a.png", pictures.png())
    shared = add("b.txt", b"Both.\n").json["data"]
    add("b.txt", b"Both.\n", project=other)
    sample_project.archived_at = clock.now
    sample_project.save()

    response = api(PURGE, {"id": sample_project.id, "confirm": "atlas"})

    assert response.json["data"]["deleted"]["files"] == 2
    assert [row.digest for row in FileContentRow] == [shared["sha256"]]


def test_links_of_a_document(api, docs_project):
    """An existing picture is no broken link; a missing one is."""
    docs_project.add("a.png", pictures.png())
    document = docs_project.write("setup", "![A](a.png) ![B](b.png)\n")

    links = api("GET /projects/v1/documents/links", {"id": document["id"]}).json["data"]

    assert [link["target"] for link in links["outgoing"]] == ["a.png"]
    assert [link["target"] for link in links["broken"]] == ["b.png"]
