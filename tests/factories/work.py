"""The work items that the tests of Area A share."""

from models.base import new_id
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.specifications.rows import SpecificationRow
from models.projects.work.items import (
    CreateWorkItem,
    UpdateWorkItem,
    create_work_item,
    update_work_item,
)
from models.projects.work.relationships import (
    AddWorkRelationship,
    RemoveWorkRelationship,
    add_relationship,
    remove_relationship,
)
from tests.factories.projects import KEY, OWNER


def work(project, clock, actor=KEY, **fields):
    request = {"project_id": project.id, "type": "task", "title": "Build"} | fields
    return create_work_item(CreateWorkItem(**request), clock.now, actor)


def change(item, clock, actor=KEY, **changes):
    request = UpdateWorkItem(id=item.id, **changes)
    return update_work_item(request, clock.now, actor)[0]


def relate(source, target, relationship, clock, actor=KEY):
    request = AddWorkRelationship(
        source_id=source.id, target_id=target.id, relationship=relationship
    )
    return add_relationship(request, clock.now, actor)


def part(source, target, relationship, clock, actor=KEY):
    request = RemoveWorkRelationship(
        source_id=source.id, target_id=target.id, relationship=relationship
    )
    return remove_relationship(request, clock.now, actor)


def label(project, now, name="urgent"):
    return LabelRow.create(id=new_id(now), project=project, name=name, created_at=now)


def milestone(project, now, **fields):
    members = {"name": "One", "status": "planned", "bucket": "none"} | fields
    times = {"created_at": now, "updated_at": now}
    return MilestoneRow.create(id=new_id(now), project=project, **members | times)


def specification(project, now, **fields):
    members = {"title": "Cursors", "slug": "cursors", "status": "draft", "version": 1}
    members |= {"creator_id": OWNER, "creator_type": "account"} | fields
    times = {"created_at": now, "updated_at": now}
    return SpecificationRow.create(id=new_id(now), project=project, **members | times)
