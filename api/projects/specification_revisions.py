"""What may be asked about the revisions of specifications."""

from api.operation import MIB, Call, operation
from api.projects.by import by
from models.errors import (
    Archived,
    ProjectArchived,
    RevisionNotFound,
    RoleRequired,
    SpecificationNotFound,
    SpecificationSuperseded,
    VersionConflict,
)
from models.pagination import Page
from models.projects.comparison import SpecificationDiff
from models.projects.specification import (
    SPECIFICATIONS,
    SpecificationRevisionRow,
    SpecificationRow,
)
from models.projects.specification_revisions import (
    DiffSpecificationRevisions,
    GetSpecificationRevision,
    ListSpecificationRevisions,
    RestoreSpecificationRevision,
    SpecificationRevision,
    restore_specification_revision,
    specification_compared,
    specification_revisions_listed,
)
from models.projects.specifications import Specification


@operation(
    "GET /projects/v1/specification-revisions/list",
    scope="projects:specification-revisions:list",
    takes=ListSpecificationRevisions,
    gives=list[SpecificationRevision],
    refuses=(SpecificationNotFound,),
)
def list_specification_revisions(
    call: Call, asked: ListSpecificationRevisions
) -> Page[SpecificationRevisionRow]:
    """
    List the revisions of a specification, newest first.

    With content=omit the texts are left empty. A page also ends at 4 MiB of text.
    """
    return specification_revisions_listed(asked)


@operation(
    "GET /projects/v1/specification-revisions/get",
    scope="projects:specification-revisions:get",
    takes=GetSpecificationRevision,
    gives=SpecificationRevision,
    refuses=(SpecificationNotFound, RevisionNotFound),
)
def get_specification_revision(
    call: Call, asked: GetSpecificationRevision
) -> SpecificationRevisionRow:
    """
    Get a revision: by its id, or of a specification by version.

    With at it is the revision that was in force at that time.
    """
    return SPECIFICATIONS.revision_got(asked)


@operation(
    "GET /projects/v1/specification-revisions/diff",
    scope="projects:specification-revisions:diff",
    takes=DiffSpecificationRevisions,
    gives=SpecificationDiff,
    refuses=(SpecificationNotFound, RevisionNotFound),
)
def diff_specification_revisions(
    call: Call, asked: DiffSpecificationRevisions
) -> SpecificationDiff:
    """
    Compare two versions of a specification, line by line.

    Without to, the newest. With from greater than to it is the way back. Where
    two texts have too little in common, what is left is told as replaced and
    truncated is true.
    """
    return specification_compared(asked)


@operation(
    "POST /projects/v1/specification-revisions/restore",
    scope="projects:specification-revisions:restore",
    takes=RestoreSpecificationRevision,
    gives=Specification,
    refuses=(
        SpecificationNotFound,
        RevisionNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        SpecificationSuperseded,
    ),
    most_bytes=8 * MIB,
)
def revert_specification(
    call: Call, asked: RestoreSpecificationRevision
) -> SpecificationRow:
    """
    Append a version with the title and text of an old one; the status stays.

    Of an approved or implemented specification this needs a maintainer.
    """
    return restore_specification_revision(asked, call.now, by(call))
