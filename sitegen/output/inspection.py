"""Does the output folder hold what the manifest says: at once, or bit by bit."""

import hashlib
import logging
import time
from itertools import islice

from models.logs import LogLine
from models.runtime.faults import Fault
from sitegen.output.folder import Folder
from sitegen.output.manifest import MANIFEST, Entry

log = logging.getLogger("masthead.builds")

# Publications wait while files are looked at, so only so many are in one go.
GLANCE_SECONDS = 0.1


def differences(folder: Folder) -> list[str]:
    """Return, in sentences, where the files are not as the manifest says."""
    if not folder.path.is_dir():
        return []
    with folder.locked():
        if folder.is_unfinished:
            return ["A build of the output was broken off; the next makes up for it."]
        known = folder.known()
        if known is None:
            is_empty = not any(folder.path.glob("[!.]*"))
            return [] if is_empty else ["The output's manifest cannot be read."]
        wrong = [p for p, entry in known.entries.items() if not _is(folder, p, entry)]
        return [_told(folder, path) for path in wrong]


class Inspection:
    """
    Goes through the folder again and again, a glance at a time.

    What it finds wrong the folder doubts from then on, until it is made again.
    """

    def __init__(self) -> None:
        self._ahead: list[str] = []

    def glance(self, folder: Folder) -> bool:
        """Look at some files; tell whether a build must make something again."""
        with folder.locked():
            known = None if folder.is_unfinished else folder.known()
            if known is None:
                return True
            self._ahead = self._ahead or sorted(known.entries, reverse=True)
            until = time.monotonic() + GLANCE_SECONDS
            while self._ahead and time.monotonic() < until:
                path = self._ahead.pop()
                entry = known.entries.get(path)
                if entry and not _is(folder, path, entry):
                    folder.doubted.add(path)
                    log.warning(LogLine(state="output-damaged", path=path))
        return bool(folder.doubted)


def faults_of(folder: Folder) -> list[Fault]:
    """Return what is wrong with the files until the next build is over."""
    doubted = sorted(folder.doubted.copy())
    if MANIFEST in doubted:
        detail = "The output's manifest cannot be read; all is made again."
        return [Fault("manifest-damaged", detail)]
    return [
        Fault("output-damaged", _told(folder, path)) for path in islice(doubted, 10)
    ]


def _told(folder: Folder, path: str) -> str:
    if not (folder.path / path).is_file():
        return f"{path} is missing from the output."
    return f"{path} in the output is not as it was written."


def _is(folder: Folder, path: str, entry: Entry) -> bool:
    try:
        found = (folder.path / path).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(found).hexdigest() == entry.sha256
