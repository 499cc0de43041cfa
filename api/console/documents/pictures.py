"""Add pictures and other files to a document's project, and show them in previews."""

import hashlib
import json
from dataclasses import dataclass
from posixpath import splitext

from werkzeug.wrappers import Response

from api.console.console_page import MAX_FORM_BYTES, page
from api.console.console_request import ConsoleRequest, Refused
from api.console.forms.form import English, errors_of
from models.projects.files.file_types import BY_SUFFIX
from models.projects.files.names import to_file_name
from models.projects.files.uploads import MAX_FILE_BYTES

ADD_FILE = "POST /projects/v1/files/add"
CONTENT = "GET /projects/v1/files/content"

FOLDER = "images"
PICTURE = "picture"
# The text of a form, and a file that is refused by its size.
MAX_BYTES = MAX_FORM_BYTES + MAX_FILE_BYTES + 1_000_000
MAX_STEM = 80
ACCEPTED = ",".join(BY_SUFFIX)


@dataclass(frozen=True)
class AddedFile:
    """The Markdown that shows a file, or why the file was refused."""

    markdown: str = ""
    problem: str | English = ""
    status: int = 200


@page("POST documents/pictures/", max_body_bytes=MAX_BYTES)
def add_document_picture(request: ConsoleRequest) -> Response:
    """Add a file for the script, which puts the answer where the cursor is."""
    added = add_sent_file(request, request.sent.get("projectId", ""))
    content = {"markdown": added.markdown, "problem": str(added.problem)}
    headers = {**request.headers, "Content-Type": "application/json"}
    return Response(json.dumps(content), added.status, headers)


@page("GET documents/files/<project_id>/<path:name>")
def show_project_file(request: ConsoleRequest, project_id: str, name: str) -> Response:
    return request.download(CONTENT, projectId=project_id, name=name)


def has_sent_file(request: ConsoleRequest) -> bool:
    """Return whether a file was chosen; a browser also sends a field without one."""
    file = request.files.get(PICTURE)
    return file is not None and bool(file.filename)


def add_sent_file(request: ConsoleRequest, project_id: str) -> AddedFile:
    """Add the file of the form under a name that no other content has."""
    file = request.files.get(PICTURE)
    if file is None or not file.filename:
        return AddedFile(problem=request.text("documents.choose-a-file"), status=422)
    content = file.stream.read()
    name = _name(file.filename, content)
    try:
        query = {"projectId": project_id, "name": name}
        request.upload(ADD_FILE, query, content)
    except Refused as refused:
        details = [error["detail"] for error in errors_of(refused.refusal)]
        problem = " ".join(details) or str(refused)
        return AddedFile(problem=English(problem), status=refused.status)
    return AddedFile(markdown=_markdown(name))


def _name(sent_name: str, content: bytes) -> str:
    """Return a name of the content, so that a file never replaces another one."""
    stem, suffix = splitext(
        to_file_name(sent_name.replace("\\", "/").rpartition("/")[2])
    )
    digest = hashlib.sha256(content).hexdigest()[:8]
    stem = stem.strip("-_.").lower()[:MAX_STEM] or "file"
    return f"{FOLDER}/{stem}-{digest}{suffix.lower()}"


def _markdown(name: str) -> str:
    """Return a picture with words for its alternative text, or a link to the file."""
    stem, suffix = splitext(name.rpartition("/")[2])
    words = stem.rpartition("-")[0].replace("-", " ").replace("_", " ").strip()
    type = BY_SUFFIX.get(suffix)
    mark = "!" if type and type.is_picture else ""
    return f"{mark}[{words}]({name})"
