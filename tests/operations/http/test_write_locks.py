"""The locks of mutations: the area in the address, or what they declare."""

import pytest

from api.operation import OPERATIONS
from models.storage.database import dry_run, writing
from models.storage.write_locks import WriteLock

MEASUREMENTS = WriteLock.MEASUREMENTS | WriteLock.STATUS
NOTIFICATIONS = WriteLock.NOTIFICATIONS | WriteLock.STATUS


def test_only_mutations_lock(app):
    """An operation that only reads declares no locks."""
    assert [o.name for o in OPERATIONS if o.locks and not o.is_mutation] == []


@pytest.mark.parametrize(
    ("route", "locks"),
    [
        ("POST /platform/v1/developer/keys/create", WriteLock.PLATFORM),
        ("POST /projects/v1/admin/projects/purge", WriteLock.PROJECTS),
        ("POST /projects/v1/document-imports/apply", WriteLock.PROJECTS),
        ("POST /status/v1/admin/incidents/add", WriteLock.STATUS),
        ("POST /status/v1/admin/measurements/record", WriteLock.MEASUREMENTS),
        ("POST /status/v1/admin/services/remove", MEASUREMENTS),
        ("POST /status/v1/admin/sources/transfer", MEASUREMENTS | WriteLock.PLATFORM),
        ("POST /status/v1/admin/subscriptions/add", NOTIFICATIONS),
        ("POST /status/v1/admin/deliveries/replay", NOTIFICATIONS),
    ],
)
def test_locks_of_a_mutation(app, route, locks):
    """A mutation locks its area, or what it declares if it needs others."""
    (operation,) = [each for each in OPERATIONS if each.route == route]

    assert operation.write_locks == locks


@pytest.mark.parametrize("begin", [writing, dry_run])
def test_write_within_a_write(store, begin):
    """
    A write cannot contain one with further locks: it would take them out of order.
    """
    with (
        begin(WriteLock.STATUS),
        pytest.raises(RuntimeError, match="locked"),
        writing(),
    ):
        pass

    with begin(), begin(WriteLock.STATUS), begin():
        pass
