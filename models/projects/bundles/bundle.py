"""The schema of a project bundle: a project with its entire content."""

import json
from base64 import b64decode
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from models.base import Schema
from models.fields import SHA256_HEX, Id, Moment, WholeNumber
from models.lazy_list import Lazy
from models.projects import descriptions
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
from models.projects.documents.paths import DocumentPath, path_of_file
from models.projects.documents.revisions import DocumentRevision
from models.projects.fields import (
    WORDS_SHA256,
    Description,
    DocumentId,
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
    name: Annotated[ProjectName, descriptions.NAME]
    description: Annotated[Description, descriptions.DESCRIPTION]


class BundledLabel(Label):
    """A label of the project, or a global label that its work items have."""

    name: Annotated[LabelName, descriptions.LABEL_NAME]
    is_global: Annotated[bool, Field(alias="global")] = Field(
        default=False, description="Whether the label is available in every project."
    )

    @model_validator(mode="after")
    def _require_owner(self) -> "BundledLabel":
        if self.is_global != (self.project_id is None):
            raise ValueError(
                "A global label has no projectId; any other label needs one."
            )
        return self


class BundledMilestone(Milestone):
    name: Annotated[MilestoneName, descriptions.NAME]
    description: Annotated[MilestoneDescription, descriptions.DESCRIPTION]


class BundledWorkItem(WorkItem):
    number: Annotated[Number, descriptions.NUMBER]
    title: Annotated[Title, descriptions.TITLE]
    description: Annotated[WorkItemDescription, descriptions.DESCRIPTION]
    creator_id: Annotated[Id, descriptions.CREATOR_ID]
    assignee_ids: Annotated[Assignees, descriptions.ASSIGNEE_IDS]
    label_ids: Annotated[Labels, descriptions.LABEL_IDS]
    specifications: Annotated[Links, descriptions.LINKED_SPECIFICATIONS]

    @model_validator(mode="after")
    def _require_completed_at(self) -> "BundledWorkItem":
        if (self.status == "done") != (self.completed_at is not None):
            raise ValueError("completedAt goes with the status done.")
        return self


class BundledSpecification(Specification):
    title: Annotated[Title, descriptions.TITLE]
    version: Annotated[Version, descriptions.VERSION]
    content: Annotated[Text, descriptions.CONTENT]
    creator_id: Annotated[Id, descriptions.CREATOR_ID]

    @model_validator(mode="after")
    def _require_successor(self) -> "BundledSpecification":
        fields = {self.superseded_at is not None, self.superseded_by is not None}
        if fields != {self.status == "superseded"}:
            raise ValueError(
                "supersededAt and supersededBy go with the status superseded."
            )
        return self


class BundledSpecificationRevision(SpecificationRevision):
    version: Annotated[Version, descriptions.VERSION]
    title: Annotated[Title, descriptions.TITLE]
    content: Annotated[Text, descriptions.CONTENT]
    summary: Annotated[RevisionSummary, descriptions.SUMMARY]
    author_id: Annotated[Id, descriptions.AUTHOR_ID]


OMITTED_IF_NONE = Field(exclude_if=lambda value: value is None)


class BundledDocument(Document):
    title: Annotated[Title, descriptions.TITLE]
    summary: Annotated[Summary, descriptions.SUMMARY]
    content: Annotated[Text, descriptions.CONTENT]
    version: Annotated[Version, descriptions.VERSION]
    section: Annotated[Section | None, descriptions.DOCUMENT_SECTION]
    position: Annotated[Position, descriptions.POSITION]
    published_version: Version | None = Field(
        description="The published version.", examples=[None]
    )
    creator_id: Annotated[Id, descriptions.CREATOR_ID]
    path: Annotated[DocumentPath | None, descriptions.DOCUMENT_PATH] = None
    # Only documents that were imported can have these.
    nav_title: Annotated[Title | None, OMITTED_IF_NONE] = Field(
        default=None,
        description="The label in navigation. Missing: the title.",
        examples=["Moving"],
    )
    is_listed: Annotated[bool, Field(exclude_if=lambda is_listed: is_listed)] = Field(
        default=True,
        description="Whether navigation, search and sitemap have the page.",
    )
    has_lead: Annotated[bool, Field(exclude_if=lambda has_lead: has_lead)] = Field(
        default=True,
        description="Whether the page shows the summary below its title.",
    )
    changed_at: Annotated[Moment | None, OMITTED_IF_NONE] = Field(
        default=None,
        description="When the file was last changed, by its history.",
        examples=["2026-02-01T09:30:00Z"],
    )
    language: Annotated[LanguageTag | None, OMITTED_IF_NONE] = Field(
        default=None,
        description="The tag of the language of the text. Missing: that of the site.",
        examples=["en-GB"],
    )

    @property
    def place(self) -> str:
        """The path; bundles of earlier versions have none, since it was the slug."""
        return path_of_file(self.slug) if self.path is None else self.path

    @model_validator(mode="after")
    def _require_publication(self) -> "BundledDocument":
        version = self.published_version
        if (version is None) != (self.published_at is None):
            raise ValueError("publishedVersion and publishedAt go together.")
        if version is not None and version > self.version:
            raise ValueError("publishedVersion must not be greater than version.")
        return self


class BundledDocumentRevision(DocumentRevision):
    version: Annotated[Version, descriptions.VERSION]
    title: Annotated[Title, descriptions.TITLE]
    summary: Summary = Field(description="The summary, on one line.", examples=[None])
    content: Annotated[Text, descriptions.CONTENT]
    note: Annotated[Note, descriptions.CHANGE_NOTE]
    author_id: Annotated[Id, descriptions.AUTHOR_ID]


class BundledAlias(Schema):
    """An address that redirects to a document of the built-in docs project."""

    document_id: DocumentId
    address: Alias = Field(
        description="The address: a folder with its final slash, or a file that ends"
        " with `.html`.",
        examples=["/docs/2.0/setup/"],
    )
    is_declared: Annotated[bool, Field(alias="declared")] = Field(
        description="Whether the file of the document declares the address;"
        " otherwise, its page was there before.",
        examples=[True],
    )


class BundledFile(ProjectFile):
    name: Annotated[FileName, descriptions.FILE_NAME]
    sha256: Sha256Hex = Field(
        description="The SHA-256 of the content of the file.", examples=[WORDS_SHA256]
    )
    source_sha256: Sha256Hex = Field(
        description="The SHA-256 of the bytes that were sent.", examples=[WORDS_SHA256]
    )
    creator_id: Annotated[Id, descriptions.CREATOR_ID]


class PinnedFile(Schema):
    """The content that a version of a document shows under the name of a file."""

    document_id: DocumentId
    version: Annotated[Version, descriptions.VERSION]
    name: Annotated[FileName, descriptions.FILE_NAME]
    sha256: Sha256Hex = Field(
        description="The SHA-256 of the content that the version shows.",
        examples=[WORDS_SHA256],
    )


class FileContent(Schema):
    """The bytes of files in Base64; files with equal bytes share them."""

    sha256: Sha256Hex = Field(
        description="The SHA-256 of the bytes.", examples=[WORDS_SHA256]
    )
    data: Annotated[str, Field(max_length=MAX_DATA_LENGTH)] = Field(
        description="The bytes, as Base64.", examples=["V29yZHMuCg=="]
    )

    def decode(self) -> bytes:
        """Return the bytes; raise ValueError if this is no Base64."""
        return b64decode(self.data, validate=True)


class BundledComment(Comment):
    author_id: Annotated[Id, descriptions.AUTHOR_ID]
    content: Annotated[str, Field(max_length=50_000), descriptions.CONTENT]

    @model_validator(mode="after")
    def _require_content(self) -> "BundledComment":
        if (self.content == "") != (self.deleted_at is not None):
            raise ValueError(
                "A removed comment has no content; any other comment needs some."
            )
        return self


class BundledReference(ExternalReference):
    system: Annotated[System, descriptions.SYSTEM]
    url: Annotated[Url | None, descriptions.URL]
    external_id: Annotated[ExternalId | None, descriptions.EXTERNAL_ID]
    title: Annotated[ReferenceTitle | None, descriptions.TITLE]
    state: Annotated[ReferenceState | None, descriptions.STATE]
    creator_id: Annotated[Id, descriptions.CREATOR_ID]

    @model_validator(mode="after")
    def _require_identity(self) -> "BundledReference":
        if self.url is None and self.external_id is None:
            raise ValueError("Give url or externalId, or both.")
        return self


class BundledActivity(ProjectActivity):
    actor_id: Annotated[Id, descriptions.CHANGER_ID]
    entity_id: Annotated[Id, descriptions.ENTITY_ID]
    action: Action = Field(
        description="The action that was recorded.", examples=["project.created"]
    )
    metadata: Metadata | None = Field(
        description="Details of the activity.", examples=[None]
    )

    @model_validator(mode="after")
    def _require_entity_type(self) -> "BundledActivity":
        if not self.action.startswith(f"{self.entity_type}."):
            raise ValueError("The action must begin with the entityType.")
        return self


class ProjectBundle(Schema):
    """The response of an export, and the input of an import."""

    format: Literal["projects-bundle"] = Field(description="The format of the bundle.")
    version: Literal[1] = Field(description="The version of the format.")
    exported_at: Moment = Field(description="When the bundle was exported.")
    project: Annotated[BundledProject, descriptions.PROJECT]
    membership: Annotated[
        Lazy[ProjectMember], Field(alias="members", max_length=MAX_MEMBERS)
    ] = Field(description="The members and their roles.")
    labels: Lazy[BundledLabel] = Field(description="The labels.", examples=[[]])
    milestones: Lazy[BundledMilestone] = Field(description="The milestones.")
    work: Annotated[Lazy[BundledWorkItem], descriptions.WORK]
    relationships: Annotated[Lazy[WorkRelationship], descriptions.RELATIONSHIPS]
    specifications: Lazy[BundledSpecification] = Field(
        description="The specifications."
    )
    specification_revisions: Lazy[BundledSpecificationRevision] = Field(
        description="The revisions of the specifications."
    )
    documents: Lazy[BundledDocument] = Field(description="The documents.")
    document_revisions: Lazy[BundledDocumentRevision] = Field(
        description="The revisions of the documents."
    )
    # Bundles of earlier releases have no aliases.
    aliases: Annotated[Lazy[BundledAlias], Field(default_factory=list)] = Field(
        description="The addresses that redirect to documents."
    )
    # Bundles of earlier releases have no files either.
    files: Annotated[Lazy[BundledFile], Field(default_factory=list)] = Field(
        description="The files, as they are now."
    )
    pinned_files: Annotated[Lazy[PinnedFile], Field(default_factory=list)] = Field(
        description="The files that versions of documents show."
    )
    file_contents: Annotated[Lazy[FileContent], Field(default_factory=list)] = Field(
        description="The contents of the files."
    )
    comments: Lazy[BundledComment] = Field(description="The comments.")
    references: Lazy[BundledReference] = Field(description="The external references.")
    activity: Lazy[BundledActivity] = Field(description="The activity.")
