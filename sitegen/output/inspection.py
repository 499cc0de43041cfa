"""Compare the output folder with its manifest, all at once or a few files at a time."""

import hashlib
import logging
import time
from itertools import islice

from models.logs import LogLine
from models.runtime.faults import Fault
from sitegen.output.folder import OutputFolder
from sitegen.output.manifest import MANIFEST, ManifestEntry

log = logging.getLogger("masthead.builds")

# Builds wait during an inspection, so each step is short.
STEP_SECONDS = 0.1
MAX_FAULTS = 10


def differences(folder: OutputFolder) -> list[str]:
    """Return a sentence for each file that is not as the manifest says."""
    if not folder.path.is_dir():
        return []
    with folder.locked():
        if folder.is_unfinished:
            return [
                "A build is under way or was interrupted; the next one completes it."
            ]
        manifest = folder.manifest()
        if manifest is None:
            is_empty = not any(folder.path.glob("[!.]*"))
            return [] if is_empty else ["The output's manifest cannot be read."]
        return [
            _describe(folder, path)
            for path, entry in manifest.entries.items()
            if not _is_intact(folder, path, entry)
        ]


class Inspection:
    """
    Reads all files of the folder over and over, some at each step.

    Files that it finds damaged are made again by the next build.
    """

    def __init__(self) -> None:
        self._remaining: list[str] = []

    def step(self, folder: OutputFolder) -> bool:
        """Check some files; tell whether a build must repair something."""
        with folder.locked():
            state = folder.state()
            if state is None:
                return True
            self._remaining = self._remaining or sorted(state.entries, reverse=True)
            deadline = time.monotonic() + STEP_SECONDS
            while self._remaining and time.monotonic() < deadline:
                path = self._remaining.pop()
                entry = state.entries.get(path)
                if entry and not _is_intact(folder, path, entry):
                    folder.damaged.add(path)
                    log.warning(LogLine(state="output-damaged", path=path))
        return bool(folder.damaged)


def output_faults(folder: OutputFolder) -> list[Fault]:
    """Return what is wrong with the files until the next build has ended."""
    damaged = sorted(folder.damaged.copy())
    if MANIFEST in damaged:
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
    return hashlib.sha256(content).hexdigest() == entry.sha256
