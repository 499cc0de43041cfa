"""Maintenance windows: planned, moved, ended and cancelled in the console."""

import re

import pytest

from models.status.maintenance.windows import MaintenanceRow

PLAN = "maintenance/plan/"
WINDOW = {
    "title": "Move <b>",
    "services": ["api"],
    "startsAt": "2026-03-01T11:30",
    "endsAt": "2026-03-01T13:00",
    "description": "Nothing **fails**.",
}
XSS = "<script>alert(1)</script>"

pytestmark = pytest.mark.both_engines


@pytest.fixture(autouse=True)
def services(api):
    for slug, name in (("api", "Public <API>"), ("mail", "Mail")):
        api("POST /status/v1/admin/services/add", {"slug": slug, "name": name})


@pytest.fixture
def window(person):
    person.fill(PLAN, PLAN, **WINDOW)
    return MaintenanceRow.get()


def shown(person, window):
    return person.get(f"maintenance/{window.id}/").text


def act(person, window, **button):
    page, action = f"maintenance/{window.id}/", f"maintenance/{window.id}/end/"
    return person.fill(page, action, **button)


def test_preview(person, window):
    """A preview shows the window as readers will see it, and changes nothing."""
    page, action = f"maintenance/{window.id}/", f"maintenance/{window.id}/change/"
    fields = {"description": "Now **all** fails.", "_preview": "1"}

    planned = person.fill(PLAN, PLAN, **WINDOW | fields)
    changed = person.fill(page, action, **fields)

    for answer in (planned, changed):
        preview = answer.text.partition('aria-label="Preview"')[2]
        assert "<strong>all</strong>" in preview.partition("</section>")[0]
        assert ">Preview</button>" in preview
    assert MaintenanceRow.get().description == WINDOW["description"]


def test_change_beside_somebody_else(person, window, api):
    """Changing the title keeps a time that someone else set."""
    page, action = f"maintenance/{window.id}/", f"maintenance/{window.id}/change/"
    opened = person.get(page)
    times = {"startsAt": "2026-03-01T15:00:00.5Z", "endsAt": "2026-03-01T16:00:00Z"}
    api("POST /status/v1/admin/maintenance/update", {"id": window.id} | times)

    assert person.refill(opened, action, title="Moved").status_code == 303

    row = MaintenanceRow.get()
    assert row.title == "Moved"
    assert row.starts_at.isoformat() == "2026-03-01T15:00:00.500000+00:00"


def test_plan(person, audited, woken):
    """Title, services and times plan a window, and the list links to it."""
    response = person.fill(PLAN, PLAN, **WINDOW)

    assert response.status_code == 303
    page = person.client.get(response.headers["Location"]).text
    assert "The maintenance is planned." in page
    assert "Move &lt;b&gt;" in page
    assert "Nothing <strong>fails</strong>." in page
    row = MaintenanceRow.get()
    assert row.starts_at.isoformat() == "2026-03-01T11:30:00+00:00"
    assert row.is_notified
    assert audited()[-1] == "maintenance.scheduled"
    assert woken[-1] == "status"
    for list_page in ("", "maintenance/", "maintenance/?status=active&slug=api"):
        assert f"/console/maintenance/{row.id}/" in person.get(list_page).text
    assert row.id not in person.get("maintenance/?slug=mail").text


def test_plan_proposes_the_next_full_hour(person, clock):
    """By default, a window of an hour starts at the next full hour."""
    clock.pass_(minutes=20)
    times = {n: WINDOW[n] for n in ("title", "services")}

    person.fill(PLAN, PLAN, **times)

    row = MaintenanceRow.get()
    assert (row.starts_at.hour, row.ends_at.hour) == (13, 14)


def test_a_refusal_stands_beside_its_field(person):
    """An end before the start is rejected, and the input is kept."""
    refused = person.fill(PLAN, PLAN, **WINDOW | {"endsAt": "2026-03-01T10:00"})

    assert refused.status_code == 422
    assert (
        'Ends</a>: <span lang="en">“Ends” must be later than “Starts”.' in refused.text
    )
    assert "Nothing **fails**." in refused.text
    done = person.refill(refused, PLAN, endsAt="2026-03-01T13:00")
    assert done.status_code == 303
    assert MaintenanceRow.select().count() == 1


def test_change(person, window):
    """The form has the current values; a time that is not edited keeps its seconds."""
    window.ends_at = window.ends_at.replace(second=30)
    window.save()
    page, action = f"maintenance/{window.id}/", f"maintenance/{window.id}/change/"

    person.fill(page, action, startsAt="2026-03-01T10:00", description="")

    changed = MaintenanceRow.get()
    assert (changed.starts_at.hour, changed.ends_at.second) == (10, 30)
    assert changed.title == "Move <b>"
    assert changed.description is None


def test_end_now(person, window, clock, audited):
    """The window ends now, and pressing again changes nothing."""
    page = person.get(f"maintenance/{window.id}/")
    action = f"maintenance/{window.id}/end/"
    clock.pass_(minutes=5)

    done = person.refill(page, action, _status="completed")
    clock.pass_(minutes=5)
    again = person.refill(page, action, _status="completed")

    assert "done=maintenance-completed" in done.headers["Location"]
    assert again.status_code == 303
    row = MaintenanceRow.get()
    assert (row.written, row.ends_at.minute) == ("completed", 5)
    assert audited().count("maintenance.updated") == 1
    assert "End now</button>" not in shown(person, window)


