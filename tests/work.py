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
from tests.projects import KEY, OWNER


def work(project, clock, actor=KEY, **more):
    asked = {"project_id": project.id, "type": "task", "title": "Build"} | more
    return create_work_item(CreateWorkItem(**asked), clock.now, actor)


def change(item, clock, actor=KEY, **changes):
    asked = UpdateWorkItem(id=item.id, **changes)
    return update_work_item(asked, clock.now, actor)[0]


def relate(source, target, relationship, clock, actor=KEY):
    asked = AddWorkRelationship(
        source_id=source.id, target_id=target.id, relationship=relationship
    )
    return add_relationship(asked, clock.now, actor)


def part(source, target, relationship, clock, actor=KEY):
    asked = RemoveWorkRelationship(
        source_id=source.id, target_id=target.id, relationship=relationship
    )
    return remove_relationship(asked, clock.now, actor)


def label(project, now, name="urgent"):
    return LabelRow.create(id=new_id(now), project=project, name=name, created_at=now)


def milestone(project, now, **more):
    members = {"name": "One", "status": "planned", "bucket": "none"} | more
    times = {"created_at": now, "updated_at": now}
    return MilestoneRow.create(id=new_id(now), project=project, **members | times)


def specification(project, now, **more):
    members = {"title": "Cursors", "slug": "cursors", "status": "draft", "version": 1}
    members |= {"creator_id": OWNER, "creator_type": "account"} | more
    times = {"created_at": now, "updated_at": now}
    return SpecificationRow.create(id=new_id(now), project=project, **members | times)
