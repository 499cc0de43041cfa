"""Keep assets that no page uses any more for open tabs, and remove them later."""

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from sitegen.output.folder import OutputFolder

# A tab that has been open for longer is reloaded before it loads another script.
RETENTION = timedelta(days=30)


def retire_assets(
    folder: OutputFolder, paths: Iterable[str], in_use: Collection[str], now: datetime
) -> list[str]:
    """
    Record when the assets went out of use; remove and return the expired ones.

    A build calls this only when the theme has changed, so expired assets are removed
    at the next change after their retention.
    """
    for path in paths:
        with suppress(FileNotFoundError):
            os.utime(folder.path / path, (now.timestamp(), now.timestamp()))
    expiry = (now - RETENTION).timestamp()
    expired = [
        f"assets/{file.name}"
        for file in sorted((folder.path / "assets").glob("[!.]*"))
        if f"assets/{file.name}" not in in_use and file.stat().st_mtime < expiry
    ]
    for path in expired:
        folder.remove(path)
    return expired
