"""
What the database has come to, at a glance: told without loading what its rows are.

In plain SQL: to declare the rows takes longer than all of a build that finds nothing.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from models.storage.engines.engine import is_served

# An area is behind while its mark is above its note; see changes.py.
_BUILT = (
    "SELECT COALESCE(MAX(marked), 0), COUNT(*) FILTER (WHERE marked > built) FROM area"
)
_NEWEST = "SELECT link FROM audit WHERE area = ? ORDER BY number DESC LIMIT 1"


def generation_at_rest(address: str) -> int | None:
    """Return the newest generation, None while something of it waits to be built."""
    with _opened(address) as database:
        newest, behind = database.execute(_BUILT).fetchone()
    return None if behind else int(newest)


def newest_links(address: str, areas: Iterable[str]) -> dict[str, str]:
    """Return the newest link of each audit chain, "" where there is none."""
    with _opened(address) as database:
        found = {each: database.execute(_NEWEST, (each,)).fetchone() for each in areas}
    return {area: row[0] if row else "" for area, row in found.items()}


@contextmanager
def _opened(address: str) -> Iterator[Any]:
    """Open what is there; a file that is not is an error and not a new database."""
    if not is_served(address):
        uri = f"{Path(address).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            yield connection
        return
    # Loaded where it is needed alone; so its errors are told as those of any server.
    from models.storage.engines.postgresql_driver import opened, psycopg

    try:
        with closing(opened(address)) as connection:
            yield connection
    except psycopg.Error as error:
        raise ConnectionError(str(error)) from error
