"""`app.py maintenance`: managing windows on a server from another machine."""

import io
import json
from datetime import UTC, datetime, timedelta

import pytest

from api.commands.maintenance import parse_duration, parse_time
from models.runtime.commands import CommandError
from models.status.maintenance.windows import MaintenanceRow
from tests.commands.remote.conftest import Cut

# The command uses the clock of this machine, the server that of the test.
STARTS, ENDS = "2100-03-01T22:00Z", "2100-03-01T23:30:00+00:00"
PLAN = ("maintenance", "plan", "Database upgrade", "--service", "hello")
NOW = datetime(2026, 3, 1, 12, 0, 7, tzinfo=UTC)


def windows():
    return [(row.title, row.written) for row in MaintenanceRow.select()]


@pytest.mark.parametrize("end", [("--ends", ENDS), ("--for", "1h30m")])
def test_plan(status_page, run, relay, end):
    """For scripts only the id is printed; the times are those of the server."""
    code, out, err = run(*PLAN, "--starts", STARTS, *end)

    (window,) = MaintenanceRow.select()
    assert (code, out) == (0, f"{window.id}\n")
    assert window.starts_at == datetime(2100, 3, 1, 22, tzinfo=UTC)
    assert window.ends_at - window.starts_at == timedelta(minutes=90)
    assert (window.description, window.is_notified) == (None, True)
    assert err == (
        'Planned "Database upgrade": 2100-03-01T22:00:00Z to 2100-03-01T23:30:00Z.\n'
        f"Page: {relay.url}/status/maintenance/{window.id}/\n"
        f"To cancel it: app.py maintenance cancel {window.id}\n"
        f"To end it early: app.py maintenance end {window.id}\n"
    )


def test_options_of_plan(status_page, run, monkeypatch):
    """
    The description can be piped, and the window can be planned without notifications.
    """
    monkeypatch.setattr("sys.stdin", io.StringIO("Reads *go on*.\n"))

    code, out, _ = run(
        *(*PLAN, "--starts", STARTS, "--for", "2h", "--message", "-"),
        *("--no-notify", "--json"),
    )

    (window,) = MaintenanceRow.select()
    result = json.loads(out)
    assert (code, window.is_notified) == (0, False)
    assert window.description == "Reads *go on*."
    assert (result["id"], result["maintenance"]["id"]) == (window.id, window.id)


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        (("2100-03-01 22:00", "--for", "2h"), "must be a time with an offset"),
        (("tomorrow", "--for", "2h"), "--starts tomorrow must be a time"),
        (("now", "--ends", "2020-01-01T00:00Z"), "would end in the past"),
        (("2020-01-01T00:00Z", "--for", "2h"), "would end in the past"),
        (("9999-12-31T23:59Z", "--for", "2h"), "after the year 9999"),
        (("now", "--for", "2"), "--for 2 must be a duration"),
        (("now", "--for", ""), "must be a duration"),
        (("now", "--for", "0m"), "--for 0m must be a duration"),
        (("+2x", "--for", "2h"), "--starts +2x must be a duration"),
        (("+2h", "--ends", "+1h"), "endsAt must be later than startsAt."),
    ],
)
def test_times_that_make_no_window(status_page, run, times, sentence):
    """A mistyped time is rejected, and not taken as another time."""
    code, _, err = run(*PLAN, "--starts", *times)

    assert (code, sentence in err) == (2, True), err
    assert windows() == []


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", NOW),
        ("+30m", NOW + timedelta(minutes=30)),
        ("2026-03-01T22:00Z", datetime(2026, 3, 1, 22, tzinfo=UTC)),
        ("2026-03-01 22:00+01:00", datetime(2026, 3, 1, 21, tzinfo=UTC)),
        ("2026-03-01T22:00:05-02:30", datetime(2026, 3, 2, 0, 30, 5, tzinfo=UTC)),
    ],
)
def test_time(text, moment):
    """A time is in UTC, whatever its offset."""
    assert parse_time("--starts", text, NOW) == moment


@pytest.mark.parametrize("text", ["0001-01-01T00:00+05:00", "25:00", "2026-02-30T00Z"])
def test_time_that_does_not_exist(text):
    """A time that does not exist is rejected with a sentence."""
    with pytest.raises(CommandError, match="must be a time"):
        parse_time("--starts", text, NOW)


