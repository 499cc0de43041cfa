"""The work items that the tests of Area A share."""

from models.base import new_id
from models.projects.label import LabelRow
from models.projects.milestone import MilestoneRow
from models.projects.relationships import (
    AddWorkRelationship,
    RemoveWorkRelationship,
    add_relationship,
    remove_relationship,
)
from models.projects.specification import SpecificationRow
from models.projects.work_items import (
    CreateWorkItem,
    UpdateWorkItem,
    create_work_item,
    update_work_item,
)
from tests.projects import KEY, OWNER


def work(project, clock, by=KEY, **more):
    asked = {"project_id": project.id, "type": "task", "title": "Build"} | more
    return create_work_item(CreateWorkItem(**asked), clock.now, by)


def change(item, clock, by=KEY, **changes):
    asked = UpdateWorkItem(id=item.id, **changes)
    return update_work_item(asked, clock.now, by)[0]


def relate(source, target, relationship, clock, by=KEY):
    asked = AddWorkRelationship(
        source_id=source.id, target_id=target.id, relationship=relationship
    )
    return add_relationship(asked, clock.now, by)


def part(source, target, relationship, clock, by=KEY):
    asked = RemoveWorkRelationship(
        source_id=source.id, target_id=target.id, relationship=relationship
    )
    return remove_relationship(asked, clock.now, by)


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
