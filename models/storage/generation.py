"""
Read the site's generation, its URL and the last audit links, without loading Peewee.

A build that has nothing to do takes less time than declaring the rows would.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from models.storage.engines.engine import is_postgresql

# An area is behind while `marked` is above `built`; see models/changes.py.
_GENERATION = (
    "SELECT COALESCE(MAX(marked), 0), COUNT(*) FILTER (WHERE marked > built) FROM area"
)
# Stored by models/instance.py.
_SITE_URL = "SELECT value FROM instance WHERE name = 'site-url'"
_LAST_LINK = "SELECT link FROM audit WHERE area = ? ORDER BY number DESC LIMIT 1"


def built_generation(address: str) -> int | None:
    """Return the newest generation, None while an area is behind."""
    with _connect(address) as database:
        newest, behind = database.execute(_GENERATION).fetchone()
    return None if behind else int(newest)


def last_audit_links(address: str, areas: Iterable[str]) -> dict[str, str]:
    """Return the last link of each area's audit chain, "" if it has no records."""
    with _connect(address) as database:
        rows = {
            area: database.execute(_LAST_LINK, (area,)).fetchone() for area in areas
        }
    return {area: row[0] if row else "" for area, row in rows.items()}


def last_site_url(address: str) -> str | None:
    """Return the URL at which the site was last served, None if nobody knows."""
    with suppress(OSError, sqlite3.Error), _connect(address) as database:
        row = database.execute(_SITE_URL).fetchone()
        return str(row[0]) if row else None
    return None


@contextmanager
def _connect(address: str) -> Iterator[Any]:
    """Connect for reading; a missing file is an error, not a new database."""
    if not is_postgresql(address):
        uri = f"{Path(address).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            yield connection
        return
    # The driver is loaded only here, so callers get its errors as ConnectionError.
    from models.storage.engines.postgresql_driver import connect_to, psycopg

    try:
        with closing(connect_to(address)) as connection:
            yield connection
    except psycopg.Error as error:
        raise ConnectionError(str(error)) from error
