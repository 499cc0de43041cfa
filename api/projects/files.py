"""Operations on the pictures and other files of projects."""

from contextlib import AbstractContextManager
from typing import Protocol

from api.operation import Call, FileDownload, UploadedBody, operation
from api.projects import PROJECT_CHANGE
from models.errors import (
    FileNotFound,
    FilePublished,
    LimitExceeded,
    PayloadTooLarge,
    ProjectNotFound,
    UnsupportedMediaType,
)
from models.pagination import Page
from models.projects.files import files
from models.projects.files.contents import read_content
from models.projects.files.file_types import media_type
from models.projects.files.uploads import MAX_FILE_BYTES, Upload, read_upload


class NamesFile(Protocol):
    """A request whose body is the file that it names."""

    name: str


def read_file(request: NamesFile, body: UploadedBody) -> AbstractContextManager[Upload]:
    return read_upload(request.name, body.stream, body.length, body.media_type)


@operation(
    "POST /projects/v1/files/add",
    response=files.ProjectFile,
    errors=(
        ProjectNotFound,
        *PROJECT_CHANGE,
        LimitExceeded,
        PayloadTooLarge,
        UnsupportedMediaType,
    ),
    max_body_bytes=MAX_FILE_BYTES,
    read_upload=read_file,
)
def add_file(call: Call, request: files.AddFile) -> files.ProjectFile:
    """
    Add a file to a project, or replace the file of that name.

    The body is the file itself. Documents show it by its name, a path from the root of
    the project. A page shows the new bytes when its document is published again. The
    type follows from the name and the content. JPEG, PNG and WebP lose their metadata,
    and SVG whatever could run or load something.
    """
    file, is_changed = files.add_file(
        request,
        call.require_upload(),
        call.now,
        call.actor,
        max_bytes=call.settings.files_max_bytes,
    )
    if not is_changed:
        call.mark_unchanged()
    return files.describe_file(file)


@operation(
    "GET /projects/v1/files/list",
    response=list[files.ProjectFile],
    errors=(ProjectNotFound,),
)
def list_files(call: Call, query: files.ListFiles) -> Page[files.ProjectFile]:
    """List files without their bytes, by name by default."""
    return files.list_files(query)


@operation(
    "GET /projects/v1/files/get",
    response=files.ProjectFile,
    errors=(FileNotFound, ProjectNotFound),
)
def get_file(call: Call, query: files.GetFile) -> files.ProjectFile:
    """Get a file without its bytes, by its id or by project and name."""
    return files.describe_file(files.find_file(query))


@operation(
    "GET /projects/v1/files/content",
    response=FileDownload,
    errors=(FileNotFound, ProjectNotFound),
)
def get_file_content(call: Call, query: files.GetFile) -> FileDownload:
    """Get the bytes of a file as stored, by its id or by project and name."""
    file = files.find_file(query)
    name = file.name.rpartition("/")[2]
    return FileDownload(name, media_type(name), read_content(file.content_id))


@operation(
    "POST /projects/v1/files/remove",
    response=files.RemovedFile,
    errors=(FileNotFound, *PROJECT_CHANGE, FilePublished),
)
def remove_file(call: Call, request: files.RemoveFile) -> files.RemovedFile:
    """Remove a file. Unpublish the documents that show it first."""
    return files.remove_file(request, call.now, call.actor)
