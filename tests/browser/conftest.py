"""The browser, and the sample world as a built site on a port of its own."""

import os
import shutil
import threading
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import sync_playwright

from api.kinds import KINDS
from models.database import database, open_database, writing
from models.projects.documents import CreateDocument, create_document
from models.projects.projects import ensure_docs_project
from models.projects.publication import PublishDocument, publish_document
from models.settings import NIL_UUID, Settings
from sitegen.build import build
from sitegen.looks import Looks
from sitegen.page import Edition
from tests import world
from tests.pages.test_docs import BODY
from tests.projects import KEY

CHROMIUM = shutil.which("chromium")
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WIDE = "| " + " | ".join(f"Column number {n}" for n in range(12)) + " |\n"
LONG = f"{BODY}\n## Long\n\n{WIDE}{'| --- ' * 12}|\n{WIDE}\n`{'word' * 40}`\n"


def pytest_collection_modifyitems(items):
    """Without a browser these tests are skipped; in CI that would hide them."""
    if CHROMIUM is None and not os.environ.get("CI"):
        for item in items:
            if item.path.parent.name == "browser":
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


@pytest.fixture(scope="module")
def browser():
    assert CHROMIUM, "CI needs Chromium: the browser tests may not be skipped there"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield started
        started.close()


class Quiet(SimpleHTTPRequestHandler):
    """A static host, as plain as there are."""

    def log_message(self, *_):
        pass


def write_documents():
    """Two documents, one with all that Markdown has and what is too wide."""
    project = ensure_docs_project(NOW, slug="docs", owner_id=NIL_UUID)
    for slug, content in (("keys", LONG), ("limits", "## Rates\n")):
        asked = CreateDocument(
            project_id=project.id,
            title=slug.capitalize(),
            slug=slug,
            type="note",
            content=content,
            collection="guides",
            section="Start",
        )
        with writing():
            document = create_document(asked, NOW, KEY)
            publish_document(PublishDocument(id=document.id), NOW, KEY)


@pytest.fixture(scope="module")
def site(tmp_path_factory, empty_database):
    """The address of the built sample world."""
    folder = tmp_path_factory.mktemp("world")
    settings = Settings(database=str(folder / "m.db"), output=str(folder / "site"))
    shutil.copy(empty_database, settings.database)
    open_database(settings.database)
    world.populate(NOW)
    write_documents()
    problems = {kind: asdict(problem) for kind, problem in KINDS.items()}
    report = build(Edition(NOW, settings, Looks(settings), problems=problems))
    assert (report.failed, report.warnings) == ([], [])
    database.close()
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=settings.output)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
