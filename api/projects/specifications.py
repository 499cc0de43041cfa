"""Operations on specifications."""

from api.operation import MIB, Call, operation
from api.projects import PROJECT_CHANGE, VERSIONED_CHANGE
from models.errors import (
    ProjectNotFound,
    ReferenceNotFound,
    SlugTaken,
    SpecificationNotFound,
    SpecificationSuperseded,
    SuccessorUnusable,
)
from models.pagination import Page
from models.projects.specifications import specifications, supersession
from models.projects.specifications.coverage import (
    Coverage,
    GetCoverage,
    specification_coverage,
)
from models.projects.specifications.rows import SPECIFICATIONS, SpecificationRow
from models.projects.specifications.specifications import (
    CreateSpecification,
    GetSpecification,
    ListSpecifications,
    Specification,
    UpdateSpecification,
)
from models.projects.specifications.supersession import (
    GetLineage,
    Lineage,
    SupersedeSpecification,
    specification_lineage,
)
from models.projects.versioning import archive
from models.projects.versioning.archive import RemoveSpecification, RestoreSpecification


@operation(
    "GET /projects/v1/specifications/list",
    response=list[Specification],
    errors=(ProjectNotFound,),
)
def list_specifications(
    call: Call, query: ListSpecifications
) -> Page[SpecificationRow]:
    """
    List specifications, last updated first by default.

    With content=omit the content fields are empty. A page also ends at 4 MiB of
    content. Without a project, specifications of archived projects are left out
    unless archived is only or include.
    """
    return specifications.list_specifications(query)


@operation(
    "GET /projects/v1/specifications/get",
    response=Specification,
    errors=(SpecificationNotFound, ProjectNotFound),
)
def get_specification(call: Call, query: GetSpecification) -> SpecificationRow:
    """Get the newest version of a specification, by id or by project and slug."""
    return SPECIFICATIONS.get(query)


@operation(
    "POST /projects/v1/specifications/create",
    response=Specification,
    errors=(ProjectNotFound, *PROJECT_CHANGE, SlugTaken),
    max_body_bytes=8 * MIB,
)
def create_specification(call: Call, request: CreateSpecification) -> SpecificationRow:
    """
    Create a specification. It starts at version 1.

    Only a maintainer may create it as approved or implemented. Send an
    Idempotency-Key to repeat the call safely.
    """
    return specifications.create_specification(request, call.now, call.actor)


@operation(
    "POST /projects/v1/specifications/update",
    response=Specification,
    errors=(SpecificationNotFound, *VERSIONED_CHANGE, SpecificationSuperseded),
    max_body_bytes=8 * MIB,
)
def update_specification(call: Call, request: UpdateSpecification) -> SpecificationRow:
    """
    Save a specification as its next version; omitted fields keep their values.

    Only a maintainer may save it as approved or implemented. Others must set the
    status to draft or review in the same call.
    """
    return specifications.update_specification(request, call.now, call.actor)


@operation(
    "POST /projects/v1/specifications/supersede",
    response=Specification,
    errors=(
        SpecificationNotFound,
        *VERSIONED_CHANGE,
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
    Supersede a specification by another one. This is permanent.

    The successor must be in the same project, and neither archived nor superseded.
    Work that is linked to the specification stays linked to it.
    """
    return call.result_of(
        supersession.supersede_specification(request, call.now, call.actor)
    )


@operation(
    "POST /projects/v1/specifications/remove",
    response=Specification,
    errors=(SpecificationNotFound, *PROJECT_CHANGE),
    max_body_bytes=8 * MIB,
)
def remove_specification(call: Call, request: RemoveSpecification) -> SpecificationRow:
    """
    Archive a specification, which makes it read-only.

    Unless the status is draft or review, this needs a maintainer.
    """
    return call.result_of(archive.remove_specification(request, call.now, call.actor))


@operation(
    "POST /projects/v1/specifications/restore",
    response=Specification,
    errors=(SpecificationNotFound, *PROJECT_CHANGE),
    max_body_bytes=8 * MIB,
)
def restore_specification(
    call: Call, request: RestoreSpecification
) -> SpecificationRow:
    """
    Restore an archived specification, with its earlier status.

    Unless the status is draft or review, this needs a maintainer.
    """
    return call.result_of(archive.restore_specification(request, call.now, call.actor))


@operation(
    "GET /projects/v1/specifications/lineage",
    response=Lineage,
    errors=(SpecificationNotFound,),
)
def get_specification_lineage(call: Call, query: GetLineage) -> Lineage:
    """
    Get the predecessors and successors of a specification, nearest first.

    headId is the id of the last successor, or of the specification itself.
    """
    return specification_lineage(query)


@operation(
    "GET /projects/v1/specifications/coverage",
    response=list[Coverage],
    errors=(SpecificationNotFound, ProjectNotFound),
)
def get_specification_coverage(call: Call, query: GetCoverage) -> Page[Coverage]:
    """
    Count the work linked to specifications, and report drift between the two.

    Archived work does not count. The drift of a specification is
    approved-without-implementing-work, implemented-with-open-work if work that
    implements it is open, or retired-with-open-work if it is superseded or archived
    while work that implements it or is governed by it is open. With drift=true, only
    specifications that have drifted are listed.
    """
    return specification_coverage(query)
