"""Details of other status pages: duplicate, late and unordered data."""

import json

import pytest

from models.status.importers.imported_rows import ImportedRow, imported_paths
from tests.rules.status.test_importers import at, files, imported, timeline

DRY = "content/issues/2025-04-11-dry-trees.md"


def changed(document, name, number, **members):
    """Return a document of the sample in which one object has other members."""
    data = json.loads(files("statuspage")[document])
    data[name][number] |= members
    return {document: json.dumps(data)}


def issue(body, front="resolved: true\nresolvedWhen: 2025-04-11 09:00:00"):
    """Return the issue of cState with this text."""
    head = f"title: Dry\ndate: 2025-04-11 06:10:00\n{front}\naffected: [Watering]"
    (found,) = [
        each
        for each in imported("cstate", **{DRY: f"---\n{head}\n---\n{body}"}).incidents
        if each.title == "Dry"
    ]
    return found


def test_order_of_components():
    """A group is placed by its own position, whatever its components have."""
    found = imported(
        "statuspage",
        **changed("components.json", "components", 2, position=0),
        **{"summary.json": json.dumps({"page": {"id": "p"}})},
    )

    slugs = [each.slug for each in found.services]
    assert slugs == ["web-site", "crane-control", "berth-booking"]


def test_updates_of_one_time():
    """Simultaneous updates are listed newest first, and imported oldest first."""
    when = "2026-01-09T03:40:00Z"
    updates = [
        {"status": status, "body": status, "created_at": when}
        for status in ("resolved", "monitoring")
    ]
    documents = changed("incidents.json", "incidents", 1, incident_updates=updates)

    _, lost, _ = imported("statuspage", **documents).incidents

    assert [each.body for each in lost.updates] == ["monitoring", "resolved"]


def test_components_outweigh_updates():
    """A component that only an update names, and not the incident, is not affected."""
    update = {
        "status": "resolved",
        "created_at": "2026-01-09T03:40:00Z",
        "affected_components": [{"code": "ccranes00001"}, {"name": "No components"}],
    }
    documents = changed("incidents.json", "incidents", 1, incident_updates=[update])

    _, lost, _ = imported("statuspage", **documents).incidents

    assert lost.services == ["cberths00001"]


@pytest.mark.parametrize(
    ("resolved", "completed"),
    [
        ("2025-12-07T01:59:59Z", at(12, 7, 1, 59, year=2025).replace(second=59)),
        ("2025-12-07T02:00:00Z", None),
        ("2025-12-07T05:00:00Z", None),
    ],
)
def test_window_that_took_longer(resolved, completed):
    """Only a window that ended early was completed by hand."""
    documents = changed(
        "scheduled-maintenances.json", "scheduled_maintenances", 1, resolved_at=resolved
    )

    _, done = imported("statuspage", **documents).windows

    assert done.completed_at == completed


def test_line_between_entries():
    """A line below a dated text is part of that text."""
    found = issue(
        'New. {{< track "2025-04-11 08:00:00" >}}\n\n---\n\n'
        'Old. {{% track "2025-04-11 07:00:00" %}}\n\nOldest.'
    )

    assert [(each.created_at.hour, each.status) for each in found.updates] == [
        (6, "investigating"),
        (7, "investigating"),
        (8, "investigating"),
    ]
    assert found.status == "resolved"


def test_line_in_what_goes_on():
    """A text above the line does not resolve an open incident."""
    found = issue("We know more.\n\n---\n\nWe look.", front="resolved: false")

    assert timeline(found) == [
        (at(4, 11, 6, 10, year=2025), "investigating", "We look."),
        (at(4, 11, 6, 10, year=2025), "investigating", "We know more."),
    ]
    assert found.status == "investigating"


def test_end_before_the_beginning():
    """An end before the beginning is a mistake: the incident ended when it began."""
    found = issue("Short.", front="resolved: true\nresolvedWhen: 2025-04-10 06:10:00")

    assert found.resolved_at == found.started_at


@pytest.mark.parametrize("end", ["2026-03-05T05:00:00Z", "soon"])
def test_window_without_length(end):
    """A window without duration is left out, and its number is reported."""
    issues = json.loads(files("upptime")["issues.json"])
    issues[1]["body"] = f"<!--\nstart: 2026-03-05T05:00:00Z\nend: {end}\n-->"

    found = imported("upptime", **{"issues.json": json.dumps(issues)})

    assert found.windows == []
    assert [old for old, _ in found.left_out] == ["issue 12", "issue 8"]


@pytest.mark.usefixtures("store")
def test_address_of_two_pages():
    """An address of two pages belongs to the first in order."""
    for source in ("b", "a"):
        members = {"type": "incident", "old": "1", "address": "/incidents/1"}
        ImportedRow.create(source=source, subject=source, **members)

    assert [row.subject for row in imported_paths()] == ["a"]
