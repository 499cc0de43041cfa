"""Imports of a tree from another machine over HTTP: step by step, and hostile ones."""

import hashlib
from datetime import timedelta

import pytest

from api.retention import delete_expired
from models.changes import marks
from models.projects.document_imports import imports, manifest
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.rows import (
    DocumentImportRow,
    ImportFileRow,
    ImportTextRow,
)
from models.projects.document_imports.sources import DocumentSource
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.fields import Actor
from models.projects.files.contents import delete_unused_contents
from models.projects.files.rows import FileContentRow, FileRow
from models.storage.database import writing
from tests.factories.projects import CONTRIBUTOR, MAINTAINER
from tests.samples import pictures

IMPORTS = "POST /projects/v1/document-imports"
START, APPLY = f"{IMPORTS}/start", f"{IMPORTS}/apply"
TEXTS, FILE = f"{IMPORTS}/add-texts", f"{IMPORTS}/add-file"
UNKNOWN_ID = "00000000-0000-7000-8000-0000000000ff"


def sha256(content):
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


def listed(path, text, **fields):
    slug = path.rpartition("/")[2].removesuffix(".md")
    fields = {"slug": slug, "title": slug.capitalize(), "position": 1} | fields
    return {"path": path, "sha256": sha256(text)} | fields


def picture(name, content):
    return {"name": name, "sha256": sha256(content), "size": len(content)}


def tree(texts, files=None, **fields):
    documents = [listed(path, text) for path, text in texts.items()]
    pictures = [picture(name, content) for name, content in (files or {}).items()]
    body = {"tree": "docs", "collection": "guides", "documents": documents}
    return body | {"files": pictures} | fields


@pytest.fixture
def start(api, docs_project):
    def started(texts, files=None, **fields):
        response = api(START, tree(texts, files, **fields))
        assert response.status_code == 200, response.text
        return response.json["data"]

    return started


@pytest.fixture
def send_parts(api):
    """Send the missing texts and files; return their number."""

    def sent(started, texts, files=None):
        by_digest = {sha256(text): text for text in texts.values()}
        missing = [by_digest[sha] for sha in started["missingTexts"]]
        if missing:
            response = api(TEXTS, {"id": started["id"], "texts": missing})
            assert response.json["data"]["added"] == len(missing)
        for name in started["missingFiles"]:
            query = {"id": started["id"], "name": name}
            response = api(FILE, query, file=files[name])
            assert response.status_code == 200, response.text
        return len(missing) + len(started["missingFiles"])

    return sent


@pytest.fixture
def import_tree(api, start, send_parts):
    """Import a tree as a client does; return the report."""

    def run(texts, files=None, **options):
        started = start(texts, files)
        send_parts(started, texts, files)
        response = api(APPLY, {"id": started["id"], "publish": True} | options)
        assert response.status_code == 200, response.text
        return response.json["data"]

    return run


def rows():
    tables = (DocumentImportRow, ImportTextRow, ImportFileRow)
    return [table.select().count() for table in tables]


@pytest.mark.both_engines
def test_life_of_an_import(api, start, send_parts):
    """
    An import has no effect before it is applied, then all of it, and is then deleted.
    """
    texts = {"a.md": "One ![](a.png)\n", "guides/b.md": "Two.\n"}
    files = {"docs/a.png": pictures.png()}
    started = start(texts, files)
    missing = [sorted(map(sha256, texts.values())), ["docs/a.png"]]
    assert [started["missingTexts"], started["missingFiles"]] == missing
    send_parts(started, texts, files)
    assert (DocumentRow.select().count(), FileRow.select().count()) == (0, 0)
    before = marks()["docs"]

    report = api(APPLY, {"id": started["id"], "publish": True}).json["data"]

    assert report["created"] == report["published"] == ["a", "b"]
    assert report["files"]["added"] == ["docs/a.png"]
    assert [row.published_version for row in DocumentRow] == [1, 1]
    contents = {row.content for row in DocumentRevisionRow}
    assert contents == set(texts.values())
    assert rows() == [0, 0, 0]
    assert marks()["docs"] > before


