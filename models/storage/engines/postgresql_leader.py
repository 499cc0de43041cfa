"""
Elect a leader among the servers of a PostgreSQL database, with an advisory lock.

The server that holds the lock builds the site. The others notify it of their writes.
"""

import logging
from threading import Event, Thread

from models.logs import LogLine
from models.runtime.leader_election import WakeBuilder
from models.storage.database import database
from models.storage.engines.postgresql_driver import Connection, connect_to, psycopg

log = logging.getLogger("masthead.builds")

# Held by the connection of the leader, until it closes.
_TRY_LOCK = f"SELECT pg_try_advisory_lock({0x6275696C})"
# The NOTIFY channel of writes.
CHANNEL = "masthead"
# How often the other servers try to get the lock, and how often the leader checks its
# connection. The lock of a host that vanished is free after five seconds, so another
# server leads within ten.
POLL_SECONDS = 3.0


class PostgresqlLeaderElection:
    """A thread with a connection of its own, which locks and listens for writes."""

    def __init__(self, address: str, wake_builder: WakeBuilder) -> None:
        self._address = address
        self._wake_builder = wake_builder
        self._stopped = Event()
        self.is_leader = False
        self.is_decided = False
        # Stays as it was while the server is unreachable, when nobody else can build.
        self.is_led_elsewhere = True
        self._thread = Thread(target=self._run, name="leader-election", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def notify(self, area: str, is_deferrable: bool) -> None:
        """Notify the leader; it finds a write that was not notified by itself."""
        payload = f"{area} {'deferrable' if is_deferrable else 'urgent'}"
        try:
            database.execute_sql("SELECT pg_notify(?, ?)", (CHANNEL, payload))
        except Exception as error:
            log.warning(LogLine(event="not-told", area=area, error=error))

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with connect_to(self._address) as connection:
                    self._listen(connection)
            except psycopg.Error as error:
                log.warning(LogLine(event="fellows-lost", error=error))
            self.is_leader = False
            self._stopped.wait(POLL_SECONDS)

    def _listen(self, connection: Connection) -> None:
        connection.execute(f"LISTEN {CHANNEL}")
        while not self._stopped.is_set():
            self._try_lock(connection)
            for notification in connection.notifies(timeout=POLL_SECONDS, stop_after=1):
                area, _, manner = notification.payload.partition(" ")
                if self.is_leader:
                    self._wake_builder(area, manner == "deferrable")

    def _try_lock(self, connection: Connection) -> None:
        if self.is_leader:
            # Raises an error if the connection, and the lock with it, is lost.
            connection.execute("SELECT 1")
            return
        row = connection.execute(_TRY_LOCK).fetchone()
        self.is_leader = bool(row and row[0])
        self.is_led_elsewhere = not self.is_leader
        was_decided, self.is_decided = self.is_decided, True
        if self.is_leader:
            log.info(LogLine(event="builder-here"))
        if self.is_leader or not was_decided:
            self._wake_builder("", False)
