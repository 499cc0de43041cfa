"""Write a document: save it, preview it, add pictures, publish it and archive it."""

import secrets
from dataclasses import dataclass, field
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest, Refused
from api.console.differences import Difference, compare_texts, difference_of
from api.console.documents.documents import (
    CREATE,
    LIST,
    as_options,
    chosen_project,
    project_options,
    state_of,
)
from api.console.documents.imported import imported_file
from api.console.documents.pictures import (
    ACCEPTED,
    ADD_FILE,
    MAX_BYTES,
    AddedFile,
    add_sent_file,
    has_sent_file,
)
from api.console.documents.previews import (
    LINKS,
    TextPreview,
    newly_broken_links,
    preview_of,
)
from api.console.forms.form import English, Form
from api.console.forms.submission import IDEMPOTENCY_KEY
from models.errors import VersionConflict
from models.fields import SLUG_LENGTH, slugify
from models.projects.documents.linking.draft_links import Draft
from models.projects.documents.paths import page_href
from models.projects.documents.rows import document_with
from models.projects.documents.sections import known_sections
from models.projects.files.uploads import MAX_FILE_BYTES
from models.storage.database import reading

GET = "GET /projects/v1/documents/get"
UPDATE = "POST /projects/v1/documents/update"
PUBLISH = "POST /projects/v1/documents/publish"
UNPUBLISH = "POST /projects/v1/documents/unpublish"
REMOVE = "POST /projects/v1/documents/remove"
RESTORE = "POST /projects/v1/documents/restore"
DIFF = "GET /projects/v1/document-revisions/diff"
LIST_REVISIONS = "GET /projects/v1/document-revisions/list"

# What a version consists of, and where its page is.
PLACED = ("summary", "collection", "section", "position", "type")
WRITTEN = ("title", "content", *PLACED)
UPDATE_FIELDS = (*WRITTEN, "note", "expectedVersion")
CREATE_FIELDS = ("projectId", *WRITTEN, "slug")

# What the button of the form asks for.
ACTION = "_do"
# The script asks for the preview alone.
PART = "_part"


@dataclass
class Editor:
    """The page on which a document is written; `document` is None for a new one."""

    request: ConsoleRequest
    form: Form
    document: dict[str, Any] | None
    project_id: str
    preview: TextPreview | None = None
    picture: AddedFile | None = None
    # Links for which the newest version was not published.
    broken: list[tuple[str, str]] = field(default_factory=list)
    # What somebody else has saved meanwhile, and how it differs from this text.
    theirs: Difference | None = None
    yours: Difference | None = None
    status: int = 200

    @property
    def path(self) -> str:
        return (
            f"documents/{self.document['id']}/" if self.document else "documents/new/"
        )

    @property
    def is_sent(self) -> bool:
        """Whether the form shows what was sent, and not what is saved."""
        return self.form.is_sent

    def page(self) -> Response:
        request, document = self.request, self.document
        return request.page(
            "console/documents/edit.html",
            max(self.status, self.form.status),
            editor=self,
            form=self.form,
            document=document,
            state=state_of(document) if document else "new",
            public=_public_address(request, document) if document else None,
            imported=imported_file(request, document["id"]) if document else None,
            sections=self._sections(),
            accepted=ACCEPTED,
            most_bytes=MAX_FILE_BYTES,
            may_save=request.may(UPDATE if document else CREATE),
            may_publish=request.may(PUBLISH),
            may_preview=request.may(LINKS) and request.preview is not None,
            may_add_files=request.may(ADD_FILE),
            may_unpublish=request.may(UNPUBLISH),
            may_archive=request.may(REMOVE),
            may_restore=request.may(RESTORE),
            may_list_revisions=request.may(LIST_REVISIONS),
        )

    def show_preview(self) -> None:
        values = self.form.request
        draft = Draft(
            title=str(values.get("title") or "").strip(),
            content=str(values.get("content") or ""),
            document_id=self.document["id"] if self.document else None,
            project_id=self.project_id,
        )
        self.preview = preview_of(self.request, draft)

    def add_picture(self) -> None:
        """Add the file of the form, and its line at the end of the text."""
        self.picture = add_sent_file(self.request, self.project_id)
        self.status = self.picture.status
        if self.picture.markdown:
            sent = self.request.sent = self.request.sent.copy()
            text = sent.get("content", "").rstrip()
            sent["content"] = f"{text}\n\n{self.picture.markdown}\n".lstrip("\n")
            self.form.fill(sent)

    def _sections(self) -> list[str]:
        # What documents/list would tell of every document of the project.
        if not self.project_id or not self.request.may(LIST):
            return []
        with reading():
            return known_sections(self.project_id)


@page("GET documents/new/")
def new_document(request: ConsoleRequest) -> Response:
    return _new_editor(request).page()


@page("POST documents/new/", max_body_bytes=MAX_BYTES)
def create_document(request: ConsoleRequest) -> Response:
    editor = _new_editor(request)
    editor.form.fill(request.sent)
    if shown := _shown_without_saving(editor):
        return shown
    sent = request.sent.copy()
    if not sent.get("slug", "").strip():
        sent["slug"] = slugify(sent.get("title", ""))[:SLUG_LENGTH].rstrip("-")
    editor.form.fill(sent)
    created = _call(editor, CREATE, editor.form.request)
    if created is None:
        return editor.page()
    return publish_or_go(editor, created)


