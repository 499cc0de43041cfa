"""How links are resolved, by the names of a document."""

from datetime import UTC, datetime

import pytest

from models.projects.documents.linking.link_resolver import LinkResolver
from models.projects.documents.published import PublishedPage

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def page(slug, collection="guides", source=None, tree="docs", **origin):
    tree = tree if source else None
    fields = (slug, slug, slug, collection, None, 0, slug, None, 1, NOW, NOW)
    return PublishedPage(*fields, source, tree, 1, **origin)


HERE = page("install", source="setup/install.md")
NEAR = page("first-steps", source="setup/first-steps/index.md")
FAR = page("limits", "support", source="reference/limits.md")
PLAIN = page("plain", "products")
ADDRESSES = LinkResolver([HERE, NEAR, FAR, PLAIN])


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("first-steps/index.md", "/guides/first-steps/"),
        ("first-steps/", "/guides/first-steps/"),
        ("first-steps", "/guides/first-steps/"),
        ("../reference/limits.md#rates", "/support/limits/#rates"),
        ("../../reference/limits.md", "/support/limits/"),
        (".", "/guides/install/"),
        ("?raw=1", "?raw=1"),
        ("/docs/setup/install.md", "/guides/install/"),
        ("/setup/install/", "/guides/install/"),
        ("plain.md", "/products/plain/"),
        ("first%2Dsteps.md?raw=1#a%23b", "/guides/first-steps/?raw=1#a%23b"),
        ("/guides/first-steps/?x=1#add-a", "/guides/first-steps/?x=1#add-a"),
        ("/search/?q=x&kind=page", "/search/?q=x&kind=page"),
        ("/guides?from=mail", "/guides/?from=mail"),
        ("plain#why?", "/products/plain/#why?"),
        ("/guides/", "/guides/"),
        ("/support", "/support/"),
        ("/", "/"),
        ("/status/services/api/", "/status/services/api/"),
        ("/api/v2/summary.json", "/api/v2/summary.json"),
    ],
)
def test_resolves(target, address):
    """By source path, by slug, by address; addresses of the site itself stay."""
    assert ADDRESSES.resolve(HERE, target) == address


@pytest.mark.parametrize(
    "target",
    [
        "gone.md",
        "/guides/gone/",
        "../gone/limits2.md",
        "/nowhere/",
        "..",
        "/status/%00",
        "plain%0A.md",
        "/status/%E2%80%AE",
        "/status/?q=\u202e",
        "/status/%3Fq=1",
        "/status/%23now",
    ],
)
def test_leads_nowhere(target):
    """An unpublished target, and text that is no name, do not resolve."""
    assert ADDRESSES.resolve(HERE, target) is None


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("begin.md", "/guides/first-steps/"),
        ("First_Begin.md#a", "/guides/first-steps/#a"),
        ("02-second.md", "/guides/first-steps/"),
        ("../2.0/setup.md", "/guides/first-steps/"),
        ("../2.0/other.md", None),
        ("limits.md", "/support/limits/"),
        ("elsewhere.md", "/guides/far/"),
        ("../3.0/setup.md", None),
    ],
)
def test_former_name(target, address):
    """A former name of a page resolves to it, unless another page has that name now."""
    far = page("far", source="far.md", tree="other")
    aliases = [
        ("/guides/setup-begin/", NEAR),
        ("/guides/first-begin/", NEAR),
        ("/products/second/", NEAR),
        ("/2.0/setup/", NEAR),
        ("/guides/limits/", NEAR),
        ("/guides/elsewhere/", far),
        ("/3.0/setup/", far),
    ]
    resolver = LinkResolver([HERE, NEAR, FAR, far], redirects=aliases)

    assert resolver.resolve(HERE, target) == address


def test_document_without_a_source():
    """
    A document without a source is linked by slug, whatever folders are in the link.
    """
    assert ADDRESSES.resolve(PLAIN, "../support/limits.md") == "/support/limits/"
    assert ADDRESSES.resolve(PLAIN, "limits") == "/support/limits/"


