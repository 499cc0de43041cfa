"""The dispatcher delivers everything that is due, whatever the receivers do."""

import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from api.notifications.dispatcher import Dispatcher, Sender
from models.errors import StorageBusy
from models.notifications.deliveries import attempts
from models.notifications.deliveries.attempts import MAX_PER_SUBSCRIPTION, claim
from models.notifications.deliveries.deliveries import queue_message
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.storage.database import writing
from models.storage.write_locks import WriteLock
from tests.factories.notifications import (
    ALL_LIVE,
    DELIVERED,
    FAILED,
    Receivers,
    subscribe,
)
from tests.rules.notifications.test_fan_out import NOW, record_event

SECONDS = 20
UNREACHABLE = Outcome(is_delivered=False, answer="The relay cannot be reached.")

pytestmark = [pytest.mark.usefixtures("store"), pytest.mark.both_engines]


@pytest.fixture(autouse=True)
def no_thread_is_left(store):
    """A dispatcher that ends slowly writes nothing to the database of a later test."""
    yield
    for thread in threading.enumerate():
        if thread.name == "dispatcher":
            thread.join(SECONDS)
            assert not thread.is_alive()


@pytest.fixture
def receivers():
    return Receivers()


def dispatcher(send, **more):
    senders = {"webhook": Sender(send)}
    return Dispatcher(
        more.pop("clock", lambda: NOW),
        senders,
        find_live=lambda: ALL_LIVE,
        tick_seconds=0.01,
        **more,
    )


def finished(*statuses):
    """Wait until all deliveries have one of these statuses."""
    pause, deadline = threading.Event(), SECONDS
    while deadline > 0:
        rows = list(DeliveryRow.select())
        if rows and all(row.status in statuses for row in rows):
            return rows
        pause.wait(0.02)
        deadline -= 0.02
    raise AssertionError([row.status for row in DeliveryRow.select()])


def test_event_is_delivered(receivers):
    """An event is delivered once, and the outcome is recorded."""
    subscribe(NOW)
    with dispatcher(receivers.send):
        record_event()
        (row,) = finished("delivered")

    assert receivers.types() == ["incident.opened"]
    assert (row.attempts, row.delivered_at) == (1, NOW)


def test_receivers_that_hang_hold_nobody_up():
    """Hanging receivers, more than there are threads, do not delay a working one."""
    release = threading.Event()
    receivers = Receivers()

    def send(batch):
        if "hangs" in batch[0].address:
            release.wait(SECONDS)
        yield from receivers.send(batch)

    for number in range(20):
        subscribe(NOW, f"https://hangs-{number}/")
    subscribe(NOW)
    try:
        with dispatcher(send):
            record_event()
            record_event(subject="2")
            while len(receivers.types()) < 2:
                assert not release.wait(0.02)
            assert DeliveryRow.select().where(DeliveryRow.status == "sending").exists()
            release.set()
            finished("delivered")
    finally:
        release.set()


def test_webhooks_that_hang_hold_no_mail_up(monkeypatch):
    """Emails are sent while hanging webhooks occupy all their threads."""
    monkeypatch.setattr("api.notifications.dispatcher.MAX_THREADS", 2)
    release, receivers = threading.Event(), Receivers()

    def hang(batch):
        release.wait(SECONDS)
        return receivers.send(batch)

    for number in range(3):
        subscribe(NOW, f"https://hangs-{number}/")
    senders = {"webhook": Sender(hang), "email": Sender(receivers.send, max_batches=1)}
    try:
        with Dispatcher(
            lambda: NOW, senders, find_live=lambda: ALL_LIVE, tick_seconds=0.01
        ):
            record_event()
            wait_until(lambda: outcomes().count(("sending", 1)) == 2)
            subscribe(NOW, "ada@example.com", channel="email", secret=None)
            record_event(subject="2")
            wait_until(lambda: receivers.types("ada@example.com"))
            # The outcome of the mail is recorded a little later than it is received.
            wait_until(lambda: outcomes().count(("sending", 1)) == 2)
            release.set()
            finished("delivered")
    finally:
        release.set()


