"""Assets that no page names any more: kept for open tabs, and forgotten in the end."""

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from sitegen.output.folder import Folder

# A tab that was opened longer ago is opened anew before it loads another script.
KEPT = timedelta(days=30)


def retire(
    folder: Folder, paths: Iterable[str], in_use: Collection[str], now: datetime
) -> list[str]:
    """
    Note when the assets went out of use; remove and return those that long have.

    It is done when the looks change, which is when there is something to be done:
    what has long been out of use then goes at the next change.
    """
    for path in paths:
        with suppress(FileNotFoundError):
            os.utime(folder.path / path, (now.timestamp(), now.timestamp()))
    until = (now - KEPT).timestamp()
    gone = [
        f"assets/{each.name}"
        for each in sorted((folder.path / "assets").glob("[!.]*"))
        if f"assets/{each.name}" not in in_use and each.stat().st_mtime < until
    ]
    for path in gone:
        folder.remove(path)
    return gone
