"""Which status page a set of files is of, and who reads it."""

from collections.abc import Mapping
from pathlib import Path

from models.errors import ValidationFailed
from models.status.importers import cstate, statuspage, upptime
from models.status.importers.imported_status import Cargo

# What is looked for in a folder; the rest of it is not read.
PATTERNS = (
    *statuspage.DOCUMENTS,
    *cstate.CONFIGURATIONS,
    f"{cstate.ISSUES}/*.md",
    upptime.CONFIGURATION,
    f"{upptime.HISTORY}/*.yml",
    upptime.ISSUES,
)
MOST_BYTES = 16_000_000


def files_in(folder: Path) -> dict[str, str]:
    """Return the texts of the files that may tell of a status page, by their names."""
    if not folder.is_dir():
        raise ValidationFailed(f"There is no folder {folder}.")
    found = {}
    for pattern in PATTERNS:
        for path in sorted(folder.glob(pattern)):
            if path.is_file() and not path.is_symlink():
                found[path.relative_to(folder).as_posix()] = _text(path)
    return found


def cargo_of(files: Mapping[str, str]) -> Cargo:
    """Read the files as the page that they are of."""
    if any(name in files for name in statuspage.DOCUMENTS):
        return statuspage.cargo(files)
    if upptime.CONFIGURATION in files:
        return upptime.cargo(files)
    if any(name.startswith(f"{cstate.ISSUES}/") for name in files):
        return cstate.cargo(files)
    raise ValidationFailed(
        "There is no status page in it: neither the documents of Statuspage v2"
        f" ({', '.join(statuspage.DOCUMENTS)}), nor {cstate.ISSUES} of cState, nor"
        f" {upptime.CONFIGURATION} of Upptime."
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValidationFailed(f"{path} has more than {MOST_BYTES} bytes.")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValidationFailed(f"{path} cannot be read: {error}.") from None
