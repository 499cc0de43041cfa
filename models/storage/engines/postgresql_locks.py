"""
Lock what a write relies on in PostgreSQL, where writers of many hosts overlap.

A write that does not share holds the write lock alone, as every write does in SQLite.
A write that shares it takes its other locks in this order, so that no two wait for each
other: the idempotent request; the projects, or the lineages of keys, each in their own
order; names; the numbers of services; the rows that it changes; the end of its area's
audit chain; the site's generation. All are held until its end. Should two writes wait
for each other nevertheless, the server ends one, of which nothing remains
(test_deadlock). It ends a writer that is gone as well (test_killed_writer).

What a rule relies on, what holds it, and the test that stops one of two writers before
each of its statements:

- Numbers, names, slugs, limits, roles, versions, archives, lineages within a project:
  the row of the project (test_numbers_of_a_project, test_name_of_a_label,
  test_item_in_an_archived_project). Other projects do not wait
  (test_projects_do_not_wait).
- The slug of a project, and a global label, whose name no project has: creating one
  writes alone (test_slug_of_a_project, test_label_of_a_project_and_global_label).
- Relationships without a cycle, at most 100 of an item: the projects of both ends, and
  the name `relationships`, since a cycle may pass through any project
  (test_cycle_through_four_projects).
- The bytes of files, which projects share, are not deleted while another begins to use
  them: the name `files` (test_removal_of_bytes_that_another_project_begins_to_use).
- An import over the API is applied once, and the number of imports and the bytes of
  their files are limited: the project, too (test_import_that_is_applied_twice,
  test_number_of_imports_of_a_project, test_bytes_of_files_of_an_import).
- A key changes and is replaced only while it is active, and once; a rotated key has no
  power over its lineage: the lineage of the key (test_rotations_of_a_key,
  test_rotation_of_a_removed_key, test_take_over_of_a_replacement).
- A key grants only what it has: its lineage, shared with the other keys that it changes
  (test_grant_by_a_key_that_loses_scopes).
- The maximum of an account's keys: the name of the account (test_keys_of_a_developer).
- The last use of a key, which only grows: its row, in the order of ids
  (test_uses_of_keys).
- The audit chain of an area: the name of the area, from the record to the end of the
  write (test_chain_of_keys, test_keys_of_developers_do_not_wait). Operators' changes of
  the status page hold `status` from their beginning
  (test_chain_and_generation_of_status).
- A measurement once: its row. Batches write rows in the order of their keys
  (test_batches_in_opposite_orders) and do not wait (test_measurements_do_not_wait).
- The late samples of an hour: the number of the service
  (test_late_measurements_of_two_hosts).
- The owner of a source, the sources of a service: the name `sources`
  (test_owner_of_a_source, test_sources_of_a_service).
- No batch during the roll-up, the retention, the purge of a service or the transfer of
  a source, which write alone (test_measurement_and_roll_up,
  test_measurement_and_retention, test_measurement_of_a_purged_service,
  test_transfer_of_a_source).
- A mailbox or webhook is subscribed once, a delivery is attempted by one thread, and
  its outcome is recorded once: the name `notifications`
  (test_subscription_of_an_address). Operators' changes of subscriptions hold `status`
  as well, after it.
- One response to an Idempotency-Key: the id of the request, so that a repeat waits for
  the first (test_one_request_for_a_key).
- Generations of the site in the order of commits: the row of the counter, which a write
  updates last (test_generations_follow_commits).
- Polls of all projects miss nothing: instants, and the numbers of activity, are given
  while other projects are written. A write announces, before it gets them, what they
  will be above. A poll leaves out what is above an announcement, or was given since it
  looked for announcements: see `Settled` (test_poll_of_all_projects). Within a project,
  they follow the order of commits (test_project_is_polled_while_another_is_written).

An import over the API locks its project and the name `files`, so that the status page
does not wait for it. These write alone as well: purging a project, changing and
removing labels, imports of commands, migrations, and every command that names no locks.
"""

import hashlib

from models.storage.engines.engine import BUSY_SECONDS
from models.storage.engines.postgresql_driver import psycopg
from models.storage.write_locks import WriteLocks

# Held until the end of a write transaction, and released with its connection.
WRITE_LOCK = 0x6D617374
# Held by the connection of the server that builds the site, until it closes.
LEADER_LOCK = 0x6275696C

# The first numbers of locks that have two, and of which there are many.
REQUEST_SPACE, NAME_SPACE, NUMBER_SPACE, LINEAGE_SPACE = 1, 2, 3, 4
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
_LOCK_PROJECTS = "SELECT id FROM project WHERE id {} ORDER BY id FOR NO KEY UPDATE"
_OWNERS = "IN (SELECT project_id FROM {} WHERE id = ANY({}))"
# A calling key is shared, so that the keys of a portal's developers do not wait for one
# another. The subquery has the order in which the locks are taken.
_LOCK_LINEAGES = (
    "SELECT CASE WHEN is_changed THEN pg_advisory_xact_lock({0}, lineage)"
    " ELSE pg_advisory_xact_lock_shared({0}, lineage) END"
    " FROM (SELECT hashtext(lineage) AS lineage, bool_or(id = ANY({1})) AS is_changed"
    ' FROM "key" WHERE id = ANY({1}) OR id = ANY({2}) GROUP BY 1 ORDER BY 1 OFFSET 0)'
    " AS ordered"
)

_LAST_INSTANT = "SELECT value::bigint FROM instance WHERE name = 'changed-at-projects'"
_LAST_ACTIVITY = (
    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM activity_number_seq"
)
# Announce the numbers that a write in a project will get.
ANNOUNCE = (
    "SELECT pg_advisory_xact_lock_shared("
    f"({INSTANT_SPACE}::bigint << 48) | COALESCE(({_LAST_INSTANT}), 0)"
    f"), pg_advisory_xact_lock_shared("
    f"({ACTIVITY_SPACE}::bigint << 48) | ({_LAST_ACTIVITY}))"
)
# The last instant in all projects, and the last number of activity.
LAST_NUMBERS = f"SELECT COALESCE(({_LAST_INSTANT}), 0), ({_LAST_ACTIVITY})"


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


def begin_statements(locks: WriteLocks) -> bytes:
    """
    Return the statements that begin a write and take its locks, as one text.

    They take one round trip, and thus have no parameters. A write in projects announces
    itself once it has their locks, so that polls do not wait for those too.
    """
    if not locks.shared:
        return BEGIN_WRITE.encode()
    statements = [BEGIN_SHARED]
    if locks.request is not None:
        statements.append(LOCK.format(REQUEST_SPACE, lock_number(locks.request)))
    if locks.ids:
        statements.append(_lock_projects(locks))
    if locks.read_keys or locks.keys:
        keys = _array(locks.keys), _array(locks.read_keys)
        statements.append(_LOCK_LINEAGES.format(LINEAGE_SPACE, *keys))
    for name in locks.names:
        statements.append(LOCK.format(NAME_SPACE, lock_number(name)))
    if locks.ids:
        statements.append(ANNOUNCE)
    return "; ".join(statements).encode()


def _lock_projects(locks: WriteLocks) -> str:
    ids = _array(locks.ids)
    is_project = locks.table == "project"
    return _LOCK_PROJECTS.format(
        f"= ANY({ids})" if is_project else _OWNERS.format(locks.table, ids)
    )


def _array(ids: tuple[str, ...]) -> str:
    return f"{psycopg.sql.quote(list(ids))}::text[]"


def lock_number(name: str) -> int:
    """Return the number, of 31 bits, by which a name is locked."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> 1
