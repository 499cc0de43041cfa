"""Check the database: its storage, its foreign keys and its audit chains."""

from models.audit import AuditRow, broken_links
from models.storage.database import database


def integrity_problems() -> list[str]:
    """Return the problems of the database as sentences."""
    problems = [
        f"The database is damaged: {line}." for line in database.integrity_errors()
    ]
    for table, row, parent in database.foreign_key_violations():
        problems.append(f"Row {row} of {table} refers to a {parent} that is missing.")
    areas = AuditRow.select(AuditRow.area).distinct().order_by(AuditRow.area)
    for row in areas:
        for id in broken_links(row.area):
            problems.append(f"The audit chain of {row.area} breaks at record {id}.")
    return problems
