"""Two imports over the API, one of them stopped before each of its statements."""

import hashlib

import pytest

from models.projects.document_imports import imports
from models.projects.document_imports.rows import DocumentImportRow
from models.projects.documents.rows import DocumentRow
from tests.conftest import NOON
from tests.factories.projects import make_project
from tests.servers.stepwise import (
    interleaved,
    require_wait_for_the_generation_alone,
    service_writer,
)

pytestmark = pytest.mark.postgresql

IMPORTS = "/projects/v1/document-imports"
# More than the writers have statements.
ROUNDS = 150


def tree(project, name, text="Words.\n", files=()):
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    fields = {"slug": f"page-{name}", "title": "Page", "position": 1}
    documents = [{"path": f"{name}.md", "sha256": sha256} | fields]
    listed = [
        {
            "name": name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "size": len(content),
        }
        for name, content in files
    ]
    body = {"tree": name, "collection": "guides", "projectId": project.id}
    return body | {"documents": documents, "files": listed}


def test_number_of_imports_of_a_project(post, settings, monkeypatch):
    """Of two imports that would be the last one, only one starts."""
    monkeypatch.setattr(imports, "MAX_IMPORTS", 1)
    projects = {at: make_project(f"p{at}", NOON) for at in range(1, ROUNDS)}

    def start(host):
        return lambda at: post(
            host, f"{IMPORTS}/start", tree(projects[at], f"tree-{host}")
        )

    waits = []
    for at, results, did_wait in interleaved(settings.database, start(0), start(1)):
        waits.append(did_wait)
        refused = [body for status, body in results if status != 200]
        assert len(refused) == 1
        assert "1 imports that were started" in refused[0]["detail"]
        rows = DocumentImportRow.select()
        assert rows.where(DocumentImportRow.project == projects[at]).count() == 1
    assert True in waits


def test_import_that_is_applied_twice(post, settings, monkeypatch):
    """Two that apply one import import it once."""
    monkeypatch.setattr(imports, "MAX_IMPORTS", ROUNDS)
    project, ids = make_project("atlas", NOON), {}
    for at in range(1, ROUNDS):
        text = f"Words {at}.\n"
        _, started = post(0, f"{IMPORTS}/start", tree(project, f"t{at}", text))
        ids[at] = started["data"]["id"]
        post(0, f"{IMPORTS}/add-texts", {"id": ids[at], "texts": [text]})

    def apply(host):
        return lambda at: post(
            host, f"{IMPORTS}/apply", {"id": ids[at]}, Idempotency_Key=f"{host}-{at}"
        )

    rounds = 0
    for _, results, _ in interleaved(settings.database, apply(0), apply(1)):
        rounds += 1
        assert sorted(status for status, _ in results) == [200, 404]
    assert DocumentRow.select().count() == rounds


def test_bytes_of_files_of_an_import(post, settings):
    """Two concurrently sent files together are within the limit of the project."""
    object.__setattr__(settings, "files_max_bytes", 7)
    ids = {}
    for at in range(1, ROUNDS):
        files = {f"t/{host}.txt": b"%d%03d" % (host, at) for host in range(2)}
        body = tree(make_project(f"p{at}", NOON), "t", files=files.items())
        ids[at] = post(0, f"{IMPORTS}/start", body)[1]["data"]["id"]

    def send(host):
        def sent(at):
            address = f"{IMPORTS}/add-file?id={ids[at]}&name=t/{host}.txt"
            return post(host, address, b"%d%03d" % (host, at))

        return sent

    for _, results, _ in interleaved(settings.database, send(0), send(1)):
        assert sorted(status for status, _ in results) == [200, 409]


def test_status_does_not_wait_for_an_import(post, docs_project, settings, monkeypatch):
    """
    Wherever an import is stopped, the status page can be changed; only at the end,
    when the import gives the site its generation, does that wait for the commit.
    """
    monkeypatch.setattr(imports, "MAX_IMPORTS", ROUNDS)
    project, ids = docs_project.project, {}
    for at in range(1, ROUNDS):
        text = f"Words {at}.\n"
        _, started = post(0, f"{IMPORTS}/start", tree(project, f"t{at}", text))
        ids[at] = started["data"]["id"]
        post(0, f"{IMPORTS}/add-texts", {"id": ids[at], "texts": [text]})

    def apply(at):
        return post(0, f"{IMPORTS}/apply", {"id": ids[at]}, Idempotency_Key=f"{at}")

    rounds = list(interleaved(settings.database, apply, service_writer(post)))

    require_wait_for_the_generation_alone(rounds)