@page("GET documents/<id>/")
def edit_document(request: ConsoleRequest, id: str) -> Response:
    """Show the newest version, to be changed."""
    return editor_of(request, request.read(GET, id=id)).page()


@page("POST documents/<id>/", max_body_bytes=MAX_BYTES)
def save_document(request: ConsoleRequest, id: str) -> Response:
    """Do what the button says: save, publish, preview, or add a picture."""
    editor = editor_of(request, request.read(GET, id=id))
    editor.form.fill(request.sent)
    if shown := _shown_without_saving(editor):
        return shown
    saved = _save(editor)
    return editor.page() if saved is None else publish_or_go(editor, saved)


def editor_of(request: ConsoleRequest, document: dict[str, Any]) -> Editor:
    """Return the editor of a document, with its newest version."""
    values = document | {"expectedVersion": document["version"]}
    form = request.form(UPDATE, *UPDATE_FIELDS, values=values, is_prefilled=True)
    return Editor(request, form, document, document["projectId"])


def _new_editor(request: ConsoleRequest) -> Editor:
    projects = project_options(request)
    project_id = chosen_project(request, projects)
    asked = {name: request.query.get(name) for name in ("collection", "section")}
    values = {"projectId": project_id, "type": "note", **asked}
    form = request.form(CREATE, *CREATE_FIELDS, values=values)
    form.offer("projectId", as_options(projects, project_id))
    return Editor(request, form, None, project_id)


def _shown_without_saving(editor: Editor) -> Response | None:
    """
    Return the page that is shown instead of saving, if there is one.

    It has a preview or an added picture, as the button asks, or says why a file was
    refused. Every button takes the file that is chosen, which would otherwise be lost.
    """
    request = editor.request
    action = request.sent.get(ACTION)
    if action == "picture" or has_sent_file(request):
        editor.add_picture()
    if action == "preview" and request.may(LINKS) and request.preview is not None:
        editor.show_preview()
        if request.sent.get(PART):
            return request.page("console/documents/preview.html", editor=editor)
        return editor.page()
    if action == "picture" or (editor.picture and editor.picture.problem):
        return editor.page()
    return None


def _save(editor: Editor) -> dict[str, Any] | None:
    """Save what was changed as the next version; None if it was refused."""
    document, values = editor.document, editor.form.request
    assert document is not None
    is_changed = any(
        (values.get(name) or None) != (document[name] or None) for name in WRITTEN
    )
    if not is_changed and not values.get("note"):
        return document
    # Without the version that was read, a change could undo another one.
    values = {"expectedVersion": "", **values, "id": document["id"]}
    return _call(editor, UPDATE, values)


def _call(editor: Editor, route: str, values: dict[str, Any]) -> dict[str, Any] | None:
    """Return the document that the operation answers with, None if it refuses."""
    form, request = editor.form, editor.request
    try:
        result = request.call(route, values, idempotency_key=form.idempotency_key)
    except Refused as refused:
        form.refuse(refused.refusal)
        if isinstance(refused.refusal, VersionConflict):
            _show_conflict(editor)
        return None
    document: dict[str, Any] = result.data
    return document


def _show_conflict(editor: Editor) -> None:
    """Show both texts; the form now saves this one over the newest version."""
    request, form = editor.request, editor.form
    assert editor.document is not None
    document = editor.document = request.read(GET, id=editor.document["id"])
    values = form.request
    version, read = document["version"], values.get("expectedVersion")
    if request.may(DIFF) and isinstance(read, int) and 0 < read < version:
        query = {"documentId": document["id"], "from": read, "to": version}
        editor.theirs = difference_of(request.read(DIFF, **query))
    editor.yours = compare_texts(document, values, ("title", *PLACED))
    # What was sent becomes a new form that was made from this version.
    sent = request.sent.copy()
    sent["expectedVersion"] = str(version)
    sent[IDEMPOTENCY_KEY] = secrets.token_hex(16)
    form.fill(sent)
    # The page shows more than the form would.
    form.is_conflict = False
    form.problem = []


def publish_or_go(editor: Editor, saved: dict[str, Any]) -> Response:
    """Publish the saved version if the button asks for it, unless links are broken."""
    request, action = editor.request, editor.request.sent.get(ACTION, "")
    path = f"documents/{saved['id']}/"
    if not action.startswith("publish"):
        is_changed = saved is not editor.document
        done = "document-saved" if is_changed else "document-unchanged"
        return request.go(path, done=done)
    if action == "publish" and (broken := newly_broken_links(request, saved)):
        editor = editor_of(request, saved)
        editor.broken, editor.status = broken, 409
        return editor.page()
    try:
        request.call(
            PUBLISH,
            {"id": saved["id"], "version": saved["version"]},
            idempotency_key=editor.form.idempotency_key,
        )
    except Refused as refused:
        editor = editor_of(request, saved)
        said = request.text("documents.saved-not-published", version=saved["version"])
        editor.form.problem = [said, English(str(refused))]
        editor.status = refused.status
        return editor.page()
    return request.go(path, done="document-published")


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


def _public_address(request: ConsoleRequest, document: dict[str, Any]) -> str | None:
    """Return where readers find the document, if they do."""
    if document["publishedVersion"] is None or document["collection"] is None:
        return None
    with reading():
        path = document_with(document["id"]).path
    return request.settings.site_url + page_href(document["collection"], path)
