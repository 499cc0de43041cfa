"""
Lock what a write relies on in PostgreSQL, where writers of many hosts overlap.

A write that does not share holds the write lock alone, as every write does in SQLite.
A write that shares it holds what models/storage/write_locks.py names for it. A rule may
rely on what it read once it holds the lock for it:

- Within a project (numbers without gaps, names and slugs, limits, roles, versions,
  `expectedUpdatedAt`, archives, lineages of specifications): the row of the project.
- Relationships of work items (no cycle, at most 100 of an item): the projects of both
  ends, and the name `relationships`, since a cycle may pass through any project.
- Keys (50 of a developer, rotation, last use) and their audit chain: `platform`.
- Services, incidents, maintenance and their audit chain: `status`.
- Measurements: their rows, which are written in the order of their keys so that no two
  batches wait for each other. The late samples of an hour are counted under the lock of
  the service, the sources of a service under the name `sources`. What needs them to
  stand still writes alone: the roll-up, the retention, the purge of a service.
- A stored response: the id of its request, so that a repeat waits for the first.
- The generation of the site: the row of the counter, which a write updates last, so
  that generations follow the order of commits.
- Projects' instants, and the numbers of their activity, are given while other projects
  are written. A write announces, before it gets them, what they will be above. A read
  that polls all projects leaves out what is above an announcement, or was given since
  it looked for announcements: see `Settled`. Within a project they follow the order of
  commits. Those of the other areas do so by the locks above.

These write alone: creating, importing and purging a project, global labels, changing
and removing labels, the purge of a service, the transfer of a source, imports, the
roll-up, the retention, migrations, and every command that names no locks.
tests/servers/test_overlap.py stops two writers at each of their statements.
"""

import hashlib

from models.storage.engines.engine import BUSY_SECONDS

# Held until the end of a write transaction, and released with its connection.
WRITE_LOCK = 0x6D617374
# Held by the connection of the server that builds the site, until it closes.
LEADER_LOCK = 0x6275696C

# The first numbers of locks that have two, and of which there are many.
REQUEST_SPACE, NAME_SPACE, NUMBER_SPACE = 1, 2, 3
# The upper 16 bits of a lock that announces a number in the lower 48.
INSTANT_SPACE, ACTIVITY_SPACE = 0x6D61, 0x6D62

# A writer that is idle for so long within its transaction is disconnected, so that
# others can write.
IDLE_SECONDS = 30

_BEGIN = (
    f"BEGIN; SET LOCAL lock_timeout = '{BUSY_SECONDS}s';"
    f" SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
)
BEGIN_WRITE = (
    f"{_BEGIN}; SELECT pg_advisory_xact_lock({WRITE_LOCK}); SET LOCAL lock_timeout = 0"
)
# The timeout stays, for the locks that follow.
BEGIN_SHARED = f"{_BEGIN}; SELECT pg_advisory_xact_lock_shared({WRITE_LOCK})"
TRY_LEADER_LOCK = f"SELECT pg_try_advisory_lock({LEADER_LOCK})"

LOCK = "SELECT pg_advisory_xact_lock({}, {})"
LOCK_PROJECTS = "SELECT id FROM project WHERE id = ANY(?) ORDER BY id FOR NO KEY UPDATE"
LOCK_OWNERS = (
    "SELECT id FROM project WHERE id IN (SELECT project_id FROM {} WHERE id = ANY(?))"
    " ORDER BY id FOR NO KEY UPDATE"
)

_LAST_INSTANT = "SELECT value::bigint FROM instance WHERE name = '{}'"
_LAST_ACTIVITY = (
    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM activity_number_seq"
)


def announce(name: str) -> str:
    """Return the statement that announces the numbers that a write will get."""
    return (
        "SELECT pg_advisory_xact_lock_shared("
        f"({INSTANT_SPACE}::bigint << 48) | COALESCE(({_LAST_INSTANT.format(name)}), 0)"
        f"), pg_advisory_xact_lock_shared("
        f"({ACTIVITY_SPACE}::bigint << 48) | ({_LAST_ACTIVITY}))"
    )


def last_numbers(name: str) -> str:
    """Return the query for the last instant of this name and the last activity."""
    return f"SELECT COALESCE(({_LAST_INSTANT.format(name)}), 0), ({_LAST_ACTIVITY})"


# Of the locks in pg_locks, the lowest number that is announced in each space.
_ANNOUNCED = (
    "MIN((classid::bigint & 65535) << 32 | objid::bigint)"
    " FILTER (WHERE classid::bigint >> 16 = {})"
)
ANNOUNCEMENTS = (
    f"SELECT {_ANNOUNCED.format(INSTANT_SPACE)}, {_ANNOUNCED.format(ACTIVITY_SPACE)}"  # noqa: S608  no user input
    " FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND database ="
    " (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def lock_number(name: str) -> int:
    """Return the number, of 31 bits, by which a name is locked."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> 1
