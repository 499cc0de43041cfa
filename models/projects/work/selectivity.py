"""How a list finds its items: by looking up a few, or by going along its order."""

from typing import Any

from models.storage.database import database

# So many are looked up and sorted faster than a long list is gone along.
FEW = 1000


def are_few(found: Any) -> bool:
    """Tell whether a query finds but a few rows; it stops when it knows."""
    # Not counted by the database: to count, the order would be given up that
    # spares it to hold all rows.
    return len(database.execute(found.limit(FEW + 1)).fetchall()) <= FEW


def unindexed(field: Any) -> Any:
    """Return a column by which the database is not to look rows up."""
    return database.without_index(field)
