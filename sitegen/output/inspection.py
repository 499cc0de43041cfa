"""Compare the output folder with its manifest, all at once or a few files at a time."""

import hashlib
import logging
import time
from itertools import islice
from pathlib import Path

from models.logs import LogLine
from models.runtime.faults import Fault
from sitegen.output.folder import (
    ALL_AREAS,
    OutputFolder,
    is_site_unfinished,
    site_manifest,
)
from sitegen.output.manifest import MANIFEST, SHARED, ManifestEntry

log = logging.getLogger("masthead.builds")

# Builds wait during an inspection, so each step is short.
STEP_SECONDS = 0.1
MAX_FAULTS = 10


def differences(output: Path) -> list[str]:
    """Return a sentence for each file that is not as the manifest says."""
    if not output.is_dir() or not any(output.glob("[!.]*")):
        return []
    if is_site_unfinished(output):
        return ["A build is under way or was interrupted; the next one completes it."]
    found, is_readable = [], True
    for area in ALL_AREAS:
        folder = OutputFolder(str(output), area)
        with folder.locked():
            manifest = folder.manifest()
            is_readable &= manifest is not None
            found += [
                _describe(folder, path)
                for path, entry in (manifest.entries.items() if manifest else ())
                if not _is_intact(folder, path, entry)
            ]
            if area == SHARED:
                is_readable &= _is_site_manifest_intact(folder)
    return found if is_readable else [*found, "The output's manifest cannot be read."]


class Inspection:
    """
    Reads all files of an area over and over, some at each step.

    Files that it finds damaged are made again by the next build.
    """

    def __init__(self) -> None:
        self._remaining: list[str] = []

    def step(self, folder: OutputFolder) -> bool:
        """Check some files; return whether a build must repair something."""
        with folder.locked():
            manifest = None if folder.is_unfinished else folder.manifest()
            if manifest is None:
                return True
            entries = manifest.entries
            self._remaining = self._remaining or sorted(entries, reverse=True)
            deadline = time.monotonic() + STEP_SECONDS
            while self._remaining and time.monotonic() < deadline:
                path = self._remaining.pop()
                entry = entries.get(path)
                if entry and not _is_intact(folder, path, entry):
                    folder.damaged.add(path)
                    log.warning(LogLine(state="output-damaged", path=path))
            if folder.area == SHARED and not _is_site_manifest_intact(folder):
                folder.damaged.add(MANIFEST)
                log.warning(LogLine(state="manifest-damaged", path=MANIFEST))
        return bool(folder.damaged)


def output_faults(folder: OutputFolder) -> list[Fault]:
    """Return what is wrong with the files until the next build has ended."""
    damaged = sorted(folder.damaged.copy())
    if not {MANIFEST, folder.manifest_name}.isdisjoint(damaged):
        detail = "The output's manifest cannot be read; every page is written again."
        return [Fault("manifest-damaged", detail)]
    return [
        Fault("output-damaged", _describe(folder, path))
        for path in islice(damaged, MAX_FAULTS)
    ]


def _describe(folder: OutputFolder, path: str) -> str:
    if not (folder.path / path).is_file():
        return f"{path} is missing from the output."
    return f"{path} in the output was changed after it was written."


def _is_intact(folder: OutputFolder, path: str, entry: ManifestEntry) -> bool:
    try:
        content = (folder.path / path).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(content).digest() == entry.sha256


def _is_site_manifest_intact(shared: OutputFolder) -> bool:
    return shared.has_content(MANIFEST, site_manifest(shared))