def resolver(*sources, edit_url="", **origin):
    """
    Return the resolver of a tree's documents, given by path; the first has the links.
    """
    pages = [
        page(f"page-{number}", source=source, **origin)
        for number, source in enumerate(sources)
    ]
    addresses = LinkResolver(pages, edit_url)
    return lambda target: addresses.resolve(pages[0], target)


@pytest.mark.parametrize(
    ("target", "source"),
    [
        # Files first, distinguished by their extension.
        ("guide.md", "guide.md"),
        ("guide/", "guide/index.md"),
        ("/", "README.md"),
        # The site has pages of these names, too.
        ("/reference/settings/", "reference/settings.md"),
        ("/status/", "status.md"),
        ("/guides/install/", "guides/install.md"),
        ("/guides/", "guides/_index.md"),
        # Letter case matters only between names that are otherwise equal.
        ("Guide/Start.md", "guide/start.md"),
        ("/REFERENCE/Settings.html", "reference/settings.md"),
        ("case/Same.md", "case/Same.md"),
        ("case/same.md", "case/same.md"),
        # Docusaurus and Zola have notations for the root of the tree.
        ("@site/guide/start.md", "guide/start.md"),
        ("@site/docs/guide/start.md", "guide/start.md"),
        ("@/guide/start.md", "guide/start.md"),
        # The folder of pages is inside the tree, or the tree below an address.
        ("deep/er/nested.md", "guide/deep/er/nested.md"),
        ("/er/nested", "guide/deep/er/nested.md"),
        ("nested.md", "guide/deep/er/nested.md"),
        ("/nested/", "guide/deep/er/nested.md"),
        ("/old/site/guide/start/", "guide/start.md"),
        ("/old/site/license", "LICENSE.md"),
    ],
)
def test_tree_comes_first(target, source):
    """A target in the document's own tree takes precedence."""
    sources = ("here.md", "guide/index.md", "guide.md", "README.md", "guide/start.md")
    sources += ("reference/settings.md", "status.md", "guides/install.md")
    sources += ("guides/_index.md", "case/Same.md", "case/same.md", "LICENSE.md")
    sources += ("guide/deep/er/nested.md",)

    href = resolver(*sources)(target)

    assert href == f"/guides/page-{sources.index(source)}/"


@pytest.mark.parametrize(
    "target",
    [
        "case/SAME.md",
        "twin.md",
        "/twin/",
        "../../b/twin.md",
        "/old/site/twin",
        "stra\u00dfe.md",
        # In linear time.
        "/" + "a/" * 100_000 + "start",
        "../" * 100_000 + "start",
        "x" * 200_000,
    ],
)
def test_ambiguous_name_leads_nowhere(target):
    """A name that matches several files, by case or by suffix, is not resolved."""
    sources = ("here.md", "case/Same.md", "case/same.md", "a/twin.md", "c/b/twin.md")

    assert resolver(*sources, "STRASSE.md", "Strasse.md")(target) is None


@pytest.mark.parametrize("target", ["/status/", "/reference/", "/openapi.json"])
def test_site_comes_after_the_tree(target):
    """A target that is not in the tree is an address of the site."""
    assert resolver("here.md", "guide/status.md")(target) == target


@pytest.mark.parametrize(
    ("target", "slug"),
    [
        ("/setup/quick/", "start"),
        ("/Setup/Quick", "start"),
        ("/setup/quick.html#a", "start"),
        ("../quick/", "start"),
        ("../../setup/quick/", "start"),
        ("more.md", "more"),
        ("../02-more.md", "more"),
        ("../../basics/more/", "more"),
        ("/quick/", "start"),
        # A file takes precedence over an address.
        ("/taken/", "taken"),
    ],
)
def test_declared_address(target, slug):
    """Links resolve to addresses of the old site, also relative to them."""
    here = page("here", source="01-basics/01-here.md", source_address="/setup/here")
    start = page("start", source="01-basics/03-x.md", source_address="/setup/quick")
    more = page("more", source="01-basics/02-more.md", source_address="/basics/more")
    conflicting = page("taken", source="taken.md")
    other = page("other", source="other.md", source_address="/taken")
    addresses = LinkResolver([here, start, more, conflicting, other])

    href = addresses.resolve(here, target)

    assert href.partition("#")[0] == f"/guides/{slug}/"