@pytest.mark.both_engines
def test_second_import_sends_nothing(import_tree, start, api, clock):
    """Texts that the project has are not sent, and an unchanged tree sends nothing."""
    texts = {"a.md": "One ![](a.png)\n", "b.md": "Two.\n"}
    files = {"docs/a.png": pictures.png()}
    import_tree(texts, files)
    clock.pass_(minutes=1)
    before = marks()

    started = start(texts, files)
    report = api(APPLY, {"id": started["id"], "publish": True}).json["data"]

    assert (started["missingTexts"], started["missingFiles"]) == ([], [])
    assert report["unchanged"] == ["a", "b"]
    assert report["files"]["unchanged"] == ["docs/a.png"]
    assert marks() == before


@pytest.mark.both_engines
def test_report_is_that_of_the_command(import_tree, docs_project, clock, settings):
    """Imports on the server and over the API continue each other's work."""
    texts = {"a.md": "One.\n", "b.md": "Two.\n"}
    import_tree(texts)
    actor = Actor("account", settings.docs_owner_id)
    options = ImportOptions("guides", clock.now, actor, tree="docs", publish=True)
    sources = [
        DocumentSource(
            path=path,
            slug=path[0],
            position=1,
            title=path[0].upper(),
            content=text + more,
        )
        for (path, text), more in zip(texts.items(), ["", "More.\n"], strict=True)
    ]

    local = import_documents(sources, options)
    remote = import_tree(texts | {"b.md": "Two.\nMore.\n"})

    assert (local.unchanged, local.updated) == (["a"], ["b"])
    assert (remote["unchanged"], remote["updated"]) == (["a", "b"], [])


@pytest.mark.both_engines
def test_interrupted_import_goes_on(api, start, send_parts):
    """
    The same request continues an interrupted import and lists only the missing parts.
    """
    texts, files = {"a.md": "One.\n", "b.md": "Two.\n"}, {"docs/a.txt": b"A."}
    first = start(texts, files)
    api(TEXTS, {"id": first["id"], "texts": ["One.\n"]})

    again = start(texts, files)

    assert again["id"] == first["id"]
    assert again["missingTexts"] == [sha256("Two.\n")]
    assert again["missingFiles"] == ["docs/a.txt"]
    assert send_parts(again, texts, files) == 2


@pytest.mark.both_engines
def test_newer_import_replaces_one(api, start, send_parts, refusal):
    """
    A newer import takes over the sent parts; the older one is rejected, and changes
    nothing.
    """
    texts, files = {"a.md": "One.\n", "b.md": "Two.\n"}, {"docs/a.txt": b"A."}
    older = start(texts, files)
    send_parts(older, texts, files)

    newer = start(texts | {"b.md": "New.\n"}, files)
    late = [
        api(APPLY, {"id": older["id"]}),
        api(TEXTS, {"id": older["id"], "texts": ["Two.\n"]}),
        api(FILE, {"id": older["id"], "name": "docs/a.txt"}, file=b"A."),
    ]

    assert newer["missingTexts"] == [sha256("New.\n")]
    assert newer["missingFiles"] == []
    for response in late:
        problem = refusal(response, "document-import-replaced")
        assert "newer import of the tree 'docs'" in problem["detail"]
    assert DocumentRow.select().count() == 0


def test_other_tree_and_collection_are_imports_of_their_own(start):
    """Only an import of the same tree into the same collection is replaced."""
    texts = {"a.md": "One.\n"}
    ids = {
        start(texts)["id"],
        start(texts, tree="other")["id"],
        start(texts, collection="support")["id"],
    }

    assert len(ids) == 3
    assert (
        DocumentImportRow.select().where(DocumentImportRow.manifest == "").count() == 0
    )


@pytest.mark.both_engines
def test_incomplete_import(api, start, refusal):
    """An import cannot be applied while a text or a file is missing."""
    texts, files = {"a.md": "One.\n"}, {"docs/a.txt": b"A."}
    started = start(texts, files)

    without_file = api(APPLY, {"id": started["id"]})
    without_text = api(
        APPLY, {"id": started["id"], "withoutFiles": ["docs/a.txt"], "publish": True}
    )

    for response, noun in ((without_file, "files"), (without_text, "texts")):
        problem = refusal(response, "document-import-incomplete")
        assert f"does not have 1 {noun}" in problem["detail"]
    assert DocumentRow.select().count() == 0


