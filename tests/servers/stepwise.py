"""Stop a writer before any of its statements, while another one writes."""

import threading
from contextlib import contextmanager
from threading import Event
from unittest.mock import patch

from models.storage.database import database
from models.storage.engines.postgresql_driver import Connection, Cursor, connect_to

# The maximum time of any step before a test gives up.
PATIENCE = 60


class Stop:
    """
    The point at which a thread is stopped: before the statement of this number, or
    never.
    """

    def __init__(self, at):
        self.at = at
        self.count = 0
        self.thread = None
        self.is_there = Event()
        self.may_go = Event()

    def step(self):
        if threading.current_thread() is not self.thread:
            return
        self.count += 1
        if self.count == self.at:
            self.is_there.set()
            assert self.may_go.wait(PATIENCE)


@contextmanager
def stopping(stop):
    """Count every statement and every commit of the thread of the stop."""

    def counted(method):
        def call(self, *values, **options):
            stop.step()
            return method(self, *values, **options)

        return call

    with (
        patch.object(Cursor, "execute", counted(Cursor.execute)),
        patch.object(Cursor, "executemany", counted(Cursor.executemany)),
        patch.object(Connection, "commit", counted(Connection.commit)),
    ):
        yield


def wait_for_waiting(address, is_done=None):
    """Wait until one waits for a lock, or it is done; return whether it waits."""
    request = (
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock'"
    )
    is_done = is_done or Event()
    with connect_to(address) as other:
        for _ in range(PATIENCE * 100):
            if is_done.wait(0.01):
                return False
            if other.execute(request).fetchone()[0]:
                return True
    raise AssertionError("A writer neither waits nor ends.")


class Run:
    """A function in its own thread, with its result or its error."""

    def __init__(self, work):
        self.result, self.error, self.is_done = None, None, Event()
        self.thread = threading.Thread(target=self._run, args=(work,))

    def _run(self, work):
        try:
            self.result = work()
        except Exception as error:
            self.error = error
        finally:
            database.close()
            self.is_done.set()

    def end(self):
        self.thread.join(PATIENCE)
        assert self.is_done.is_set()
        if self.error is not None:
            raise self.error
        return self.result


def interleaved(address, first, second, between=lambda: None):
    """
    Run both for each statement of the first before which it can be stopped.

    Yield the number, the results, and whether the second had to wait. `first` and
    `second` take the number, so that each round can use its own rows. `between` is
    called while the first is stopped and the second waits or is done.
    """
    at = 0
    while True:
        at += 1
        stop = Stop(at)
        one = Run(lambda at=at: first(at))
        two = Run(lambda at=at: second(at))
        stop.thread = one.thread
        with stopping(stop):
            one.thread.start()
            while not stop.is_there.wait(0.01) and not one.is_done.is_set():
                pass
            was_stopped = stop.is_there.is_set()
            two.thread.start()
            did_wait = wait_for_waiting(address, is_done=two.is_done)
            between()
            stop.may_go.set()
            results = one.end(), two.end()
        yield at, results, did_wait
        if not was_stopped:
            return


def writers(post, path, body_of, **options):
    """Return the writers of requests on two hosts."""

    def writer(host):
        return lambda at: post(host, path, body_of(at, host), **options)

    return writer(0), writer(1)


def service_writer(post):
    """Return the writer of services of the status page, on the second host."""

    def add_service(at):
        body = {"slug": f"s{at}", "name": "S"}
        path = "/status/v1/admin/services/add"
        return post(1, path, body, Idempotency_Key=f"s{at}")

    return add_service


def require_wait_for_the_generation_alone(rounds):
    """Both always succeed; the second waits for the commit of a generation at most."""
    for _, results, _ in rounds:
        assert [status for status, _ in results] == [200, 200]
    waits = [did_wait for *_, did_wait in rounds]
    # Stopped before it numbers the generation, or before it commits.
    assert waits[-3:] == [True, True, False]
    assert not any(waits[:-3])
