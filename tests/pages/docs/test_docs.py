"""Documents on the site: published ones become pages, and no others."""

import json
from dataclasses import replace
from urllib.parse import quote

import pytest

from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.pages.html import Reader
from tests.pages.sample_site import HOSTILE

BODY = """# Keys and scopes

A key opens what its scopes name. See [limits](limits.md#rates).

## The shape of a key

| Part | Length |
| --- | --- |
| prefix | 8 |

### What is stored

> [!NOTE]
> Only the hash.

```python
key = "secret"
```
"""


@pytest.fixture
def documents(docs_project):
    """Three documents in two sections, and one without a section."""
    start = {"section": "Getting started"}
    return {
        "welcome": docs_project.publish("welcome"),
        "keys": docs_project.publish("keys-and-scopes", BODY, **start, position=2),
        "sign-in": docs_project.publish(
            "sign-in", **start, position=1, summary="Who you are."
        ),
        "limits": docs_project.publish(
            "limits", "## Rates\n", section="Operations", position=3
        ),
    }


@pytest.fixture
def page(output):
    """Read a page of the output, strictly."""
    return lambda path: Reader((output / path / "index.html").read_text())


def links_in(html, before, after):
    """Return the addresses of links between two marks of a page, in order."""
    part = html.partition(before)[2].partition(after)[0]
    return [each.partition('"')[0] for each in part.split('href="')[1:]]


def test_golden(documents, build_site, golden):
    """The list, a document and its Markdown equal the golden files, byte for byte."""
    build_site()

    golden("guides/index.html")
    golden("guides/keys-and-scopes/index.html")
    golden("guides/keys-and-scopes.md")


def test_font_for_code(documents, build_site, page):
    """A document with code preloads its font; another one does not."""
    build_site()

    def preloaded(path):
        links = [found for found in page(path).all("link") if found.get("as") == "font"]
        return ["mono" in link["href"] for link in links]

    assert preloaded("guides/keys-and-scopes") == [False, True]
    assert preloaded("guides/limits") == [False]


def test_register(documents, build_site, page, output):
    """
    Pages are listed by position, and sections by the position of their first page.
    """
    build_site()

    html = (output / "guides/index.html").read_text()
    register = page("guides")
    assert register.text_of("h1") == ["Guides"]
    assert links_in(html, "</header>\n<section", "</main>") == [
        "/guides/welcome/",
        "/guides/sign-in/",
        "/guides/keys-and-scopes/",
        "/guides/limits/",
    ]
    assert {"id": "getting-started"} in register.all("h2")
    assert ("bdi", "Who you are.") in register.texts


def test_sidebar(documents, build_site, page):
    """The current section is open with the page marked; the others are links."""
    build_site()

    links = page("guides/keys-and-scopes").all("a")

    current = [each for each in links if each.get("aria-current") == "page"]
    assert current == [{"href": "/guides/keys-and-scopes/", "aria-current": "page"}]
    assert {"class": "other", "href": "/guides/"} in links
    assert {"class": "other", "href": "/guides/#operations"} in links
    assert {"href": "/guides/sign-in/"} in links
    assert {"href": "/guides/limits/"} not in links


def test_way_around(documents, build_site, output):
    """Breadcrumbs, table of contents and neighbours link to the right pages."""
    build_site()

    html = (output / "guides/keys-and-scopes/index.html").read_text()

    crumbs = links_in(html, 'aria-label="Breadcrumb"', "</nav>")
    assert crumbs == ["/guides/", "/guides/#getting-started"]
    contents = links_in(html, '<div class="contents">', "</nav>")
    assert contents == ["#the-shape-of-a-key", "#what-is-stored"]
    turn = links_in(html, 'class="turn"', "</nav>")
    assert turn == ["/guides/sign-in/", "/guides/limits/"]


def test_first_and_last(documents, build_site, page):
    """The first page has no previous page, the last no next one."""
    build_site()

    first, last = page("guides/welcome").all("a"), page("guides/limits").all("a")

    assert [each["rel"] for each in first if "rel" in each] == ["next"]
    assert [each["rel"] for each in last if "rel" in each] == ["prev"]


def test_twins(documents, api, build_site, output):
    """The JSON is the response of the API; the Markdown is the published text."""
    build_site()

    slug = {"slug": "keys-and-scopes"}
    expected = api("GET /projects/v1/published/get", slug).json["data"]
    listed = api("GET /projects/v1/published/list").json["data"]
    for each in listed:
        del each["content"]
    data = json.loads((output / "guides/keys-and-scopes.json").read_text())
    assert data == {"data": expected}
    assert json.loads((output / "guides/index.json").read_text()) == {"data": listed}
    assert (output / "guides/keys-and-scopes.md").read_text() == BODY


def test_unpublished_goes(docs_project, documents, build_site, output):
    """
    Page, JSON, Markdown and list entry are removed, and the neighbours are linked.
    """
    build_site()
    docs_project.withdraw(documents["keys"])

    report = build_site(["docs"])

    assert [path for path in report.removed if not path.startswith("search/")] == [
        "guides/keys-and-scopes.json",
        "guides/keys-and-scopes.md",
        "guides/keys-and-scopes/index.html",
    ]
    for each in output.rglob("*.html"):
        assert "keys-and-scopes" not in each.read_text(), each
    assert "keys-and-scopes" not in (output / "guides/index.json").read_text()


