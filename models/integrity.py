"""Is what is kept whole: the file, the references in it, the audit chains; a copy."""

import sqlite3
from contextlib import closing
from errno import EEXIST
from pathlib import Path

from models.audit import AuditRow, broken_links
from models.database import database

# What a database of SQLite begins with.
SQLITE = b"SQLite format 3\0"


def faults() -> list[str]:
    """Return what is wrong with the database, in sentences."""
    checked = [row[0] for row in database.execute_sql("PRAGMA integrity_check")]
    found = [f"The database is damaged: {line}." for line in checked if line != "ok"]
    for table, row, parent, _ in database.execute_sql("PRAGMA foreign_key_check"):
        found.append(f"Row {row} of {table} names a {parent} that is not there.")
    areas = AuditRow.select(AuditRow.area).distinct().order_by(AuditRow.area)
    for each in areas:
        for id in broken_links(each.area):
            found.append(f"The audit chain of {each.area} breaks at record {id}.")
    return found


def copy_to(path: Path) -> None:
    """
    Write a consistent copy of the database, while it goes on being written.

    Raise FileExistsError where something stands that is no earlier copy: whatever
    else it is, it was not meant to go.
    """
    if found := _in_the_way(path):
        raise FileExistsError(EEXIST, found)
    draft = path.with_name(path.name + ".draft")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    try:
        with closing(sqlite3.connect(draft)) as copy:
            database.connection().backup(copy)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _in_the_way(path: Path) -> str:
    """Tell what stands there that must not go, if anything does."""
    ours = Path(database.database).resolve()
    if path.is_dir():
        return "it is a folder"
    if path.exists() and path.samefile(ours):
        return "it is the database itself"
    if str(path.resolve()).startswith(f"{ours}-") or not _may_go(path):
        return "something stands there that is no earlier copy"
    return ""


def _may_go(path: Path) -> bool:
    """Tell whether there is nothing, an empty file or a database."""
    if not path.is_file():
        return not path.exists() and not path.is_symlink()
    with path.open("rb") as file:
        return file.read(len(SQLITE)) in (b"", SQLITE)
