"""Read from Git when the files of a tree were last changed."""

import subprocess
from datetime import datetime
from pathlib import Path

from models.base import from_epoch_ms

# A history that takes longer to read gives no dates.
MAX_SECONDS = 30
_COMMAND = (
    *("git", "--no-optional-locks", "-c", "log.showSignature=false"),
    *("log", "-z", "--relative"),
    *("--no-renames", "--name-only", "--format=%x01%at", "--", "."),
)


def changed_dates(folder: Path) -> dict[str, datetime]:
    """
    Return when each file was last committed, by its path in the folder.

    There are none without Git, outside of a work tree, and of files that were never
    committed. A shallow clone knows the dates of its own commits only.
    """
    try:
        run = subprocess.run(  # noqa: S603  a fixed command
            _COMMAND,
            cwd=folder,
            capture_output=True,
            timeout=MAX_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    dates: dict[str, datetime] = {}
    # Commits come newest first: \x01 and their time, then the names of their files.
    for commit in run.stdout.decode(errors="replace").split("\x01")[1:]:
        seconds, *names = commit.split("\0")
        try:
            at = from_epoch_ms(int(seconds) * 1000)
        except (ValueError, OverflowError):
            continue
        for name in names:
            dates.setdefault(name.removeprefix("\n"), at)
    dates.pop("", None)
    return dates
