"""The schema of a project bundle: a project with its entire content."""

import json
from base64 import b64decode
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from models.base import Schema
from models.fields import SHA256_HEX, Id, Moment, WholeNumber
from models.lazy_list import Lazy
from models.projects.discussion.comments import Comment
from models.projects.discussion.references import (
    ExternalId,
    ExternalReference,
    ReferenceState,
    ReferenceTitle,
    System,
    Url,
)
from models.projects.documents.documents import Document, Note, Position, Section
from models.projects.documents.linking.aliases import Alias
from models.projects.documents.revisions import DocumentRevision
from models.projects.fields import (
    Description,
    LanguageTag,
    Summary,
    Text,
    Title,
    Version,
)
from models.projects.files.files import ProjectFile
from models.projects.files.names import FileName
from models.projects.files.uploads import MAX_FILE_BYTES
from models.projects.members.members import MAX_MEMBERS, ProjectMember
from models.projects.planning.labels import Label, LabelName
from models.projects.planning.milestones import (
    Milestone,
    MilestoneDescription,
    MilestoneName,
)
from models.projects.projects.activity import ProjectActivity
from models.projects.projects.projects import Project, ProjectName
from models.projects.specifications.revisions import SpecificationRevision
from models.projects.specifications.specifications import RevisionSummary, Specification
from models.projects.work.items import (
    Assignees,
    Labels,
    Links,
    WorkItem,
    WorkItemDescription,
)
from models.projects.work.relationships import WorkRelationship

MIB = 1024 * 1024
# The limit of an import request; an export leaves room for the fields around it.
MAX_BUNDLE_BYTES = 64 * MIB
MAX_METADATA_BYTES = 64 * 1024
# Base64 has four characters for three bytes.
MAX_DATA_LENGTH = (MAX_FILE_BYTES + 2) // 3 * 4

Sha256Hex = Annotated[str, Field(pattern=SHA256_HEX)]

Action = Annotated[str, Field(max_length=64, pattern=r"^[a-z]+\.[a-z]+(-[a-z]+)*$")]
Number = Annotated[WholeNumber, Field(ge=1, lt=2**31)]


def _validate_metadata(value: dict[str, Any]) -> dict[str, Any]:
    try:
        size = len(json.dumps(value, allow_nan=False))
    except ValueError:
        raise ValueError("Must be JSON without NaN and Infinity.") from None
    if size > MAX_METADATA_BYTES:
        raise ValueError(f"Must be at most {MAX_METADATA_BYTES} bytes of JSON.")
    return value


Metadata = Annotated[dict[str, Any], AfterValidator(_validate_metadata)]


class BundledProject(Project):
    name: ProjectName
    description: Description


class BundledLabel(Label):
    """A label of the project, or a global label that its work items have."""

    name: LabelName
    is_global: Annotated[bool, Field(alias="global")] = False

    @model_validator(mode="after")
    def _require_owner(self) -> "BundledLabel":
        if self.is_global != (self.project_id is None):
            raise ValueError(
                "A global label has no projectId; any other label needs one."
            )
        return self


class BundledMilestone(Milestone):
    name: MilestoneName
    description: MilestoneDescription


class BundledWorkItem(WorkItem):
    number: Number
    title: Title
    description: WorkItemDescription
    creator_id: Id
    assignee_ids: Assignees
    label_ids: Labels
    specifications: Links

    @model_validator(mode="after")
    def _require_completed_at(self) -> "BundledWorkItem":
        if (self.status == "done") != (self.completed_at is not None):
            raise ValueError("completedAt goes with the status done.")
        return self


class BundledSpecification(Specification):
    title: Title
    version: Version
    content: Text
    creator_id: Id

    @model_validator(mode="after")
    def _require_successor(self) -> "BundledSpecification":
        fields = {self.superseded_at is not None, self.superseded_by is not None}
        if fields != {self.status == "superseded"}:
            raise ValueError(
                "supersededAt and supersededBy go with the status superseded."
            )
        return self


class BundledSpecificationRevision(SpecificationRevision):
    version: Version
    title: Title
    content: Text
    summary: RevisionSummary
    author_id: Id


