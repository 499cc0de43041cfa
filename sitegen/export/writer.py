"""Write all stored data into a folder of plain files."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from models.fields import format_moment
from models.projects.bundles.bundle_writer import all_projects, serialize_bundle
from models.projects.files.contents import read_content
from models.projects.files.rows import digests_by_name
from models.runtime.commands import Progress
from models.storage.database import reading
from sitegen.export import documents
from sitegen.export.folder import ExportedFile, ExportFolder
from sitegen.export.record_types import RECORD_TYPES, SAMPLES

FORMAT, VERSION = "masthead-export", 1


@dataclass(frozen=True)
class ExportOptions:
    """What the manifest says about the export, and whether it has raw measurements."""

    now: datetime
    release: str
    site: str
    with_samples: bool = False

    def manifest_header(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "release": self.release,
            "site": self.site,
            "exportedAt": format_moment(self.now),
        }


def write_export(
    path: Path, options: ExportOptions, progress: Progress = iter
) -> list[ExportedFile]:
    """
    Write all data, from one snapshot, into a new or empty folder.

    The data is streamed. `progress` passes lines and files through and may show how
    many there were. If the export fails, everything written is removed.
    """
    folder = ExportFolder(path)
    try:
        with reading():
            _write_files(folder, options, progress)
        folder.write_manifest(options.manifest_header())
    except BaseException:
        folder.remove_all()
        raise
    return folder.files


def _write_files(
    folder: ExportFolder, options: ExportOptions, progress: Progress
) -> None:
    record_types = (*RECORD_TYPES, SAMPLES) if options.with_samples else RECORD_TYPES
    for record_type in record_types:
        folder.write(record_type.file, progress(record_type.lines(options.now)))
    for project in all_projects():
        chunks = serialize_bundle(project, options.now)
        folder.write(f"projects/{project.slug}.json", progress(chunks))
        for name, text in progress(documents.document_files(project)):
            folder.write(name, [text])
        for name, digest in progress([*digests_by_name(project).items()]):
            folder.write(f"projects/{project.slug}/files/{name}", read_content(digest))
