"""Details of Statuspage pages, and of those with a compatible API."""

import json
from datetime import UTC, datetime

import pytest

from models.status.importers.html_to_markdown import (
    html_comments,
    html_to_markdown,
    strip_comments,
)
from models.status.importers.page_formats import parse_status_page

PAGE = {"id": "p1", "name": "Canal"}
LOCK = {"id": "lock1", "name": "Lock", "status": "operational"}
NO_COMPONENTS = [{"name": "No components were affected by this update."}]


def at(hour, minute=0):
    return datetime(2026, 5, 2, hour, minute, tzinfo=UTC)


def update(status, body, minute, **more):
    when = f"2026-05-02T03:{minute:02}:00.000-07:00"
    return {"status": status, "body": body, "created_at": when} | more


def incident(**more):
    return {
        "id": "i1",
        "name": "Gate is stuck",
        "status": "investigating",
        "impact": "minor",
        "created_at": "2026-05-02T03:00:00.000-07:00",
        "incident_updates": [update("investigating", "We look.", 0)],
        "components": [LOCK],
    } | more


def imported(*incidents, windows=()):
    documents = {
        "components.json": {"page": PAGE, "components": [LOCK]},
        "incidents.json": {"page": PAGE, "incidents": incidents},
        "scheduled-maintenances.json": {
            "page": PAGE,
            "scheduled_maintenances": windows,
        },
    }
    return parse_status_page(
        {name: json.dumps(each) for name, each in documents.items()}
    )


def test_offset_of_the_page():
    """Times have the offset of the page's time zone."""
    (found,) = imported(incident()).incidents

    assert (found.started_at, found.updates[0].created_at) == (at(10), at(10))


def test_one_that_cannot_be_read():
    """An unreadable incident is left out; the others are imported."""
    found = imported(incident(id="i0", created_at="yesterday"), incident())

    assert [each.external_id for each in found.incidents] == ["i1"]
    assert found.left_out == [
        ("i0", "Gate is stuck: created_at: 'yesterday' is not a date and time.")
    ]


def test_page_that_tells_less():
    """Compatible APIs may leave out members, or have none."""
    result = [{"status": "surprise", "body": "Odd.", "display_at": at(11).isoformat()}]
    less = incident(
        status="resolved",
        impact="catastrophic",
        started_at=None,
        resolved_at=None,
        incident_updates=[*result, {"status": "investigating", "body": "We look."}],
        components=[{"name": "Lock", "status": "operational"}],
    )
    found = imported(less, incident(id="i2", incident_updates=None, components=None))

    first, second = found.incidents
    assert [each.created_at for each in first.updates] == [at(10), at(11)]
    assert (first.severity, first.resolved_at) == ("degraded", at(11))
    assert (first.services, second.services) == ([], [])
    assert second.updates == []


def test_update_that_affected_nothing():
    """An update without affected components has an entry without a code."""
    result = [update("investigating", "We look.", 0, affected_components=NO_COMPONENTS)]
    (found,) = imported(incident(incident_updates=result, components=[])).incidents

    assert found.services == []


def test_texts_with_tags():
    """Statuspage texts are not Markdown: tags and line breaks are converted."""
    body = 'Two gates.<br /><br />See <a href="https://canal.example/(x)">the map</a>.'
    window = incident(
        scheduled_for=at(12).isoformat(),
        scheduled_until=at(13).isoformat(),
        incident_updates=[update("scheduled", "From: 12:00\r\nTo: 13:00", 0)],
    )
    found = imported(
        incident(incident_updates=[update("identified", body, 1)]), windows=[window]
    )

    assert found.incidents[0].updates[0].body == (
        "Two gates.\n\nSee [the map](<https://canal.example/(x)>)."
    )
    assert found.windows[0].description == "From: 12:00  \nTo: 13:00"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>One.</p>\n<p>Two.</p>", "One.\n\nTwo."),
        ("<b>Now</b>: <em>slow</em>", "**Now**: *slow*"),
        (
            "Of these:<ul><li>a</li><li>b</li></ul>End.",
            "Of these:\n\n- a  \n- b\n\nEnd.",
        ),
        ('<a href="https://a.example"></a>', "https://a.example"),
        ("<span style='x'>Red</span> <!-- not -->here", "Red here"),
        ("a < b, <https://a.example> and x<y", "a < b, <https://a.example> and x<y"),
        ("One.<br>Two.", "One.  \nTwo."),
    ],
)
def test_tags(text, expected):
    """Tags with an equivalent in Markdown are converted; text that is no tag stays."""
    assert html_to_markdown(text) == expected


@pytest.mark.parametrize(
    ("text", "left", "comments"),
    [
        ("a<!-- b -->c<!--d-->", "ac", [" b ", "d"]),
        ("a<!-- b <!-- c -->d", "ad", [" b <!-- c "]),
        ("a<!-- b", "a<!-- b", []),
        ("<!--" * 100_000, "<!--" * 100_000, []),
    ],
)
def test_comments(text, left, comments):
    """An unclosed comment is no comment, and many comments are read in bounded time."""
    assert strip_comments(text) == left
    assert html_comments(text) == comments
