"""Everything that an installation keeps, written into a folder as plain files."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from models.fields import format_moment
from models.projects.bundles.bundle_writer import all_projects, serialize_bundle
from models.storage.database import reading
from sitegen.export import documents
from sitegen.export.folder import Entry, ExportFolder
from sitegen.export.record_types import NOUNS, SAMPLES

Progress = Callable[[Iterable[Any]], Iterable[Any]]

FORMAT, VERSION = "masthead-export", 1


@dataclass(frozen=True)
class Export:
    """What an export is to say of itself, and whether it has every sample."""

    now: datetime
    release: str
    site: str
    with_samples: bool = False

    def facts(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "release": self.release,
            "site": self.site,
            "exportedAt": format_moment(self.now),
        }


def export_into(path: Path, request: Export, progress: Progress = iter) -> list[Entry]:
    """
    Write all of it, as it was at one instant, into a folder that is empty or new.

    Nothing is held in memory but what is being written. `progress` goes through
    lines and files and may show how far it is. What cannot be finished is taken away.
    """
    folder = ExportFolder(path)
    try:
        with reading():
            _write(folder, request, progress)
        folder.finish(request.facts())
    except BaseException:
        folder.take_away()
        raise
    return folder.entries


def _write(folder: ExportFolder, request: Export, progress: Progress) -> None:
    for noun in (*NOUNS, SAMPLES) if request.with_samples else NOUNS:
        folder.write(noun.name, progress(noun.lines(request.now)))
    for project in all_projects():
        pieces = serialize_bundle(project, request.now)
        folder.write(f"projects/{project.slug}.json", progress(pieces))
        for name, text in progress(documents.files(project)):
            folder.write(name, [text])
