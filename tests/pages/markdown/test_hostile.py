"""Texts that mean harm, in documents and in timelines: nothing of them is obeyed."""

import pytest

from models.projects.documents.published import published_documents
from sitegen.markdown.rendering import resolve_links
from tests.pages.markdown.english import render, render_entry
from tests.pages.markdown.test_markdown_bounds import HOSTILE
from tests.samples.allowed_html import checked
from tests.samples.hostile import EXTENSIONS, HTML, IDS, PAST_SANITISERS, links


@pytest.mark.parametrize("make", ["document", "entry"])
def test_no_spelling_gets_through(make):
    """Every scheme in every spelling and form: an allowed address or none."""
    for text in links():
        rendered = render(text)
        html = resolve_links(rendered.html, rendered.links, lambda _: None)

        checked(render_entry(text) if make == "entry" else html)


@pytest.mark.parametrize("text", HTML + PAST_SANITISERS + EXTENSIONS)
def test_no_html_gets_through(text):
    """Of what looks like HTML, only what is allowed is obeyed, in no entry any."""
    rendered = render(text)

    for html in (
        resolve_links(rendered.html, rendered.links, lambda _: "/x/"),
        render_entry(text),
    ):
        assert "<script" not in html
        checked(html)


@pytest.mark.parametrize("name", HOSTILE)
def test_entries_are_bounded(name):
    """An entry of a timeline is held to what a document is, at its own length."""
    checked(render_entry(HOSTILE[name][:20_000]))


def test_the_page_keeps_its_own_ids(docs_project, build_site, output):
    """No heading takes the name of a part of the page."""
    docs_project.publish("ids", IDS)

    build_site()

    page = (output / "guides/ids/index.html").read_text()
    for name in ("page.main", "page.contents"):
        assert page.count(f'id="{name}"') == 1


def test_other_pages_are_made(docs_project, build_site, output):
    """Documents that mean harm stand, and what stands beside them as well."""
    hostile = [*HTML, *PAST_SANITISERS, *EXTENSIONS, *HOSTILE.values()]
    for number, text in enumerate(hostile[::6]):
        docs_project.publish(f"hostile-{number}", text.replace("\x00", "")[:400_000])
    docs_project.publish("good", "# Good\n\nWords.\n")

    report = build_site()

    assert report.failed == []
    for each in published_documents():
        assert (output / f"guides/{each.slug}/index.html").stat().st_size


def test_what_is_shown_as_written_is_reported(docs_project, build_site):
    """A document that asks for too much stands as text, and every build says so."""
    docs_project.publish("deep", ">" * 200 + "a\n")
    docs_project.publish("plain", "Words.\n")
    first = build_site()

    again = build_site()

    result = [
        "guides/deep: shown as plain text, because rendering it would exceed a limit"
    ]
    assert first.warnings == again.warnings == result
    assert first.failed == []