@pytest.mark.both_engines
def test_document_that_changed_meanwhile(
    api, import_tree, start, docs_project, refusal
):
    """A text that was not sent because a document had it may be missing by now."""
    import_tree({"a.md": "One.\n"})
    started = start({"a.md": "One.\n", "b.md": "One.\n"})
    assert started["missingTexts"] == []
    docs_project.update({"id": DocumentRow.get().id}, content="By hand.\n")

    response = api(APPLY, {"id": started["id"]})
    again = start({"a.md": "One.\n", "b.md": "One.\n"})

    refusal(response, "document-import-incomplete")
    assert again["missingTexts"] == [sha256("One.\n")]


@pytest.mark.both_engines
def test_texts_that_change_places(import_tree, start):
    """Swapped texts are not sent, and each document gets the text of the other."""
    import_tree({"a.md": "One.\n", "b.md": "Two.\n"})
    swapped = {"a.md": "Two.\n", "b.md": "One.\n"}
    assert start(swapped)["missingTexts"] == []

    report = import_tree(swapped)

    assert report["updated"] == ["a", "b"]
    newest = DocumentRevisionRow.select().where(DocumentRevisionRow.version == 2)
    texts = {row.document.slug: row.content for row in newest}
    assert texts == {"a": "Two.\n", "b": "One.\n"}


def test_texts_that_change_places_in_a_long_tree(import_tree, monkeypatch):
    """Texts are swapped correctly even if one is read after the other was written."""
    monkeypatch.setattr("models.projects.document_imports.applying.TEXTS_AT_ONCE", 1)
    monkeypatch.setattr(
        "models.projects.document_imports.document_batch.MAX_RECORDS", 1
    )

    test_texts_that_change_places(import_tree, lambda _: {"missingTexts": []})


@pytest.mark.both_engines
def test_renamed_file(import_tree, start):
    """A renamed file is not sent again, even if another one gets its name."""
    old, new = pictures.png(4, 3), pictures.png(8, 6)
    import_tree({"a.md": "![](a.png)\n"}, {"docs/a.png": old})
    files = {"docs/a.png": new, "docs/b.png": old}
    texts = {"a.md": "![](a.png) ![](b.png)\n"}
    assert start(texts, files)["missingFiles"] == ["docs/a.png"]

    report = import_tree(texts, files)

    assert (report["files"]["added"], report["files"]["updated"]) == (
        ["docs/b.png"],
        ["docs/a.png"],
    )
    widths = {row.name: row.content.width for row in FileRow}
    assert widths == {"docs/a.png": 8, "docs/b.png": 4}


@pytest.mark.both_engines
def test_sent_files_are_not_unused(api, start, send_parts):
    """Sent files are kept until the import is applied or expires."""
    files = {"docs/a.png": pictures.png()}
    started = start({"a.md": "![](a.png)\n"}, files)
    send_parts(started, {"a.md": "![](a.png)\n"}, files)

    with writing():
        delete_unused_contents()

    assert api(APPLY, {"id": started["id"]}).json["data"]["files"]["added"]


@pytest.mark.both_engines
def test_import_expires(api, start, send_parts, clock, settings, refusal):
    """An import is kept for a day after its last step, and then deleted."""
    texts, files = {"a.md": "One.\n"}, {"docs/a.txt": b"A."}
    started = start(texts, files)
    send_parts(started, texts, files)
    delete_expired(settings, clock.now + timedelta(hours=24))
    assert rows() == [1, 1, 1]

    delete_expired(settings, clock.now + timedelta(hours=24, seconds=1))

    assert [*rows(), FileContentRow.select().count()] == [0, 0, 0, 0]
    problem = refusal(api(APPLY, {"id": started["id"]}), "document-import-not-found")
    assert "start it again" in problem["detail"]


