"""A project with every kind of content that can be changed, and the changes."""

import hashlib

from api.http.application import create_app
from models.platform.keys import CreateKey, issue_key
from models.settings import Settings
from models.storage.database import writing
from tests.factories.projects import make_project

CO_OWNER = "00000000-0000-7000-8000-000000000006"
WATCHER = "00000000-0000-7000-8000-000000000007"
NEWCOMER = "00000000-0000-7000-8000-000000000008"
SHA256 = hashlib.sha256(b"Words.").hexdigest()
TREE = {
    "tree": "ready",
    "collection": "guides",
    "documents": [
        {
            "path": "one.md",
            "slug": "one",
            "position": 1,
            "title": "One",
            "sha256": SHA256,
        }
    ],
}
NEW_FILE = {
    "name": "new.txt",
    "sha256": hashlib.sha256(b"New.").hexdigest(),
    "size": 4,
}
LINK = {"url": "https://tracker.example/1"}


def populate(now):
    """Create the project; return the ids of its contents by `$noun`."""
    with writing():
        project = make_project("atlas", now)
        request = CreateKey(name="world", scopes=["*"])
        _, secret = issue_key(request, now, issuer="ada@example.com")
    client = create_app(Settings(), clock=lambda: now).test_client()
    headers = {"Authorization": f"Bearer {secret.text}"}

    def create(route, **body):
        path = f"/projects/v1/{route}"
        response = client.post(path, json=body, headers=headers)
        assert response.status_code == 200, response.text
        return response.json["data"].get("id")

    def create_text(route, slug, **fields):
        words = {"title": slug.capitalize(), "slug": slug, "content": "Words.\n"}
        return create(f"{route}/create", projectId=project.id, **words | fields)

    in_project = {"projectId": project.id}
    for account, role in ((CO_OWNER, "owner"), (WATCHER, "reader")):
        create("members/add", accountId=account, role=role, **in_project)
    ids = {
        "$project": project.id,
        "$label": create("labels/create", name="ui", **in_project),
        "$milestone": create("milestones/create", name="First", **in_project),
        "$item": create("work-items/create", type="task", title="One", **in_project),
        "$other": create("work-items/create", type="bug", title="Two", **in_project),
        "$specification": create_text("specifications", "draft"),
        "$successor": create_text("specifications", "successor"),
        "$approved": create_text("specifications", "approved", status="approved"),
        "$document": create_text("documents", "notes", type="note"),
        "$published": create_text("documents", "guide", type="note"),
    }
    create("documents/publish", id=ids["$published"])
    upload = {"projectId": project.id, "name": "old.txt"}
    response = client.post(
        "/projects/v1/files/add", query_string=upload, data=b"Words.", headers=headers
    )
    ids["$file"] = response.json["data"]["id"]
    ids["$import"] = create("document-imports/start", **in_project, **TREE)
    create("document-imports/add-texts", id=ids["$import"], texts=["Words."])
    ids["$open-import"] = create(
        "document-imports/start",
        **in_project,
        **TREE | {"tree": "open", "files": [NEW_FILE]},
    )
    entity = {"entityType": "work", "entityId": ids["$item"]}
    whole = {"entityType": "project", "entityId": project.id}
    ids["$comment"] = create("comments/add", content="Hm.", **entity)
    ids["$reference"] = create("references/add", **entity, **LINK)
    ids["$project-reference"] = create("references/add", **whole, **LINK)
    return ids


WORK = {"projectId": "$project", "type": "task", "title": "New"}
TEXT = {"projectId": "$project", "title": "New", "slug": "new", "content": "New."}
RELATED = {"sourceId": "$item", "targetId": "$other", "relationship": "blocks"}
ON_WORK = {"entityType": "work", "entityId": "$item"}
ON_PROJECT = {"entityType": "project", "entityId": "$project"}


def member(account, **role):
    return {"projectId": "$project", "accountId": account} | role


