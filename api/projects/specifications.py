"""What may be asked about specifications."""

from api.operation import MIB, Call, operation
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
from models.projects.specifications import specifications, supersession
from models.projects.specifications.coverage import Coverage, GetCoverage, coverage
from models.projects.specifications.rows import SPECIFICATIONS, SpecificationRow
from models.projects.specifications.specifications import (
    CreateSpecification,
    GetSpecification,
    ListSpecifications,
    Specification,
    UpdateSpecification,
    specifications_listed,
)
from models.projects.specifications.supersession import (
    GetLineage,
    Lineage,
    SupersedeSpecification,
    lineage_of,
)
from models.projects.versioning import archive
from models.projects.versioning.archive import RemoveSpecification, RestoreSpecification


@operation(
    "GET /projects/v1/specifications/list",
    scope="projects:specifications:list",
    request=ListSpecifications,
    response=list[Specification],
    errors=(ProjectNotFound,),
)
def list_specifications(
    call: Call, query: ListSpecifications
) -> Page[SpecificationRow]:
    """
    List specifications, last changed first unless sort says else.

    With content=omit the texts are left empty. A page also ends at 4 MiB of text.
    Without a project, those of archived projects are left out unless archived
    is only or include.
    """
    return specifications_listed(query)


@operation(
    "GET /projects/v1/specifications/get",
    scope="projects:specifications:get",
    request=GetSpecification,
    response=Specification,
    errors=(SpecificationNotFound, ProjectNotFound),
)
def get_specification(call: Call, query: GetSpecification) -> SpecificationRow:
    """Get the newest version of a specification, by id or by project and slug."""
    return SPECIFICATIONS.got(query)


@operation(
    "POST /projects/v1/specifications/create",
    scope="projects:specifications:create",
    request=CreateSpecification,
    response=Specification,
    errors=(ProjectNotFound, RoleRequired, ProjectArchived, SlugTaken),
    max_body_bytes=8 * MIB,
)
def create_specification(call: Call, request: CreateSpecification) -> SpecificationRow:
    """
    Write a specification, which is version 1.

    As approved or implemented only a maintainer may. Send an Idempotency-Key to
    be able to repeat the call safely.
    """
    return specifications.create_specification(request, call.now, call.actor)


@operation(
    "POST /projects/v1/specifications/update",
    scope="projects:specifications:update",
    request=UpdateSpecification,
    response=Specification,
    errors=(
        SpecificationNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        SpecificationSuperseded,
    ),
    max_body_bytes=8 * MIB,
)
def update_specification(call: Call, request: UpdateSpecification) -> SpecificationRow:
    """
    Save a specification as its next version; members left out stay as they are.

    A save that leaves it approved or implemented needs a maintainer: others send
    status draft or review along with their change.
    """
    return specifications.update_specification(request, call.now, call.actor)


@operation(
    "POST /projects/v1/specifications/supersede",
    scope="projects:specifications:supersede",
    request=SupersedeSpecification,
    response=Specification,
    errors=(
        SpecificationNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        SpecificationSuperseded,
        ReferenceNotFound,
        SuccessorUnusable,
    ),
    max_body_bytes=8 * MIB,
)
def supersede_specification(
    call: Call, request: SupersedeSpecification
) -> SpecificationRow:
    """
    Retire a specification in favour of another one, for good.

    The successor lives in the same project: not archived, not superseded itself.
    Work that is tied to the specification stays tied to it.
    """
    specification, changed = supersession.supersede_specification(
        request, call.now, call.actor
    )
    if not changed:
        call.mark_unchanged()
    return specification


@operation(
    "POST /projects/v1/specifications/remove",
    scope="projects:specifications:remove",
    request=RemoveSpecification,
    response=Specification,
    errors=(SpecificationNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=8 * MIB,
)
def remove_specification(call: Call, request: RemoveSpecification) -> SpecificationRow:
    """
    Archive a specification: it becomes read-only.

    Beyond draft and review this needs a maintainer.
    """
    specification, changed = archive.remove_specification(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return specification


@operation(
    "POST /projects/v1/specifications/restore",
    scope="projects:specifications:restore",
    request=RestoreSpecification,
    response=Specification,
    errors=(SpecificationNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=8 * MIB,
)
def restore_specification(
    call: Call, request: RestoreSpecification
) -> SpecificationRow:
    """
    Take a specification out of the archive; its status is what it was.

    Beyond draft and review this needs a maintainer.
    """
    specification, changed = archive.restore_specification(
        request, call.now, call.actor
    )
    if not changed:
        call.mark_unchanged()
    return specification


@operation(
    "GET /projects/v1/specifications/lineage",
    scope="projects:specifications:lineage",
    request=GetLineage,
    response=Lineage,
    errors=(SpecificationNotFound,),
)
def get_specification_lineage(call: Call, query: GetLineage) -> Lineage:
    """
    Get what a specification supersedes and what supersedes it, nearest first.

    headId is the one at the end of the line, or the specification itself.
    """
    return lineage_of(query)


@operation(
    "GET /projects/v1/specifications/coverage",
    scope="projects:specifications:coverage",
    request=GetCoverage,
    response=list[Coverage],
    errors=(SpecificationNotFound, ProjectNotFound),
)
def get_specification_coverage(call: Call, query: GetCoverage) -> Page[Coverage]:
    """
    Count the work tied to specifications, and tell where the two drift apart.

    Archived work does not count. drift names approved-without-implementing-work,
    implemented-with-open-work (that implements it) and retired-with-open-work
    (that implements it or is governed by it; superseded or archived). With
    drift=true only those with a finding.
    """
    return coverage(query)
