"""
Measure the console: its pages with many services, documents and keys, and the tasks of
users on a phone, in taps, texts and seconds.
"""

import gzip
import http.client
import re
import shutil
import time
from datetime import timedelta
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

from bench import keys, services, tree
from bench.server import app_server, full_access_key, now
from models.instance import create_instance_secrets
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.fields import Actor
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID, Settings
from models.storage.database import database, migrate, open_database, writing
from sitegen.sources.tree import read_tree
from tests import world
from tests.browser.phone import FLOWS, WIDTH, Phone, sign_in
from tests.factories.manual import import_basics
from tests.ports import free_port

SERVICES, DOCUMENTS, KEYS = 500, 10_000, 1_000
REQUESTS = 40
MOST_MS = 100
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")


def run():
    with TemporaryDirectory() as folder:
        yield from measure_pages(Path(folder))
    with TemporaryDirectory() as folder:
        yield from measure_flows(Path(folder))


def measure_pages(folder):
    """Yield the time of each page of the menu, with as much as a large team has."""
    settings, secret = new_instance(folder)
    fill(folder)
    database.close()
    with app_server(settings, settings.port):
        browser = Browser(settings.port, secret)
        paths = browser.menu()
        times = {path: browser.milliseconds(path) for path in paths}
        size = browser.weight()
    crowd = f"{SERVICES} services, {DOCUMENTS:,} documents, {KEYS:,} keys"
    for path, milliseconds in times.items():
        yield f"{path} with {crowd}, p95 ms", f"{milliseconds:.0f}", f"<= {MOST_MS}"
    yield "HTML, CSS and script of the front page, KB", f"{size / 1000:.1f}", "<= 60"


def measure_flows(folder):
    """Yield taps, texts and seconds of users' tasks on a phone."""
    settings, secret = new_instance(folder)
    world.populate(now())
    import_basics(now())
    database.close()
    with app_server(settings, settings.port), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        page = chromium.new_page(viewport=WIDTH)
        phone = Phone(page, f"http://127.0.0.1:{settings.port}")
        for label, flow in [
            ("sign in", lambda phone_page: sign_in(phone_page, secret)),
            *FLOWS,
        ]:
            phone.taps = phone.texts = 0
            started = time.perf_counter()
            flow(phone)
            seconds = time.perf_counter() - started
            effort = f"{phone.taps} taps, {phone.texts} texts"
            yield f"390 px: {label}", f"{effort}, {seconds:.1f} s", ""
        chromium.close()


def new_instance(folder):
    """Return the settings of a new instance, which is open, and a key of it."""
    settings = Settings(
        database=str(folder / "m.db"), output=str(folder / "site"), port=free_port()
    )
    open_database(settings.database)
    migrate()
    with writing():
        create_instance_secrets()
    return settings, full_access_key()


def fill(folder):
    """Write as much as a large team has; documents are not published."""
    services.fill(SERVICES)
    keys.fill(KEYS)
    content = folder / "content"
    tree.write_tree(content, DOCUMENTS)
    ensure_docs_project(now(), slug="docs", owner_id=NIL_UUID)
    actor = Actor("account", NIL_UUID)
    options = ImportOptions("guides", now() - timedelta(seconds=1), actor, tree="bench")
    import_documents(read_tree(content).sources, options)


class Browser:
    """A signed-in visitor, on one connection."""

    def __init__(self, port, secret):
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        form["Sec-Fetch-Site"] = "same-origin"
        body = urlencode({"key": secret})
        self._connection.request("POST", "/console/sign-in/", body, form)
        response = self._connection.getresponse()
        response.read()
        cookie = response.getheader("Set-Cookie").partition(";")[0]
        self._headers = {"Cookie": cookie}

    def get(self, path):
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        assert response.status == 200, (path, response.status, body[:500])
        return body

    def menu(self):
        front = self.get("/console/").decode()
        return re.findall(r'<li><a href="(/console/[^"]*)"', front)

    def milliseconds(self, path):
        """Return the 95th percentile of a page's time."""
        times = []
        for _ in range(REQUESTS):
            started = time.perf_counter()
            self.get(path)
            times.append((time.perf_counter() - started) * 1000)
        return quantiles(times, n=20)[-1]

    def weight(self):
        """Return the compressed bytes of the front page with all that it loads."""
        front = self.get("/console/")
        loaded = re.findall(
            r'(?:src|stylesheet" href)="(/console/[^"]+)"', front.decode()
        )
        return sum(len(gzip.compress(body)) for body in [front, *map(self.get, loaded)])