# The body of each case of REQUIRED_ROLES; "$own-comment" is a comment of the caller.
CASES = {
    "projects:create": {"slug": "new", "name": "New"},
    "projects:update": {"id": "$project", "name": "New"},
    "projects:export": {"id": "$project"},
    "projects:transfer": {"id": "$project", "ownerId": CO_OWNER},
    "projects:remove": {"id": "$project"},
    "projects:restore": {"id": "$project"},
    "members:add": member(NEWCOMER, role="maintainer"),
    "members:add of an owner": member(NEWCOMER, role="owner"),
    "members:add of oneself as reader": member("$self", role="reader"),
    "members:update": member(WATCHER, role="contributor"),
    "members:update of an owner": member(WATCHER, role="owner"),
    "members:remove": member(WATCHER),
    "members:remove of an owner": member(CO_OWNER),
    "members:remove of oneself": member("$self"),
    "labels:create": {"projectId": "$project", "name": "new"},
    "labels:update": {"id": "$label", "name": "new"},
    "labels:remove": {"id": "$label"},
    "milestones:create": {"projectId": "$project", "name": "New"},
    "milestones:update": {"id": "$milestone", "name": "New"},
    "milestones:remove": {"id": "$milestone"},
    "milestones:restore": {"id": "$milestone"},
    "work-items:create": WORK,
    "work-items:update": {"id": "$item", "title": "New"},
    "work-items:remove": {"id": "$item"},
    "work-items:restore": {"id": "$item"},
    "work-items:bulk-update": {"ids": ["$item"], "changes": {"status": "planned"}},
    "work-items:bulk-create": {
        "projectId": "$project",
        "items": [{"type": "task", "title": "New"}],
    },
    "relationships:add": RELATED,
    "relationships:remove": RELATED,
    "specifications:create": TEXT,
    "specifications:create as approved or implemented": TEXT | {"status": "approved"},
    "specifications:update": {"id": "$specification", "title": "New"},
    "specifications:update to approved or implemented": {
        "id": "$specification",
        "status": "implemented",
    },
    "specifications:supersede": {"id": "$approved", "supersededBy": "$successor"},
    "specifications:remove": {"id": "$specification"},
    "specifications:remove beyond review": {"id": "$approved"},
    "specifications:restore": {"id": "$specification"},
    "specifications:restore beyond review": {"id": "$approved"},
    "specification-revisions:restore": {
        "specificationId": "$specification",
        "version": 1,
    },
    "specification-revisions:restore of approved or implemented": {
        "specificationId": "$approved",
        "version": 1,
    },
    "documents:create": TEXT | {"type": "note"},
    "documents:update": {"id": "$document", "title": "New"},
    "documents:update of the placement while published": {
        "id": "$published",
        "position": 7,
    },
    "documents:move": {"id": "$document", "path": "moved"},
    "documents:move while published": {"id": "$published", "path": "moved"},
    "documents:redirect": {"id": "$document", "address": "/old/name/"},
    "documents:publish": {"id": "$document"},
    "documents:unpublish": {"id": "$published"},
    "documents:remove": {"id": "$document"},
    "documents:restore": {"id": "$document"},
    "document-revisions:restore": {"documentId": "$document", "version": 1},
    "document-imports:start": {"projectId": "$project"} | TREE | {"tree": "new"},
    "document-imports:add-texts": {"id": "$open-import", "texts": ["Words."]},
    "document-imports:add-file": {"id": "$open-import", "name": "new.txt"},
    "document-imports:apply": {"id": "$import", "publish": True},
    "files:add": {"projectId": "$project", "name": "new.txt"},
    "files:remove": {"id": "$file"},
    "comments:add": ON_WORK | {"content": "New."},
    "comments:update": {"id": "$own-comment", "content": "New."},
    "comments:remove": {"id": "$comment"},
    "comments:remove of one's own": {"id": "$own-comment"},
    "references:add": ON_WORK | {"url": "https://tracker.example/2"},
    "references:add on a project, milestone or member": ON_PROJECT
    | {"url": "https://tracker.example/2"},
    "references:update": {"id": "$reference", "title": "New"},
    "references:update on a project, milestone or member": {
        "id": "$project-reference",
        "title": "New",
    },
    "references:remove": {"id": "$reference"},
    "references:remove on a project, milestone or member": {"id": "$project-reference"},
}
