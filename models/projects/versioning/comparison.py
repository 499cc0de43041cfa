"""Compare two revisions: their fields, and their contents line by line."""

from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import Field

from models.base import Schema
from models.fields import STATUS
from models.projects.fields import IsTruncated
from models.projects.versioning.diff import unified_diff
from models.projects.versioning.versioned import Versioned


class FromTo(Schema):
    from_: Annotated[str | None, Field(alias="from")] = Field(
        description="The old value.", examples=["draft"]
    )
    to: str | None = Field(description="The new value.", examples=["approved"])


class DiffStats(Schema):
    added: int = Field(description="The number of added lines.", examples=[3])
    removed: int = Field(description="The number of removed lines.")


class RevisionDiff(Schema):
    """
    The changes that turn one revision into another.

    `truncated`: the search reached its limit, so there may be a shorter diff.
    """

    # The field that is compared besides title and content.
    compared_field: ClassVar[str]

    from_: Annotated[int, Field(alias="from")] = Field(
        description="The older version.", examples=[2]
    )
    to: int = Field(description="The newer version.", examples=[3])
    title: FromTo | None = Field(
        description="The change of the title. null: unchanged."
    )
    stats: DiffStats = Field(description="The number of changed lines.")
    unified: str = Field(
        description="The changes as a unified diff.", examples=["-One.\n+Two.\n"]
    )
    truncated: IsTruncated


class SpecificationDiff(RevisionDiff):
    compared_field: ClassVar = "status"

    status: Annotated[FromTo | None, STATUS]


class DocumentDiff(RevisionDiff):
    compared_field: ClassVar = "summary"

    summary: FromTo | None = Field(
        description="The change of the summary. null: unchanged."
    )


Diff = TypeVar("Diff", bound=RevisionDiff)


def compare_versions(
    kind: Versioned[Any, Any], head: Any, from_: int, to: int, schema: type[Diff]
) -> Diff:
    """Return the diff of two versions; `from_` may be the newer one."""
    old, new = kind.revision_of(head, from_), kind.revision_of(head, to)
    name = schema.compared_field
    labels = (f"{head.slug}@{version}" for version in (from_, to))
    diff = unified_diff(old.content, new.content, *labels)
    return schema(
        from_=from_,
        to=to,
        title=_from_to(old.title, new.title),
        stats=DiffStats(added=diff.added, removed=diff.removed),
        unified=diff.unified,
        truncated=diff.truncated,
        **{name: _from_to(getattr(old, name), getattr(new, name))},
    )


def _from_to(old: str | None, new: str | None) -> FromTo | None:
    return None if old == new else FromTo(from_=old, to=new)
