"""Hostile texts in the pages of projects and work items."""

import html
import re
from html.parser import HTMLParser

import pytest

from models.projects.discussion.comments import AddComment, add_comment
from models.projects.specifications.specifications import (
    CreateSpecification,
    create_specification,
)
from models.storage.database import writing
from tests.factories.projects import KEY, make_project
from tests.factories.work import milestone, relate, work
from tests.samples.hostile import HTML

ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "data")
UNSAFE = ("javascript:", "vbscript:", "data:text")
ELEMENTS = {"iframe", "object", "embed", "base", "style", "frame", "applet"}
# The operations reject control characters in titles and texts.
LINES = ["".join(c if c.isprintable() else " " for c in text) for text in HTML]
TEXT = "\n\n".join(LINES)


class Harm(HTMLParser):
    """Collects what a page could execute or load."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ELEMENTS or (
            tag == "script" and not attributes.get("src", "").startswith("/console/")
        ):
            self.found.append(tag)
        for name, value in attributes.items():
            address = "".join((value or "").split()).lower()
            if name.startswith("on") or name in ("style", "srcdoc"):
                self.found.append(f"{tag} {name}")
            if name in ADDRESSES and address.startswith(UNSAFE):
                self.found.append(f"{tag} {name}={value}")


@pytest.fixture
def pages(store, clock):
    """Return the pages of a project with only hostile texts."""
    with writing():
        project = make_project("atlas", clock.now, name=LINES[0], description=TEXT)
        beta = milestone(project, clock.now, name=LINES[1], description=TEXT)
        items = [
            work(
                project,
                clock,
                title=text.strip()[:200],
                description=text,
                milestone_id=beta.id,
                bucket="now",
            )
            for text in LINES
        ]
        relate(items[0], items[1], "blocks", clock)
        comment = AddComment(entity_type="work", entity_id=items[0].id, content=TEXT)
        written = add_comment(comment, clock.now, KEY)
        request = CreateSpecification(
            project_id=project.id,
            title=LINES[0],
            slug="harm",
            content=TEXT,
            summary=LINES[1],
        )
        specification = create_specification(request, clock.now, KEY)
    base, item = f"projects/{project.id}/", f"work/{items[0].id}/"
    text = f"{base}specifications/{specification.id}/"
    return [
        *("projects/", base, f"{base}activity/", f"{base}milestones/{beta.id}/"),
        *("work/", "work/board/", "work/roadmap/", "work/create/"),
        *(f"work/?projectId={project.id}", item, f"{item}comments/{written.id}/"),
        *(f"{base}specifications/", f"{base}specifications/coverage/"),
        *(text, f"{text}revisions/1/"),
    ]


def test_texts_that_mean_harm(person, pages):
    """
    No text becomes an element, an attribute or an address that executes something.
    """
    found = {}

    for path in pages:
        response = person.get(path)
        assert response.status_code == 200, path
        if harm := Harm(response.text).found:
            found[path] = harm

    assert found == {}


def test_links_within_the_console(person, pages):
    """Every link leads to a page, also if an operation has only its form."""
    links = {link for path in pages for link in _links(person.get(path).text)}

    answers = {link: person.client.get(link).status_code for link in sorted(links)}

    assert len(answers) > 50
    assert {link: code for link, code in answers.items() if code != 200} == {}


def _links(page):
    found = re.findall(r'href="(/console/[^"#]*)"', page)
    return [html.unescape(link) for link in found]
