"""The rhythm of a probe: each target for itself, and a clean end."""

import re
import time
from datetime import UTC, datetime
from threading import Event, Thread

import pytest

from api.client import probe as probing
from api.client import sender
from api.client.probe import Probe, next_due
from tests.probing.conftest import answer
from tests.probing.test_sender import TAKEN


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Start all checks at once, and send their results without waiting."""
    monkeypatch.setattr(probing, "STARTUP_SPREAD_SECONDS", 0.1)
    monkeypatch.setattr(probing, "JITTER", 0)
    monkeypatch.setattr(sender, "BATCH_SECONDS", 0.1)


@pytest.fixture
def running(config, serve):
    """Run a probe on these targets; return it and how to end it."""
    stop, threads = Event(), []

    def start(*addresses, api=TAKEN, **top):
        text = "\n".join(
            f'[[targets]]\nservice = "s{n}"\nkind = "http"\nurl = "http://{address}/"'
            for n, address in enumerate(addresses)
        )
        probe = Probe(
            config(text, api=f"http://{serve(api)}", **top),
            lambda: datetime.now(UTC),
            stop,
        )
        threads.append(Thread(target=probe.run))
        threads[0].start()
        return probe

    def end():
        stop.set()
        threads[0].join(10)
        assert not threads[0].is_alive()

    yield start, end
    end()


@pytest.mark.parametrize(
    ("due", "now", "expected"),
    [(0, 0.5, 10), (0, 9.9, 10), (0, 10, 10), (0, 10.1, 20), (5, 36, 45), (5, 4, 15)],
)
def test_next_due(due, now, expected):
    """Checks stay on their schedule: a slow one skips some and moves none."""
    assert next_due(due, 10, now) == expected


def test_slow_target_delays_no_other(serve, running):
    """While one target hangs the other is measured in its rhythm."""
    run, end = running
    released, again = Event(), Event()
    slow = serve(lambda connection, request: released.wait(60))
    requests = []

    def record_request(connection, request):
        requests.append(request)
        if len(requests) > 1:
            again.set()
        answer()(connection, request)

    run(slow, serve(record_request), interval_seconds=1, timeout_seconds=60)
    was_asked_again = again.wait(30)
    released.set()
    end()

    assert was_asked_again


def test_end(serve, running, shutdown):
    """A check in progress completes, and its result is sent or stored."""
    run, end = running
    requested = Event()

    def respond_late(connection, _):
        requested.set()
        time.sleep(0.3)
        answer()(connection, _)

    probe = run(serve(respond_late), interval_seconds=1)
    assert requested.wait(5)
    end()

    assert probe.spool.measured == probe.sender.sent == 1


def test_end_while_the_api_is_away(serve, running, tmp_path, monkeypatch):
    """
    What could not be sent stays in the spool; an unreachable API is not called again.
    """
    monkeypatch.setattr(sender, "_backoff_seconds", lambda failures: 60)
    run, end = running

    probe = run(serve(answer()), api=answer(503), interval_seconds=60)
    while not probe.sender.failures:
        time.sleep(0.01)
    end()

    assert probe.sender.failures == 1

    assert (probe.spool.measured, probe.sender.sent, probe.spool.waiting) == (1, 0, 1)
    assert len((tmp_path / "probe-spool.jsonl").read_bytes().splitlines()) == 1


def test_what_changes_is_told(serve, running, caplog):
    """A log line has the new state of a target, and the reason."""
    caplog.set_level("INFO")
    run, end = running
    responses = [answer(500), answer()]

    run(
        serve(
            lambda connection, request: (
                responses.pop(0)(connection, request) if responses else None
            )
        ),
        interval_seconds=1,
    )
    while "was=down" not in caplog.text:
        time.sleep(0.01)
    end()

    first = r"event=changed service=s0 status=down ms=\d+ why=.answered 500 instead"
    assert re.search(first, caplog.text)
    assert "event=changed service=s0 status=operational was=down" in caplog.text
    assert "event=stopped measured=" in caplog.text


def test_unknown_service_is_a_warning(serve, running, caplog):
    """A long-running probe logs once which service is unknown."""
    run, end = running
    unknown = answer(body='{"data": {"recorded": 0, "unknown": ["s0"]}}')

    probe = run(serve(answer()), api=unknown, interval_seconds=1)
    while probe.sender.unknown < 2:
        time.sleep(0.01)
    end()

    records = [
        record for record in caplog.records if "unknown-service" in record.getMessage()
    ]
    assert [record.levelname for record in records] == ["WARNING"]
    assert "service=s0" in records[0].getMessage()
