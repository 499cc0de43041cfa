"""Which tables a write may change, by the locks that it holds."""

import re

from models.base import Row
from models.storage.write_locks import WriteLock

WRITES = re.compile(
    r'\s*(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) "?(\w+)', re.IGNORECASE
)
# What all areas write: events of documents and of the status page.
SHARED = {"event"}


def table_locks():
    """Return the lock of each table whose rows are defined in the folder of an area."""
    return {
        row._meta.table_name: WriteLock[area.upper()]
        for row in all_rows()
        if (area := area_of(row.__module__)) and row._meta.table_name not in SHARED
    }


def area_of(module):
    if module.startswith("models.status.measurements."):
        return "measurements"
    area = module.split(".")[1]
    return area if area.upper() in WriteLock.__members__ else None


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
