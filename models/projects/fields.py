"""The words of Area A: who acts, and what its questions have in common."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.alias_generators import to_camel

from models.base import Schema
from models.errors import ValidationFailed
from models.fields import (
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

T = TypeVar("T")

ActorType = Literal["account", "key"]
EntityType = Literal[
    "project", "work", "specification", "document", "milestone", "member", "comment"
]
Archived = Literal["exclude", "only", "include"]
Content = Literal["include", "omit"]
Order = Literal["asc", "desc"]
Version = Annotated[WholeNumber, Field(gt=0, le=2**31)]

Title = Annotated[str, TRIMMED, Field(min_length=1, max_length=200), SingleLine]
Text = Annotated[str, Field(max_length=500_000)]
Search = Annotated[str, Field(min_length=1, max_length=100)]


def _split(value: Any) -> Any:
    return value.split(",") if isinstance(value, str) else value


# Several words in one query parameter, separated by commas.
Commas = Annotated[list[T], BeforeValidator(_split), Field(min_length=1)]
AccountOrMe = Annotated[
    str, BeforeValidator(lambda value: value if value == "me" else parse_uuid(value))
]
# Text of its own limits that may be null; "" is null.
OrNull = Annotated[T | None, AfterValidator(null_if_empty)]
Summary = OrNull[Annotated[str, TRIMMED, Field(max_length=300), SingleLine]]
Description = OrNull[Annotated[str, Field(max_length=2000)]]


@dataclass(frozen=True)
class Actor:
    """
    The account or API key that makes a change, and the request it came in.

    `about` collects the ids of the projects in which the caller acts.
    """

    type: ActorType
    id: str
    request_id: str | None = None
    about: set[str] = field(default_factory=set, compare=False, repr=False)

    @property
    def account(self) -> str | None:
        return self.id if self.type == "account" else None


class OfProject(Schema):
    """A question about one project, which has two names; or about all."""

    project_id: Id | None = None
    project_slug: Slug | None = None

    @model_validator(mode="after")
    def _not_both(self) -> "OfProject":
        if self.project_id is not None and self.project_slug is not None:
            raise ValueError("Give projectId or projectSlug, not both.")
        return self


class NamedInProject(OfProject):
    """A question about one thing: by its id, or by its project and its slug."""

    id: Id | None = None
    slug: Slug | None = None

    @model_validator(mode="after")
    def _one(self) -> "NamedInProject":
        exactly_one(self, "id", "slug")
        has_project = self.project_id is not None or self.project_slug is not None
        if self.slug is not None and not has_project:
            raise ValueError("A slug goes with projectId or projectSlug.")
        if self.id is not None and has_project:
            raise ValueError("projectId and projectSlug go with slug, not with id.")
        return self


class ListRevisions(CursorQuery):
    """A question about the revisions of what the member `of` names."""

    of: ClassVar[str]

    order: Order = "desc"
    content: Content = "include"

    @property
    def of_id(self) -> str:
        return str(getattr(self, self.of))


class GetRevision(Schema):
    """A question about one revision of what the member `of` names."""

    of: ClassVar[str]

    id: Id | None = None
    version: QueryInteger | None = None
    at: Moment | None = None

    @property
    def of_id(self) -> str | None:
        named: str | None = getattr(self, self.of)
        return named

    @model_validator(mode="after")
    def _one(self) -> "GetRevision":
        exactly_one(self, "id", self.of)
        if self.id is None:
            exactly_one(self, "version", "at")
        elif self.version is not None or self.at is not None:
            raise ValueError(
                f"version and at go with {to_camel(self.of)}, not with id."
            )
        return self


def exactly_one(shape: Schema, *names: str) -> None:
    """Refuse a question that names its subject twice, or not at all."""
    if len([name for name in names if getattr(shape, name) is not None]) != 1:
        told = " and ".join(to_camel(name) for name in names)
        raise ValueError(f"Give exactly one of {told}.")


def account_named(asked: str | None, actor: Actor, parameter: str) -> str | None:
    """Return the account of `me`, which a key that acts for nobody has not."""
    if asked != "me":
        return asked
    if actor.account is None:
        detail = "The key acts for no account, so there is no me."
        error = {"parameter": parameter, "code": "me", "detail": detail}
        raise ValidationFailed(f"{parameter}: {detail}", error)
    return actor.account


def sorted_by(field: Any, order: Order | None, id: Any) -> tuple[Sort, ...]:
    """
    Sort as asked: names go up and times go down unless the order says else.

    What has no value comes last, either way.
    """
    is_time = field.name.endswith("_at")
    down = order == "desc" or (order is None and is_time)
    sort: Callable[[Any], Sort] = descending if down else ascending
    first = nulls_last(field, descending=down) if field.null else sort(field)
    return first, sort(id)
