"""Servers on several hosts at one PostgreSQL: one builds, all can wake it."""

import logging
from threading import Event, Thread

from models.logs import Line
from models.runtime.leader_election import Woken
from models.storage.database import database
from models.storage.engines.postgresql_driver import Connection, opened, psycopg

log = logging.getLogger("masthead.builds")

# Held on the connection of the server that builds; it ends with the connection.
BUILDING = 0x6275696C
CHANNEL = "masthead"
# So often a server that does not build asks whether it may; and the one that builds
# makes sure that it still may. A host that vanished holds nothing after five seconds:
# within ten another one builds.
LOOK_SECONDS = 3.0


class Fellows:
    """A thread with a connection of its own: it holds the lock and hears of writes."""

    def __init__(self, address: str, woken: Woken) -> None:
        self._address = address
        self._woken = woken
        self._over = Event()
        self.is_builder = False
        # While nobody can be asked nobody else builds: it stays as it was.
        self.is_elsewhere = True
        self._thread = Thread(target=self._run, name="fellows", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def tell(self, area: str, is_quiet: bool) -> None:
        """Say it to all; what gets lost is found by whoever builds at its next look."""
        told = f"{area} {'quiet' if is_quiet else 'loud'}"
        try:
            database.execute_sql("SELECT pg_notify(?, ?)", (CHANNEL, told))
        except Exception as error:
            log.warning(Line(event="not-told", area=area, error=error))

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                with opened(self._address) as connection:
                    self._follow(connection)
            except psycopg.Error as error:
                log.warning(Line(event="fellows-lost", error=error))
            self.is_builder = False
            self._over.wait(LOOK_SECONDS)

    def _follow(self, connection: Connection) -> None:
        connection.execute(f"LISTEN {CHANNEL}")
        while not self._over.is_set():
            self._look(connection)

    def _look(self, connection: Connection) -> None:
        """Take the lock if it is free, and hear for a while what is written."""
        self._take(connection)
        for told in connection.notifies(timeout=LOOK_SECONDS, stop_after=1):
            area, _, how = told.payload.partition(" ")
            if self.is_builder:
                self._woken(area, how == "quiet")

    def _take(self, connection: Connection) -> None:
        if self.is_builder:
            connection.execute("SELECT 1")
            return
        self.is_builder = _is_free(connection)
        self.is_elsewhere = not self.is_builder
        if self.is_builder:
            log.info(Line(event="builder-here"))
            self._woken("", False)


def _is_free(connection: Connection) -> bool:
    """Take the lock; tell whether it could be had."""
    asked = connection.execute("SELECT pg_try_advisory_lock(?)", (BUILDING,))
    row = asked.fetchone()
    return bool(row and row[0])