@pytest.mark.both_engines
def test_held_document(api, import_tree, docs_project, clock):
    """A document that a person edited is skipped, unless the import takes it over."""
    import_tree({"a.md": "One.\n"})
    clock.pass_(minutes=1)
    docs_project.withdraw({"id": DocumentRow.get().id})
    clock.pass_(minutes=1)

    skipped = import_tree({"a.md": "One.\n"})
    taken_over = import_tree({"a.md": "One.\n"}, takeOver=True)

    reason = "It was unpublished after the last import."
    assert skipped["held"] == [{"path": "a.md", "slug": "a", "reason": reason}]
    assert (taken_over["held"], taken_over["published"]) == ([], ["a"])


def test_renamed_document(import_tree, start):
    """A renamed file keeps its document, and its text is not sent again."""
    text = "Words that no other page of the tree has. " * 4
    import_tree({"a.md": text})
    before = DocumentRow.get().id

    started = start({"b.md": text}, {})
    report = import_tree({"b.md": text})

    assert started["missingTexts"] == []
    assert (report["renamed"], report["created"]) == (["a"], [])
    assert (DocumentRow.get().id, DocumentRow.get().path) == (before, "b")


def test_pruned_document(import_tree):
    """
    A document whose file was deleted is archived; one whose file is unreadable stays.
    """
    texts = {"a.md": "One.\n", "b.md": "Two.\n", "c.md": "Three.\n"}
    import_tree(texts)
    del texts["b.md"]

    report = import_tree(texts, prune=True)

    assert report["pruned"] == ["b"]


def test_skipped_path(api, import_tree, start):
    """A file that could not be read exists, so its document is not pruned."""
    import_tree({"a.md": "One.\n", "b.md": "Two.\n"})
    started = start({"a.md": "One.\n"}, skippedPaths=["b.md"])

    report = api(APPLY, {"id": started["id"], "prune": True}).json["data"]

    assert report["pruned"] == []


@pytest.mark.both_engines
def test_dry_run(api, start, send_parts):
    """A dry run returns the report of the import, which can still be applied."""
    texts = {"a.md": "One.\n"}
    started = start(texts)
    send_parts(started, texts)

    tried = api(APPLY, {"id": started["id"]}, headers={"Dry-Run": "true"})

    assert [*rows(), DocumentRow.select().count()] == [1, 1, 0, 0]
    assert api(APPLY, {"id": started["id"]}).json == tried.json


def test_repeated_apply(api, start, send_parts):
    """A repeat returns the response to a client that lost it."""
    texts = {"a.md": "One.\n"}
    started = start(texts)
    send_parts(started, texts)
    headers = {"Idempotency-Key": started["id"]}
    first = api(APPLY, {"id": started["id"]}, headers=headers)

    again = api(APPLY, {"id": started["id"]}, headers=headers)

    assert again.json == first.json
    assert again.headers["Idempotent-Replayed"] == "true"


def test_parts_sent_twice(api, start, send_parts):
    """A part that exists is not stored again."""
    texts, files = {"a.md": "One.\n"}, {"docs/a.txt": b"A."}
    started = start(texts, files)
    send_parts(started, texts, files)

    again = api(TEXTS, {"id": started["id"], "texts": ["One.\n", "One.\n"]})
    file = api(FILE, {"id": started["id"], "name": "docs/a.txt"}, file=b"A.")

    assert again.json["data"]["added"] == 0
    assert file.json["data"]["sourceSha256"] == sha256(b"A.")
    assert FileContentRow.select().count() == 1


