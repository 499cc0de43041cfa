"""The projects and people that the tests of Area A share."""

from models.base import new_id
from models.projects.fields import Actor
from models.projects.members.rows import MemberRow
from models.projects.projects.rows import ProjectRow
from models.projects.work.rows import WorkItemRow

OWNER = "00000000-0000-7000-8000-000000000001"
MAINTAINER = "00000000-0000-7000-8000-000000000002"
CONTRIBUTOR = "00000000-0000-7000-8000-000000000003"
READER = "00000000-0000-7000-8000-000000000004"
STRANGER = "00000000-0000-7000-8000-000000000005"
KEY = Actor("key", "00000000-0000-7000-8000-00000000000f", "r1")
PEOPLE = {
    OWNER: "owner",
    MAINTAINER: "maintainer",
    CONTRIBUTOR: "contributor",
    READER: "reader",
}


def account(id):
    return Actor("account", id, "r1")


def make_project(slug, now, builtin=False, **fields):
    """Create a project with one member of each role."""
    members = {
        "id": new_id(now),
        "slug": slug,
        "name": slug.capitalize(),
        "status": "active",
        "owner_id": OWNER,
        "builtin": builtin,
        "created_at": now,
        "updated_at": now,
    }
    project = ProjectRow.create(**members | fields)
    for id, role in PEOPLE.items():
        MemberRow.create(project=project, account_id=id, role=role, created_at=now)
    return project


def make_item(project, now, **fields):
    """Create a work item with the next number of the project."""
    project.last_number += 1
    project.save()
    members = {
        "id": new_id(now),
        "number": project.last_number,
        "type": "task",
        "title": "Do it",
        "status": "backlog",
        "priority": "none",
        "bucket": "none",
        "creator_id": OWNER,
        "creator_type": "account",
        "created_at": now,
        "updated_at": now,
    }
    return WorkItemRow.create(project=project, **members | fields)
