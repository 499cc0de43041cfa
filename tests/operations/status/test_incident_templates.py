"""Templates of incidents over HTTP."""

import pytest

from models.changes import behind

NOUN = "/status/v1/admin/incident-templates"
LIST, ADD = f"GET {NOUN}/list", f"POST {NOUN}/add"
UPDATE, REMOVE = f"POST {NOUN}/update", f"POST {NOUN}/remove"
SLOW = {
    "name": "Slow search",
    "title": "Search is slow",
    "severity": "degraded",
    "body": "Searches take longer.",
}
NOW, LATER = "2026-03-01T12:00:00.000Z", "2026-03-01T12:01:00.000Z"

pytestmark = pytest.mark.both_engines


@pytest.fixture
def template(api):
    return api(ADD, SLOW).json["data"]


def test_add(api, template, audited):
    """A template is stored as it was sent, and the site does not show it."""
    assert template == SLOW | {
        "id": template["id"],
        "version": 1,
        "createdAt": NOW,
        "updatedAt": NOW,
    }
    assert api(LIST).json["data"] == [template]
    assert audited() == ["incident-template.added"]
    assert behind() == set()


def test_add_twice(api, template):
    """A repeat with the Idempotency-Key gets the same response and adds nothing."""
    assert api(ADD, SLOW).json["data"] == template
    assert len(api(LIST).json["data"]) == 1


def test_order(api, template):
    """Templates are listed by name."""
    for name in ("Zebra", "API down"):
        api(ADD, SLOW | {"name": name})

    names = [each["name"] for each in api(LIST).json["data"]]

    assert names == ["API down", "Slow search", "Zebra"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "n" * 121),
        ("name", "a\nb"),
        ("name", None),
        ("title", "t" * 161),
        ("severity", "bad"),
        ("body", ""),
        ("body", "b" * 4001),
        ("services", ["api"]),
    ],
)
def test_beyond_the_limit(api, template, field, value):
    """Adding and updating reject the same values, by name."""
    added = api(ADD, SLOW | {"name": "Other"} | {field: value})
    updated = api(UPDATE, {"id": template["id"], field: value})

    for response in (added, updated):
        assert response.status_code == 422
        assert response.json["errors"][0]["pointer"] == f"/{field}"
    assert api(LIST).json["data"] == [template]


@pytest.mark.parametrize(
    "change", [{"name": "n" * 120}, {"title": "t" * 160}, {"body": "b" * 4000}]
)
def test_at_the_limit(api, template, change):
    """Each limit itself is accepted."""
    response = api(UPDATE, {"id": template["id"]} | change)

    assert change.items() <= response.json["data"].items()


def test_update(api, template, clock, audited):
    """An update makes a new version; the same values again change nothing."""
    clock.pass_(minutes=1)
    body = {"id": template["id"], "name": "Slow", "severity": "major-outage"}

    changed = api(UPDATE, body).json["data"]
    again = api(UPDATE, body | {"expectedVersion": 2}).json["data"]

    fields = {"name": "Slow", "severity": "major-outage", "version": 2}
    assert changed == again == template | fields | {"updatedAt": LATER}
    assert audited() == ["incident-template.added", "incident-template.updated"]


def test_name_that_is_taken(api, template):
    """A name is unique, when adding and when renaming; a template may keep its own."""
    other = api(ADD, SLOW | {"name": "Other"}).json["data"]

    added = api(ADD, SLOW | {"title": "Another"})
    renamed = api(UPDATE, {"id": other["id"], "name": "Slow search"})
    updated = api(UPDATE, {"id": other["id"], "name": "Other", "body": "New."})

    for response in (added, renamed):
        assert response.status_code == 409
        assert response.json["type"].endswith("/problems/name-taken/")
    assert updated.status_code == 200


def test_version_that_has_changed(api, template):
    """An update of an earlier version is rejected with the current one."""
    api(UPDATE, {"id": template["id"], "body": "By the other."})

    late = {"id": template["id"], "body": "By me.", "expectedVersion": 1}
    response = api(UPDATE, late)

    assert response.status_code == 409
    assert response.json["current"] == 2
    assert api(LIST).json["data"][0]["body"] == "By the other."


def test_remove(api, template, audited):
    """A removed template no longer exists, and its name is free."""
    response = api(REMOVE, {"id": template["id"]})

    assert response.json["data"] == template
    assert api(LIST).json["data"] == []
    assert audited()[-1] == "incident-template.removed"
    assert api(ADD, SLOW | {"body": "Again."}).status_code == 200


def test_unknown_template(api, template):
    """An unknown template can be neither updated nor removed."""
    for response in (
        api(UPDATE, {"id": "ghost", "name": "New"}),
        api(REMOVE, {"id": "ghost"}),
    ):
        assert response.status_code == 404
        assert response.json["detail"] == "No incident template has the id 'ghost'."
