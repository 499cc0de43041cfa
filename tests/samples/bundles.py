"""Valid bundles of projects at the size limit of an import."""

import hashlib
import json
from base64 import b64encode
from itertools import count

from models.projects.bundles.bundle import MAX_BUNDLE_BYTES
from models.projects.files.uploads import MAX_FILE_BYTES
from tests.factories.projects import OWNER
from tests.samples.large_bodies import uuid

TIME = "2026-03-01T12:00:00.000Z"
PROJECT = uuid(1)
TIMES = {"createdAt": TIME, "updatedAt": TIME}
CREATOR = {"creatorId": OWNER, "creatorType": "account"}
LISTS = (
    *("members", "labels", "milestones", "work", "relationships", "specifications"),
    *("specificationRevisions", "documents", "documentRevisions", "comments"),
    *("references", "activity"),
)


def texts():
    """Return documents of the maximum length."""
    for number in count():
        yield from document(number, "Some words of a document. " * 19_000)


def small_documents():
    for number in range(70_000):
        yield from document(number, "x")


def activity():
    for number in range(140_000):
        yield (
            "activity",
            {"id": uuid(number + 2), "projectId": PROJECT, "actorId": OWNER}
            | {"actorType": "account", "entityType": "project", "entityId": PROJECT}
            | {"action": "project.updated", "metadata": None, "createdAt": TIME},
        )


def metadata():
    """Return activity whose metadata has the maximum number of values."""
    for _, record in activity():
        yield "activity", record | {"metadata": {"a": [[] for _ in range(15_000)]}}


def files():
    for number in count():
        content = (b"Line %d\n" % number * MAX_FILE_BYTES)[:MAX_FILE_BYTES]
        digest = hashlib.sha256(content).hexdigest()
        yield "fileContents", {"sha256": digest, "data": b64encode(content).decode()}
        yield (
            "files",
            {"id": uuid(number + 2), "projectId": PROJECT, "name": f"{number}.txt"}
            | {"type": "text/plain", "size": MAX_FILE_BYTES, "sha256": digest}
            | {"sourceSha256": digest, "width": None, "height": None}
            | CREATOR
            | TIMES,
        )


def document(number, content):
    head, version = uuid(2 * number + 2), {"title": "A", "version": 1}
    described = {"summary": None, "content": content} | version
    yield (
        "documents",
        {"id": head, "projectId": PROJECT, "slug": f"d{number}", "type": "note"}
        | {"collection": None, "section": None, "position": 0, "archivedAt": None}
        | {"publishedVersion": None, "publishedAt": None}
        | described
        | CREATOR
        | TIMES,
    )
    yield (
        "documentRevisions",
        {"id": uuid(2 * number + 3), "documentId": head, "note": None}
        | {"authorId": OWNER, "authorType": "account", "createdAt": TIME}
        | described,
    )


VALID = {each.__name__: each for each in (texts, small_documents, activity, files)}
VALID["metadata"] = metadata


def large_bundle(kind, size=MAX_BUNDLE_BYTES):
    """Return the body of an import that is valid and has nearly this size."""
    project = {"id": PROJECT, "slug": "large", "name": "Large", "ownerId": OWNER}
    project |= {"description": None, "status": "active", "builtin": False, **TIMES}
    lists = {name: [] for name in (*LISTS, "files", "fileContents")}
    room = size - 4096
    pair = []
    for name, entity in VALID[kind]():
        text = json.dumps(entity, separators=(",", ":"))
        pair.append((name, text))
        room -= len(text) + 1
        if room < 0:
            break
        # A document and its revision, or a file and its content, come together.
        if kind in ("activity", "metadata") or len(pair) == 2:
            for list_name, part in pair:
                lists[list_name].append(part)
            pair = []
    written = [f'"{name}":[{",".join(parts)}]' for name, parts in lists.items()]
    header = {"format": "projects-bundle", "version": 1, "exportedAt": TIME}
    header |= {"project": project | {"archivedAt": None}}
    bundle = ",".join([json.dumps(header)[:-1], *written]) + "}"
    around = json.dumps({"slug": kind.replace("_", "-"), "ownerId": OWNER})[:-1]
    return f'{around},"bundle":{bundle}}}'.encode()
