"""Corrected and removed updates on the pages, in the feeds and in the JSON."""

import json
from pathlib import Path

import pytest

from models.status.incidents.corrections import REMOVED_BODY
from tests.factories.status import (
    ADD_UPDATE,
    CORRECT_UPDATE,
    GET_INCIDENT,
    REMOVE_UPDATE,
    World,
)

SECRET = "swordfish"


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api", name="Public API")
    return world


@pytest.fixture
def incident(world, clock):
    """An incident, opened a second after noon."""
    clock.pass_(seconds=1)
    return world.incident("api", title="Errors")


@pytest.fixture
def post(api, clock, incident):
    """Post an update a minute after the last change; return its id."""

    def posted(body, **more):
        clock.pass_(minutes=1)
        payload = {"incidentId": incident, "body": body} | more
        return api(ADD_UPDATE, payload).json["data"]["id"]

    return posted


@pytest.fixture
def change(api, clock):
    def changed(route, id, **more):
        clock.pass_(hours=1)
        assert api(route, {"id": id} | more).status_code == 200

    return changed


@pytest.fixture
def site(settings, build_site):
    """Build the site, and return a function that reads its files."""

    def built():
        build_site()
        return lambda name: (Path(settings.output) / name).read_text(encoding="utf-8")

    return built


def everything(settings):
    """Return the text of all files of the site together."""
    files = (path for path in Path(settings.output).rglob("*") if path.is_file())
    return "\n".join(path.read_text(errors="replace") for path in files)


def test_edited_update(incident, post, change, site):
    """The page has the corrected text, at the time of the update, marked as edited."""
    change(CORRECT_UPDATE, post("A tpyo."), body="A typo.")

    page = site()(f"status/incidents/{incident}/index.html")

    assert "A typo." in page
    assert "A tpyo." not in page
    assert page.count("edited <time") == 1
    assert '<time datetime="2026-03-01T12:01:01.000Z" data-utc="" data-ago>' in page
    assert 'edited <time datetime="2026-03-01T13:01:01.000Z" data-utc="">' in page


def test_removed_words_are_nowhere(incident, post, change, site, settings):
    """The text of a removed update is in no file of the site, including the search."""
    id = post(f"The password is {SECRET}.", status="identified")
    site()
    assert SECRET in everything(settings)

    change(REMOVE_UPDATE, id)
    page = site()(f"status/incidents/{incident}/index.html")

    assert SECRET not in everything(settings)
    assert f"<em>{REMOVED_BODY}</em>" in page
    assert "2026-03-01T12:01:01.000Z" in page
    assert "Identified" not in page
    (index,) = (Path(settings.output) / "search").glob("status-*.json")
    assert "removed" not in index.read_text()


def test_json_twin(api, incident, post, change, site):
    """The JSON on the site is that of the API, without additional fields."""
    change(CORRECT_UPDATE, post("One."), body="Two.")
    change(REMOVE_UPDATE, post("Three."))

    exported = json.loads(site()(f"status/incidents/{incident}.json"))

    assert exported == api(GET_INCIDENT, {"id": incident}).json
    assert set(exported["data"]["updates"][0]) == {
        "id",
        "incidentId",
        "status",
        "body",
        "createdAt",
    }


def test_feeds(incident, post, change, site):
    """
    A correction keeps the entry's id and place, so that readers do not see it as new.
    """
    first, second, third = post("One."), post("Two."), post("Three.")
    before = json.loads(site()("status/feed.json"))["items"]

    change(CORRECT_UPDATE, first, body="First.")
    change(REMOVE_UPDATE, second)
    read = site()
    after = json.loads(read("status/feed.json"))["items"]

    ids = [f"urn:uuid:{id}" for id in (third, second, first)]
    for items in (before, after):
        assert [item["id"] for item in items][:3] == ids
        assert [item["date_published"][11:16] for item in items][:3] == [
            "12:03",
            "12:02",
            "12:01",
        ]
    assert [item["date_modified"][11:16] for item in after][:3] == [
        "12:03",
        "14:03",
        "13:03",
    ]
    assert after[1]["title"] == "Update removed: Errors"
    assert REMOVED_BODY in after[1]["content_html"]
    assert "First." in after[2]["content_html"]
    assert "12:02:01" in read("status/feed.rss")
    assert "14:03:01" not in read("status/feed.rss")
    assert "<updated>2026-03-01T14:03:01.000Z</updated>" in read("status/feed.atom")


def test_statuspage(incident, post, change, site):
    """Clients of Statuspage v2 see when an update was corrected or removed."""
    monitoring = post("One.", status="monitoring")
    change(CORRECT_UPDATE, monitoring, body="First.", status="identified")
    change(REMOVE_UPDATE, post("Two.", status="resolved"))

    (found,) = json.loads(site()("api/v2/incidents.json"))["incidents"]

    removed, corrected, _ = found["incident_updates"]
    assert (found["status"], found["resolved_at"]) == ("identified", None)
    assert found["monitoring_at"] is None
    assert (removed["body"], removed["status"]) == (REMOVED_BODY, "identified")
    assert corrected["body"] == "First."
    assert corrected["display_at"] == corrected["created_at"]
    assert corrected["updated_at"] > corrected["created_at"]
