"""Is what is kept whole: the storage, the references in it, the audit chains."""

from models.audit import AuditRow, broken_links
from models.storage.database import database


def faults() -> list[str]:
    """Return what is wrong with the database, in sentences."""
    found = [f"The database is damaged: {line}." for line in database.damages()]
    for table, row, parent in database.strays():
        found.append(f"Row {row} of {table} names a {parent} that is not there.")
    areas = AuditRow.select(AuditRow.area).distinct().order_by(AuditRow.area)
    for each in areas:
        for id in broken_links(each.area):
            found.append(f"The audit chain of {each.area} breaks at record {id}.")
    return found
