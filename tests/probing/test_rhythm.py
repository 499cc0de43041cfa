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
    """No first look waits to be spread, and nothing waits for company."""
    monkeypatch.setattr(probing, "STARTUP_SPREAD_SECONDS", 0.1)
    monkeypatch.setattr(probing, "JITTER", 0)
    monkeypatch.setattr(sender, "BATCH_SECONDS", 0.1)


@pytest.fixture
def running(plan, serve):
    """Run a probe on these targets; return it and how to end it."""
    stop, threads = Event(), []

    def ran(*addresses, api=TAKEN, **top):
        text = "\n".join(
            f'[[targets]]\nservice = "s{n}"\nkind = "http"\nurl = "http://{each}/"'
            for n, each in enumerate(addresses)
        )
        made = Probe(
            plan(text, api=f"http://{serve(api)}", **top),
            lambda: datetime.now(UTC),
            stop,
        )
        threads.append(Thread(target=made.run))
        threads[0].start()
        return made

    def end():
        stop.set()
        threads[0].join(10)
        assert not threads[0].is_alive()

    yield ran, end
    end()


@pytest.mark.parametrize(
    ("due", "now", "expected"),
    [(0, 0.5, 10), (0, 9.9, 10), (0, 10, 10), (0, 10.1, 20), (5, 36, 45), (5, 4, 15)],
)
def test_next_due(due, now, expected):
    """Beats stay on their grid: a long look leaves some out and moves none."""
    assert next_due(due, 10, now) == expected


def test_slow_target_delays_no_other(serve, running, over):
    """While one target hangs the other is measured in its rhythm."""
    run, end = running
    slow = serve(lambda connection, asked: over.wait(5))
    seen = []

    def note(connection, asked):
        seen.append(time.monotonic())
        answer()(connection, asked)

    run(slow, serve(note), interval_seconds=1, timeout_seconds=1.5)
    time.sleep(1.5)
    end()

    assert len(seen) >= 2


def test_end(serve, running, over):
    """A look that is under way ends, and what it found is told or kept."""
    run, end = running
    asked = Event()

    def late(connection, _):
        asked.set()
        time.sleep(0.3)
        answer()(connection, _)

    made = run(serve(late), interval_seconds=1)
    assert asked.wait(5)
    end()

    assert made.spool.measured == made.sender.sent == 1


def test_end_while_the_api_is_away(serve, running, tmp_path, monkeypatch):
    """What could not be told stays in the spool; who is away is not asked again."""
    monkeypatch.setattr(sender, "_backoff_seconds", lambda failures: 60)
    run, end = running

    made = run(serve(answer()), api=answer(503), interval_seconds=60)
    while not made.sender.failures:
        time.sleep(0.01)
    end()

    assert made.sender.failures == 1

    assert (made.spool.measured, made.sender.sent, made.spool.waiting) == (1, 0, 1)
    assert len((tmp_path / "probe-spool.jsonl").read_bytes().splitlines()) == 1


def test_what_changes_is_told(serve, running, caplog):
    """A line of the log says what became of a target, and why."""
    caplog.set_level("INFO")
    run, end = running
    says = [answer(500), answer()]

    run(serve(lambda c, a: says.pop(0)(c, a) if says else None), interval_seconds=1)
    time.sleep(1.6)
    end()

    first = r"event=changed service=s0 status=down ms=\d+ why=.answered 500 instead"
    assert re.search(first, caplog.text)
    assert "event=changed service=s0 status=operational was=down" in caplog.text
    assert "event=stopped measured=" in caplog.text


def test_unknown_service_is_a_warning(serve, running, caplog):
    """A probe that goes on says once in its log which service nobody knows."""
    run, end = running
    unknown = answer(body='{"data": {"recorded": 0, "unknown": ["s0"]}}')

    made = run(serve(answer()), api=unknown, interval_seconds=1)
    while made.sender.unknown < 2:
        time.sleep(0.01)
    end()

    told = [each for each in caplog.records if "unknown-service" in each.getMessage()]
    assert [each.levelname for each in told] == ["WARNING"]
    assert "service=s0" in told[0].getMessage()