def test_last_of_a_collection_goes(docs_project, build_site, output):
    """A collection without pages has no page, and is in no header of any area."""
    only = docs_project.publish("only")
    build_site()
    assert "/guides/" in (output / "status/index.html").read_text()
    docs_project.withdraw(only)

    build_site()

    assert not (output / "guides").exists()
    for each in output.rglob("*.html"):
        assert "/guides/" not in each.read_text(), each


def test_draft_changes_nothing(docs_project, documents, build_site):
    """A saved revision stays private until it is published."""
    build_site()
    docs_project.update(documents["keys"], title="Secret plans", content="Not yet.")

    assert build_site(["docs"]).written == []


def test_new_version(docs_project, documents, build_site, page, output):
    """
    Publishing a version changes the page, its JSON and Markdown, and pages with its
    title.
    """
    build_site()
    docs_project.update(documents["limits"], title="Rates", content="Ten a second.")
    docs_project.release(documents["limits"])

    written = build_site(["docs"]).written

    assert "Ten a second." in (output / "guides/limits.md").read_text()
    assert "Version 2" in page("guides/limits").text_of("li")
    assert {"guides/limits/index.html", "guides/index.html", "index.html"} <= set(
        written
    )
    # The page before it has the title as its next page.
    assert "guides/keys-and-scopes/index.html" in written
    assert "guides/welcome/index.html" not in written


def test_older_version(docs_project, documents, build_site, output):
    """Publishing an older version restores the page, byte for byte."""
    build_site()
    path = output / "guides/limits.md"
    before = path.read_bytes()
    docs_project.update(documents["limits"], content="Ten a second.")
    docs_project.release(documents["limits"])
    build_site(["docs"])

    docs_project.release(documents["limits"], version=1)
    build_site(["docs"])

    assert path.read_bytes() == before


def test_moved(docs_project, documents, build_site, output):
    """The old address redirects to the new page; its JSON and Markdown are removed."""
    build_site()

    docs_project.update(documents["limits"], collection="support", section=None)
    build_site(["docs"])

    moved = (output / "guides/limits/index.html").read_text()
    assert '<meta http-equiv="refresh" content="0; url=/support/limits/">' in moved
    assert '<a href="/support/limits/">' in moved
    assert (output / "support/limits/index.html").exists()
    assert not (output / "guides/limits.json").exists()


def test_moved_back(docs_project, documents, build_site, output):
    """
    A page that moves back is at its address again, and redirects from the other one.
    """
    docs_project.update(documents["limits"], collection="support")
    docs_project.update(documents["limits"], collection="guides")

    build_site()

    assert "Rates" in (output / "guides/limits/index.html").read_text()
    left = (output / "support/limits/index.html").read_text()
    assert '<a href="/guides/limits/">' in left
    assert not (output / "support/index.html").exists()


def test_title_is_shown_once(docs_project, build_site, page, output):
    """The title is the page's one h1, whatever headings its text starts with."""
    docs_project.publish("one", "# One\n\nText.\n", title="One")
    docs_project.publish("two", "\n# Another\n\nText.\n", title="Two")

    build_site()

    one = (output / "guides/one/index.html").read_text()
    assert '<div class="prose">\n<p>Text.</p>' in one
    assert len(page("guides/one").all("h1")) == len(page("guides/two").all("h1")) == 1
    assert {"id": "another"} in page("guides/two").all("h2")
    assert {"href": "#another"} in page("guides/two").all("a")


def test_hostile_titles_are_escaped(docs_project, build_site, page):
    """Title, summary and section are escaped."""
    evil = HOSTILE.replace("\u202e", "")
    docs_project.publish("evil", title=evil, summary=evil, section=evil, content=evil)
    docs_project.publish("near", "[x](evil.md)", section=evil)

    build_site()

    for each in ("guides", "guides/evil", "guides/near", ""):
        found = page(each)
        assert all("src" in script for script in found.all("script"))
        assert any(evil in text for _, text in found.texts)


def test_slug_index(docs_project, build_site, output):
    """A document at the root of a collection does not overwrite the list's JSON."""
    docs_project.publish("index", title="Index of terms")
    docs_project.publish("other")
    build_site()

    again = build_site()

    assert again.written == []
    assert len(json.loads((output / "guides/index.json").read_text())["data"]) == 2
    data = json.loads((output / "guides/index/index.json").read_text())["data"]
    assert data["title"] == "Index of terms"


def test_sections_with_one_anchor(docs_project, build_site, page):
    """Sections whose names give the same anchor have different ids."""
    for n, section in enumerate(("A & B", "A, B", "A-B-2", "Main", "Page.main")):
        docs_project.publish(f"page-{n}", section=section)

    build_site()

    ids = [found["id"] for _, found in page("guides").elements if "id" in found]
    assert len(ids) == len(set(ids))
    crumb = page("guides/page-1").all("a")
    assert {"href": "/guides/#a-b-2"} in crumb


def test_feedback(docs_project, settings, clock, output):
    """The link for feedback has the document's address and title, encoded."""
    docs_project.publish("start", title="Q & A: 100 %")
    pattern = "https://example.com/new?title={title}&body={url}"
    result = replace(settings, feedback_url=pattern)

    build(BuildContext(clock.now, result, site_theme(result)))

    html = (output / "guides/start/index.html").read_text()
    page = quote(f"{settings.site_url}/guides/start/")
    href = f"https://example.com/new?title=Q%20%26%20A%3A%20100%20%25&amp;body={page}"
    assert f'href="{href}">Give feedback</a>' in html
