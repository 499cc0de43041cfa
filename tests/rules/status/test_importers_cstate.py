"""Details of cState pages beyond its schema."""

from datetime import UTC, datetime

import pytest

from models.errors import ValidationFailed
from models.status.importers.cstate import urlize
from models.status.importers.page_formats import parse_status_page

CONFIGURATION = """\
title: Mill status
baseURL: https://status.mill.example/
params:
  systems:
    - name: grind.mill.example
    - name: Flour Shop
      displayName: The shop
"""
FRONT = """\
title: Stones stand still
date: 2024-05-14 10:00:00
resolved: true
resolvedWhen: 2024-05-14 12:00:00
severity: disrupted
affected:
  - grind.mill.example
section: issue"""


def at(hour, minute=0, day=14):
    return datetime(2024, 5, day, hour, minute, tzinfo=UTC)


def imported(
    front=FRONT, body="", configuration=CONFIGURATION, name="2024-05-14-Stones"
):
    text = f"---\n{front}\n---\n\n{body}"
    return parse_status_page(
        {"config.yml": configuration, f"content/issues/{name}.md": text}
    )


def incident(*arguments, **named):
    found = imported(*arguments, **named)
    assert found.left_out == []
    return found.incidents[0]


def timeline(found):
    return [(each.created_at, each.status, each.body) for each in found.updates]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("grind.mill.example", "grind.mill.example"),
        ("Flour Shop", "flour-shop"),
        ("2020-06-13-window copy", "2020-06-13-window-copy"),
        ("API (beta)", "api-beta"),
        ("Mill & Shop", "mill-shop"),
        ("one - two", "one-two"),
        ("Öl_mühle", "öl_mühle"),
    ],
)
def test_address_of_a_name(name, expected):
    """Hugo keeps dots and underscores, which our slugs do not allow."""
    assert urlize(name) == expected


def test_old_addresses():
    """Old addresses are those of Hugo, for any file or system name."""
    found = imported(name="2024-05-14-Stones copy")

    assert [each.path for each in found.services] == [
        "/affected/grind.mill.example",
        "/affected/flour-shop",
    ]
    assert found.incidents[0].path == "/issues/2024-05-14-stones-copy"


def test_shown_name():
    """A system may have a display name that differs from the name in issues."""
    assert [each.name for each in imported().services][1] == "The shop"
    assert [each.external_id for each in imported().services][1] == "Flour Shop"


def test_page_without_host():
    """If the base URL is only a path, the title names the page."""
    path = CONFIGURATION.replace("https://status.mill.example/", "/")

    assert imported(configuration=path).source == "cstate Mill status"


def test_names_in_any_case():
    """Hugo's keys are case-insensitive, and old issues capitalise them."""
    front = FRONT.replace("resolvedWhen", "ResolvedWhen").replace("date", "Date")
    spelled = CONFIGURATION.replace("baseURL", "baseurl").replace(
        "displayN", "displayn"
    )

    found = imported(front, configuration=spelled)

    assert found.source == "cstate https://status.mill.example/"
    assert found.services[1].name == "The shop"
    assert found.incidents[0].resolved_at == at(12)


@pytest.mark.parametrize(
    ("written", "ended"),
    [
        ("2024-05-14 12:30", at(12, 30)),
        ("2024-05-14 12:30 UTC", at(12, 30)),
        ("2024-05-14 12:30:00 +0200", at(10, 30)),
        ("2024-05-14 14:30:00 +02:00 CEST", at(12, 30)),
        ("'2024-05-14 12:30:00Z'", at(12, 30)),
        ("2024-05-14T12:30:00-00:00", at(12, 30)),
        ("2024-05-15", at(0, day=15)),
        ("2024-05-15 3:00", at(3, day=15)),
        ("2024-05-15 3:00:00", at(3, day=15)),
    ],
)
def test_times_as_people_write_them(written, ended):
    """Times without seconds, with a named zone, as text or as a date are read."""
    front = FRONT.replace("2024-05-14 12:00:00", written)

    assert incident(front).resolved_at == ended


def test_time_that_is_none():
    """An unreadable time is reported with its text."""
    found = imported(FRONT.replace("2024-05-14 12:00:00", "2024-05-14T12:00:00+00:00Z"))

    ((_, why),) = found.left_out
    assert why.endswith("'2024-05-14T12:00:00+00:00Z' is not a date and time.")