class BundledDocument(Document):
    title: Title
    summary: Summary
    content: Text
    version: Version
    section: Section | None
    position: Position
    published_version: Version | None
    creator_id: Id
    # Only documents that were imported can have one.
    language: Annotated[
        LanguageTag | None, Field(exclude_if=lambda language: language is None)
    ] = None

    @model_validator(mode="after")
    def _require_publication(self) -> "BundledDocument":
        version = self.published_version
        if (version is None) != (self.published_at is None):
            raise ValueError("publishedVersion and publishedAt go together.")
        if version is not None and version > self.version:
            raise ValueError("publishedVersion must not be greater than version.")
        return self


class BundledDocumentRevision(DocumentRevision):
    version: Version
    title: Title
    summary: Summary
    content: Text
    note: Note
    author_id: Id


class BundledAlias(Schema):
    """An address that redirects to a document of the built-in docs project."""

    document_id: Id
    address: Alias
    is_declared: Annotated[bool, Field(alias="declared")]


class BundledFile(ProjectFile):
    name: FileName
    sha256: Sha256Hex
    source_sha256: Sha256Hex
    creator_id: Id


class PinnedFile(Schema):
    """The content that a version of a document shows under the name of a file."""

    document_id: Id
    version: Version
    name: FileName
    sha256: Sha256Hex


class FileContent(Schema):
    """The bytes of files in Base64; files with equal bytes share them."""

    sha256: Sha256Hex
    data: Annotated[str, Field(max_length=MAX_DATA_LENGTH)]

    def decode(self) -> bytes:
        """Return the bytes; raise ValueError if this is no Base64."""
        return b64decode(self.data, validate=True)


class BundledComment(Comment):
    author_id: Id
    content: Annotated[str, Field(max_length=50_000)]

    @model_validator(mode="after")
    def _require_content(self) -> "BundledComment":
        if (self.content == "") != (self.deleted_at is not None):
            raise ValueError(
                "A removed comment has no content; any other comment needs some."
            )
        return self


class BundledReference(ExternalReference):
    system: System
    url: Url | None
    external_id: ExternalId | None
    title: ReferenceTitle | None
    state: ReferenceState | None
    creator_id: Id

    @model_validator(mode="after")
    def _require_identity(self) -> "BundledReference":
        if self.url is None and self.external_id is None:
            raise ValueError("Give url or externalId, or both.")
        return self


class BundledActivity(ProjectActivity):
    actor_id: Id
    entity_id: Id
    action: Action
    metadata: Metadata | None

    @model_validator(mode="after")
    def _require_entity_type(self) -> "BundledActivity":
        if not self.action.startswith(f"{self.entity_type}."):
            raise ValueError("The action must begin with the entityType.")
        return self


class ProjectBundle(Schema):
    """The response of an export, and the input of an import."""

    format: Literal["projects-bundle"]
    version: Literal[1]
    exported_at: Moment
    project: BundledProject
    membership: Annotated[
        Lazy[ProjectMember], Field(alias="members", max_length=MAX_MEMBERS)
    ]
    labels: Lazy[BundledLabel]
    milestones: Lazy[BundledMilestone]
    work: Lazy[BundledWorkItem]
    relationships: Lazy[WorkRelationship]
    specifications: Lazy[BundledSpecification]
    specification_revisions: Lazy[BundledSpecificationRevision]
    documents: Lazy[BundledDocument]
    document_revisions: Lazy[BundledDocumentRevision]
    # Bundles of earlier releases have no aliases.
    aliases: Annotated[Lazy[BundledAlias], Field(default_factory=list)]
    # Bundles of earlier releases have no files either.
    files: Annotated[Lazy[BundledFile], Field(default_factory=list)]
    pinned_files: Annotated[Lazy[PinnedFile], Field(default_factory=list)]
    file_contents: Annotated[Lazy[FileContent], Field(default_factory=list)]
    comments: Lazy[BundledComment]
    references: Lazy[BundledReference]
    activity: Lazy[BundledActivity]
