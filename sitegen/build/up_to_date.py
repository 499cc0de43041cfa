"""
What a build has left standing, so that a process that knows nothing sees it at once.

Most builds from cron find nothing to do. To find that out page by page takes seconds
at ten thousand documents, most of them to load the application and read every row.
So a build notes what it was made of. While that is the same, nothing has been written
since and no instant has come at which a page changes, every page would be the same:
it is enough to look whether the files are there. The running builder goes by the same
marks and the same instant.
"""

import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from models.settings import Settings
from models.storage.engines.engine import is_postgresql
from models.storage.generation import built_generation, last_audit_links
from sitegen.build.report import Report
from sitegen.output.folder import Folder
from sitegen.output.generations import path_of
from sitegen.output.manifest import LIVE, MANIFEST

STANDING = ".masthead.standing"
ROOT = Path(__file__).parents[2]
SOURCES = ("models", "api", "sitegen", "templates")


def made_of(settings: Settings) -> str:
    """Name all that pages are made of but for the rows: code, looks, settings."""
    # The settings themselves do not show the address, which may have a password.
    told = repr((sys.version, _packages(), settings, settings.database))
    digest = hashlib.sha256(told.encode())
    files = [*ROOT.glob("*.py"), *(f for each in SOURCES for f in _files(ROOT / each))]
    if settings.templates:
        files += _files(Path(settings.templates))
    for file in sorted(files):
        digest.update(f"\n{file}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def note(settings: Settings, made: str, until: datetime, report: Report) -> None:
    """Write down what stands after the build, and until when it does."""
    if report.failed:
        return
    folder = Folder(settings.output)
    told = {
        "made": made,
        "manifest": report.manifest,
        "until": until.timestamp(),
        "warnings": report.warnings,
    }
    with folder.locked():
        folder.write(STANDING, json.dumps(told).encode())


def glance(settings: Settings, now: datetime) -> Report | None:
    """Return the report of a build that finds nothing to do; None where one may."""
    if not is_postgresql(settings.database) and not Path(settings.database).is_file():
        return None
    folder = Folder(settings.output)
    with folder.locked():
        try:
            noted = json.loads((folder.path / STANDING).read_bytes())
            holds = (
                not folder.is_unfinished
                and tuple(noted["manifest"]) == folder.stamp()
                and now.timestamp() < noted["until"]
                and _is_live(settings, folder)
                and noted["made"] == made_of(settings)
            )
            count = _count(folder) if holds else None
            warnings = [str(each) for each in noted["warnings"]]
        except (OSError, ValueError, KeyError, TypeError, sqlite3.Error):
            # Whatever it is, a build that looks at every page will say it.
            return None
    return None if count is None else Report(unchanged=count, warnings=warnings)


def _is_live(settings: Settings, folder: Folder) -> bool:
    """Tell whether the folder shows what the database has come to."""
    live = json.loads((folder.path / LIVE).read_bytes())
    path, links, generation = settings.database, live["audit"], live["generation"]
    return (
        generation == built_generation(path)
        and last_audit_links(path, links) == links
        and (folder.path / path_of(generation)).is_file()
    )


def _count(folder: Folder) -> int | None:
    """Return how many files there are, None where one is not as long as it was."""
    told = json.loads((folder.path / MANIFEST).read_bytes())["files"]
    root = f"{folder.path}/"
    are_whole = all(
        os.stat(root + path).st_size == entry["size"] for path, entry in told.items()
    )
    # And the file that says which generation is live.
    return len(told) + 1 if are_whole else None


def _files(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each != "__pycache__"]
        yield from (Path(name, each) for each in files)


def _packages() -> list[str]:
    """The packages that are installed, each with its version."""
    places = filter(os.path.isdir, sys.path)
    names = (name for place in places for name in os.listdir(place))
    return sorted(name for name in names if name.endswith(".dist-info"))
