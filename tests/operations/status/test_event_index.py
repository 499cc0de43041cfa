"""The index of incidents and windows, which reads only what has changed."""

import pytest

from models.status.incidents.incidents import IncidentRow
from models.status.snapshot.event_index import (
    EventIndex,
    read_event_index,
    read_service_versions,
)

ADMIN = "POST /status/v1/admin"

pytestmark = pytest.mark.both_engines


@pytest.fixture
def written(api, clock):
    """Two services, two incidents and two windows, a minute after each other."""
    ids = {}

    def add(name, operation, body):
        clock.pass_(minutes=1)
        ids[name] = api(f"{ADMIN}/{operation}", body).json["data"]["id"]

    for slug in ("mail", "shop"):
        api(f"{ADMIN}/services/add", {"slug": slug, "name": slug.title()})
        incident = {"title": slug, "severity": "degraded", "body": "Looking."}
        add(f"{slug} incident", "incidents/add", incident | {"services": [slug]})
        window = {"title": slug, "services": [slug], "endsAt": "2026-03-02T13:00:00Z"}
        window |= {"startsAt": "2026-03-02T12:00:00Z"}
        add(f"{slug} window", "maintenance/add", window)
    update = {
        "incidentId": ids["mail incident"],
        "body": "Found.",
        "status": "monitoring",
    }
    add("update", "incident-updates/add", update)
    clock.pass_(minutes=1)
    return ids


@pytest.mark.parametrize(
    ("operation", "name", "body"),
    [
        ("incidents/update", "mail incident", {"title": "Mail is slow"}),
        ("incidents/update", "mail incident", {"severity": "major-outage"}),
        ("incidents/update", "mail incident", {"services": ["shop", "mail"]}),
        ("incidents/update", "mail incident", {"status": "resolved"}),
        ("incidents/remove", "mail incident", {}),
        ("incident-updates/update", "update", {"body": "Found it."}),
        ("incident-updates/remove", "update", {}),
        ("maintenance/update", "mail window", {"services": ["shop"]}),
        ("maintenance/update", "mail window", {"status": "cancelled"}),
        ("maintenance/remove", "mail window", {}),
        ("services/update", None, {"slug": "mail", "name": "Mails"}),
        ("services/remove", None, {"slug": "mail"}),
        ("services/add", None, {"slug": "forum", "name": "Forum"}),
    ],
)
def test_change(written, api, operation, name, body):
    """After each write, the index is what a process that starts now would read."""
    before = read_event_index(EventIndex(), read_service_versions())
    body |= {"id": written[name]} if name else {}

    assert api(f"{ADMIN}/{operation}", body).status_code == 200

    after = read_event_index(before, read_service_versions())
    assert after == read_event_index(EventIndex(), read_service_versions())
    assert after != before


def test_unchanged_rows(written, api):
    """Rows that did not change stay the same objects, and so does the whole index."""
    before = read_event_index(EventIndex(), read_service_versions())
    assert read_event_index(before, read_service_versions()) is before

    body = {"id": written["mail incident"], "title": "Mail is slow"}
    api(f"{ADMIN}/incidents/update", body)

    mail, shop = read_event_index(before, read_service_versions()).incidents
    assert mail is not before.incidents[0]
    assert shop is before.incidents[1]


def test_older_database(written):
    """A restored database has older rows: the index is read again."""
    before = read_event_index(EventIndex(), read_service_versions())
    IncidentRow.delete().where(IncidentRow.id == written["shop incident"]).execute()

    after = read_event_index(before, read_service_versions())

    assert [incident.id for incident in after.incidents] == [written["mail incident"]]