def test_zone_of_the_page():
    """Times without an offset are in the zone of the page, as in Hugo."""
    body = 'Dust. {{< track "2024-05-14 10:30:00" >}}'
    found = incident(body=body, configuration="timeZone: Europe/Oslo\n" + CONFIGURATION)

    assert (found.started_at, found.resolved_at) == (at(8), at(10))
    assert found.updates[0].created_at == at(8, 30)
    with pytest.raises(ValidationFailed, match="no time zone 'Mars/Base'"):
        imported(configuration="timeZone: Mars/Base\n" + CONFIGURATION)


def test_end_before_the_beginning():
    """An end before the beginning is a mistake: the last update is the end."""
    front = FRONT.replace("2024-05-14 12:00:00", "2024-04-30 12:00:00")
    body = 'All runs. {{< track "2024-05-14 11:45:00" >}}'

    assert incident(front, body).resolved_at == at(11, 45)


def test_affected_in_another_case():
    """Names with the same address are one system."""
    front = FRONT.replace("  - grind", "  - Grind") + "\nslug: Big Stones"

    found = incident(front)

    assert found.services == ["grind.mill.example"]
    assert found.path == "/issues/big-stones"


def test_nothing_affected():
    """An empty list affects nothing, and an empty end is no end."""
    front = FRONT.replace("  - grind.mill.example\n", "").replace(
        "resolvedWhen: 2024-05-14 12:00:00", "resolvedWhen:"
    )

    assert incident(front, "Dust.").services == []
    assert incident(front, "Dust.").resolved_at == at(10)


def test_comments_of_html():
    """HTML comments, and the dates in them, are ignored."""
    body = (
        '<!-- _Resolved_ -\nIt turns. {{< track "2018-05-25 05:54:00" >}} -->\n\n'
        "_Monitoring_ - It turns slowly."
        ' {{< track "2024-05-14 11:00:00" >}}'
    )

    assert timeline(incident(body=body)) == [(at(11), "monitoring", "It turns slowly.")]


@pytest.mark.parametrize(
    ("fields", "resolved_at"),
    [("", at(12)), ("resolved: yes", at(12)), ("resolved: false", None)],
)
def test_over(fields, resolved_at):
    """An incident without a resolved flag is resolved if it has an end."""
    assert incident(FRONT.replace("resolved: true", fields)).resolved_at == resolved_at


def test_ends_of_lines_that_are_written_out():
    """Line ends that editors write as backslashes are removed."""
    body = '\\\n***Monitoring:*** It turns. {{< track "2024-05-14 9:30" >}}\n\\\n\n\\\n'

    assert timeline(incident(body=body)) == [(at(9, 30), "monitoring", "It turns.")]


def test_text_without_dates():
    """An undated text of a resolved incident has the time of the resolution."""
    over = incident(body="[Close]\nIt turns.\n\n[Open]\nIt stands still.")
    open = incident(FRONT.replace("resolved: true", "resolved: false"), "It stands.")
    begun = incident(body="*Investigating* - It stands.")

    assert [(at, status) for at, status, _ in timeline(over)] == [(at(12), "resolved")]
    assert timeline(open) == [(at(10), "investigating", "It stands.")]
    assert timeline(begun) == [(at(10), "investigating", "It stands.")]


def test_told_downwards():
    """Updates may be newest or oldest first; the dates decide."""
    body = (
        'Dust. {{< track "2024-05-14 10:00:00" >}}\n\n'
        'More dust. {{< track "2024-05-14 11:00:00" >}}\n\nWe wait.'
    )

    assert [text for _, _, text in timeline(incident(body=body))] == [
        "Dust.",
        "More dust.",
        "We wait.",
    ]


def test_told_at_the_end():
    """Updates at or after the end have the status resolved."""
    body = (
        'Sacks are filled. {{< track "2024-05-15 08:00:00" >}}\n\n'
        'It turns. {{< track "2024-05-14 12:00:00" >}}\n\n'
        'Dust. {{< track "2024-05-14 10:00:00" >}}'
    )

    assert [status for _, status, _ in timeline(incident(body=body))] == [
        "investigating",
        "resolved",
        "resolved",
    ]


def test_told_by_another_clock():
    """If all updates are dated after the end, only the last one is resolved."""
    body = (
        'It turns. {{< track "2024-05-14 13:55:00" >}}\n\n'
        'Dust. {{< track "2024-05-14 12:05:00" >}}'
    )

    assert [status for _, status, _ in timeline(incident(body=body))] == [
        "investigating",
        "resolved",
    ]


def test_heading_that_is_underlined():
    """A line directly below text makes a heading, and is no separator."""
    open = FRONT.replace("resolved: true", "resolved: false")
    body = 'Dust\n----\n\nOn the stones. {{< track "2024-05-14 11:00:00" >}}'

    assert timeline(incident(open, body)) == [
        (at(11), "investigating", "Dust\n----\n\nOn the stones.")
    ]
