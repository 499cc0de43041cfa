"""The order in which a change reaches the output folder."""

import re
from pathlib import Path

import pytest

import sitegen.page
from models.site_addresses import file_for
from sitegen.output.folder import OutputFolder
from sitegen.page import WITHOUT_PAGES
from sitegen.urls import HOW
from tests.factories.status import UPDATE_INCIDENT, World

DAY = 24 * 60 * 60


@pytest.fixture
def world(api, clock):
    made = World(api, clock)
    made.service("api")
    made.service("mail")
    return made


LINK = re.compile(r'<a [^>]*href="(?:http://127.0.0.1:8000)?(/status/[^"#?]*)"')


def linked_files(page):
    """Return the files of the status area that a page links to."""
    return set(map(file_for, LINK.findall(page.read_text(encoding="utf-8"))))


@pytest.fixture
def dead_links(monkeypatch, output):
    """
    Return the links of status pages that are broken when the pages are moved into
    place.

    Of pages that link to each other, directly or through the two permanent pages, not
    all can be first.
    """
    found, moved = set(), OutputFolder._rename

    def move(folder, draft, target):
        moved(folder, draft, target)
        page = Path(target).relative_to(output)
        if page.parts[0] == "status" and page.suffix == ".html" and str(page) != HOW:
            links = linked_files(output / page) - {"status/index.html"}
            found.update(
                (str(page), file) for file in links if not (output / file).exists()
            )

    def dead():
        return {
            (page, file)
            for page, file in found
            if not (output / file).exists() or page not in linked_files(output / file)
        }

    monkeypatch.setattr(OutputFolder, "_rename", move)
    return dead


def test_incident_comes_first(world, build_site, output):
    """An incident's page and the overview wait for no other changed page."""
    build_site()
    id = world.incident("api mail")

    written = build_site(["status"]).written

    assert written[:4] == [
        f"status/incidents/{id}.json",
        f"status/incidents/{id}/index.html",
        "status/index.json",
        "status/index.html",
    ]
    assert len(written) > 20


def test_incident_waits_for_no_other_file(world, build_site, output, monkeypatch):
    """Readers get an incident before any other page is rendered."""
    build_site()
    id, seen, write = world.incident("api mail"), [], OutputFolder.write

    def note(folder, path, content):
        seen.append((path, (output / f"status/incidents/{id}/index.html").exists()))
        write(folder, path, content)

    monkeypatch.setattr(OutputFolder, "write", note)
    build_site(["status"])

    urgent = [f"status/incidents/{id}.json", f"status/incidents/{id}/index.html"]
    urgent += ["status/index.json", "status/index.html"]
    assert [path for path, is_shown in seen if not is_shown] == urgent
    assert len(seen) > 20


def test_pages_wait_for_what_they_link_to(api, world, build_site, dead_links):
    """No page of the status area is visible before the pages it links to."""
    for days in (200, 100, 1):
        id = world.incident("api mail", started=-days * DAY)
        api(UPDATE_INCIDENT, {"id": id, "status": "resolved"})
    world.incident("api")
    world.window("mail", 60, 120)
    world.window("mail api", -2 * DAY, -DAY)
    build_site()
    assert dead_links() == set()
    world.service("search")
    world.incident("search api")
    world.window("search", 60, 120)

    written = build_site(["status"]).written

    assert dead_links() == set()
    place = written.index("status/index.html")
    assert place > written.index("status/services/search/index.html")


def test_stage_by_stage(docs_project, world, build_site):
    """Pages precede the lists that link to them, and these precede the front page."""
    for slug in ("first", "second"):
        docs_project.publish(slug)

    written = build_site().written

    places = {path: place for place, path in enumerate(written)}
    pages = [f"guides/{slug}/index.html" for slug in ("first", "second")]
    assert max(places[path] for path in pages) < places["guides/index.html"]
    assert places["guides/index.html"] < places["index.html"]
    service = places["status/services/api/index.html"]
    assert places["status/services/api/feed.atom"] < service
    assert service < places["status/index.html"]
    assert places["status/feed.atom"] < places["status/index.html"]
    assert places["sitemaps/guides-1.xml"] < places["sitemap.xml"]


def test_modules_that_are_not_loaded_declare_no_pages():
    """Modules that a build does not import declare no pages, which would be missing."""
    root = Path(sitegen.page.__file__).parents[1]
    for package in WITHOUT_PAGES:
        modules = list((root / package.replace(".", "/")).rglob("*.py"))
        assert modules, package
        assert not [path for path in modules if "@pages(" in path.read_text()]


def test_address_and_file():
    """An address is served from its file."""
    for address, path in (
        ("/", "index.html"),
        ("/status/", "status/index.html"),
        ("/status/feed.atom", "status/feed.atom"),
    ):
        assert file_for(address) == path
