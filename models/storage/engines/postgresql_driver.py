"""Connect to PostgreSQL with psycopg, which is loaded only if there is a server."""

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
    "connect_to",
    "numbered_placeholders",
    "psycopg",
]

# synchronous_commit stays on, its default: what is acknowledged is on the disk.
CONNECTION_PARAMETERS: dict[str, Any] = {
    "connect_timeout": BUSY_SECONDS,
    "application_name": "masthead",
    # Notice a server that is gone, instead of waiting for it.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 10_000,
    # Let the server notice a client that is gone: its locks are released within five
    # seconds.
    "options": "-c client_min_messages=warning -c jit=off -c tcp_keepalives_idle=2"
    " -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 -c tcp_user_timeout=5000",
}


class Cursor(psycopg.RawCursor[Any]):
    """
    A cursor that accepts statements in the dialect of SQLite, with ? and ?2 for values.

    Statements that are bytes are sent as they are.
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        if isinstance(query, bytes):
            return super().execute(query, **options)
        return super().execute(numbered_placeholders(query), params or None, **options)

    def executemany(self, query: Any, params_seq: Any, **options: Any) -> None:
        super().executemany(numbered_placeholders(query), list(params_seq), **options)


@lru_cache(maxsize=2000)
def numbered_placeholders(query: str) -> str:
    """Return the statement with the numbered placeholders of PostgreSQL."""
    query = query.removesuffix(" WITHOUT ROWID")
    numbers = count(1)
    # Peewee uses %s in its own queries for the tables of a server.
    return re.sub(
        r"\?(\d*)|%s", lambda match: f"${match.group(1) or next(numbers)}", query
    )


class Connection(psycopg.Connection[Any]):
    """A connection that is closed silently when its thread ends."""

    def __del__(self, *_: Any) -> None:
        self.close()


class _NumericLoader(psycopg.adapt.Loader):
    """Loads a sum of integers, which PostgreSQL returns as numeric, as an int."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


def connect_to(address: str) -> Connection:
    """Connect to the server; parameters of the address override the defaults."""
    own = _parse(address)
    parameters = CONNECTION_PARAMETERS | own
    if "options" in own:
        parameters["options"] = f"{CONNECTION_PARAMETERS['options']} {own['options']}"
    connection = Connection.connect(
        autocommit=True, cursor_factory=Cursor, **parameters
    )
    connection.server_cursor_factory = psycopg.RawServerCursor
    connection.adapters.register_loader("numeric", _NumericLoader)
    return connection


def _parse(address: str) -> dict[str, Any]:
    """Parse the URL; errors do not show it, since it may contain the password."""
    with suppress(psycopg.ProgrammingError):
        parameters = dict(conninfo_to_dict(address))
        if "@" not in str(parameters.get("host")):
            return parameters
    raise psycopg.OperationalError("the address is not a valid URL")
