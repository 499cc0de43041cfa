"""Specifications for the tests: written, saved, tied to work."""

from models.base import new_id
from models.projects.specifications.specifications import (
    CreateSpecification,
    UpdateSpecification,
    create_specification,
    update_specification,
)
from models.projects.specifications.supersession import (
    SupersedeSpecification,
    supersede_specification,
)
from models.projects.work.rows import WorkItemRow, WorkSpecificationRow
from tests.factories.projects import KEY, OWNER


def specify(project, clock, slug="login", actor=KEY, **more):
    members = {
        "project_id": project.id,
        "title": "Login",
        "slug": slug,
        "content": "One.\n",
    }
    return create_specification(CreateSpecification(**members | more), clock.now, actor)


def revise(specification, clock, actor=KEY, **more):
    request = UpdateSpecification(id=specification.id, **more)
    return update_specification(request, clock.now, actor)


def supersede(specification, successor, clock, actor=KEY, **more):
    request = SupersedeSpecification(
        id=specification.id, superseded_by=successor.id, **more
    )
    return supersede_specification(request, clock.now, actor)[0]


def tied(specification, clock, status="planned", tie="implements", **more):
    """Create a work item that is related to the specification."""
    project = specification.project
    project.last_number += 1
    project.save()
    item = WorkItemRow.create(
        id=new_id(clock.now),
        project=project,
        number=project.last_number,
        type="task",
        title="Build it",
        status=status,
        priority="none",
        bucket="none",
        creator_id=OWNER,
        creator_type="account",
        created_at=clock.now,
        updated_at=clock.now,
        **more,
    )
    WorkSpecificationRow.create(
        work=item, specification=specification.id, relationship=tie
    )
    return item
