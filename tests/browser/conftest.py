"""The browser, and the sample content as a built site on its own port."""

import os
import shutil
import threading
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from http.server import ThreadingHTTPServer
from io import BytesIO
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from api.http.application import create_app
from api.http.problem_types import PROBLEM_TYPES
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.documents.documents import (
    CreateDocument,
    UpdateDocument,
    create_document,
    update_document,
)
from models.projects.documents.publication import PublishDocument, publish_document
from models.projects.files.files import AddFile, add_file
from models.projects.files.uploads import read_upload
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID, Settings
from models.storage.database import database, open_database, writing
from sitegen.builder.build import build
from sitegen.builder.preview import Preview
from sitegen.page import BuildContext
from sitegen.sources.tree import read_tree
from sitegen.theme.console_theme import ConsoleTheme
from sitegen.theme.site_theme import site_theme
from tests import world as sample
from tests.browser.phone import WIDTH, Phone, sign_in
from tests.browser.status_site import (
    NOW,
    POLL_SECONDS,
    StaticHost,
    StatusSite,
    seconds,
)
from tests.factories.projects import KEY
from tests.pages.docs.test_docs import BODY
from tests.ports import served as listening
from tests.samples import rich_document
from tests.samples.openapi_document import DESCRIBED
from tests.trees import PROMETHEUS

# The headless shell is the same engine without windows, which took most of the time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
WIDE = "| " + " | ".join(f"Column number {n}" for n in range(12)) + " |\n"
NOTES = "https://example.com/bare and a note.[^one]\n\n[^one]: With `code`.\n"
LONG = f"{BODY}\n## Long\n\n{NOTES}\n{WIDE}{'| --- ' * 12}|\n{WIDE}\n`{'word' * 40}`\n"

# A page before and after one of its headings is renamed.
NAMED = "Words.\n\n" * 60 + "## Rates\n\nSee [below](#end).\n\n## End\n"
RENAMED = (
    NAMED.replace("Rates", "Quotas")
    + """
| Name | Since | Unit | What it does |
|---|---|---|---|
| size | 1.0 | B | As much as a client may send at once, its headers included |
"""
)
# Headings as people write them: the first is deep, and a level is left out.
UNEVEN = "### First\n\n### Second\n\n## Third\n\n#### Fourth\n"


def pytest_collection_modifyitems(items):
    """Without a browser these tests are skipped; in CI that would hide them."""
    if CHROMIUM is None and not os.environ.get("CI"):
        for item in items:
            if item.path.parent.name == "browser":
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


@pytest.fixture(scope="package")
def browser():
    assert CHROMIUM, "CI needs Chromium: the browser tests may not be skipped there"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield started
        started.close()


def write_files(project):
    """Add the pictures and files of the rich document."""
    for name, content in rich_document.FILES.items():
        request = AddFile(project_id=project.id, name=name)
        with read_upload(name, BytesIO(content), len(content)) as upload, writing():
            add_file(request, upload, NOW, KEY, max_bytes=10**9)


def write_documents():
    """
    Write documents with all Markdown constructs: too wide, plain, uneven, renamed.
    """
    project = ensure_docs_project(NOW, slug="docs", owner_id=NIL_UUID)
    every = {"keys": LONG, "limits": "## Rates\n", "words": UNEVEN}
    every |= {"rich": rich_document.TEXT, "renamed": NAMED}
    write_files(project)
    for slug, content in every.items():
        request = CreateDocument(
            project_id=project.id,
            title=slug.capitalize(),
            slug=slug,
            type="note",
            content=content,
            collection="guides",
            section="Start",
        )
        with writing():
            document = create_document(request, NOW, KEY)
            publish_document(PublishDocument(id=document.id), NOW, KEY)
    with writing():
        renamed = UpdateDocument(id=document.id, content=RENAMED)
        update_document(renamed, NOW, KEY)
        publish_document(PublishDocument(id=document.id), NOW, KEY)


