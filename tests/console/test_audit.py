"""The audit logs of all areas in one list."""

import re

import pytest

from api.console import audit
from models.audit import AuditRow

XSS = "<script>alert(1)</script>"

pytestmark = pytest.mark.both_engines


@pytest.fixture(autouse=True)
def records(api, issue, clock):
    """A key, and a service and an incident an hour later."""
    key = {"name": XSS, "scopes": ["status:*"]}
    api("POST /platform/v1/keys/add", key, key=issue("*"))
    clock.pass_(hours=1)
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": XSS})
    words = {"title": XSS, "services": ["api"], "severity": "degraded", "body": "x"}
    api("POST /status/v1/admin/incidents/add", words)


def actions(page):
    main = page.text.partition("<main")[2]
    return re.findall(r"<code>([a-z]+\.[a-z.-]+)</code>", main)


def test_one_list_by_time(person):
    """
    The records of all areas are in one list, newest first, with links to their
    subjects.
    """
    page = person.get("audit/")

    assert actions(page) == ["incident.opened", "service.added", "platform.add"]
    assert "Complete and unchanged: all 2 records" in page.text
    assert "/console/keys/" in page.text.partition("<main")[2]
    assert XSS not in page.text


def test_where_projects_are_recorded(person):
    """The log of projects says where other records are; the filters show an example."""
    page = person.get("audit/").text

    [row] = re.findall(r"Projects</strong>.*?</li>", page, re.DOTALL)
    assert "No records yet" in row
    assert 'activity of each <a href="/console/projects/">' in row
    assert 'placeholder="incident.opened"' in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("area=platform", ["platform.add"]),
        ("action=opened", ["incident.opened"]),
        ("actor=nobody", []),
        ("actor=ada&action=service", ["service.added"]),
        ("to=2026-03-01T12:30", ["platform.add"]),
        ("from=2026-03-01T12:30&action=add", ["service.added"]),
        ("actor=%00%25", []),
    ],
)
def test_filters(person, query, found):
    """Filters narrow the list by area, action, actor and time."""
    assert actions(person.get(f"audit/?{query}")) == found


def test_a_time_that_is_none(person):
    """A malformed time is rejected with a sentence."""
    refused = person.get("audit/?from=yesterday")

    assert refused.status_code == 422
    assert "From must be a date and a time" in refused.text


def test_pages(person, monkeypatch):
    """A long list has pages, with the same filters."""
    monkeypatch.setattr(audit, "PER_PAGE", 1)
    first = person.get("audit/?area=status")
    following = re.search(r'href="/console/(audit/\?cursor[^"]+)', first.text)[1]

    second = person.get(following.replace("&amp;", "&"))

    assert actions(first) + actions(second) == ["incident.opened", "service.added"]
    assert person.get("audit/?cursor=nonsense").status_code == 400


def test_a_broken_chain(person, monkeypatch, raw_database):
    """A modified record is named; the chains of other areas are intact."""
    raw_database.unguard()
    AuditRow.update(actor="mallory").where(AuditRow.action == "service.added").execute()

    page = person.get("audit/").text

    assert "Broken: 1 of 2 records" in page
    assert page.count("does not match its link") == 1
    assert "Complete and unchanged</span>" in page
    monkeypatch.setattr(audit, "MAX_CHECKED", 1)
    newest = person.get("audit/").text
    assert "Complete and unchanged: the newest 1 records" in newest


def test_a_record_that_was_removed(person, raw_database):
    """A record after a deleted one is marked, because its link does not match."""
    raw_database.unguard()
    AuditRow.delete().where(AuditRow.action == "service.added").execute()

    assert "Broken: 1 of 1 records" in person.get("audit/").text


def test_what_the_key_may_not_do(visitor, issue):
    """Areas that the key may not read are named, and not shown."""
    someone = visitor()
    someone.sign_in(issue("platform:audit:list"))

    page = someone.get("audit/")

    assert actions(page) == ["platform.add"]
    assert "status:admin:audit:list</code>" in page.text
    assert "Status</strong>" not in page.text
    anonymous = visitor()
    anonymous.sign_in(issue("x:y"))
    assert anonymous.get("audit/").status_code == 403


@pytest.mark.parametrize("cursor", ["%00", "%00x", "x", "%C3%A9", ""])
def test_no_cursor(person, cursor):
    """A malformed cursor is rejected as by the API."""
    response = person.get(f"audit/?cursor={cursor}")

    assert response.status_code == 400
    assert "The cursor is damaged" in response.text
