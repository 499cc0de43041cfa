"""Detect which status page a set of files comes from, and parse it."""

from collections.abc import Mapping
from pathlib import Path

from models.errors import ValidationFailed
from models.status.importers import cstate, statuspage, upptime
from models.status.importers.imported_status import ImportedStatus

# The files that are read of a folder.
PATTERNS = (
    *statuspage.DOCUMENTS,
    *cstate.CONFIGURATIONS,
    f"{cstate.ISSUES}/*.md",
    upptime.CONFIGURATION,
    f"{upptime.HISTORY}/*.yml",
    upptime.ISSUES,
)
MAX_FILE_BYTES = 16_000_000


def status_page_files(folder: Path) -> dict[str, str]:
    """
    Return the texts of the files that belong to a status page, by relative path.

    Raise ValidationFailed if the folder or a file cannot be read.
    """
    if not folder.is_dir():
        raise ValidationFailed(f"There is no folder {folder}.")
    files = {}
    for pattern in PATTERNS:
        for path in sorted(folder.glob(pattern)):
            # A link in a folder of someone else could lead anywhere.
            if path.is_file() and not path.is_symlink():
                files[path.relative_to(folder).as_posix()] = _read_text(path)
    return files


def parse_status_page(files: Mapping[str, str]) -> ImportedStatus:
    """Parse the files in the format they are in; raise ValidationFailed."""
    if any(name in files for name in statuspage.DOCUMENTS):
        return statuspage.parse(files)
    if upptime.CONFIGURATION in files:
        return upptime.parse(files)
    if any(name.startswith(f"{cstate.ISSUES}/") for name in files):
        return cstate.parse(files)
    raise ValidationFailed(
        "No status page was found: neither the documents of Statuspage v2"
        f" ({', '.join(statuspage.DOCUMENTS)}), nor {cstate.ISSUES} of cState, nor"
        f" {upptime.CONFIGURATION} of Upptime."
    )


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ValidationFailed(f"{path} has more than {MAX_FILE_BYTES} bytes.")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValidationFailed(f"{path} cannot be read: {error}.") from None