def test_one_receiver_is_not_flooded():
    """One receiver gets a few incidents at a time, and all of them in the end."""
    lock, now, most = threading.Lock(), [0], [0]
    pause = threading.Event()

    def send(batch):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        pause.wait(0.02)
        with lock:
            now[0] -= 1
        yield from Receivers().send(batch)

    subscribe(NOW)
    for number in range(12):
        record_event(subject=str(number))
    with dispatcher(send):
        assert len(finished("delivered")) == 12

    assert most[0] <= MAX_PER_SUBSCRIPTION


def test_sender_with_a_bug(receivers):
    """An error in our own code is a failed attempt, and others are delivered."""

    def send(batch):
        if "bad" in batch[0].address:
            raise ZeroDivisionError
        return receivers.send(batch)

    subscribe(NOW, "https://bad/")
    subscribe(NOW)
    with dispatcher(send):
        record_event()
        rows = finished("delivered", "failed")

    assert sorted(row.status for row in rows) == ["delivered", "failed"]
    assert receivers.types() == ["incident.opened"]
    bad = SubscriptionRow.get(SubscriptionRow.address == "https://bad/")
    assert bad.failing_since is None


def test_outcome_is_kept_while_the_storage_refuses(receivers, monkeypatch):
    """An outcome that cannot be written is written later, and nothing is sent twice."""
    real, refusals = attempts.writing, [3]

    @contextmanager
    def refusing(locks):
        if receivers.types() and refusals[0]:
            refusals[0] -= 1
            raise StorageBusy("The storage is full.", state="database-full")
        with real(locks):
            yield

    monkeypatch.setattr(attempts, "writing", refusing)
    subscribe(NOW)
    with dispatcher(receivers.send):
        record_event()
        (row,) = finished("delivered")

    assert (row.attempts, receivers.types()) == (1, ["incident.opened"])
    assert refusals == [0]


def test_only_the_leader_delivers(receivers):
    """A standby server delivers nothing; a new leader repeats unfinished attempts."""
    is_leader = threading.Event()
    subscribe(NOW)
    record_event()
    fan_out(NOW, ALL_LIVE)
    (left_open,) = claim(NOW, ["webhook"], 1)

    with dispatcher(receivers.send, is_leader=is_leader.is_set):
        assert not is_leader.wait(0.2)
        assert receivers.types() == []
        is_leader.set()
        (row,) = finished("delivered")

    assert row.possibly_repeated
    assert receivers.attempts[left_open.address][0].delivery_id == left_open.delivery_id


def test_stop_releases_what_has_not_begun():
    """
    Stopping waits for started attempts; claimed ones that were not started are due
    again.
    """
    begun, release = threading.Event(), threading.Event()
    receivers = Receivers()

    def send(batch):
        for attempt in batch:
            begun.set()
            release.wait(SECONDS)
            yield from receivers.send([attempt])
            return

    subscribe(NOW, "https://1/")
    subscribe(NOW, "https://2/")
    record_event()
    sender = Sender(send, batch_size=2)
    with Dispatcher(lambda: NOW, {"webhook": sender}, find_live=lambda: ALL_LIVE):
        assert begun.wait(SECONDS)
        threading.Timer(0.1, release.set).start()

    rows = sorted((row.status, row.attempts) for row in DeliveryRow.select())
    assert rows == [("delivered", 1), ("waiting", 0)]
    assert not any(row.possibly_repeated for row in DeliveryRow.select())


def test_next_day(receivers):
    """A failed delivery is retried when it is due, without being woken."""
    now = [NOW]
    receivers.outcomes["https://tool.example.com/hook"] = FAILED
    subscribe(NOW)
    with dispatcher(receivers.send, clock=lambda: now[0]):
        record_event()
        finished("failed")
        receivers.outcomes.clear()
        now[0] = NOW + timedelta(seconds=6)
        (row,) = finished("delivered")

    assert row.attempts == 2


