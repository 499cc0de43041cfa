"""Which tables a write may change, by the locks that it holds."""

import re

from models.base import Row, table_name
from models.storage.write_locks import WriteLock

WRITES = re.compile(
    r'\s*(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) "?(\w+)', re.IGNORECASE
)
# What all areas write: events of documents and of the status page.
SHARED = {"event"}


def table_locks():
    """Return the lock of each table whose rows are defined in the folder of an area."""
    folders = {table_name(row): row.__module__.split(".")[1] for row in all_rows()}
    return {
        table: WriteLock[folder.upper()]
        for table, folder in folders.items()
        if folder.upper() in WriteLock.__members__ and table not in SHARED
    }


def all_rows(base=Row):
    for row in base.__subclasses__():
        yield row
        yield from all_rows(row)


def changed_without_lock(statements, locks):
    """Return the tables that the statements change without their locks."""
    changed = {match[1] for each in statements if (match := WRITES.match(each))}
    return {
        table
        for table, lock in table_locks().items()
        if table in changed and lock not in locks
    }
