"""Search at 10,000 documents of 4 KB: what a query loads, what a publish changes."""

import gzip
import json
import random
import re
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate, chain
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
from sitegen import front_page  # noqa: F401  (the front has the box)
from sitegen.build.build import build
from sitegen.docs import pages
from sitegen.docs.collections import docs_collections
from sitegen.page import GENERATORS, BuildContext, PageBatch, PageGenerator
from sitegen.search import pages as search
from sitegen.theme.theme import Theme
from tests.browser.conftest import CHROMIUM

DOCUMENTS, WORDS, VOCABULARY, TURNS = 10_000, 640, 30_000, 39
BENCH = Actor("key", NIL_UUID)
SYLLABLES = re.findall("..", "bacedifogulameniporusatevixozaeralinonurestkyjaquwe")

chance = random.Random(6)
NAMES = ["".join(chance.choices(SYLLABLES, k=2 + n % 3)) for n in range(VOCABULARY)]
# The n-th word is about n times rarer than the first, as in any language; so a text
# of 4 KB has 300 different words. Prose of this size has 250.
SHARES = list(accumulate((n + 2.7) ** -1.2 for n in range(VOCABULARY)))
QUERIES = {
    "two usual words": f"{NAMES[40]} {NAMES[300]}",
    "two rare words": f"{NAMES[900]} {NAMES[2500]}",
    "two words of every page": f"{NAMES[5]} {NAMES[7]}",
}


def run():
    with empty_database() as (path, _), TemporaryDirectory() as folder:
        settings = Settings(database=path, output=folder)
        ids = fill()
        context = partial(BuildContext, now(), settings, Theme(settings))
        started = time.perf_counter()
        with reading():
            files = made(context(), {})
        yield "10,000 documents indexed, s", f"{time.perf_counter() - started:.1f}", ""
        total = sum(map(compressed, (content for _, content in files.values())))
        told = f"{len(files)} files, {total / 1e6:.1f} MB"
        yield "the index, compressed", told, ""
        spent, changed = publications(ids, context, files)
        yield "search of a build after a publish, median ms", f"{spent:.0f}", "<= 40"
        middle, most = median(changed) / 1000, sum(each < 5000 for each in changed)
        yield "a new body changes, median KB", f"{middle:.1f}", "< 5"
        yield "publications under 5 KB", f"{most} of {len(changed)}", ""
        write_site(context())
        for what, query in QUERIES.items():
            loaded, answers = loads(folder, query)
            yield f"{what} load ({answers}), KB", f"{loaded / 1000:.1f}", "<= 40"


def publications(ids, context, files):
    """Give documents other bodies one by one; return ms and the bytes of each."""
    spent, changed = [], []
    for number in range(TURNS):
        with writing():
            asked = UpdateDocument(id=ids[number * 97], content=body())
            update_document(asked, now(), BENCH)
            publish_document(PublishDocument(id=asked.id), now(), BENCH)
        with reading():
            following = context()
            docs_collections(following)
            started = time.perf_counter()
            after = made(following, files)
            spent.append((time.perf_counter() - started) * 1000)
        other = (
            content
            for path, (_, content) in after.items()
            if files.get(path) != after[path]
        )
        changed.append(sum(map(compressed, other)))
        files.clear()
        files |= after
    return median(spent), changed


def made(context, before):
    """Return key and content of every file, made only where the key is new."""
    found = {}
    for page in search.index(context):
        key = page.digest
        if page.path in before and before[page.path][0] == key:
            found[page.path] = before[page.path]
        else:
            told = json.dumps(
                page.load_data(), ensure_ascii=False, separators=(",", ":")
            )
            found[page.path] = key, told.encode()
    return found


def write_site(context):
    """Build what a search asks for: no HTML of documents."""
    generators = GENERATORS["docs"]
    functions = (twins, search.index)
    GENERATORS["docs"] = [PageGenerator(each, "docs") for each in functions]
    build(context)
    GENERATORS["docs"] = generators


def twins(context):
    for item in pages.documents(context):
        if isinstance(item, PageBatch):
            groups = (group.pages for group in item)
            yield from (p for p in chain.from_iterable(groups) if not p.template)


def loads(folder, query):
    """Ask in a browser; return the bytes that were fetched and what was found."""
    handler = partial(Quiet, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox"]
            )
            page, fetched = browser.new_page(), []
            page.on("requestfinished", lambda asked: fetched.append(asked))
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            page.keyboard.press("/")
            page.keyboard.insert_text(query)
            page.wait_for_selector(".results li p:not(.where)")
            page.wait_for_load_state("networkidle")
            said = page.locator(".results .found").inner_text()
            bodies = [
                r.response().body() for r in fetched if r.resource_type == "fetch"
            ]
            browser.close()
        server.shutdown()
    return sum(map(compressed, bodies)), f"{said}, {len(bodies)} files"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def compressed(content):
    return len(gzip.compress(content, 9, mtime=0))


def fill():
    project = ensure_docs_project(now(), slug="docs", owner_id=NIL_UUID)
    ids = []
    with writing():
        for number in range(DOCUMENTS):
            asked = CreateDocument(
                project_id=project.id,
                title=f"{words(3)} {number}",
                slug=f"page-{number}",
                type="note",
                content=body(),
                collection="guides",
                section=f"Section {number // 100}",
            )
            document = create_document(asked, now(), BENCH)
            publish_document(PublishDocument(id=document.id), now(), BENCH)
            ids.append(document.id)
    return ids


def body():
    parts = (f"## {words(3)}\n\n{words(WORDS // 8)}.\n" for _ in range(8))
    return "\n".join(parts)


def words(count):
    return " ".join(chance.choices(NAMES, cum_weights=SHARES, k=count)).capitalize()
