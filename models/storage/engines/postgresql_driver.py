"""
The driver of PostgreSQL, loaded where there is a server.

A glance at what the database has come to needs nothing else of ours.
"""

import re
import sys
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import Any

from models.storage.engines.engine import BUSY_SECONDS

if sys.modules.get("psycopg") is None:
    sys.modules.pop("psycopg", None)

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

__all__ = [
    "Connection",
    "Cursor",
    "TransactionStatus",
    "numbered",
    "opened",
    "psycopg",
]

# What is acknowledged is on the server's disk: that is its default, and stays ours.
CONNECTING: dict[str, Any] = {
    "connect_timeout": BUSY_SECONDS,
    "application_name": "masthead",
    # A server that is gone is noticed, and not waited for.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 10_000,
    # So is a host of ours that vanished, by the server: what it held is free within
    # five seconds.
    "options": "-c client_min_messages=warning -c jit=off -c tcp_keepalives_idle=2"
    " -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 -c tcp_user_timeout=5000",
}


class Cursor(psycopg.RawCursor[Any]):
    """
    Takes statements as they are written for SQLite: with ? and ?2 for values.

    How a table is laid out is its own affair.
    """

    def execute(self, query: Any, params: Any = None, **more: Any) -> Any:
        return super().execute(numbered(query), params or None, **more)

    def executemany(self, query: Any, params_seq: Any, **more: Any) -> None:
        super().executemany(numbered(query), list(params_seq), **more)


@lru_cache(maxsize=2000)
def numbered(query: str) -> str:
    """Return the statement with its values numbered, as the server wants them."""
    query = query.removesuffix(" WITHOUT ROWID")
    places = count(1)
    # Peewee itself asks for the tables of a server with %s.
    return re.sub(
        r"\?(\d*)|%s", lambda found: f"${found.group(1) or next(places)}", query
    )


class Connection(psycopg.Connection[Any]):
    """One that a thread leaves behind at its end is closed without a word."""

    def __del__(self, *_: Any) -> None:
        self.close()


class _Whole(psycopg.adapt.Loader):
    """A sum of whole numbers is a numeric there; here it is whole again."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


def opened(address: str) -> Connection:
    """Connect to the server; what the address says goes before what is usual."""
    said = _read(address)
    wanted = CONNECTING | said
    if "options" in said:
        wanted["options"] = f"{CONNECTING['options']} {said['options']}"
    connection = Connection.connect(autocommit=True, cursor_factory=Cursor, **wanted)
    connection.server_cursor_factory = psycopg.RawServerCursor
    connection.adapters.register_loader("numeric", _Whole)
    return connection


def _read(address: str) -> dict[str, Any]:
    """Take the address apart; what is wrong with it may be a part of the password."""
    with suppress(psycopg.ProgrammingError):
        said = dict(conninfo_to_dict(address))
        if "@" not in str(said.get("host")):
            return said
    raise psycopg.OperationalError("the address cannot be read")
