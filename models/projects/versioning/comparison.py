"""Two revisions compared: their words, and their texts line by line."""

from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import Field

from models.base import Schema
from models.projects.versioning.diff import difference
from models.projects.versioning.versioned import Versioned


class FromTo(Schema):
    from_: Annotated[str | None, Field(alias="from")]
    to: str | None


class DiffStats(Schema):
    added: int
    removed: int


class RevisionDiff(Schema):
    """
    How to get from one text to the other.

    `truncated`: the search was cut, so there may be a shorter way.
    """

    # The word that a revision has beside its title.
    word: ClassVar[str]

    from_: Annotated[int, Field(alias="from")]
    to: int
    title: FromTo | None
    stats: DiffStats
    unified: str
    truncated: bool


class SpecificationDiff(RevisionDiff):
    word: ClassVar = "status"

    status: FromTo | None


class DocumentDiff(RevisionDiff):
    word: ClassVar = "summary"

    summary: FromTo | None


Told = TypeVar("Told", bound=RevisionDiff)


def compared(
    kind: Versioned[Any, Any], head: Any, from_: int, to: int, shape: type[Told]
) -> Told:
    """Return the difference of two versions, which may go back as well."""
    old, new = kind.revision_of(head, from_), kind.revision_of(head, to)
    names = (f"{head.slug}@{version}" for version in (from_, to))
    found = difference(old.content, new.content, *names)
    return shape(
        from_=from_,
        to=to,
        title=_from_to(old.title, new.title),
        stats=DiffStats(added=found.added, removed=found.removed),
        unified=found.unified,
        truncated=found.truncated,
        **{shape.word: _from_to(getattr(old, shape.word), getattr(new, shape.word))},
    )


def _from_to(old: str | None, new: str | None) -> FromTo | None:
    return None if old == new else FromTo(from_=old, to=new)
