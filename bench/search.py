"""Measure the downloads of a search of 10,000 documents, and its index updates."""

import gzip
import json
import random
import re
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread

from playwright.sync_api import sync_playwright

from bench.server import empty_database, now
from models.projects.documents.documents import (
    CreateDocument,
    UpdateDocument,
    create_document,
    update_document,
)
from models.projects.documents.publication import PublishDocument, publish_document
from models.projects.fields import Actor
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID, Settings
from models.storage.database import reading, writing
from sitegen import front_page  # noqa: F401  (it has the search box)
from sitegen.builder.build import build
from sitegen.docs import pages
from sitegen.docs.collections import docs_collections
from sitegen.page import GENERATORS, BuildContext, PageGenerator
from sitegen.search import pages as search
from sitegen.search import status  # noqa: F401  (the search reads its file, too)
from sitegen.theme.theme import Theme
from tests.browser.conftest import CHROMIUM

DOCUMENTS, DOCUMENT_WORDS, VOCABULARY_SIZE, PUBLICATIONS = 10_000, 640, 30_000, 39
ACTOR = Actor("key", NIL_UUID)
SYLLABLES = re.findall("..", "bacedifogulameniporusatevixozaeralinonurestkyjaquwe")

rng = random.Random(6)
VOCABULARY = [
    "".join(rng.choices(SYLLABLES, k=2 + n % 3)) for n in range(VOCABULARY_SIZE)
]
# By Zipf's law, the n-th word is about n times rarer than the first. A text of 4 KB
# has 300 different words; prose of this size has 250.
CUMULATIVE_WEIGHTS = list(accumulate((n + 2.7) ** -1.2 for n in range(VOCABULARY_SIZE)))
QUERIES = {
    "two common words": f"{VOCABULARY[40]} {VOCABULARY[300]}",
    "two rare words": f"{VOCABULARY[900]} {VOCABULARY[2500]}",
    "two words on every page": f"{VOCABULARY[5]} {VOCABULARY[7]}",
}


def run():
    with empty_database() as (path, _), TemporaryDirectory() as folder:
        settings = Settings(database=path, output=folder)
        ids = fill()
        context = partial(BuildContext, now(), settings, Theme(settings))
        started = time.perf_counter()
        with reading():
            files = index_files(context(), {})
        seconds = f"{time.perf_counter() - started:.1f}"
        yield f"full index of {DOCUMENTS:,} documents, s", seconds, ""
        total = sum(compressed_size(content) for _, content in files.values())
        size = f"{len(files)} files, {total / 1e6:.1f} MB"
        yield "size of the index, compressed", size, ""
        milliseconds, sizes = measure_publications(ids, context, files)
        label = "index update by a publication, median ms"
        yield label, f"{median(milliseconds):.0f}", "<= 40"
        label = "files changed by a publication, median KB"
        yield label, f"{median(sizes) / 1000:.1f}", "< 5"
        below_target = sum(size < 5000 for size in sizes)
        yield "publications under 5 KB", f"{below_target} of {len(sizes)}", ""
        write_site(context())
        for label, query in QUERIES.items():
            size, result = search_in_browser(folder, query)
            yield f"{label}, KB ({result})", f"{size / 1000:.1f}", "<= 40"


def measure_publications(ids, context, files):
    """Publish new bodies; return the milliseconds and changed bytes of every index."""
    milliseconds, sizes = [], []
    for number in range(PUBLICATIONS):
        with writing():
            request = UpdateDocument(id=ids[number * 97], content=body())
            update_document(request, now(), ACTOR)
            publish_document(PublishDocument(id=request.id), now(), ACTOR)
        with reading():
            new_context = context()
            # A build has loaded the collections before it updates the index.
            docs_collections(new_context)
            started = time.perf_counter()
            new_files = index_files(new_context, files)
            milliseconds.append((time.perf_counter() - started) * 1000)
        sizes.append(
            sum(
                compressed_size(content)
                for path, (key, content) in new_files.items()
                if files.get(path) != (key, content)
            )
        )
        files = new_files
    return milliseconds, sizes


def index_files(context, previous):
    """Return every file's key and content; reuse the content if the key is the same."""
    files = {}
    for page in search.index(context):
        key = page.digest
        if page.path in previous and previous[page.path][0] == key:
            files[page.path] = previous[page.path]
        else:
            text = json.dumps(
                page.load_data(), ensure_ascii=False, separators=(",", ":")
            )
            files[page.path] = key, text.encode()
    return files


def write_site(context):
    """Build the documents and the search index, but no other pages of the docs site."""
    generators = GENERATORS["docs"]
    functions = (pages.documents, search.index)
    GENERATORS["docs"] = [PageGenerator(function, "docs") for function in functions]
    build(context)
    GENERATORS["docs"] = generators


def search_in_browser(folder, query):
    """Search in a browser; return the compressed bytes downloaded and the result."""
    handler = partial(QuietHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox"]
            )
            page, requests = browser.new_page(), []
            page.on("requestfinished", lambda request: requests.append(request))
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            page.keyboard.press("/")
            page.keyboard.insert_text(query)
            page.wait_for_selector(".results li p:not(.where)")
            page.wait_for_load_state("networkidle")
            summary = page.locator(".results .found").inner_text()
            bodies = [
                request.response().body()
                for request in requests
                if request.resource_type == "fetch"
            ]
            browser.close()
        server.shutdown()
    return sum(map(compressed_size, bodies)), f"{summary}, {len(bodies)} files"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def compressed_size(content):
    return len(gzip.compress(content, 9, mtime=0))


def fill():
    project = ensure_docs_project(now(), slug="docs", owner_id=NIL_UUID)
    ids = []
    with writing():
        for number in range(DOCUMENTS):
            request = CreateDocument(
                project_id=project.id,
                title=f"{words(3)} {number}",
                slug=f"page-{number}",
                type="note",
                content=body(),
                collection="guides",
                section=f"Section {number // 100}",
            )
            document = create_document(request, now(), ACTOR)
            publish_document(PublishDocument(id=document.id), now(), ACTOR)
            ids.append(document.id)
    return ids


def body():
    parts = (f"## {words(3)}\n\n{words(DOCUMENT_WORDS // 8)}.\n" for _ in range(8))
    return "\n".join(parts)


def words(count):
    return " ".join(
        rng.choices(VOCABULARY, cum_weights=CUMULATIVE_WEIGHTS, k=count)
    ).capitalize()
