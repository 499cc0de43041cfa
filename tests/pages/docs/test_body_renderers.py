"""The bodies of many documents are rendered by other processes."""

import os
import signal

import pytest

from models.projects.documents.rendered_bodies import BodyRow, delete_unused_bodies
from sitegen.docs import body_cache, body_rendering
from tests.pages.builder.test_build import files_in

COUNT = 70


@pytest.fixture
def documents(docs_project, monkeypatch):
    """As many documents as three groups have, for which other processes are started."""
    monkeypatch.setattr(body_cache, "MIN_AHEAD", COUNT)
    return [
        docs_project.publish(
            f"page-{number}", f"# Page {number}\n\nSee [it](page-1.md).\n"
        )
        for number in range(COUNT)
    ]


@pytest.fixture
def rendered_here(monkeypatch):
    """Return the titles of the documents that this process renders itself."""
    titles, render = [], body_cache.render_body

    def note(text, content):
        titles.append(text.title)
        return render(text, content)

    monkeypatch.setattr(body_cache, "render_body", note)
    return titles


def test_same_files(documents, rendered_here, build_site, output, tmp_path):
    """If other processes render all documents, the files are the same."""
    build_site(["docs"])

    assert rendered_here == []
    assert BodyRow.select().count() == COUNT
    delete_unused_bodies([])
    body_cache.MIN_AHEAD = COUNT + 1
    build_site(["docs"], output=tmp_path / "alone")
    assert len(rendered_here) == COUNT
    assert files_in(output) == files_in(tmp_path / "alone")


def test_process_dies(documents, rendered_here, build_site, monkeypatch, caplog):
    """If one of the processes dies, the remaining documents are rendered here."""
    monkeypatch.setattr(body_rendering, "render_texts", die)

    report = build_site(["docs"])

    assert report.failed == []
    assert len(rendered_here) == COUNT
    assert "reason=renderers-died" in caplog.text


def die(texts):
    os.kill(os.getpid(), signal.SIGKILL)


def test_few_documents(docs_project, rendered_here, build_site):
    """For a few documents no process is started, because that takes a second."""
    docs_project.publish("welcome")

    build_site(["docs"])

    assert len(rendered_here) == 1
