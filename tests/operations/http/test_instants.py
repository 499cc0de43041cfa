"""The instant of a change is later than all earlier ones, whatever the clocks show."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from threading import Event

import pytest

from api.http.application import create_app
from models.audit import AuditRow
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.documents.rows import DocumentRow
from models.projects.work.rows import WorkItemRow
from models.storage.database import database
from tests.conftest import NOON
from tests.factories.projects import KEY, make_project
from tests.rules.projects.documents.test_document_import import source

pytestmark = pytest.mark.both_engines

WORK = "/projects/v1/work-items"
ADD = "POST /status/v1/admin/services/add"
UPDATE = "POST /status/v1/admin/services/update"
WRITERS, ITEMS = 6, 12


class Client:
    """A client of an application with its own clock, in any thread."""

    def __init__(self, settings, clock, key):
        self.app = create_app(settings, clock=clock)
        self.headers = {"Authorization": f"Bearer {key}"}

    def create(self, project, title):
        body = {"projectId": project.id, "type": "task", "title": title}
        try:
            response = self.app.test_client().post(
                f"{WORK}/create", json=body, headers=self.headers
            )
        finally:
            database.close()
        assert response.status_code == 200, response.text

    def changed_since(self, moment):
        query = {"updatedAfter": moment, "limit": 100}
        response = self.app.test_client().get(
            f"{WORK}/list", query_string=query, headers=self.headers
        )
        return {item["title"]: item["updatedAt"] for item in response.json["data"]}


def test_poller_sees_every_change(store, settings, issue):
    """
    With six writers whose clocks differ by seconds, updatedAfter misses no change.
    """
    seed = random.randrange(10**9)
    print("seed", seed)
    wrong = random.Random(seed)
    project = make_project("atlas", NOON)
    client = Client(
        settings, lambda: NOON + wrong.random() * timedelta(seconds=5), issue("*")
    )
    seen, is_done = {}, Event()

    def poll():
        while True:
            is_last_round = is_done.is_set()
            newest = max(seen.values(), default="2026-03-01T00:00:00Z")
            seen.update(client.changed_since(newest))
            if is_last_round:
                return

    with ThreadPoolExecutor(WRITERS + 1) as pool:
        poller = pool.submit(poll)
        titles = [f"item {number}" for number in range(WRITERS * ITEMS)]
        list(pool.map(lambda title: client.create(project, title), titles))
        is_done.set()
        poller.result()

    assert seen.keys() == set(titles)
    # Numbers are assigned in the order of the commits.
    rows = WorkItemRow.select().order_by(WorkItemRow.number)
    assert all(a < b for a, b in pairwise(row.updated_at for row in rows))


def test_clock_that_is_set_back(api, clock):
    """
    Two changes in a millisecond, and one after the clock was set back, have later
    instants.
    """
    data = [api(ADD, {"slug": "api", "name": "API"}).json["data"]["updatedAt"]]

    for name, hours in (("Still", 0), ("Back", -1), ("On", 1.5)):
        clock.pass_(hours=hours)
        body = {"slug": "api", "name": name}
        data.append(api(UPDATE, body).json["data"]["updatedAt"])

    assert data == [
        "2026-03-01T12:00:00.000Z",
        "2026-03-01T12:00:00.001Z",
        "2026-03-01T12:00:00.002Z",
        "2026-03-01T12:30:00.000Z",
    ]
    records = AuditRow.select().order_by(AuditRow.number)
    assert all(a < b for a, b in pairwise(record.at for record in records))


def test_facts_go_by_the_clock(api, clock, issue):
    """After the clock was set back, grace periods and incidents follow the clock."""
    payload, admin = {"name": "x", "scopes": ["status:*"]}, issue("*")
    key = api("POST /platform/v1/keys/add", payload, key=admin)
    api(ADD, {"slug": "api", "name": "API"})
    clock.pass_(hours=-1)

    body = {"title": "Down", "severity": "degraded", "services": ["api"], "body": "!"}
    incident = api("POST /status/v1/admin/incidents/add", body).json["data"]
    rotation = {"id": key.json["data"]["id"], "graceSeconds": 0}
    api("POST /platform/v1/keys/rotate", rotation, key=admin)

    assert incident["startedAt"] == "2026-03-01T11:00:00.000Z"
    service = api("GET /status/v1/services/get", {"slug": "api"}).json["data"]
    assert service["service"]["state"] == "degraded"
    secret = key.json["data"]["secret"]
    refused = api("GET /status/v1/services/list", key=secret)
    assert refused.status_code == 401


def test_measurements_take_no_part(api, clock):
    """Measurements get no instant, because no client polls for them."""
    first = api(ADD, {"slug": "api", "name": "API"}).json["data"]["updatedAt"]
    sample = {"slug": "api", "status": "down", "observedAt": first}
    body = {"source": "probe", "measurements": [sample]}
    api("POST /status/v1/admin/measurements/record", body)

    payload = {"slug": "api", "name": "Public API"}
    second = api(UPDATE, payload).json["data"]["updatedAt"]

    assert (first[-4:], second[-4:]) == ("000Z", "001Z")


def test_commands_take_part(docs_project, api, clock):
    """
    Rows of an import are earlier than the next change, and later than the last one.
    """
    before = docs_project.publish("welcome", "Hello.\n")
    options = ImportOptions("guides", clock.now, KEY, tree="tree", publish=True)
    import_documents([source("new.md")], options)
    imported = DocumentRow.get(DocumentRow.source_path.is_null(False)).updated_at

    after = docs_project.publish("later", "Later.\n")

    rows = {row.slug: row for row in DocumentRow.select()}
    assert rows[before["slug"]].updated_at < imported < rows[after["slug"]].created_at