@pytest.mark.parametrize(
    "body",
    [
        tree({"../a.md": "One."}),
        tree({"/a.md": "One."}),
        tree({"a/./b.md": "One."}),
        tree({"a//b.md": "One."}),
        tree({"a\nb.md": "One."}),
        tree({"a.md": "One."}, {"../a.png": b""}),
        tree({"a.md": "One."}, {"a/../../b.png": b""}),
        tree({"a.md": "One."}, {".git/a.png": b""}),
        tree({}),
        tree({"a.md": "One."}, tree=""),
        tree({"a.md": "One."}, tree="a\nb"),
        tree({"a.md": "One."}, skippedPaths=["../b.md"]),
        tree({}, documents=[listed("a.md", "One."), listed("a.md", "Two.")]),
        tree({}, documents=[listed("a.md", "One.") | {"sha256": "A" * 64}]),
        tree({}, documents=[listed("a.md", "One.", slug="../a")]),
        tree({"a.md": "One."}) | {"files": [picture("a.txt", b"")] * 2},
        tree({"a.md": "One."})
        | {"files": [picture("a.txt", b"") | {"size": 10_000_001}]},
        tree({}, documents=[listed(f"{n}.md", "One.") for n in range(10_001)]),
    ],
)
def test_hostile_tree(api, docs_project, body, refusal):
    """An impossible file list is rejected, and nothing of it is stored."""
    response = api(START, body)

    assert response.status_code == 422, response.text
    refusal(response, "validation-failed")
    assert rows() == [0, 0, 0]


@pytest.mark.both_engines
def test_part_that_is_not_listed(api, start, refusal):
    """Only the listed parts are stored, by their digests."""
    started = start({"a.md": "One.\n"}, {"docs/a.txt": b"A."})
    id = started["id"]

    responses = [
        api(TEXTS, {"id": id, "texts": ["One.\n", "Other.\n"]}),
        api(FILE, {"id": id, "name": "docs/a.txt"}, file=b"Other."),
        api(FILE, {"id": id, "name": "docs/b.txt"}, file=b"A."),
    ]

    for response in responses:
        detail = refusal(response, "validation-failed")["detail"]
        assert detail.startswith("The import needs no ")
    assert [part.size for part in ImportTextRow] == [None]
    assert FileContentRow.select().count() == 0


@pytest.mark.both_engines
def test_parts_of_another_project(
    api, start, send_parts, sample_project, api_as, refusal
):
    """Parts are not reused in another project, nor accessible without a role there."""
    texts, files = {"a.md": "One.\n"}, {"docs/a.txt": b"A."}
    started = start(texts, files)
    send_parts(started, texts, files)

    elsewhere = start(texts, files, projectId=sample_project.id)
    foreign = [
        api_as(MAINTAINER, APPLY, {"id": started["id"]}),
        api_as(MAINTAINER, TEXTS, {"id": started["id"], "texts": ["One.\n"]}),
        api_as(CONTRIBUTOR, START, tree(texts, files)),
    ]

    assert elsewhere["missingTexts"] == [sha256("One.\n")]
    assert elsewhere["missingFiles"] == ["docs/a.txt"]
    for response in foreign:
        assert refusal(response, "role-required")["requiredRole"] == "maintainer"


def test_texts_of_another_project(start, docs_project, sample_project, api):
    """
    A text of another project must be sent, because knowing a digest gives no access.
    """
    secret = {"projectId": sample_project.id, "slug": "s", "type": "note", "title": "S"}
    api("POST /projects/v1/documents/create", secret | {"content": "Secret.\n"})
    api(
        "POST /projects/v1/files/add",
        {"projectId": sample_project.id, "name": "s.txt"},
        file=b"Secret.",
    )

    started = start({"a.md": "Secret.\n"}, {"docs/s.txt": b"Secret."})

    assert started["missingTexts"] == [sha256("Secret.\n")]
    assert started["missingFiles"] == ["docs/s.txt"]


def test_import_that_is_not_there(api, docs_project, refusal):
    """An unknown id is a 404, at each step."""
    responses = [
        api(APPLY, {"id": UNKNOWN_ID}),
        api(TEXTS, {"id": UNKNOWN_ID, "texts": ["One."]}),
        api(FILE, {"id": UNKNOWN_ID, "name": "a.txt"}, file=b"A."),
    ]

    for response in responses:
        refusal(response, "document-import-not-found")


