"""The former addresses of a moved document redirect to it."""

import shutil

import pytest

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.sources import document_source
from models.projects.documents.rows import DocumentRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from tests.factories.projects import KEY

MOVE = "POST /projects/v1/documents/move"
REDIRECT = "POST /projects/v1/documents/redirect"


@pytest.fixture
def moved(docs_project, build_site):
    """A page that was a guide, then a product, and is now in support."""
    document = docs_project.publish("limits")
    build_site()
    docs_project.update(document, collection="products")
    build_site()
    docs_project.update(document, collection="support")
    build_site()
    return document


def test_rules(moved, output):
    """
    Page, Markdown and JSON redirect from each old address directly to the current one.
    """
    assert (output / "_redirects").read_text().splitlines() == [
        f"/{old}/limits{end} /support/limits{end} 301"
        for old in ("guides", "products")
        for end in ("/", ".md", ".json")
    ] + ["/* /404.html 404"]


def test_service_follows_the_rules(moved, app):
    """The server redirects permanently but uncached, because the page may move back."""
    client = app.test_client()

    for end in ("/", ".md", ".json"):
        answer = client.get(f"/guides/limits{end}")
        assert answer.status_code == 301
        assert answer.headers["Location"] == f"/support/limits{end}"
        assert answer.headers["Cache-Control"].startswith("public, max-age=0,")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert client.get(f"/support/limits{end}", buffered=True).status_code == 200


def test_notes_for_web_servers(moved, app, output):
    """
    A file for web servers lists redirecting addresses, and is not served to readers.
    """
    found = {
        path.relative_to(output / "_moved").as_posix(): path.read_text()
        for path in (output / "_moved").rglob("*.txt")
    }

    assert found == {
        f"{old}/limits{end}/moved.txt": f"/support/limits{end or '/'}\n"
        for old in ("guides", "products")
        for end in ("", ".md", ".json")
    }
    note = app.test_client().get("/_moved/guides/limits/moved.txt")
    assert note.status_code == 404


def test_way_back(moved, docs_project, build_site, app, output):
    """A page that moves back is at its address, without a redirect there."""
    docs_project.update(moved, collection="guides")
    build_site()
    client = app.test_client()

    assert client.get("/guides/limits/", buffered=True).status_code == 200
    assert client.get("/support/limits/").headers["Location"] == "/guides/limits/"
    assert not (output / "_moved/guides").exists()


def test_page_for_other_hosts(moved, output):
    """The redirect page names the canonical address, and is not indexed."""
    html = (output / "guides/limits/index.html").read_text()

    assert 'rel="canonical" href="http://127.0.0.1:8000/support/limits/"' in html
    assert '<meta name="robots" content="noindex">' in html
    assert '<a href="/support/limits/">' in html


def test_unpublished_is_nowhere(moved, docs_project, build_site, app, output):
    """A withdrawn page leaves no redirects to it."""
    docs_project.withdraw(moved)
    build_site()

    assert (output / "_redirects").read_text() == "/* /404.html 404\n"
    assert app.test_client().get("/guides/limits/").status_code == 404


def test_names_for_hosts_are_not_shown(moved, app):
    """The files with rules are for hosts; for readers they are 404."""
    for name in ("_headers", "_redirects"):
        assert app.test_client().get(f"/{name}").status_code == 404


@pytest.fixture
def imported(store, clock, build_site):
    """Two pages whose files declare aliases, imported and published."""
    ensure_docs_project(clock.now, slug="docs", owner_id=NIL_UUID)
    fields = {"section": None, "position": 0, "summary": None, "content": "Words."}
    setup = ["/docs/2.0/setup/", "/setup.html", "/d\u00f6cs/", "/guides/usage/"]
    sources = [
        document_source(
            path="setup.md", slug="setup", title="A", aliases=setup, **fields
        ),
        document_source(path="usage.md", slug="usage", title="B", **fields),
    ]
    options = ImportOptions("guides", clock.now, KEY, tree="docs", publish=True)
    report = import_documents(sources, options)
    build_site()
    return report


def test_aliases(imported, app, output):
    """Each alias redirects to the page, by a rule and by a redirect page."""
    rules = (output / "_redirects").read_text().splitlines()
    assert rules == [
        "/docs/2.0/setup/ /guides/setup/ 301",
        "/d%C3%B6cs/ /guides/setup/ 301",
        "/setup.html /guides/setup/ 301",
        "/* /404.html 404",
    ]
    client = app.test_client()
    for address in ("/docs/2.0/setup/", "/setup.html", "/d\u00f6cs/"):
        assert client.get(address).headers["Location"] == "/guides/setup/"
    assert client.get("/docs/2.0/setup").headers["Location"] == "setup/"
    for path in ("docs/2.0/setup/index.html", "setup.html", "d\u00f6cs/index.html"):
        assert '<a href="/guides/setup/">' in (output / path).read_text()


def test_alias_at_a_page(imported, app):
    """A page is never replaced by a redirect, and the report names the failed alias."""
    page = app.test_client().get("/guides/usage/", buffered=True)

    assert (page.status_code, "This page has moved" in page.text) == (200, False)
    remark = "The alias /guides/usage/ leads to 'usage', since it is the address of its"
    assert imported.notes == [("setup.md", f"{remark} page.")]


def test_full_build_keeps_aliases(imported, output, build_site, settings, clock):
    """A build into an empty folder gives the same redirects."""
    rules = (output / "_redirects").read_bytes()
    page = (output / "setup.html").read_bytes()
    shutil.rmtree(output)

    build_site()

    assert (output / "_redirects").read_bytes() == rules
    assert (output / "setup.html").read_bytes() == page


