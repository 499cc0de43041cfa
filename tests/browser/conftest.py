"""The browser, and the sample world as a built site on a port of its own."""

import os
import shutil
import threading
from dataclasses import asdict
from functools import partial
from http.server import ThreadingHTTPServer

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
from tests import world as sample
from tests.browser.status_site import NOW, Quiet, StatusSite, seconds
from tests.pages.test_docs import BODY
from tests.projects import KEY

CHROMIUM = shutil.which("chromium")
WIDE = "| " + " | ".join(f"Column number {n}" for n in range(12)) + " |\n"
NOTES = "https://example.com/bare and a note.[^one]\n\n[^one]: With `code`.\n"
LONG = f"{BODY}\n## Long\n\n{NOTES}\n{WIDE}{'| --- ' * 12}|\n{WIDE}\n`{'word' * 40}`\n"


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
    sample.populate(NOW)
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


@pytest.fixture
def world(tmp_path, empty_database):
    made = StatusSite(tmp_path, empty_database)
    yield made
    made.close()


@pytest.fixture
def visit(browser, world):
    """Open a page at a time of the reader's clock, and count what it asks for."""
    contexts, errors = [], []

    def go(path, at=0, **circumstances):
        context = browser.new_context(base_url=world.url, **circumstances)
        contexts.append(context)
        page = context.new_page()
        page.asked = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda asked: page.asked.append(asked.url))
        if circumstances.get("java_script_enabled", True):
            page.clock.install(time=seconds(at))
        page.goto(path)
        return page

    yield go
    for context in contexts:
        context.close()
    assert errors == []
