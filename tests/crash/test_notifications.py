"""The server is killed between any two steps from a change to its last delivery."""

import json
import os
import signal
import threading
import time
from collections import defaultdict

import pytest

from api.notifications.dispatcher import Dispatcher, Sender
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.rows import DeliveryRow, EventRow
from models.storage.database import database, open_database, reading
from models.storage.engines.engine import is_postgresql
from tests.crash.child import forget, forked
from tests.factories.notifications import ALL_LIVE, DELIVERED, subscribe
from tests.factories.status import ADD_INCIDENT, World

pytestmark = pytest.mark.both_engines

ADDRESSES = ("https://one/", "https://two/", "https://three/")
INCIDENT = {"title": "Errors", "severity": "degraded", "services": ["api"], "body": "…"}
SECONDS = 30
OTHERS = (
    "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND state <> 'idle' AND pid <> pg_backend_pid()"
)


class Steps:
    """Kills the process before the step of this number."""

    def __init__(self, last):
        self.left, self.lock = last, threading.Lock()

    def step(self):
        with self.lock:
            self.left -= 1
            is_last = self.left == 0
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)


def write_line(pipe, **line):
    os.write(pipe, (json.dumps(line) + "\n").encode())


def sender(pipe, step=lambda: None):
    """Return a sender that records what a receiver gets; some fail at first."""

    def send(batch):
        for attempt in batch:
            step()
            write_line(
                pipe, got=attempt.delivery_id, by=attempt.address, at=attempt.attempts
            )
            step()
            is_bad = attempt.address == ADDRESSES[2] and attempt.attempts == 1
            yield attempt, Outcome(is_delivered=False) if is_bad else DELIVERED

    return {"webhook": Sender(send)}


def work(app, key, clock, pipe, last_step):
    """Open an incident and deliver the event, until that step."""
    steps = Steps(last_step)
    engine = database.obj
    execute = engine.execute_sql

    def counted(*arguments, **options):
        steps.step()
        return execute(*arguments, **options)

    engine.execute_sql = counted
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "one"}
    path = ADD_INCIDENT.split()[1]
    response = app.test_client().post(path, json=INCIDENT, headers=headers)
    assert response.status_code == 200, response.text
    write_line(pipe, answered=response.json["data"]["id"])
    deliver(clock, sender(pipe, steps.step))


def deliver(clock, senders):
    """Run a dispatcher until nothing is left to do."""
    dispatcher = Dispatcher(
        lambda: clock.now, senders, find_live=lambda: ALL_LIVE, tick_seconds=0.005
    )
    deadline = time.monotonic() + SECONDS
    with dispatcher:
        while not is_idle():
            assert time.monotonic() < deadline, list(DeliveryRow.select().dicts())
            time.sleep(0.005)
            clock.pass_(seconds=1)


def is_idle():
    is_open = DeliveryRow.status.in_(("waiting", "sending", "failed"))
    is_pending = EventRow.notified_at.is_null()
    with reading():
        return not (
            DeliveryRow.select().where(is_open).exists()
            or EventRow.select().where(is_pending).exists()
        )


@pytest.fixture
def key(issue):
    return issue("status:admin:incidents:add")


def test_nothing_is_lost(api, app, key, clock, settings, engine, tmp_path, stride):
    """
    Killed before any step, each event of a committed change reaches each subscription,
    and duplicates have the same id.
    """
    World(api, clock).service("api")
    for address in ADDRESSES:
        subscribe(clock.now, address)
    stored = engine.at(tmp_path / "kept.db")
    database.close()
    engine.copy(settings.database, stored)
    doubled, step, is_killed = 0, 1, True
    while is_killed:
        forget(settings.database)
        engine.copy(stored, settings.database)
        ours, theirs = os.pipe()
        child = forked(
            lambda pipe=theirs, last=step: work(app, key, clock, pipe, last),
            settings.database,
        )
        is_killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        open_database(settings.database)
        wait_for_last_commit(settings)
        deliver(clock, sender(theirs))
        os.close(theirs)
        with os.fdopen(ours) as pipe:
            doubled += require_delivered([json.loads(line) for line in pipe], step)
        database.close()
        step += stride

    assert step > 40
    assert doubled > 0


def wait_for_last_commit(settings):
    """Wait until the database server has ended the killed process's transactions."""
    if not is_postgresql(settings.database):
        return
    deadline = time.monotonic() + SECONDS
    while database.execute_sql(OTHERS).fetchone()[0]:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def require_delivered(lines, step):
    """Require that nothing is lost; return the number of duplicated deliveries."""
    answered = {line["answered"] for line in lines if "answered" in line}
    deliveries = list(DeliveryRow.select())
    assert answered <= {row.subject_id for row in EventRow.select()}, step
    assert {row.status for row in deliveries} <= {"delivered"}, step
    assert len(deliveries) == len(ADDRESSES) * EventRow.select().count(), step
    received = defaultdict(list)
    for line in lines:
        if "got" in line:
            received[line["by"]].append(line["got"])
    doubled = 0
    for row in deliveries:
        ids = received[row.subscription.address]
        # One event: whatever a receiver got, it got under one id.
        assert set(ids) == {row.id}, step
        expected = 2 if row.subscription.address == ADDRESSES[2] else 1
        if len(ids) > expected:
            assert row.possibly_repeated, step
            doubled += 1
    return doubled
