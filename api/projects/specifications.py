"""What may be asked about specifications."""

from api.operation import MIB, Call, operation
from api.projects.by import by
from models.errors import (
    Archived,
    ProjectArchived,
    ProjectNotFound,
    ReferenceNotFound,
    RoleRequired,
    SlugTaken,
    SpecificationNotFound,
    SpecificationSuperseded,
    SuccessorUnusable,
    VersionConflict,
)
from models.pagination import Page
from models.projects.archive import (
    RemoveSpecification,
    RestoreSpecification,
    remove_specification,
    restore_specification,
)
from models.projects.coverage import Coverage, GetCoverage, coverage
from models.projects.specification import SPECIFICATIONS, SpecificationRow
from models.projects.specification_register import (
    ListSpecifications,
    specifications_listed,
)
from models.projects.specifications import (
    CreateSpecification,
    GetSpecification,
    Specification,
    UpdateSpecification,
    create_specification,
    update_specification,
)
from models.projects.supersession import (
    GetLineage,
    Lineage,
    SupersedeSpecification,
    lineage_of,
    supersede_specification,
)


@operation(
    "GET /projects/v1/specifications/list",
    scope="projects:specifications:list",
    takes=ListSpecifications,
    gives=list[Specification],
    refuses=(ProjectNotFound,),
)
def list_specifications(
    call: Call, asked: ListSpecifications
) -> Page[SpecificationRow]:
    """
    List specifications, last changed first unless sort says else.

    With content=omit the texts are left empty. A page also ends at 4 MiB of text.
    Without a project, those of archived projects are left out unless archived
    is only or include.
    """
    return specifications_listed(asked)


@operation(
    "GET /projects/v1/specifications/get",
    scope="projects:specifications:get",
    takes=GetSpecification,
    gives=Specification,
    refuses=(SpecificationNotFound, ProjectNotFound),
)
def get_specification(call: Call, asked: GetSpecification) -> SpecificationRow:
    """Get the newest version of a specification, by id or by project and slug."""
    return SPECIFICATIONS.got(asked)


@operation(
    "POST /projects/v1/specifications/create",
    scope="projects:specifications:create",
    takes=CreateSpecification,
    gives=Specification,
    refuses=(ProjectNotFound, RoleRequired, ProjectArchived, SlugTaken),
    most_bytes=8 * MIB,
)
def write_specification(call: Call, asked: CreateSpecification) -> SpecificationRow:
    """
    Write a specification, which is version 1.

    As approved or implemented only a maintainer may. Send an Idempotency-Key to
    be able to repeat the call safely.
    """
    return create_specification(asked, call.now, by(call))


@operation(
    "POST /projects/v1/specifications/update",
    scope="projects:specifications:update",
    takes=UpdateSpecification,
    gives=Specification,
    refuses=(
        SpecificationNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        SpecificationSuperseded,
    ),
    most_bytes=8 * MIB,
)
def change_specification(call: Call, asked: UpdateSpecification) -> SpecificationRow:
    """
    Save a specification as its next version; members left out stay as they are.

    A save that leaves it approved or implemented needs a maintainer: others send
    status draft or review along with their change.
    """
    return update_specification(asked, call.now, by(call))


@operation(
    "POST /projects/v1/specifications/supersede",
    scope="projects:specifications:supersede",
    takes=SupersedeSpecification,
    gives=Specification,
    refuses=(
        SpecificationNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        SpecificationSuperseded,
        ReferenceNotFound,
        SuccessorUnusable,
    ),
    most_bytes=8 * MIB,
)
def retire_specification(call: Call, asked: SupersedeSpecification) -> SpecificationRow:
    """
    Retire a specification in favour of another one, for good.

    The successor lives in the same project: not archived, not superseded itself.
    Work that is tied to the specification stays tied to it.
    """
    specification, changed = supersede_specification(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return specification


@operation(
    "POST /projects/v1/specifications/remove",
    scope="projects:specifications:remove",
    takes=RemoveSpecification,
    gives=Specification,
    refuses=(SpecificationNotFound, RoleRequired, ProjectArchived),
    most_bytes=8 * MIB,
)
def archive_specification(call: Call, asked: RemoveSpecification) -> SpecificationRow:
    """
    Archive a specification: it becomes read-only.

    Beyond draft and review this needs a maintainer.
    """
    specification, changed = remove_specification(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return specification


@operation(
    "POST /projects/v1/specifications/restore",
    scope="projects:specifications:restore",
    takes=RestoreSpecification,
    gives=Specification,
    refuses=(SpecificationNotFound, RoleRequired, ProjectArchived),
    most_bytes=8 * MIB,
)
def unarchive_specification(
    call: Call, asked: RestoreSpecification
) -> SpecificationRow:
    """
    Take a specification out of the archive; its status is what it was.

    Beyond draft and review this needs a maintainer.
    """
    specification, changed = restore_specification(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return specification


@operation(
    "GET /projects/v1/specifications/lineage",
    scope="projects:specifications:lineage",
    takes=GetLineage,
    gives=Lineage,
    refuses=(SpecificationNotFound,),
)
def get_lineage(call: Call, asked: GetLineage) -> Lineage:
    """
    Get what a specification supersedes and what supersedes it, nearest first.

    headId is the one at the end of the line, or the specification itself.
    """
    return lineage_of(asked)


@operation(
    "GET /projects/v1/specifications/coverage",
    scope="projects:specifications:coverage",
    takes=GetCoverage,
    gives=list[Coverage],
    refuses=(SpecificationNotFound, ProjectNotFound),
)
def get_coverage(call: Call, asked: GetCoverage) -> Page[Coverage]:
    """
    Count the work tied to specifications, and tell where the two drift apart.

    Archived work does not count. drift names approved-without-implementing-work,
    implemented-with-open-work (that implements it) and retired-with-open-work
    (that implements it or is governed by it; superseded or archived). With
    drift=true only those with a finding.
    """
    return coverage(asked)
