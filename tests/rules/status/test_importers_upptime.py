"""Details of Upptime repositories beyond its documentation."""

import json
from datetime import UTC, datetime

import pytest

from models.status.importers.page_formats import parse_status_page

CONFIGURATION = """\
owner: ferry-example
repo: watch
sites:
  - name: IslandPier
    url: https://pier.example
  - name: Pier by HEAD
    method: HEAD
    url: https://pier.example
  - name: Démo côtière
    url: $DEMO
  - name: Ropes
    check: tcp-ping
    url: ropes.example
    port: 8022
status-website:
  introTitle:
"""
PAST = "url: https://pier.example\nstatus: up\nstartTime: Thu Apr 14 2022 09:35:56\n"
DOWN = (
    "In [`abcdef1`](https://code.example/commit/abcdef1\n), IslandPier"
    " (https://pier.example) was **down**:\n- HTTP code: 0\n- Response time: 0 ms\n"
)
UP = "**Resolved:** IslandPier is back up in [`abcdef2`](https://code.example\n)."


def at(hour, minute=0, day=3):
    return datetime(2024, 6, day, hour, minute, tzinfo=UTC)


def comment(body, created, **more):
    """Return a comment in the form of `gh issue list --json`, version 2."""
    return {
        "id": "IC_1",
        "author": {"login": "bot"},
        "authorAssociation": "OWNER",
        "body": body,
        "createdAt": created,
        "includesCreatedEdit": False,
        "isMinimized": False,
        "minimizedReason": "",
        "reactionGroups": [],
        "url": "https://code.example/watch/issues/7#issuecomment-1",
        "viewerDidAuthor": False,
    } | more


def issue(*labels, **more):
    return {
        "body": DOWN,
        "closedAt": None,
        "comments": [],
        "createdAt": "2024-06-03T08:00:00Z",
        "labels": [
            {"id": f"LA_{each}", "name": each, "description": "", "color": "ededed"}
            for each in labels
        ],
        "number": 7,
        "state": "OPEN",
        "title": "🛑 IslandPier is down",
    } | more


def imported(*issues, **files):
    named = {f"history/{name}.yml": text for name, text in files.items()}
    rest = {".upptimerc.yml": CONFIGURATION, "issues.json": json.dumps(issues)}
    return parse_status_page(rest | named)


def window(comment, **more):
    closed = {"title": "Ropes", "body": comment, "closedAt": None, "state": "OPEN"}
    return imported(issue("maintenance", **(closed | more)))


TIMES = "start: 2024-06-04T12:00:00.000+02:00\nend: 2024-06-04T11:00:00Z"


def test_names_without_history():
    """Sites are named by their names, split before capital letters."""
    found = imported()

    assert [each.external_id for each in found.services] == [
        "island-pier",
        "pier-by-head",
        "demo-cotiere",
        "ropes",
    ]
    assert found.services[3].hostname == "ropes.example"
    assert found.services[2].hostname is None


def test_two_sites_at_one_address():
    """
    Each of two sites keeps its own name; an address that only one has identifies it.
    """
    both = imported(**{"island-pier": PAST, "pier-by-head": PAST})
    renamed = imported(**{"old-pier": PAST})

    assert [each.external_id for each in both.services[:2]] == [
        "island-pier",
        "pier-by-head",
    ]
    assert renamed.services[0].external_id == "old-pier"


def test_history_of_the_first_upptime():
    """Early histories are lists of pairs; a file may also be empty."""
    listed = "".join(f"- {line}\n" for line in PAST.splitlines())

    assert (
        imported(**{"first-pier": listed, "": ""}).services[0].external_id
        == "first-pier"
    )


def test_incident_that_nobody_closed():
    """A comment can resolve an incident whose issue is still open."""
    result = [comment(UP, "2024-06-03T08:10:00Z")]
    (over,) = imported(issue("status", "island-pier", comments=result)).incidents
    (open,) = imported(issue("status", "island-pier")).incidents

    assert (over.status, over.resolved_at) == ("resolved", at(8, 10))
    assert over.services == ["island-pier"]
    assert [each.status for each in over.updates] == ["investigating", "resolved"]
    assert (open.status, open.resolved_at) == ("investigating", None)


def test_incident_closed_without_a_word():
    """An incident without a resolution ended when its issue was closed."""
    closed = {"state": "CLOSED", "closedAt": "2024-06-03T09:00:00Z", "body": ""}
    (found,) = imported(issue("status", **closed)).incidents

    assert found.resolved_at == at(9)
    assert [each.body for each in found.updates] == ["🛑 IslandPier is down"]


