"""Parsing other status pages."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from models.errors import ValidationFailed
from models.status.importers.imported_status import (
    external_path,
    single_line,
    slug_for,
    split_text,
)
from models.status.importers.page_formats import parse_status_page, status_page_files

ELSEWHERE = Path(__file__).parents[2] / "elsewhere"


def files(name, **changed):
    return status_page_files(ELSEWHERE / name) | changed


def imported(name, **changed):
    return parse_status_page(files(name, **changed))


def at(month, day, hour, minute=0, year=2026):
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def timeline(incident):
    return [(each.created_at, each.status, each.body) for each in incident.updates]


def changed_incident(**members):
    """Return the incidents of the sample, with changed members of the first."""
    document = json.loads(files("statuspage")["incidents.json"])
    document["incidents"][0] |= members
    result = json.dumps(document)
    return {
        "incidents.json": result,
        "summary.json": json.dumps({"page": document["page"]}),
    }


def test_statuspage_services():
    """
    Services are in the order of the page, with their groups; a group is no service.
    """
    found = imported("statuspage")

    assert found.source == "statuspage kq7w2m9x4t1b"
    assert [(each.slug, each.group) for each in found.services] == [
        ("web-site", None),
        ("berth-booking", "Docks"),
        ("crane-control", "Docks"),
    ]
    assert found.services[0].description == "What visitors see."
    assert found.left_out == []


def test_statuspage_incidents():
    """Updates are oldest first; a postmortem follows the resolution."""
    slow, lost, notice = imported("statuspage").incidents

    assert (lost.status, lost.severity) == ("resolved", "major-outage")
    assert (lost.started_at, lost.resolved_at) == (at(1, 9, 0, 2), at(1, 9, 3, 40))
    assert lost.path == "/incidents/t5h1q0b6zz3c"
    assert [(e.created_at.day, e.status) for e in lost.updates] == [
        (9, "investigating"),
        (9, "identified"),
        (9, "resolved"),
        (12, "resolved"),
    ]
    assert lost.updates[3].body.startswith("What happened\n\nA clean-up job")
    assert (slow.status, slow.resolved_at) == ("monitoring", None)
    assert slow.updates[1].body == "Monitoring."
    assert notice.severity == "degraded"


def test_statuspage_incident_that_says_no_end():
    """
    Without an end, an incident ended at its first resolved update, not its postmortem.
    """
    document = json.loads(files("statuspage")["incidents.json"])
    document["incidents"][1]["resolved_at"] = None

    _, lost, _ = imported(
        "statuspage", **{"incidents.json": json.dumps(document)}
    ).incidents

    assert lost.resolved_at == at(1, 9, 3, 40)


def test_statuspage_affected():
    """The components of an incident, or else those in its updates."""
    slow, lost, notice = imported("statuspage").incidents

    assert lost.services == ["cberths00001"]
    assert slow.services == ["ccranes00001"]
    assert notice.services == []


def test_statuspage_windows():
    """A window that ended early was completed by hand; a group is not affected."""
    coming, done = sorted(
        imported("statuspage").windows, key=lambda e: e.external_id, reverse=True
    )

    assert done.completed_at == at(12, 7, 0, 30, year=2025)
    assert done.services == ["csite0000001", "cberths00001"]
    assert done.description == "Switches are replaced.\n\nFinished early."
    assert coming.completed_at is None
    assert (coming.starts_at, coming.ends_at) == (at(3, 8, 1), at(3, 8, 3))


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"status": "pondering"}, "status: Input should be 'investigating'"),
        ({"name": " "}, "title: String should have at least 1 character."),
    ],
)
def test_statuspage_incident_that_breaks_a_rule(members, why):
    """An invalid incident is left out with the reason; the others are imported."""
    found = imported("statuspage", **changed_incident(**members))

    ((old, reason),) = found.left_out
    assert old == "w8r4n2j6yy7d"
    assert reason.startswith(why)
    assert len(found.incidents) == 2


def test_long_words():
    """A long title is cut; a long text is split into several updates."""
    body = "\n\n".join(["word " * 300] * 9)
    update = {"status": "resolved", "body": body, "created_at": "2026-01-01T00:00:00Z"}
    slow, *_ = imported(
        "statuspage", **changed_incident(name="t" * 161, incident_updates=[update])
    ).incidents

    assert slow.title == "t" * 159 + "…"
    assert all(len(each.body) <= 4000 for each in slow.updates)
    words = " ".join(each.body for each in slow.updates).split()
    assert words == ["word"] * 2700


def test_cstate_services():
    """Services are grouped by category; one without a title is no group."""
    found = imported("cstate")

    assert found.source == "cstate https://status.orchard.example/"
    assert [(each.slug, each.group, each.path) for each in found.services] == [
        ("watering", "Growing", "/affected/watering"),
        ("frost-alarm", "Growing", "/affected/frost-alarm"),
        ("shop", None, "/affected/shop"),
    ]


UPDATE = "*Update* - Two people are on their way.\n\nThey bring a spanner."
POST_MORTEM = (
    "*Post-mortem*\n\nA valve was shut by hand in winter and nobody wrote it down."
)


def test_cstate_timeline():
    """Each dated part is an update; the text above the line is the resolution."""
    dry = next(e for e in imported("cstate").incidents if e.title == "Trees stay dry")

    assert timeline(dry) == [
        (at(4, 11, 6, 10, year=2025), "investigating", "No water in the north rows."),
        (at(4, 11, 6, 30, year=2025), "investigating", UPDATE),
        (at(4, 11, 9, 45, year=2025), "resolved", "The valve is open, water runs."),
        (at(4, 11, 9, 45, year=2025), "resolved", POST_MORTEM),
    ]
    assert (dry.severity, dry.status) == ("major-outage", "resolved")
    assert dry.path == "/issues/2025-04-11-dry-trees"
    assert dry.services == ["Watering", "Frost Alarm"]


def test_cstate_incident_under_way():
    """An undated text has the time at which the issue began."""
    slow = next(
        e
        for e in imported("cstate").incidents
        if e.external_id.endswith("slow-baskets")
    )

    assert (slow.status, slow.resolved_at) == ("investigating", None)
    assert timeline(slow) == [
        (at(2, 28, 20), "investigating", "We see it too and look into it.")
    ]


def test_cstate_left_out():
    """An announcement is no incident, and an unreadable file is reported."""
    assert imported("cstate").left_out == [
        ("2026-02-01-open-day", "It is an announcement, not an incident."),
        ("broken", "The front matter is not valid YAML: line 3."),
    ]


def test_upptime_services():
    """Services have the names of their history; a secret address stays secret."""
    found = imported("upptime")

    assert found.source == "upptime lighthouse-example/watch"
    assert [
        (each.external_id, each.name, each.hostname) for each in found.services
    ] == [
        ("lamp-room", "Lamp Room", "lamp.lighthouse.example"),
        ("i-pv6-door", "IPv6 door", "six.lighthouse.example"),
        ("hidden-engine", "Hidden engine", None),
    ]


def test_upptime_issues():
    """Issues about an outage are incidents, with their comments."""
    down, slow = imported("upptime").incidents

    assert (down.severity, down.status) == ("major-outage", "investigating")
    assert (down.services, down.path) == (["i-pv6-door"], "/incident/14")
    assert (slow.severity, slow.resolved_at) == ("degraded", at(1, 3, 2, 31))
    assert [each.status for each in slow.updates] == [
        "investigating",
        "investigating",
        "resolved",
    ]
    assert slow.updates[1].body == "A moth sat on the lens."


def test_upptime_windows():
    """The times of a window are in its text; without them it is left out."""
    found = imported("upptime")
    (oil,) = found.windows

    assert (oil.starts_at, oil.ends_at) == (at(3, 5, 5), at(3, 5, 6, 30))
    assert oil.services == ["lamp-room", "hidden-engine"]
    assert oil.description == "The lamp stands still while we oil it."
    assert [old for old, _ in found.left_out] == ["issue 8"]


@pytest.mark.parametrize(
    ("name", "changed", "sentence"),
    [
        ("statuspage", {"summary.json": "<html>"}, "summary.json: Invalid JSON"),
        (
            "statuspage",
            {"incidents.json": "{}"},
            "incidents.json: page: Field required",
        ),
        ("cstate", {"config.yml": "a: [b"}, "config.yml is not valid YAML"),
        ("cstate", {"config.yml": "- a"}, "config.yml: Input should be"),
        ("upptime", {".upptimerc.yml": "a: *b"}, ".upptimerc.yml is not valid YAML"),
        ("upptime", {".upptimerc.yml": "sites: []"}, ".upptimerc.yml: owner: Field"),
        ("upptime", {"issues.json": "[1]"}, "issues.json: 0: Input should be"),
    ],
)
def test_page_that_cannot_be_read(name, changed, sentence):
    """An unreadable file is reported by name with a sentence."""
    with pytest.raises(ValidationFailed) as refused:
        imported(name, **changed)

    assert str(refused.value).startswith(sentence)
    assert str(refused.value).endswith(".")


def test_folder_of_nothing(tmp_path):
    """The error for a folder without a status page lists the files looked for."""
    (tmp_path / "config.yml").write_text("title: Some other site")

    with pytest.raises(ValidationFailed, match="No status page was found: neither"):
        parse_status_page(status_page_files(tmp_path))
    with pytest.raises(ValidationFailed, match="There is no folder"):
        status_page_files(tmp_path / "nowhere")


def test_links_are_not_followed(tmp_path):
    """
    A symbolic link in an imported folder is not followed, because it could lead
    anywhere.
    """
    (tmp_path / "summary.json").symlink_to("/etc/hostname")

    assert status_page_files(tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Über Ünits", "uber-units"), ("24/7", "service-24-7"), ("漢字", "service")],
)
def test_slug_of_any_name(name, slug):
    """Every name gives a valid slug."""
    assert slug_for(name) == slug


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".x", "_x", "ä", "x\n", "x" * 200])
def test_address_that_cannot_be_kept(name):
    """An address that no file can have, or that would be ambiguous, is dropped."""
    assert external_path("incidents", name) is None


def test_words():
    """Line breaks are removed within a line; paragraphs lose no words."""
    assert single_line(" a\n\tb\x00c ", 9) == "a b c"
    assert list(split_text("abcdef", 4)) == ["abcd", "ef"]
    assert list(split_text("ab cd\n\nef gh", 8)) == ["ab cd", "ef gh"]
