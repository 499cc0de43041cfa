"""
Recognize a build that would find nothing to do, without loading the application.

Most builds that cron starts have nothing to do. To find that out page by page takes
seconds for ten thousand documents, mostly to load the application and read every row.
So each build records its inputs. While these are the same, nothing has been written
since, and no time has come at which a page changes, every page would be the same: it
is enough to check that the files exist. The running builder relies on the same marks
and the same time.
"""

import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from models.settings import Settings
from models.storage.engines.engine import is_postgresql
from models.storage.generation import built_generation, last_audit_links
from sitegen.builder.report import BuildReport
from sitegen.output.folder import OutputFolder
from sitegen.output.generations import record_path
from sitegen.output.manifest import LIVE, MANIFEST

BUILD_RECORD = ".masthead.standing"
ROOT = Path(__file__).parents[2]
SOURCES = ("models", "api", "sitegen", "templates")


def program_digest() -> str:
    """Return a digest of the code, the built-in templates and the packages."""
    digest = hashlib.sha256(repr((sys.version, _packages())).encode())
    files = [*ROOT.glob("*.py")]
    for folder in SOURCES:
        files += _files(ROOT / folder)
    _add_files(digest, files)
    return digest.hexdigest()


def inputs_digest(settings: Settings, program: str) -> str:
    """Return a digest of everything but rows: program, settings, templates."""
    # The representation of the settings hides the database, which may have a password.
    inputs = repr((program, settings, settings.database))
    digest = hashlib.sha256(inputs.encode())
    if settings.templates:
        _add_files(digest, _files(Path(settings.templates)))
    if settings.switcher:
        _add_files(digest, [Path(settings.switcher)])
    return digest.hexdigest()


def _add_files(digest: "hashlib._Hash", files: Iterable[Path]) -> None:
    for file in sorted(files):
        digest.update(f"\n{file}\n".encode())
        digest.update(file.read_bytes())


def record_build(
    settings: Settings, inputs: str, until: datetime, report: BuildReport
) -> None:
    """Record that the site is up to date until this time if nothing is written."""
    if report.failed:
        return
    folder = OutputFolder(settings.output)
    record = {
        "made": inputs,
        "manifest": report.manifest_stamp,
        "until": until.timestamp(),
        "warnings": report.warnings,
    }
    with folder.locked():
        folder.write(BUILD_RECORD, json.dumps(record).encode())


def up_to_date_report(settings: Settings, now: datetime) -> BuildReport | None:
    """Return the report of a build with nothing to do; None if there may be work."""
    if not is_postgresql(settings.database) and not Path(settings.database).is_file():
        return None
    folder = OutputFolder(settings.output)
    with folder.locked():
        try:
            record = json.loads((folder.path / BUILD_RECORD).read_bytes())
            is_valid = (
                not folder.is_unfinished
                and tuple(record["manifest"]) == folder.manifest_stamp()
                and now.timestamp() < record["until"]
                and _shows_database(settings, folder)
                and record["made"] == inputs_digest(settings, program_digest())
            )
            count = _count_files(folder) if is_valid else None
            warnings = [str(warning) for warning in record["warnings"]]
        except (OSError, ValueError, KeyError, TypeError, sqlite3.Error):
            # The complete build will report the error.
            return None
    return None if count is None else BuildReport(unchanged=count, warnings=warnings)


def _shows_database(settings: Settings, folder: OutputFolder) -> bool:
    """Tell whether the site shows the newest state of the database."""
    live = json.loads((folder.path / LIVE).read_bytes())
    path, links, generation = settings.database, live["audit"], live["generation"]
    return (
        generation == built_generation(path)
        and last_audit_links(path, links) == links
        and (folder.path / record_path(generation)).is_file()
    )


def _count_files(folder: OutputFolder) -> int | None:
    """Return how many files there are, None if one has not the size it should have."""
    entries = json.loads((folder.path / MANIFEST).read_bytes())["files"]
    root = f"{folder.path}/"
    are_intact = all(
        os.stat(root + path).st_size == entry["size"] for path, entry in entries.items()
    )
    # The manifest does not list the file with the live generation.
    return len(entries) + 1 if are_intact else None


def _files(folder: Path) -> Iterator[Path]:
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(path, name) for name in names)


def _packages() -> list[str]:
    """Return the installed packages, each with its version."""
    folders = filter(os.path.isdir, sys.path)
    names = (name for folder in folders for name in os.listdir(folder))
    return sorted(name for name in names if name.endswith(".dist-info"))