@pytest.mark.parametrize(
    "closed", [{}, {"state": "CLOSED", "closedAt": "2024-06-05T09:00:00Z"}]
)
def test_comments_after_the_resolution(closed):
    """An incident ended at its resolution, whatever happens to its issue later."""
    comments = [
        comment("We row.", "2024-06-03T08:05:00Z"),
        comment(UP, "2024-06-03T08:10:00Z"),
        comment("Thanks!", "2024-06-04T09:00:00Z"),
    ]

    (found,) = imported(issue("status", comments=comments, **closed)).incidents

    assert (found.status, found.resolved_at) == ("resolved", at(8, 10))
    statuses = [update.status for update in found.updates]
    assert statuses == ["investigating"] * 2 + ["resolved"] * 2


def test_incident_that_came_back():
    """An issue that was resolved twice ended at the second time."""
    comments = [
        comment(UP, "2024-06-03T08:10:00Z"),
        comment("It is down again.", "2024-06-03T08:20:00Z"),
        comment(UP, "2024-06-03T08:30:00Z"),
    ]

    (found,) = imported(issue("status", comments=comments)).incidents

    assert found.resolved_at == at(8, 30)
    assert [update.status for update in found.updates] == [
        *("investigating", "resolved", "investigating", "resolved")
    ]


def test_comments_on_a_closed_issue():
    """An incident without a resolution ended when its issue was closed."""
    closed = {"state": "CLOSED", "closedAt": "2024-06-03T09:00:00Z"}
    comments = [comment("Thanks!", "2024-06-03T10:00:00Z")]

    (found,) = imported(issue("status", comments=comments, **closed)).incidents

    assert found.resolved_at == at(9)
    assert [each.status for each in found.updates] == ["investigating", "resolved"]


def test_comments_that_are_hidden():
    """Comments that are minimised on GitHub, and HTML comments, are not imported."""
    result = [
        comment("ok", "2024-06-03T08:20:00Z", isMinimized=True),
        comment("We row. <!-- template -->", "2024-06-03T08:30:00Z"),
    ]
    (found,) = imported(issue("status", comments=result)).incidents

    assert [each.body for each in found.updates][1:] == ["We row."]


@pytest.mark.parametrize(
    ("lists", "affected"),
    [
        ("expectedDown: ropes, island-pier", ["ropes", "island-pier"]),
        ("expectedDegraded: ropes", ["ropes"]),
        ("expectedDown: ropes\nexpectedDegraded: ropes,island-pier", None),
    ],
)
def test_window_affects(lists, affected):
    """A window affects services that will be down or slow, each once."""
    (found,) = window(f"<!--\n{TIMES}\n{lists}\n-->\nNew ropes.").windows

    assert found.services == (affected or ["ropes", "island-pier"])
    assert (found.starts_at, found.ends_at) == (at(10, day=4), at(11, day=4))
    assert found.description == "New ropes."


def test_window_in_one_line():
    """A template may have everything on one line."""
    line = TIMES.replace("\n", " ")
    (found,) = window(f"<!-- {line} expectedDegraded: ropes -->\n\nSlow.").windows

    assert (found.starts_at, found.ends_at) == (at(10, day=4), at(11, day=4))
    assert found.services == ["ropes"]


def test_window_is_told_in_comments():
    """Only comments are shown by Upptime, so they are part of the window."""
    result = [comment("We change ropes.", "2024-06-03T10:00:00Z")]
    body = f"See:\n\n```html\n<!--\n{TIMES}\n-->\n```\n"
    (found,) = window(body, comments=result).windows

    assert found.description == "See:\n\nWe change ropes."


@pytest.mark.parametrize(
    ("closed", "written"),
    [
        ("2024-06-04T10:30:00Z", "completed"),
        ("2024-06-04T11:05:00Z", "scheduled"),
        ("2024-06-03T12:00:00Z", "cancelled"),
        (None, "scheduled"),
    ],
)
def test_window_that_is_closed(closed, written):
    """A window closed before its end ended early; before its start it was cancelled."""
    state = "CLOSED" if closed else "OPEN"
    (found,) = window(f"<!--\n{TIMES}\n-->", closedAt=closed, state=state).windows

    assert found.written_status == written


def test_window_from_a_template_nobody_filled():
    """A form without its times is left out."""
    found = window("**Additional context**\nWho, what, when, where, why?")

    assert found.windows == []
    assert [old for old, _ in found.left_out] == ["issue 7"]
