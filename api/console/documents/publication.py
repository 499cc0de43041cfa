"""Publish, unpublish, archive and restore a document as it is."""

from flask import Response

from api.console.console_request import ConsoleRequest
from api.console.documents.editor import PUBLISH, REMOVE, RESTORE, UNPUBLISH
from api.console.page import page


@page("POST documents/<id>/publish/")
def publish_document(request: ConsoleRequest, id: str) -> Response:
    """Publish one version, which may be an older one."""
    form = request.form(PUBLISH, "version").fill(request.sent)
    request.call(PUBLISH, {"id": id, **form.request})
    return request.go(f"documents/{id}/", done="document-published")


@page("POST documents/<id>/unpublish/")
def unpublish_document(request: ConsoleRequest, id: str) -> Response:
    request.call(UNPUBLISH, {"id": id})
    return request.go(f"documents/{id}/", done="document-unpublished")


@page("POST documents/<id>/archive/")
def archive_document(request: ConsoleRequest, id: str) -> Response:
    request.call(REMOVE, {"id": id})
    return request.go(f"documents/{id}/", done="document-archived")


@page("POST documents/<id>/restore/")
def restore_document(request: ConsoleRequest, id: str) -> Response:
    request.call(RESTORE, {"id": id})
    return request.go(f"documents/{id}/", done="document-restored")
