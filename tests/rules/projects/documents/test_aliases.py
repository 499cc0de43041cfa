"""Aliases: addresses that redirect to documents."""

import pytest

from models.projects.documents.linking.aliases import (
    UnusableAlias,
    alias_address,
    redirects,
)
from models.projects.documents.published import published_documents
from models.projects.documents.rows import DocumentAliasRow
from tests.factories.projects import make_project
from tests.rules.projects.documents.test_document_import import import_sources, source
from tests.rules.projects.documents.test_documents import save
from tests.rules.projects.documents.test_publication import unpublish

pytestmark = pytest.mark.both_engines


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


def leads():
    """Return the target of each redirect, by its address."""
    return {address: page.slug for address, page in redirects(published_documents())}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("/old/setup", "/old/setup/"),
        (" old/setup/ ", "/old/setup/"),
        ("/old/index.html", "/old/"),
        ("/old.html", "/old.html"),
        ("/v1.2/old", "/v1.2/old/"),
        ("/guides/old", "/guides/old/"),
        ("/%C3%A4/b", "/ä/b/"),
    ],
)
def test_address(text, address):
    """An address is a folder, or a file that ends with .html, from the root."""
    assert alias_address(text) == address
    assert alias_address(address) == address


@pytest.mark.parametrize(
    "text",
    [
        *("/", "", "/index.html", "//elsewhere/x", "https://elsewhere/x", "/a//b"),
        *("/../x", "/a/../b", "/%2e%2e/x", "/./x", "/a/..", "/a\\..\\b"),
        *("/status/x", "/STATUS/x", "/assets/x", "/404.html", "/_headers", "/a/_b"),
        *("/.masthead.lock", "/a/.b/c", "/guides", "/guides/"),
        *("/a.html/b", "/guides/a.md/b", "/guides/a.md", "/guides/a.json"),
        *("/a b", "/a\nb", "/a\x00", "/*", "/:a", "/a?b", "/a#b", "/<b>", "/a\ud800"),
        *("/" + "a" * 201, "/" + "ä" * 101, "/" + "a/" * 300),
    ],
)
def test_unusable_address(text):
    """An address is rejected if other files use it, or if it is no plain path."""
    with pytest.raises(UnusableAlias):
        alias_address(text)


def test_changes_with_the_file(docs, clock):
    """
    The aliases that a file declares are added, and removed once it no longer does.
    """
    import_sources(clock, source(aliases=["/a/", "/b/"]))
    assert leads() == {"/a/": "start", "/b/": "start"}

    report = import_sources(clock, source(aliases=["/b/", "/c/"]))

    assert leads() == {"/b/": "start", "/c/": "start"}
    assert (report.updated, report.published) == (["start"], [])
    assert not import_sources(clock, source(aliases=["/b/", "/c/"])).changed


def test_first_of_several(docs, clock):
    """If two documents declare one alias, the first gets it, and the report says so."""
    files = [source("a.md", aliases=["/x/"]), source("b.md", aliases=["/x/", "/y/"])]

    report = import_sources(clock, *files)

    assert leads() == {"/x/": "a", "/y/": "b"}
    remark = "The alias /x/ leads to 'a', since it was an alias of it first."
    assert report.notes == [("b.md", remark)]
    import_sources(clock, source("a.md"), files[1])
    assert leads() == {"/x/": "b", "/y/": "b"}


def test_of_a_withdrawn_page(docs, clock):
    """A withdrawn page gets no redirect; the next one with the alias does."""
    import_sources(
        clock, source("a.md", aliases=["/x/"]), source("b.md", aliases=["/x/"])
    )

    [a] = [page for page in published_documents() if page.slug == "a"]
    unpublish(a, clock)

    assert leads() == {"/x/": "b"}


def test_former_address_is_kept(docs, clock):
    """The former address of a page still redirects, whatever its file declares."""
    import_sources(clock, source(aliases=["/products/start/"]))
    [page] = published_documents()
    for collection in ("products", "guides"):
        clock.pass_(minutes=1)
        save(page, clock, collection=collection)

    import_sources(clock, source(), take_over=True)

    assert leads() == {"/products/start/": "start"}


def test_held_document_keeps_its_aliases(docs, clock):
    """A document that a person withdrew keeps its aliases."""
    import_sources(clock, source(aliases=["/a/"]))
    clock.pass_(minutes=1)
    unpublish(next(iter(published_documents())), clock)

    import_sources(clock, source(aliases=["/b/"]))

    declared = [row.address for row in DocumentAliasRow if row.is_declared]
    assert declared == ["/a/"]


def test_many(docs, clock, raw_database):
    """Ten thousand aliases take as many statements as one, except for batches."""
    one = [f"/old/{n}/" for n in range(10_000)]

    with raw_database.statements() as statements:
        report = import_sources(clock, source("a.md", aliases=one), source("b.md"))

    assert report.notes == []
    assert len(leads()) == 10_000
    assert len([each for each in statements if "document_alias" in each]) < 50
