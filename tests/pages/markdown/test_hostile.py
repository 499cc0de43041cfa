"""Hostile texts in documents and updates are rendered without harm."""

import pytest

from models.projects.documents.published import published_documents
from sitegen.markdown.rendering import resolve_links
from tests.nightly import every_nth
from tests.pages.markdown.english import render, render_entry
from tests.pages.markdown.test_markdown_bounds import HOSTILE
from tests.samples.allowed_html import checked
from tests.samples.hostile import EXTENSIONS, HTML, IDS, PAST_SANITISERS, links


@pytest.mark.parametrize("make", ["document", "entry"])
def test_no_spelling_gets_through(make):
    """For every scheme, in every spelling and form, only allowed addresses remain."""
    for text in links():
        rendered = render(text)
        html = resolve_links(rendered.html, rendered.links, lambda _: None)

        checked(render_entry(text) if make == "entry" else html)


@pytest.mark.parametrize("text", HTML + PAST_SANITISERS + EXTENSIONS)
def test_no_html_gets_through(text):
    """Only allowed HTML remains, and none in updates."""
    rendered = render(text)

    for html in (
        resolve_links(rendered.html, rendered.links, lambda _: "/x/"),
        render_entry(text),
    ):
        assert "<script" not in html
        checked(html)


@pytest.mark.parametrize("name", every_nth(HOSTILE, 4))
def test_entries_are_bounded(name):
    """An update has the limits of a document, at its own length."""
    checked(render_entry(HOSTILE[name][:20_000]))


def test_the_page_keeps_its_own_ids(docs_project, build_site, output):
    """No heading has the id of a part of the page."""
    docs_project.publish("ids", IDS)

    build_site()

    page = (output / "guides/ids/index.html").read_text()
    for name in ("page.main", "page.contents"):
        assert page.count(f'id="{name}"') == 1


def test_other_pages_are_made(docs_project, build_site, output):
    """Hostile documents are built, and so are the other pages."""
    hostile = [*HTML, *PAST_SANITISERS, *EXTENSIONS, *HOSTILE.values()]
    for number, text in enumerate(hostile[::6]):
        docs_project.publish(f"hostile-{number}", text.replace("\x00", "")[:400_000])
    docs_project.publish("good", "# Good\n\nWords.\n")

    report = build_site()

    assert report.failed == []
    for each in published_documents():
        assert (output / f"guides/{each.slug}/index.html").stat().st_size


def test_what_is_shown_as_written_is_reported(docs_project, build_site):
    """
    A document over the limits is shown as plain text, and reported by every build.
    """
    docs_project.publish("deep", ">" * 200 + "a\n")
    docs_project.publish("plain", "Words.\n")
    first = build_site()

    again = build_site()

    result = [
        "guides/deep: shown as plain text, because rendering it would exceed a limit"
    ]
    assert first.warnings == again.warnings == result
    assert first.failed == []
