"""Rules for every build, whatever the pages."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from models.audit import last_link
from models.changes import behind, failed_pages, mark
from models.storage.database import database, writing
from sitegen.output.folder import ALL_AREAS, OutputFolder
from sitegen.output.manifest import SHARED, area_of
from sitegen.page import GENERATORS, Page, PageGenerator

pytestmark = pytest.mark.both_engines

ADD = "POST /status/v1/admin/services/add"


def files_in(folder):
    """
    Return every file of a built site by its path, as bytes, without build metadata.
    """
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("[!.]*"))
        if path.is_file()
        and path.parent.name != "builds"
        and path.relative_to(folder).parts[0][0] != "."
    }


@pytest.fixture
def service(api):
    return api(ADD, {"slug": "api", "name": "Public API"}).json["data"]


@pytest.fixture
def extra(monkeypatch):
    """Pages of this test only; a page whose data is `None` cannot be rendered."""
    found = []
    generator = PageGenerator(lambda _: iter(found), SHARED)
    monkeypatch.setitem(GENERATORS, SHARED, [*GENERATORS[SHARED], generator])
    return found


def test_second_build_writes_nothing(build_site, service, clock):
    """Equal data gives equal files, even an hour later, if nothing was measured."""
    assert build_site().written

    again = build_site()
    clock.pass_(hours=1)
    later = build_site()

    assert (again.written, again.removed) == ([], [])
    assert (later.written, later.removed) == ([], [])


def test_build_catches_up(build_site, service):
    """A build records what it has shown, so that no area has unbuilt changes."""
    assert behind() == {"status"}

    build_site()

    assert behind() == set()


def test_page_of_a_removed_service_goes(build_site, api, service, output):
    """
    A page that is no longer generated is removed with its folder; the others stay.
    """
    build_site()
    api("POST /status/v1/admin/services/remove", {"slug": "api"})

    report = build_site(["status"])

    assert {"status/services/api.json", "status/services/api/index.html"} <= {
        *report.removed
    }
    assert all("/api" in each for each in report.removed)
    assert not (output / "status/services").exists()
    assert (output / "problems/not-found/index.html").exists()


def test_incremental_equals_full(build_site, api, service, clock, output, tmp_path):
    """
    A folder that was built incrementally equals one built from nothing, byte for byte.
    """
    build_site()
    clock.pass_(minutes=3)
    api(ADD, {"slug": "mail", "name": "Mail"})
    build_site(["status"])
    api("POST /status/v1/admin/services/remove", {"slug": "api"})
    build_site(["status"])

    build_site(output=tmp_path / "fresh")

    assert files_in(output) == files_in(tmp_path / "fresh")


def test_file_changed_by_hand_is_mended_by_full(build_site, service, output):
    """A full build renders every page again, whatever the manifest says."""
    build_site()
    page = output / "status/index.html"
    right = page.read_bytes()
    page.write_bytes(b"x" * len(right))

    build_site(full=True)

    assert page.read_bytes() == right


def test_file_taken_away_comes_back(build_site, service, output):
    """Any build restores a deleted page."""
    build_site()
    (output / "status/index.html").unlink()

    assert build_site().written == ["status/index.html"]


def test_manifest_describes_every_file(build_site, service, output):
    """Every file except the manifest is listed in it with size, digest and type."""
    build_site()

    data = json.loads((output / "manifest.json").read_text())["files"]

    found = files_in(output)
    del found["manifest.json"], found["build.json"]
    assert {path: entry["size"] for path, entry in data.items()} == {
        path: len(content) for path, content in found.items()
    }
    assert data["status/index.html"]["type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("content", ["", "{", '{"files": []}', '{"files": {"a": 1}}'])
def test_damaged_manifest_is_made_again(build_site, api, service, output, content):
    """A damaged manifest is ignored, and stale pages are removed all the same."""
    build_site()
    right = files_in(output)
    for name in ("manifest.json", ".masthead.status.json"):
        (output / name).write_text(content)
    (output / "status/services/old.json").write_text("{}")

    build_site()

    assert files_in(output) == right


def test_page_that_fails(build_site, service, extra, output):
    """
    If a page fails, its last version stays, the failure is reported, and the others are
    built.
    """
    extra.append(Page("extra/index.html", {}, template="404.html", title="Extra"))
    build_site()
    before = (output / "extra/index.html").read_bytes()
    extra[0] = Page("extra/index.html", {"changed": 1}, template="no-such.html")

    report = build_site()

    assert [path for path, _, _ in report.failed] == ["extra/index.html"]
    assert (output / "extra/index.html").read_bytes() == before
    assert [row.path for row in failed_pages()] == ["extra/index.html"]


def test_page_that_fails_is_tried_again(build_site, extra, output):
    """Once a failed page can be rendered, it is written, and the failure is cleared."""
    extra.append(Page("extra/index.html", {}, template="no-such.html"))
    build_site()
    extra[0] = Page("extra/index.html", {}, template="404.html", title="Extra")

    build_site()

    assert (output / "extra/index.html").exists()
    assert failed_pages() == []


def live(output):
    return json.loads((output / "build.json").read_text())


def test_generation_of_a_write_becomes_live(build_site, api, output):
    """The response to a write has the generation that will show it."""
    build_site()
    answer = api(ADD, {"slug": "api", "name": "Public API"})
    generation = int(answer.headers["Site-Generation"])
    assert live(output)["generation"] < generation

    build_site(["status"])

    assert live(output)["generation"] >= generation


def test_generation_waits_for_every_area(build_site, api, output, store):
    """A generation is not live before later changes of other areas are shown."""
    api(ADD, {"slug": "api", "name": "Public API"})
    build_site()
    mine = api(ADD, {"slug": "mail", "name": "Mail"}).headers["Site-Generation"]
    with writing():
        mark("docs")

    build_site(["docs"])

    assert live(output)["generation"] < int(mine)


def test_generation_stays_while_a_page_fails(build_site, service, extra, output):
    """A generation with a failed page is not live."""
    build_site()
    before = live(output)
    extra.append(Page("extra/index.html", {}, template="no-such.html"))
    with writing():
        mark("status")

    build_site()

    assert live(output) == before


def test_newest_link_of_each_audit_is_public(build_site, service, output):
    """
    The links of audit logs are public, so that readers can prove a truncation later.
    """
    build_site()

    assert live(output)["audit"] == {
        "platform": "",
        "projects": "",
        "status": last_link("status"),
    }
    assert last_link("status") != ""


def test_other_front_page(build_site, service, settings, output):
    """The front page can switch to a page of another area and back without a gap."""
    build_site()
    documents = (output / "index.html").read_text()

    build_site(settings=replace(settings, front="status"))
    status = (output / "index.html").read_text()
    build_site()

    assert "Public API" in status
    assert (output / "index.html").read_text() == documents != status


@pytest.mark.parametrize("area", ["docs", "shared", "status"])
def test_pages_of_other_areas_after_a_death(build_site, settings, output, area):
    """A build after a crashed one removes no pages of other areas."""
    own = replace(settings, front="status")
    build_site(settings=own)
    right = files_in(output)
    OutputFolder(str(output), area).mark_unfinished()

    build_site(settings=own)

    assert files_in(output) == right


def test_areas_by_path(build_site, service, docs_project, output):
    """The area of a file is known from its path, if no manifest lists it."""
    docs_project.publish("welcome")
    build_site()

    for area in ALL_AREAS:
        manifest = json.loads((output / f".masthead.{area}.json").read_text())
        assert manifest["files"]
        for path, entry in manifest["files"].items():
            assert (area_of(path), entry["area"]) == (area, area), path


def test_documents_that_took_long(
    build_site, docs_project, api, clock, settings, output
):
    """
    Files that all areas share are as of the end of a build, even of a long one: an
    incident in between stays on the front page.
    """
    api(ADD, {"slug": "api", "name": "Public API"})
    build_site()
    docs_project.publish("long")
    incident = {"title": "Errors", "severity": "degraded", "body": "Looking."}

    def open_incident():
        api("POST /status/v1/admin/incidents/add", incident | {"services": ["api"]})
        build_site(["status"])
        database.close()

    def meanwhile(pages):
        # The build reads from a snapshot that this thread has.
        with ThreadPoolExecutor(1) as other:
            other.submit(open_incident).result()
        yield from pages

    build_site(["docs"], progress=meanwhile)

    assert "Errors" in (output / "index.html").read_text()
    assert "/guides/long/" in (output / "index.html").read_text()