def test_move(docs_project, api, build_site, output, app):
    """A document that gets another path is there; its former address redirects."""
    document = docs_project.publish("limits")
    build_site()

    moved = api(MOVE, {"id": document["id"], "path": "keys/Grenzen-für-alle"})
    build_site()

    href = "/guides/keys/Grenzen-f%C3%BCr-alle"
    assert moved.json["data"] == {
        "id": document["id"],
        "collection": "guides",
        "path": "keys/Grenzen-für-alle",
        "address": f"{href}/",
        "redirects": ["/guides/limits/"],
    }
    assert (output / "_redirects").read_text().splitlines()[:3] == [
        f"/guides/limits{end} {href}{end} 301" for end in ("/", ".md", ".json")
    ]
    client = app.test_client()
    assert client.get("/guides/limits/").headers["Location"] == f"{href}/"
    back = api(MOVE, {"id": document["id"], "path": "limits"}).json["data"]
    assert (back["address"], back["redirects"]) == ("/guides/limits/", [f"{href}/"])


def test_redirect_from_a_page_that_is_gone(docs_project, api, build_site, app):
    """Its address leads to the document that an editor names, the last one named."""
    gone, first, last = map(docs_project.publish, ("gone", "first", "last"))
    build_site()
    docs_project.withdraw(gone)
    address = {"address": "/guides/gone/"}

    api(REDIRECT, {"id": first["id"]} | address)
    answer = api(REDIRECT, {"id": last["id"]} | address)
    build_site()

    assert answer.json["data"]["redirects"] == ["/guides/gone/"]
    assert app.test_client().get("/guides/gone/").headers["Location"] == "/guides/last/"
    former = api("GET /projects/v1/documents/address", {"id": first["id"]})
    assert former.json["data"]["redirects"] == []


def test_redirect_outlives_an_import(store, clock, api):
    """It is not the file's, so an import whose file does not declare it keeps it."""
    ensure_docs_project(clock.now, slug="docs", owner_id=NIL_UUID)
    page = document_source(
        path="a.md", slug="a", position=0, title="A", content="Words."
    )
    options = ImportOptions("guides", clock.now, KEY, tree="docs", publish=True)
    import_documents([page], options)
    id = DocumentRow.get().id
    api(REDIRECT, {"id": id, "address": "/guides/gone/"})

    again = import_documents([page], options)

    assert again.unchanged == ["a"]
    found = api("GET /projects/v1/documents/address", {"id": id})
    assert found.json["data"]["redirects"] == ["/guides/gone/"]


def test_redirect_that_is_there(docs_project, api):
    """The same request again changes nothing, and makes no record."""
    id = docs_project.publish("limits")["id"]
    request = {"id": id, "address": "/guides/gone/"}
    api(REDIRECT, request)
    records = ActivityRow.select().count()

    again = api(REDIRECT, request)

    assert again.json["data"]["redirects"] == ["/guides/gone/"]
    assert ActivityRow.select().count() == records


@pytest.mark.parametrize("name", ["limits", "setup"])
def test_redirect_from_a_page(docs_project, api, name):
    """A page is never replaced, that of the document neither."""
    id = docs_project.publish("limits")["id"]
    docs_project.publish("setup")

    answer = api(REDIRECT, {"id": id, "address": f"/guides/{name}/"})

    assert answer.status_code == 409
    assert f"is that of the document '{name}'" in answer.json["detail"]


def test_redirect_that_a_file_declares(imported, api):
    """The file decides as long as it declares the address."""
    id = DocumentRow.get(slug="usage").id

    answer = api(REDIRECT, {"id": id, "address": "/setup.html"})

    assert answer.status_code == 409
    assert "redirects to the document 'setup', whose file" in answer.json["detail"]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("/status/x/", "The address lies below /status/, where other pages are."),
        ("/guides/", "The address is the address of a collection."),
        ("/../x/", "The address contains '..'."),
        ("/x", "Must be an address such as /old/setup/ or /old/setup.html."),
    ],
)
def test_redirect_from_no_address(docs_project, api, address, reason):
    """No page could be there; the refusal says why."""
    id = docs_project.publish("limits")["id"]

    answer = api(REDIRECT, {"id": id, "address": address})

    assert answer.status_code == 422
    assert [error["detail"] for error in answer.json["errors"]] == [reason]


def test_move_to_where_it_is(docs_project, api):
    """It makes no version."""
    document = docs_project.publish("limits")

    api(MOVE, {"id": document["id"], "path": "limits"})

    found = api("GET /projects/v1/documents/get", {"id": document["id"]})
    assert found.json["data"]["version"] == 1


@pytest.mark.parametrize(
    "path", ["/a", "a/", "a//b", "a.md", "a/README", "a b", "../a", "_a", "a\\b", "a?"]
)
def test_path_that_is_none(docs_project, api, path):
    """The refusal says how paths look."""
    document = docs_project.publish("limits")

    refused = api(MOVE, {"id": document["id"], "path": path})

    assert "such as setup/moving" in refused.text


def test_address_of_another_document(docs_project, api):
    """Neither a move, nor a new document, nor another collection takes an address."""
    first = docs_project.publish("first")
    docs_project.publish("second")
    api(MOVE, {"id": first["id"], "path": "third"})
    product = docs_project.publish("third-product", collection="products")
    api(MOVE, {"id": product["id"], "path": "third"})
    new = {"projectId": docs_project.project.id, "slug": "third", "type": "note"}
    new |= {"title": "T", "content": "C", "collection": "guides"}

    for operation, body in [
        (MOVE, {"id": first["id"], "path": "second"}),
        ("POST /projects/v1/documents/create", new),
        (
            "POST /projects/v1/documents/update",
            {"id": product["id"], "collection": "guides"},
        ),
    ]:
        refused = api(operation, body)
        assert refused.status_code == 409
        assert "The address /guides/" in refused.text
