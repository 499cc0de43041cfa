"""
Make the pictures of the README from the sample world: `make pictures`.

The clock stands still, so that equal pages give equal pictures. Each picture has a
second file for the dark colour scheme.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from api.http.application import create_app
from api.http.problem_types import PROBLEM_TYPES
from api.openapi.document import current_openapi
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.fields import Actor
from models.runtime.startup import open_instance
from models.settings import NIL_UUID, Settings
from models.storage.database import database
from sitegen.builder.build import build
from sitegen.builder.preview import Preview
from sitegen.page import BuildContext, load_generators
from sitegen.sources.tree import read_tree
from sitegen.theme.console_theme import ConsoleTheme
from sitegen.theme.theme import Theme
from tests import world
from tests.ports import served

FOLDER = Path(__file__).parent
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
# With one thread that draws, edges of shapes are the same each time.
ARGUMENTS = ["--no-sandbox", "--disable-partial-raster", "--num-raster-threads=1"]
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
KEY_PREFIX = "mh_p7QxT2mZ"
# What the names of the files of a colour scheme end in.
SCHEMES = {"light": "", "dark": "-dark"}
WIDTH, PHONE_WIDTH = 1280, 390
# The height of a picture that shows all of its page.
WHOLE_PAGE = 0
# The path of a page, and the height of the picture.
PAGES = {
    "status": ("status/", 1180),
    "document": ("guides/status-page/posting-measurements/", 1000),
    "search": ("search/?q=publish+version", 900),
}


def main() -> None:
    """Build the site, and take the pictures in each colour scheme."""
    with served_site() as (address, key), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for scheme, ending in SCHEMES.items():
            for name, picture in pictures(browser, scheme, address, key):
                file = FOLDER / f"{name}{ending}.png"
                file.write_bytes(picture)
                sys.stdout.write(f"{file.name}: {len(picture):,} bytes\n")
        browser.close()


@contextmanager
def served_site() -> Iterator[tuple[str, str]]:
    """Serve the demo's content as it is at one moment; yield the address and a key."""
    with TemporaryDirectory() as folder:
        settings = Settings(database=f"{folder}/masthead.db", output=f"{folder}/site")
        open_instance(settings, NOW)
        world.populate(NOW)
        actor = Actor("account", NIL_UUID)
        options = ImportOptions("guides", NOW, actor, tree="manual", publish=True)
        import_documents(read_tree(FOLDER.parent).sources, options)
        load_generators()
        context = BuildContext(
            NOW,
            settings,
            Theme(settings),
            problems={kind: asdict(each) for kind, each in PROBLEM_TYPES.items()},
            openapi=current_openapi(settings.site_name),
        )
        build(context)
        app = create_app(
            settings,
            clock=lambda: NOW,
            preview=Preview(settings.output),
            console_theme=ConsoleTheme(settings),
        )
        with served(app, threads=4) as port:
            yield f"http://127.0.0.1:{port}", world.people(NOW).operator
        database.close()


def pictures(
    browser: Browser, scheme: str, address: str, key: str
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each picture in a colour scheme."""
    with reader(browser, scheme, address, WIDTH) as page:
        for name, (path, height) in PAGES.items():
            yield name, picture(page, path, height)
        page.goto("status/")
        incident = page.locator("main a[href*='/status/incidents/']").first
        yield "incident", picture(page, incident.get_attribute("href") or "", 800)
        sign_in(page, key)
        show(page, "console/")
        # The same in every run, as everything else.
        prefix = page.get_by_text(key[: len(KEY_PREFIX)], exact=True)
        prefix.evaluate("(element, text) => element.replaceChildren(text)", KEY_PREFIX)
        yield "console", photograph(page, 760)
    with reader(browser, scheme, address, PHONE_WIDTH) as page:
        sign_in(page, key)
        show(page, "console/incidents/open/")
        describe_incident(page)
        yield "console-incident", photograph(page, WHOLE_PAGE)


@contextmanager
def reader(browser: Browser, scheme: str, address: str, width: int) -> Iterator[Page]:
    """Open a page of a browser whose clock stands still as well."""
    context: BrowserContext = browser.new_context(
        base_url=f"{address}/",
        color_scheme=scheme,
        viewport={"width": width, "height": 844},
        locale="en-GB",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.clock.install(time=NOW)
    yield page
    context.close()


def picture(page: Page, path: str, height: int) -> bytes:
    show(page, path)
    return photograph(page, height)


def show(page: Page, path: str) -> None:
    """Open a page a second time, since a font that came late is not used at first."""
    response = page.goto(path)
    assert response is not None
    assert response.ok, path
    page.wait_for_load_state("networkidle")
    page.reload()


def photograph(page: Page, height: int) -> bytes:
    """Return the upper part of a page as a PNG, once everything on it is shown."""
    if height:
        page.set_viewport_size({"width": WIDTH, "height": height})
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")
    shot = page.screenshot(full_page=not height, animations="disabled", caret="hide")
    return compress(shot)


def compress(png: bytes) -> bytes:
    """Return the same pixels in fewer bytes, and without transparency."""
    target = BytesIO()
    Image.open(BytesIO(png)).convert("RGB").save(target, "PNG", optimize=True)
    return min(png, target.getvalue(), key=len)


def sign_in(page: Page, key: str) -> None:
    page.goto("console/")
    page.get_by_label("Key", exact=True).fill(key)
    page.get_by_role("button", name="Sign in", exact=True).click()


def describe_incident(page: Page) -> None:
    """Fill in the form for a new incident, as one would in a hurry."""
    page.get_by_label("Title", exact=True).fill("Search returns old results")
    page.get_by_placeholder("Search Services").fill("search")
    page.get_by_label("Search", exact=True).check()
    page.get_by_label("Degraded", exact=True).check()
    page.get_by_label("Message", exact=True).fill(
        "New documents are not found yet. We are rebuilding the index."
    )
    page.evaluate("document.activeElement.blur()")


if __name__ == "__main__":
    main()
