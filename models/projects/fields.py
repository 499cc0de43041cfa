"""Define the actor and the field types that the schemas of projects share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.alias_generators import to_camel, to_snake

from models.base import Schema, new_id
from models.errors import ValidationFailed
from models.fields import (
    ID,
    TRIMMED,
    Id,
    Moment,
    QueryInteger,
    SingleLine,
    Slug,
    WholeNumber,
    null_if_empty,
    parse_uuid,
)
from models.pagination import CursorQuery, Sort, ascending, descending, nulls_last
from models.projects import descriptions

T = TypeVar("T")

ActorType = Literal["account", "key"]
EntityType = Literal[
    "project", "work", "specification", "document", "milestone", "member", "comment"
]
ArchivedFilter = Literal["exclude", "only", "include"]
ContentOption = Literal["include", "omit"]
SortOrder = Literal["asc", "desc"]
Version = Annotated[WholeNumber, Field(gt=0, le=2**31)]

Title = Annotated[str, TRIMMED, Field(min_length=1, max_length=200), SingleLine]
Text = Annotated[str, Field(max_length=500_000)]
# As in HTML: a language, and its script and region where they matter.
LANGUAGE_TAG = r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}"
LanguageTag = Annotated[str, Field(pattern=rf"^{LANGUAGE_TAG}$")]
SearchText = Annotated[str, Field(min_length=1, max_length=100)]


# Several values in one query parameter.
CommaSeparated = Annotated[
    list[T],
    BeforeValidator(
        lambda value: value.split(",") if isinstance(value, str) else value
    ),
    Field(min_length=1),
]
AccountOrMe = Annotated[
    str, BeforeValidator(lambda value: value if value == "me" else parse_uuid(value))
]
# An optional text with limits of its own; an empty string becomes null.
NullIfEmpty = Annotated[T | None, AfterValidator(null_if_empty)]
Summary = NullIfEmpty[Annotated[str, TRIMMED, Field(max_length=300), SingleLine]]
Description = NullIfEmpty[Annotated[str, Field(max_length=2000)]]


# What the examples of the API show.
EXAMPLE_TIME = "2026-03-15T12:00:00.000Z"
# Of the line "Words."
WORDS_SHA256 = "04992df26cbd3c75a3f121501e221823883baf391208ea3ecb76dc2c194c2d64"
# What several fields mean.
IsTruncated = Annotated[
    bool,
    Field(description="Whether entries are missing because the limit was reached."),
]
UpdatedBefore = Annotated[
    Moment,
    Field(
        description="Only entries changed before this time.", examples=[EXAMPLE_TIME]
    ),
]
ProjectId = Annotated[Id, Field(description="The ID of the project.")]
DocumentId = Annotated[Id, Field(description="The ID of the document.")]
OwnerId = Annotated[
    Id, Field(description="The ID of the account that owns the project.")
]
DueAt = Annotated[Moment, Field(description="When it is due.", examples=[EXAMPLE_TIME])]
WasRemoved = Annotated[
    bool,
    Field(
        description="Whether something was removed; false if there was nothing to"
        " remove."
    ),
]
UpdatedAfter = Annotated[
    Moment,
    Field(
        description="Only entries changed at this time or later.",
        examples=[EXAMPLE_TIME],
    ),
]
CreatorType = Annotated[
    ActorType, Field(description="Whether an account or a key created it.")
]
ChangerType = Annotated[
    ActorType, Field(description="Whether an account or a key made the change.")
]
SpecificationId = Annotated[Id, Field(description="The ID of the specification.")]
ExpectedVersion = Annotated[
    Version,
    Field(
        description="The expected latest version; another one is a conflict.",
        examples=[3],
    ),
]
ArchivedAt = Annotated[
    Moment, Field(description="When it was archived.", examples=[None])
]
Order = Annotated[
    SortOrder,
    Field(description="The sort order: asc for ascending, desc for descending."),
]
ExpectedUpdatedAt = Annotated[
    Moment, Field(description="The expected updatedAt; another one is a conflict.")
]
AuthorType = Annotated[
    ActorType, Field(description="Whether an account or a key wrote it.")
]


@dataclass(frozen=True)
class Actor:
    """
    The account or API key that makes a change, and the request it came in.

    `project_ids` collects the projects that the request reads or changes, so that
    purging one of them also deletes the stored response.
    """

    type: ActorType
    id: str
    request_id: str | None = None
    project_ids: set[str] = field(default_factory=set, compare=False, repr=False)

    @property
    def account_id(self) -> str | None:
        """The id of the account; None for a key that acts for no account."""
        return self.id if self.type == "account" else None

    def creation(self, now: datetime) -> dict[str, Any]:
        """Return the columns of a new row that say who creates it, and when."""
        creator = {"creator_id": self.id, "creator_type": self.type}
        return {"id": new_id(now), **creator, "created_at": now, "updated_at": now}


class ProjectQuery(Schema):
    """A query about one project, given by id or slug, or about all projects."""

    project_id: ProjectId | None = None
    project_slug: Slug | None = Field(
        default=None, description="The slug of the project.", examples=["harbour"]
    )

    @model_validator(mode="after")
    def _not_both(self) -> "ProjectQuery":
        if self.project_id is not None and self.project_slug is not None:
            raise ValueError("Give projectId or projectSlug, not both.")
        return self


class ChangeRequest(Schema):
    """A request that changes the fields of an entity that it names."""

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        if not self.changed_values():
            raise ValueError("Give at least one field to change.")
        return self

    def changed_values(self) -> dict[str, Any]:
        """Return the fields to change, by their Python names."""
        values = self.sent_fields()
        return {
            name: value
            for name, value in values.items()
            if name not in ("id", "expected_updated_at")
        }


class IdOrSlugQuery(ProjectQuery):
    """A query for one entity, by its id or by its project and slug."""

    id: Annotated[Id | None, ID] = None
    slug: Annotated[Slug | None, descriptions.SLUG] = None

    @model_validator(mode="after")
    def _id_or_slug(self) -> "IdOrSlugQuery":
        require_exactly_one(self, "id", "slug")
        has_project = self.project_id is not None or self.project_slug is not None
        if self.slug is not None and not has_project:
            raise ValueError("slug requires projectId or projectSlug.")
        if self.id is not None and has_project:
            raise ValueError(
                "projectId and projectSlug can only be used with slug, not with id."
            )
        return self


class ListRevisions(CursorQuery):
    """A query for the revisions of the entity whose id is in `parent_field`."""

    parent_field: ClassVar[str]

    order: Order = "desc"
    content: ContentOption = Field(
        default="include", description="Whether to include the content."
    )

    @property
    def parent_id(self) -> str:
        return str(getattr(self, self.parent_field))


class GetRevision(Schema):
    """A query for one revision: by its id, or by version or time of its parent."""

    parent_field: ClassVar[str]

    id: Annotated[Id | None, ID] = None
    version: Annotated[QueryInteger | None, descriptions.VERSION] = None
    at: Moment | None = Field(
        default=None,
        description="Returns the revision that was the latest at this time.",
        examples=[EXAMPLE_TIME],
    )

    @property
    def parent_id(self) -> str | None:
        id: str | None = getattr(self, self.parent_field)
        return id

    @model_validator(mode="after")
    def _id_or_parent(self) -> "GetRevision":
        require_exactly_one(self, "id", self.parent_field)
        if self.id is None:
            require_exactly_one(self, "version", "at")
        elif self.version is not None or self.at is not None:
            parent = to_camel(self.parent_field)
            raise ValueError(
                f"version and at can only be used with {parent}, not with id."
            )
        return self


def time_bound(description: str) -> Any:
    """Return the field of a query that limits a time."""
    return Field(default=None, description=description, examples=[EXAMPLE_TIME])


def require_exactly_one(schema: Schema, *names: str) -> None:
    """Raise ValueError unless exactly one of the fields is set."""
    if len([name for name in names if getattr(schema, name) is not None]) != 1:
        fields = " and ".join(to_camel(name) for name in names)
        raise ValueError(f"Give exactly one of {fields}.")


def resolve_account(account_id: str | None, actor: Actor, parameter: str) -> str | None:
    """
    Return the account id, with `me` replaced by the caller's account.

    Raise ValidationFailed for `me` if the key acts for no account.
    """
    if account_id != "me":
        return account_id
    if actor.account_id is None:
        detail = "'me' requires a key that acts for an account."
        error = {"parameter": parameter, "code": "me", "detail": detail}
        raise ValidationFailed(f"{parameter}: {detail}", error)
    return actor.account_id


def sort_keys(model: Any, name: str, order: SortOrder | None) -> tuple[Sort, ...]:
    """
    Return the sort keys of a list: the column, then the id to break ties.

    `name` is that of the field in the API, such as createdAt.

    By default names sort ascending and times descending. Null values come last in
    both orders.
    """
    field, id = getattr(model, to_snake(name)), model.id
    is_time = field.name.endswith("_at")
    is_descending = order == "desc" or (order is None and is_time)
    sort: Callable[[Any], Sort] = descending if is_descending else ascending
    first = nulls_last(field, descending=is_descending) if field.null else sort(field)
    return first, sort(id)
