"""
What the database has come to, at a glance: told without loading what its rows are.

In plain SQL: to declare the rows takes longer than all of a build that finds nothing.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

# An area is behind while its mark is above its note; see changes.py.
_BUILT = "SELECT COALESCE(MAX(marked), 0), COALESCE(SUM(marked > built), 0) FROM area"
_NEWEST = "SELECT link FROM audit WHERE area = ? ORDER BY number DESC LIMIT 1"


def generation_at_rest(path: str) -> int | None:
    """Return the newest generation, None while something of it waits to be built."""
    with closing(_opened(path)) as database:
        newest, behind = database.execute(_BUILT).fetchone()
    return None if behind else int(newest)


def newest_links(path: str, areas: Iterable[str]) -> dict[str, str]:
    """Return the newest link of each audit chain, "" where there is none."""
    with closing(_opened(path)) as database:
        found = {each: database.execute(_NEWEST, (each,)).fetchone() for each in areas}
    return {area: row[0] if row else "" for area, row in found.items()}


def _opened(path: str) -> sqlite3.Connection:
    """Open what is there; a file that is not is an error and not a new database."""
    return sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