def test_start_now(person, clock, api, audited):
    """The window starts now and keeps its duration; pressing again changes nothing."""
    times = {"startsAt": "2026-03-01T15:00", "endsAt": "2026-03-01T16:30"}
    person.fill(PLAN, PLAN, **WINDOW | times)
    id = MaintenanceRow.get().id
    page, action = person.get(f"maintenance/{id}/"), f"maintenance/{id}/end/"
    clock.pass_(minutes=5)

    done = person.refill(page, action, _start="1")
    clock.pass_(minutes=5)
    again = person.refill(page, action, _start="1")

    assert "The maintenance has started." in person.client.get(done.location).text
    assert again.location == done.location
    row = MaintenanceRow.get()
    assert (row.starts_at.minute, row.ends_at.hour, row.ends_at.minute) == (5, 13, 35)
    assert audited()[-1] == "maintenance.updated"
    (listed,) = api("GET /status/v1/maintenance/list").json["data"]
    assert listed["status"] == "active"
    assert "Start now" not in person.get(f"maintenance/{id}/").text


def test_longer(person, window):
    """A button extends a window in progress."""
    assert "30 minutes longer" in shown(person, window)

    act(person, window, _endsAt="2026-03-01T13:30:00.000Z")

    assert MaintenanceRow.get().ends_at.minute == 30


def test_later(person, api):
    """
    A button postpones a window that has not started; pressing again changes nothing.
    """
    later = {"startsAt": "2026-03-01T14:00", "endsAt": "2026-03-01T15:30"}
    person.fill(PLAN, PLAN, **WINDOW | later)
    window = MaintenanceRow.get()
    page = person.get(f"maintenance/{window.id}/")
    assert "End now</button>" not in page.text
    [times] = re.findall(r'name="_times" value="([^"]+)"[^>]*>1 hour later<', page.text)

    for _ in range(2):
        person.refill(page, f"maintenance/{window.id}/end/", _times=times)

    moved = MaintenanceRow.get()
    assert (moved.starts_at.hour, moved.ends_at.hour) == (15, 16)
    assert (moved.starts_at.minute, moved.ends_at.minute) == (0, 30)
    refused = act(person, window, _times="nonsense")
    assert refused.status_code == 422
    assert MaintenanceRow.get().starts_at == moved.starts_at


def test_cancelling_takes_a_second_step(person, window):
    """Cancelling is folded below the changes, with its effect; a problem unfolds it."""
    changes, _, below = shown(person, window).partition("<h2>Cancel</h2>")
    assert "<h2>Change</h2>" in changes
    assert "Cancel maintenance</button>" not in changes
    folded, _, button = below.partition("no effect on states and uptime")
    assert "<details" in folded
    assert "Cancel maintenance</button>" in button

    refused = act(person, window, _status="cancelled", _endsAt="nonsense")

    assert refused.status_code == 422
    below = refused.text.partition("<h2>Cancel</h2>")[2]
    assert '<details class="more" open>' in below
    assert 'class="problem"' in below
    assert MaintenanceRow.get().written == "scheduled"


def test_cancel_and_plan_again(person, window):
    """A cancelled window can be planned again until its end."""
    act(person, window, _status="cancelled")
    assert MaintenanceRow.get().written == "cancelled"
    assert "Cancel maintenance</button>" not in shown(person, window)

    act(person, window, _status="scheduled")

    assert MaintenanceRow.get().written == "scheduled"


def test_remove(person, window, audited):
    """A window that was scheduled by mistake is removed, after a confirmation."""
    page = f"maintenance/{window.id}/"
    assert "It should never have been planned" in shown(person, window)

    done = person.fill(page, f"{page}remove/")

    assert "done=maintenance-removed" in done.headers["Location"]
    assert audited()[-1] == "maintenance.removed"
    assert person.get(page).status_code == 404


def test_who_is_not_told(person, window):
    """Without the tick, the change sends no messages."""
    page = f"maintenance/{window.id}/"
    form = person.get(page)

    refused = person.refill(form, f"{page}end/", _status="nonsense", notify=[])

    assert refused.status_code == 422
    assert "checked> Notify" not in refused.text.split("<h2>Change</h2>")[0]


def test_what_the_key_may_not_do(visitor, issue, window):
    """Missing scopes are named, and their buttons are not shown."""
    someone = visitor()
    someone.sign_in(issue("status:maintenance:*"))

    texts = [someone.get("maintenance/").text, someone.get(PLAN).text]
    page = shown(someone, window)

    assert all("status:admin:maintenance:add</code>" in text for text in texts)
    assert "status:admin:maintenance:update</code>" in page
    assert "<button" not in page.partition("<main")[2]
    assert someone.post(f"maintenance/{window.id}/end/", {}).status_code == 403


def test_hostile_title(person):
    """A title is shown as text everywhere."""
    person.fill(PLAN, PLAN, **WINDOW | {"title": XSS, "description": XSS})

    pages = ["", "maintenance/", f"maintenance/{MaintenanceRow.get().id}/"]
    assert not any(XSS in person.get(page).text for page in pages)