@pytest.mark.parametrize(
    ("text", "minutes"), [("90m", 90), ("2h", 120), ("1h30m", 90), ("1d2h", 1560)]
)
def test_duration(text, minutes):
    """A duration can combine days, hours and minutes."""
    assert parse_duration("--for ", text) == timedelta(minutes=minutes)


def test_end(status_page, run, clock):
    """The one active window is ended; a repeat changes nothing."""
    id = status_page.window("hello", -60, 3600)
    status_page.window("hello", 600, 3600)

    code, out, err = run("maintenance", "end")
    again = run("maintenance", "end", id)

    assert (code, out) == (0, "")
    assert err.startswith('Ended "Move 1".\nPage: ')
    assert again[0] == 0
    assert '"Move 1" was completed before; nothing was changed.\n' in again[2]
    assert windows() == [("Move 1", "completed"), ("Move 2", "scheduled")]


def test_end_of_what_has_not_started(status_page, run):
    """A planned window is not ended, because it would be announced as completed."""
    id = status_page.window("hello", 600, 3600)

    unnamed = run("maintenance", "end")
    code, _, err = run("maintenance", "end", id)

    assert unnamed[2] == "masthead: No maintenance window is active.\n"
    assert (code, f"run app.py maintenance cancel {id}.\n" in err) == (2, True)
    assert windows() == [("Move 1", "scheduled")]


def test_cancel(status_page, run, relay):
    """A window that has not started is cancelled, or the given one."""
    active = status_page.window("hello", -60, 3600)
    status_page.window("hello", 600, 3600)

    unnamed = run("maintenance", "cancel", "--no-notify", "--json")
    named = run("maintenance", "cancel", active)
    ended = run("maintenance", "end", active)

    assert json.loads(unnamed[1])["maintenance"]["status"] == "cancelled"
    assert json.loads(relay.sent("update")[0])["notify"] is False
    assert (named[0], 'Cancelled "Move 1".' in named[2]) == (0, True)
    assert (ended[0], 'The window "Move 1" is cancelled already.' in ended[2]) == (
        2,
        True,
    )
    assert windows() == [("Move 1", "cancelled"), ("Move 2", "cancelled")]


def test_several_windows(status_page, run):
    """Without an id, the message lists the windows."""
    ids = [status_page.window("hello", 600, 3600) for _ in range(2)]

    code, _, err = run("maintenance", "cancel")

    assert (code, "2 maintenance windows are scheduled." in err) == (2, True)
    assert all(id in err for id in ids)


def test_list(status_page, run):
    """
    Active windows are listed first, then planned ones; --all lists the others, too.
    """
    past = status_page.window("hello", -7200, -3600)
    planned = status_page.window("hello", 600, 3600)
    active = status_page.window("search hello", -60, 3600)

    _, out, _ = run("maintenance", "list")
    everything = run("maintenance", "list", "--all", "--json")

    header, first, second = out.splitlines()
    assert header == "id\tstatus\tstarts\tends\ttitle\tservices"
    assert first == (
        f"{active}\tactive\t{status_page.text(-60)}\t{status_page.text(3600)}"
        "\tMove 3\tsearch,hello"
    )
    assert second.startswith(f"{planned}\tscheduled\t")
    listed = [each["id"] for each in json.loads(everything[1])]
    assert listed == [planned, active, past]


def test_empty_list(status_page, run):
    """Scripts get no output."""
    code, out, err = run("maintenance", "list")

    assert (code, out) == (0, "")
    assert err == "There are no active or scheduled maintenance windows.\n"


def test_answer_that_stays_lost(status_page, run, relay):
    """The command for a repeat has absolute times, because relative ones change."""

    def cut(verb, number):
        raise Cut

    relay.after = cut
    code, _, err = run(*PLAN, "--starts", "+30m", "--for", "2h")
    relay.after = lambda verb, number: None
    words = err.partition("--idempotency-key ")[2].split()
    key, starts, ends = words[0], words[3], words[5]

    again = run(*(*PLAN, "--idempotency-key", key, "--starts", starts, "--ends", ends))

    assert (code, words[1:3], words[4]) == (2, ["and", "--starts"], "--ends")
    assert again[2].startswith("An earlier command with this idempotency key did this:")
    assert [row.id for row in MaintenanceRow] == [again[1].strip()]