@pytest.mark.both_engines
def test_too_many_bytes(api, start, docs_project, settings, monkeypatch, refusal):
    """Texts and files have limits, which count unapplied parts."""
    monkeypatch.setattr(imports, "MAX_TEXT_BYTES", 7)
    object.__setattr__(settings, "files_max_bytes", 3)
    files = {"docs/a.txt": b"A.", "docs/b.txt": b"B."}
    started = start({"a.md": "One.\n", "b.md": "Two.\n"}, files)
    assert api(TEXTS, {"id": started["id"], "texts": ["One.\n"]}).status_code == 200
    file = {"id": started["id"], "name": "docs/a.txt"}
    assert api(FILE, file, file=b"A.").status_code == 200

    text = api(TEXTS, {"id": started["id"], "texts": ["Two.\n"]})
    file = api(FILE, file | {"name": "docs/b.txt"}, file=b"B.")
    other = {"projectId": docs_project.project.id, "name": "c.txt"}
    added = api("POST /projects/v1/files/add", other, file=b"C.")

    assert "may have 7 bytes" in refusal(text, "limit-exceeded")["detail"]
    for response in (file, added):
        assert "more than 3 bytes" in refusal(response, "limit-exceeded")["detail"]
    assert api(START, tree({"a.md": "One.\n"})).json["data"]["missingTexts"] == []


@pytest.mark.both_engines
def test_too_many_imports(api, start, monkeypatch, refusal):
    """The number of unapplied imports is limited; one can always be replaced."""
    monkeypatch.setattr(imports, "MAX_IMPORTS", 2)
    for name in ("a", "b"):
        start({"a.md": "One.\n"}, tree=name)

    response = api(START, tree({"a.md": "One.\n"}, tree="c"))
    again = api(START, tree({"a.md": "New.\n"}, tree="a"))

    assert "2 imports" in refusal(response, "limit-exceeded")["detail"]
    assert again.status_code == 200


def test_limits_are_those_of_the_manual():
    """A request with the maximum number of documents is within the body limit."""
    longest = listed("a/" * 100 + "a.md", "", summary="x" * 100, section="y" * 80)

    assert manifest.MAX_DOCUMENTS * len(str(longest)) < 8 * 1024 * 1024


def test_addresses_of_the_website(api, start, send_parts):
    """The website of the tree, and its addresses there, are stored for links."""
    started = start({"a.md": "One.\n"}, base="https://docs.example.com/a")
    send_parts(started, {"a.md": "One.\n"})
    api(APPLY, {"id": started["id"]})

    row = DocumentRow.get()
    assert (row.source_base, row.source_address) == ("https://docs.example.com/a", None)

    body = tree({}, documents=[listed("a.md", "One.\n", address="/setup/a")])
    again = api(START, body).json["data"]
    report = api(APPLY, {"id": again["id"]}).json["data"]

    row = DocumentRow.get()
    assert (row.source_base, row.source_address) == (None, "/setup/a")
    assert (report["updated"], row.version) == (["a"], 1)


def test_language(api, start, send_parts):
    """The language of a text is stored, and a changed one makes no new version."""
    started = start({"a.md": "One.\n"})
    send_parts(started, {"a.md": "One.\n"})
    api(APPLY, {"id": started["id"]})

    body = tree({}, documents=[listed("a.md", "One.\n", language="pt-BR")])
    again = api(START, body).json["data"]
    report = api(APPLY, {"id": again["id"]}).json["data"]

    row = DocumentRow.get()
    assert (row.language, row.version) == ("pt-BR", 1)
    assert report["updated"] == ["a"]


@pytest.mark.parametrize(
    "fields",
    [
        *({"base": "javascript:alert(1)"}, {"base": "docs.example.com"}),
        *({"base": "https://a@b.example"}, {"base": "https://a.example/?x"}),
        *({"base": "https://"}, {"base": None}),
        *({"base": "https://[::1"}, {"base": "https://a%zz"}, {"base": "https://a:x"}),
        {"documents": [listed("a.md", "One.\n", address="/a\nb")]},
        {"documents": [listed("a.md", "One.\n", address="x" * 301)]},
        {"documents": [listed("a.md", "One.\n", language='"><b>')]},
    ],
)
def test_wrong_addresses(api, docs_project, fields):
    """A base is a URL without user and query, and an address is one line."""
    assert api(START, tree({"a.md": "One.\n"}) | fields).status_code == 422
