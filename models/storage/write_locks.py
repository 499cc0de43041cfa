"""Name what a write locks, so that writes which share nothing do not wait."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class WriteLocks:
    """
    What a write transaction locks in PostgreSQL; SQLite has one writer at a time.

    Unless it is `shared`, the transaction waits for all others, and they wait for it.
    Shared transactions only wait for those that lock the same request, row or name.
    The order of all locks, and what relies on which, is in
    models/storage/engines/postgresql_locks.py.
    """

    shared: bool = False
    # The id of an idempotent request.
    request: str | None = None
    # A table, and the ids of rows in it whose projects are locked.
    table: str = "project"
    ids: tuple[str, ...] = ()
    # The ids of keys whose lineages must not change, and of those that are changed.
    read_keys: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    # Names of what is not a row, in their order.
    names: tuple[str, ...] = ()

    def with_request(self, id: str) -> "WriteLocks":
        """Return these locks and that of an idempotent request."""
        return replace(self, request=id) if self.shared else self


# The default: no other transaction writes meanwhile.
ALONE = WriteLocks()
# Only waits for those that write alone, and for rows.
SHARED = WriteLocks(shared=True)
# The changes of operators, with the audit chain of the status area.
STATUS = WriteLocks(shared=True, names=("status",))
# What the builder records about the site.
BUILDS = WriteLocks(shared=True, names=("builds",))

# Subscriptions and deliveries.
NOTIFICATIONS = WriteLocks(shared=True, names=("notifications",))
# Operators' changes of them. The audit chain comes last, because more writes need it.
SUBSCRIPTIONS = WriteLocks(shared=True, names=("notifications", "status"))


def project_locks(*ids: str) -> WriteLocks:
    """Return the locks of writes in these projects."""
    return WriteLocks(shared=True, ids=ids)


def owner_locks(table: str, *ids: str, names: tuple[str, ...] = ()) -> WriteLocks:
    """Return the locks of the projects that the rows of a table belong to."""
    return WriteLocks(shared=True, table=table, ids=ids, names=names)


def key_locks(calling: str, *changed: str, account: str | None = None) -> WriteLocks:
    """Return the locks of a change of keys by a key, and of the keys of an account."""
    names = () if account is None else (f"account {account}",)
    return WriteLocks(shared=True, read_keys=(calling,), keys=changed, names=names)