def test_address_of_two_files():
    """An address that two files declare is not resolved."""
    pages = [
        page(f"page-{number}", source=f"{number}.md", source_address="/same")
        for number in range(3)
    ]

    assert LinkResolver(pages).resolve(pages[0], "/same/") is None


def test_tree_beside_this_one():
    """A path that leaves the tree may lead into a sibling folder's tree."""
    here, there = page("here", source="a/b.md"), page("x", source="x.md", tree="other")
    addresses = LinkResolver([here, there])

    assert addresses.resolve(here, "../../other/x.md") == "/guides/x/"
    assert addresses.resolve(here, "../../another/x.md") == "/guides/x/"
    assert addresses.resolve(here, "../../another/y.md") is None


@pytest.mark.parametrize(
    ("target", "href"),
    [
        ("/download#linux", "https://example.org/docs/download#linux"),
        ("/docs/download?a=1", "https://example.org/docs/download?a=1"),
        ("/blog/post.md", "https://example.org/docs/blog/post"),
        ("/a%20b/%2F/", "https://example.org/docs/a%20b/%2F/"),
        ("@site/a%20b", "https://example.org/docs/a%20b"),
        ("../std/x.html", "https://example.org/std/x.html"),
        ("../../../../x", "https://example.org/x"),
        ("/docs/", "/guides/page-2/"),
        ("/docs/guide/start/", "/guides/page-1/"),
        ("/guide/start/", "/guides/page-1/"),
        ("/status/", "/status/"),
        # It should be in the tree.
        ("gone.md", None),
        ("sub/gone/", None),
        # Not every page with this name is meant.
        ("/start", "https://example.org/docs/start"),
    ],
)
def test_base(target, href):
    """A target that is not in the tree is on the website of the tree."""
    resolve = resolver(
        *("src/here.md", "src/guide/start.md", "README.md"),
        source_base="https://example.org/docs/",
    )
    if target.startswith(".."):
        target = f"../{target}"

    assert resolve(target) == href


def test_base_of_pages_in_a_folder():
    """A path out of the website is relative to the page's address, not its file."""
    here = page(
        *("here", "guides", "src/here.md"),
        source_address="/here",
        source_base="https://example.org/book",
    )

    href = LinkResolver([here]).resolve(here, "../std/x.html#m")

    assert href == "https://example.org/std/x.html#m"


GITHUB = "https://github.com/acme/app/edit/main/docs/{path}"
GITLAB = "https://gitlab.com/acme/all/app/-/edit/main/{tree}/{path}"


@pytest.mark.parametrize(
    ("edit_url", "target", "href"),
    [
        (GITHUB, "../../../../issues", "https://github.com/acme/app/issues"),
        (GITHUB, "../../../../issues/7#c", "https://github.com/acme/app/issues/7#c"),
        (GITHUB, "../../LICENSE", "https://github.com/acme/app/blob/main/LICENSE"),
        (GITLAB, "../../../../issues", "https://gitlab.com/acme/all/app/-/issues"),
        (GITHUB, "../../../blob", None),
        (GITHUB, "../../../../../../evil/x", None),
        (GITHUB, "../gone.md", None),
        (GITHUB, "issues", None),
        ("https://edit.example.com/?file={path}", "../../../../issues", None),
        ("", "../../../../issues", None),
    ],
)
def test_repository(edit_url, target, href):
    """As on GitHub, a path that leaves the folder leads into the repository."""
    assert resolver("sub/here.md", edit_url=edit_url)(target) == href


def test_base_and_repository():
    """The website takes precedence, except for the repository's issues."""
    base = {"source_base": "https://example.org/docs"}
    resolve = resolver("here.md", edit_url=GITHUB, **base)

    assert resolve("../std/") == "https://example.org/std"
    assert resolve("../../../issues") == "https://github.com/acme/app/issues"