@contextmanager
def served(folder, empty_database, write):
    """
    Serve a separate site, built from the content that `write` creates; yield its URL.
    """
    settings = Settings(database=str(folder / "m.db"), output=str(folder / "site"))
    shutil.copy(empty_database, settings.database)
    open_database(settings.database)
    write()
    problems = {kind: asdict(problem) for kind, problem in PROBLEM_TYPES.items()}
    result = {"problems": problems, "openapi": DESCRIBED}
    report = build(BuildContext(NOW, settings, site_theme(settings), **result))
    assert report.failed == []
    database.close()
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(StaticHost, directory=settings.output)
    )
    listen = partial(server.serve_forever, POLL_SECONDS)
    threading.Thread(target=listen, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def write_world():
    sample.populate(NOW)
    write_documents()


def write_tree():
    """Import a large tree of real documentation, as its owner would."""
    ensure_docs_project(NOW, slug="docs", owner_id=NIL_UUID)
    request = ImportOptions("guides", NOW, KEY, tree=PROMETHEUS.name, publish=True)
    import_documents(read_tree(PROMETHEUS).sources, request)


@pytest.fixture(scope="package")
def site(tmp_path_factory, empty_database):
    """The URL of the built sample site."""
    with served(tmp_path_factory.mktemp("world"), empty_database, write_world) as at:
        yield at


@pytest.fixture(scope="package")
def real_site(tmp_path_factory, empty_database):
    """The URL of a site of real documentation."""
    if not PROMETHEUS.is_dir():
        pytest.skip("The sample tree is not here.")
    with served(tmp_path_factory.mktemp("real"), empty_database, write_tree) as at:
        yield at


@pytest.fixture
def open_strictly(browser):
    """Open an address; errors and requests to other hosts fail the test."""
    contexts, errors, hosts = [], [], {}

    def open_page(address, at=NOW, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        home = urlsplit(address).netloc
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text))
        page.on("dialog", lambda shown: errors.append(shown.message))
        page.on("requestfailed", lambda request: errors.append(request.url))
        page.on("request", lambda request: hosts.setdefault(request.url, home))
        if options.get("java_script_enabled", True):
            page.clock.install(time=at)
        assert page.goto(address).status == 200
        return page

    yield open_page
    for context in contexts:
        context.close()
    outside = [url for url, home in hosts.items() if urlsplit(url).netloc != home]
    assert (errors, outside) == ([], [])


@pytest.fixture
def world(tmp_path, empty_database):
    made = StatusSite(tmp_path, empty_database)
    yield made
    made.close()


@pytest.fixture
def visit(browser, world):
    """
    Open a page at a time of the reader's clock, and record the requests of the page.
    """
    contexts, errors = [], []

    def open_page(path, at=0, **options):
        context = browser.new_context(base_url=world.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.requests = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        if options.get("java_script_enabled", True):
            page.clock.install(time=seconds(at))
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def works(world):
    """Two services that work, just measured; the page is built, the builder dies."""
    for slug in ("api", "mail"):
        world.service(slug)
        world.sample(slug)
    world.build()
    return world


@pytest.fixture
def console(store, settings, clock):
    """The URL of a server with the console and the content of the test."""
    app = create_app(
        settings,
        clock=clock,
        preview=Preview(settings.output),
        console_theme=ConsoleTheme(settings),
    )
    with listening(app, threads=4) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def phone(browser, console, issue):
    """A signed-in phone; script errors and blocked requests fail the test."""
    contexts, errors = [], []

    def collect_error(message):
        # Browsers report an error for the status of a rejected form.
        if not any(f"status of {code}" in message.text for code in (409, 422)):
            errors.append(message.text)

    def open_phone(*scopes, key=None, **options):
        context = browser.new_context(viewport=WIDTH, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", collect_error)
        page.on("dialog", lambda shown: errors.append(shown.message))
        phone = Phone(page, console)
        sign_in(phone, key or issue(*scopes or ["*"]))
        return phone

    yield open_phone
    for context in contexts:
        context.close()
    assert errors == []
