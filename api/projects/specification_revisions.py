"""Operations on the revisions of specifications."""

from api.operation import MIB, Call, operation
from api.projects import VERSIONED_CHANGE
from models.errors import (
    RevisionNotFound,
    SpecificationNotFound,
    SpecificationSuperseded,
)
from models.pagination import Page
from models.projects.specifications import revisions
from models.projects.specifications.rows import (
    SPECIFICATIONS,
    SpecificationRevisionRow,
    SpecificationRow,
)
from models.projects.specifications.specifications import Specification
from models.projects.versioning.comparison import SpecificationDiff


@operation(
    "GET /projects/v1/specification-revisions/list",
    response=list[revisions.SpecificationRevision],
    errors=(SpecificationNotFound,),
)
def list_specification_revisions(
    call: Call, query: revisions.ListSpecificationRevisions
) -> Page[SpecificationRevisionRow]:
    """
    List the revisions of a specification, newest first.

    With content=omit the content fields are empty. A page also ends at 4 MiB of
    content.
    """
    return revisions.list_specification_revisions(query)


@operation(
    "GET /projects/v1/specification-revisions/get",
    response=revisions.SpecificationRevision,
    errors=(SpecificationNotFound, RevisionNotFound),
)
def get_specification_revision(
    call: Call, query: revisions.GetSpecificationRevision
) -> SpecificationRevisionRow:
    """
    Get a revision by its id, or by specification and version.

    With at instead of version, get the revision that was the newest at that time.
    """
    return SPECIFICATIONS.get_revision(query)


@operation(
    "GET /projects/v1/specification-revisions/diff",
    response=SpecificationDiff,
    errors=(SpecificationNotFound, RevisionNotFound),
)
def diff_specification_revisions(
    call: Call, query: revisions.DiffSpecificationRevisions
) -> SpecificationDiff:
    """
    Compare two versions of a specification, line by line.

    By default, to is the newest version; from may be greater than to. If the
    comparison takes too long, because very much of a long text differs, the rest
    counts as replaced, and truncated is true.
    """
    return revisions.diff_specification_revisions(query)


@operation(
    "POST /projects/v1/specification-revisions/restore",
    response=Specification,
    errors=(
        SpecificationNotFound,
        RevisionNotFound,
        *VERSIONED_CHANGE,
        SpecificationSuperseded,
    ),
    max_body_bytes=8 * MIB,
)
def restore_specification_revision(
    call: Call, request: revisions.RestoreSpecificationRevision
) -> SpecificationRow:
    """
    Create a new version with the title and content of an old one.

    The status stays. If it is approved or implemented, this needs a maintainer.
    """
    return revisions.restore_specification_revision(request, call.now, call.actor)