def test_relay_that_accepts_nothing(receivers):
    """A relay that fails for a minute is a fault until it accepts an email again."""
    now = [NOW]
    receivers.outcomes["ada@example.com"] = FAILED
    subscribe(NOW, "ada@example.com", channel="email", secret=None)
    record_event()
    with mail_dispatcher(receivers, now) as found:
        finished("failed")
        assert found.faults() == []
        now[0] += timedelta(seconds=61)
        # An attempt under way would be recorded with the time that follows.
        wait_until(lambda: outcomes() == [("failed", 2)])
        assert [fault.state for fault in found.faults()] == ["mail-failing"]
        assert "ada" not in found.faults()[0].detail
        # It says why, so that nobody needs to look into deliveries.
        assert found.faults()[0].detail.endswith(" UTC. Try again.")
        receivers.outcomes.clear()
        now[0] += timedelta(minutes=10)
        finished("delivered")
        assert found.faults() == []


def test_mail_with_a_bug(receivers):
    """
    An email that fails by our own bug says nothing about the relay and the mailbox.
    """
    now, answer = [NOW], "The e-mail could not be assembled."
    bug = Outcome(is_delivered=False, answer=answer, is_internal=True)
    receivers.outcomes["ada@example.com"] = bug
    row = subscribe(NOW, "ada@example.com", channel="email", secret=None)
    record_event()

    with mail_dispatcher(receivers, now) as found:
        finished("failed")
        now[0] += timedelta(seconds=61)
        wait_until(lambda: outcomes() == [("failed", 2)])
        assert found.faults() == []

    assert SubscriptionRow.get_by_id(row.id).failing_since is None


def mail_dispatcher(receivers, now):
    return Dispatcher(
        lambda: now[0],
        {"email": Sender(receivers.send)},
        find_live=lambda: ALL_LIVE,
        tick_seconds=0.01,
    )


def outcomes():
    rows = DeliveryRow.select().order_by(DeliveryRow.number)
    return [(row.status, row.attempts) for row in rows]


def wait_until(condition):
    """Wait until a condition holds, however busy the machine is."""
    pause = threading.Event()
    for _ in range(3000):
        if condition():
            return
        pause.wait(0.02)
    raise AssertionError(outcomes())


def test_log_of_a_relay_that_accepts_nothing(receivers, caplog):
    """The fault is logged once when it begins, with the reason, and when it ends."""
    now = [NOW]
    receivers.outcomes["ada@example.com"] = UNREACHABLE
    subscribe(NOW, "ada@example.com", channel="email", secret=None)
    record_event()

    def lines():
        return [line for line in caplog.messages if "mail-failing" in line]

    with mail_dispatcher(receivers, now):
        finished("failed")
        now[0] += timedelta(seconds=61)
        wait_until(lambda: lines() and outcomes() == [("failed", 2)])
        receivers.outcomes.clear()
        now[0] += timedelta(minutes=10)
        wait_until(lambda: len(lines()) > 1)

    begun, ended = lines()
    assert begun.startswith("state=mail-failing is_over=False ")
    assert "The relay cannot be reached." in begun
    assert ended == "state=mail-failing is_over=True"


def test_relay_that_is_back(receivers):
    """Once the relay accepts an email, the unanswered ones are due, and no others."""
    now = [NOW]
    receivers.outcomes |= {"ada@example.com": UNREACHABLE, "bob@example.com": FAILED}
    for name in ("ada", "bob"):
        subscribe(NOW, f"{name}@example.com", channel="email", secret=None)
    record_event()

    with mail_dispatcher(receivers, now) as found:
        wait_until(lambda: outcomes() == [("failed", 1)] * 2)
        now[0] += timedelta(seconds=61)
        wait_until(lambda: outcomes() == [("failed", 2)] * 2)
        assert found.faults()
        receivers.outcomes["ada@example.com"] = DELIVERED
        mia = subscribe(now[0], "mia@example.com", channel="email", secret=None)
        with writing(WriteLock.NOTIFICATIONS):
            queue_message(mia, "subscription.test", now[0])
        wait_until(
            lambda: (
                sorted(outcomes())
                == [("delivered", 1), ("delivered", 3), ("failed", 2)]
            )
        )
        assert found.faults() == []


def test_clock_set_back(receivers):
    """An event in the future, after the clock was set back, is delivered at once."""
    subscribe(NOW)
    record_event(now=NOW + timedelta(hours=1), generation=10**12)
    with dispatcher(receivers.send, clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)):
        finished("delivered")
