"""Add, list, get and remove the files of projects."""

from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import Field, model_validator

from models.base import Schema
from models.errors import FileNotFound, FilePublished, LimitExceeded
from models.fields import ID, LIMIT, CreatedAt, Id, UpdatedAt
from models.pagination import CursorQuery, Limit, Page, cursor_page
from models.projects import descriptions
from models.projects.fields import (
    Actor,
    ActorType,
    CreatorType,
    Order,
    ProjectId,
    ProjectQuery,
    SearchText,
    require_exactly_one,
    sort_keys,
)
from models.projects.files.contents import (
    delete_unused_contents,
    store_content,
    stored_bytes,
)
from models.projects.files.file_types import media_type
from models.projects.files.names import FileName
from models.projects.files.pins import is_published
from models.projects.files.rows import FileContentRow, FileRow, file_named, file_with
from models.projects.files.uploads import Upload
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import (
    ProjectRow,
    filter_by_project,
    project_with,
    requested_project,
    require_active,
)

Sha256 = Annotated[str, Field(min_length=64, max_length=64)]


class ProjectFile(Schema):
    """A file without its bytes; `sourceSha256` is of the bytes as they were sent."""

    id: Annotated[Id, ID]
    project_id: ProjectId
    name: Annotated[str, descriptions.FILE_NAME]
    type: str = Field(
        description="The media type, by the suffix of the name.", examples=["image/png"]
    )
    size: int = Field(description="The number of bytes.", examples=[18204])
    sha256: Sha256 = Field(
        description="The SHA-256 of the stored bytes, in hexadecimal.",
        examples=["5f" * 32],
    )
    source_sha256: Sha256 = Field(
        description="The SHA-256 of the bytes as they were sent, before their"
        " metadata went.",
        examples=["a3" * 32],
    )
    width: int | None = Field(
        description="The width of the picture in pixels. null: it is no picture.",
        examples=[640],
    )
    height: int | None = Field(
        description="The height of the picture in pixels. null: it is no picture.",
        examples=[480],
    )
    creator_id: Annotated[str, descriptions.CREATOR_ID]
    creator_type: CreatorType
    created_at: CreatedAt
    updated_at: UpdatedAt


class AddFile(Schema):
    project_id: ProjectId
    name: Annotated[FileName, descriptions.FILE_NAME]


class ListFiles(ProjectQuery, CursorQuery, example=("projectSlug",)):
    q: SearchText | None = Field(
        default=None, description="A part of the name.", examples=["setup"]
    )
    sort: Annotated[Literal["name", "createdAt", "updatedAt"], descriptions.SORT] = (
        "name"
    )
    order: Order | None = None
    limit: Annotated[Limit, LIMIT] = 100


class GetFile(ProjectQuery, example=("projectSlug", "name")):
    """A query for one file, by its id or by its project and name."""

    id: Annotated[Id | None, ID] = None
    name: Annotated[FileName | None, descriptions.FILE_NAME] = None

    @model_validator(mode="after")
    def _id_or_name(self) -> "GetFile":
        require_exactly_one(self, "id", "name")
        has_project = self.project_id is not None or self.project_slug is not None
        if has_project != (self.name is not None):
            raise ValueError("Give name with projectId or projectSlug, or id alone.")
        return self


class RemoveFile(Schema):
    id: Annotated[Id, ID]


class RemovedFile(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    name: Annotated[str, descriptions.FILE_NAME]


def describe_file(file: FileRow) -> ProjectFile:
    content: FileContentRow = file.content
    return ProjectFile(
        id=file.id,
        project_id=file.project_id,
        name=file.name,
        type=media_type(file.name),
        size=content.size,
        sha256=content.digest,
        source_sha256=file.source_digest,
        width=content.width,
        height=content.height,
        creator_id=file.creator_id,
        creator_type=cast(ActorType, file.creator_type),
        created_at=file.created_at,
        updated_at=file.updated_at,
    )


def list_files(query: ListFiles) -> Page[ProjectFile]:
    rows = filter_by_project(
        FileRow.select(FileRow, FileContentRow).join(FileContentRow), FileRow, query
    )
    if query.q is not None:
        rows = rows.where(FileRow.name.contains(query.q))
    keys = sort_keys(FileRow, query.sort, query.order)
    page = cursor_page(rows, query, *keys)
    return Page([describe_file(file) for file in page.items], page.meta)


def find_file(query: GetFile) -> FileRow:
    if query.id is not None:
        return file_with(query.id)
    project = requested_project(query)
    file = file_named(project, query.name) if project and query.name else None
    if file is None:
        raise FileNotFound(f"The project has no file '{query.name}'.")
    return file


def add_file(
    request: AddFile, upload: Upload, now: datetime, actor: Actor, *, max_bytes: int
) -> tuple[FileRow, bool]:
    """
    Add a file, or replace the one with the name; return whether that changed it.

    Pages that show it stay as they are until they are published again. Raise
    LimitExceeded if the files of the project would have more than `max_bytes`.
    """
    project = project_with(request.project_id)
    require_role(project, actor, "files:add")
    require_active(project)
    file = file_named(project, request.name)
    if file is not None and file.content_id == upload.digest:
        return file, False
    store_content(upload)
    file = set_file(project, request.name, upload, now, actor, file)
    require_space(project, max_bytes)
    return file, True


def set_file(
    project: ProjectRow,
    name: str,
    upload: Upload,
    now: datetime,
    actor: Actor,
    file: FileRow | None,
) -> FileRow:
    """Create the file or replace its content, which is stored; record the activity."""
    previous = file.content_id if file else ""
    values = {
        "content": upload.digest,
        "source_digest": upload.source_digest,
        "source_size": None,
        "source_modified_ns": None,
    }
    if file is None:
        file = FileRow.create(
            project=project,
            name=name,
            **actor.creation(now),
            **values,
        )
    else:
        file.change(values, now)
        delete_unused_contents([previous])
    metadata = {"fileId": file.id, "name": name, "sha256": upload.digest}
    if previous:
        metadata["previousSha256"] = previous
    action = "project.file-updated" if previous else "project.file-added"
    record_activity(project, action, actor, now, **metadata)
    return file


def require_space(project: ProjectRow, max_bytes: int) -> None:
    """Raise LimitExceeded if the project's files have too many bytes."""
    if stored_bytes(project) > max_bytes:
        raise LimitExceeded(
            f"The files of the project '{project.slug}' would have more than"
            f" {max_bytes} bytes, which is the limit of MASTHEAD_FILES_MAX_BYTES."
        )


def remove_file(request: RemoveFile, now: datetime, actor: Actor) -> RemovedFile:
    """Remove a file; raise FilePublished while a published document shows it."""
    file = file_with(request.id)
    project: ProjectRow = file.project
    require_role(project, actor, "files:remove")
    require_active(project)
    if is_published(file):
        raise FilePublished(
            f"The {file.noun} is shown by a published document. Unpublish the document,"
            " or publish it without the file."
        )
    digest = file.content_id
    file.delete_instance()
    delete_unused_contents([digest])
    record_activity(
        project, "project.file-removed", actor, now, fileId=file.id, name=file.name
    )
    return RemovedFile(id=file.id, project_id=project.id, name=file.name)
