"""Show the versions of a document with their differences, and restore one."""

import secrets
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.differences import Difference, difference_of
from api.console.documents.editor import (
    ACTION,
    DIFF,
    GET,
    LIST_REVISIONS,
    PUBLISH,
    editor_of,
    publish_or_go,
)
from api.console.documents.previews import GET_REVISION

RESTORE_REVISION = "POST /projects/v1/document-revisions/restore"

PER_PAGE = 50


@page("GET documents/<id>/history/")
def list_document_versions(request: ConsoleRequest, id: str) -> Response:
    """List the versions of a document, newest first."""
    query = {"documentId": id, "content": "omit", "limit": PER_PAGE}
    if cursor := request.query.get("cursor"):
        query["cursor"] = cursor
    found = request.call(LIST_REVISIONS, query)
    document = request.read(GET, id=id)
    return request.page(
        "console/documents/history.html",
        document=document,
        revisions=found.data,
        # A form that is sent twice restores once.
        keys={revision["version"]: secrets.token_hex(16) for revision in found.data},
        may_restore=request.may(RESTORE_REVISION) and not document["archivedAt"],
        cursor=found.meta.get("cursor"),
    )


@page("GET documents/<id>/history/<version>/")
def show_document_version(request: ConsoleRequest, id: str, version: str) -> Response:
    """Show a version, and how it differs from another one or the one before."""
    document = request.read(GET, id=id)
    revision = request.read(GET_REVISION, documentId=id, version=version)
    before = request.query.get("from") or str(revision["version"] - 1)
    return request.page(
        "console/documents/version.html",
        document=document,
        revision=revision,
        before=before,
        difference=_difference(request, revision, before),
        form=request.form(RESTORE_REVISION, "documentId"),
        may_restore=request.may(RESTORE_REVISION),
        may_publish=request.may(PUBLISH),
    )


@page("POST documents/<id>/history/<version>/restore/")
def restore_document_version(
    request: ConsoleRequest, id: str, version: str
) -> Response:
    """Save an older version as the newest one, and publish it if the button says so."""
    form = request.form(RESTORE_REVISION, "version", "expectedVersion")
    sent = request.sent.copy()
    sent["version"] = version
    form.fill(sent)
    restored = request.call(
        RESTORE_REVISION,
        {**form.request, "documentId": id},
        idempotency_key=form.idempotency_key,
    )
    if request.sent.get(ACTION) == "publish":
        return publish_or_go(editor_of(request, restored.data), restored.data)
    return request.go(f"documents/{id}/", done="revision-restored")


def _difference(
    request: ConsoleRequest, revision: dict[str, Any], before: str
) -> Difference | None:
    if not request.may(DIFF) or before == "0":
        return None
    query = {"documentId": revision["documentId"], "to": revision["version"]}
    return difference_of(request.read(DIFF, **query, **{"from": before}))
