"""Writes of all areas, each made from its number, so that it can be repeated."""

from dataclasses import dataclass

from bench.server import now
from models.audit import AuditRow
from models.platform.keys import KeyRow
from models.projects.documents.rows import DocumentRow
from models.projects.projects.projects import docs_project
from models.projects.work.rows import WorkItemRow
from models.status.incidents.incidents import IncidentRow
from models.status.measurements.measurements import MeasurementRow
from models.status.services.catalogue import StatusAddService, add_service

SERVICE = "api"
DOCUMENTS = "/projects/v1/documents"


@dataclass(frozen=True)
class Write:
    """One request; `field` holds `value` in the one row that it makes."""

    path: str
    body: dict
    field: object
    value: str
    is_audited: bool = False

    @property
    def text(self):
        """Its Idempotency-Key."""
        return f"{self.path} {self.value}".replace(" ", "-")

    @property
    def rows(self):
        return self.field.model.select().where(self.field == self.value).count()

    @property
    def records(self):
        return AuditRow.select().where(AuditRow.target_label == self.value).count()


class Mix:
    """Gives the write of a number; what it needs is made at the beginning."""

    def __init__(self):
        add_service(StatusAddService(slug=SERVICE, name="API"), now())
        self.project = docs_project().id
        self.observed_at = now().isoformat()

    def write(self, number):
        makers = (self._incident, self._item, self._document, self._key, self._sample)
        return makers[number % len(makers)](f"thing {number}", number)

    def _incident(self, name, _):
        body = {"title": name, "severity": "degraded", "body": "Looking."}
        body["services"] = [SERVICE]
        path = "/status/v1/admin/incidents/add"
        return Write(path, body, IncidentRow.title, name, is_audited=True)

    def _item(self, name, _):
        body = {"projectId": self.project, "type": "task", "title": name}
        return Write("/projects/v1/work-items/create", body, WorkItemRow.title, name)

    def _document(self, name, number):
        body = {"projectId": self.project, "type": "note", "title": name}
        body |= {"slug": f"d{number}", "content": "Words.\n", "collection": "guides"}
        return Write(f"{DOCUMENTS}/create", body, DocumentRow.title, name)

    def _key(self, name, _):
        body = {"name": name, "scopes": ["status:services:list"]}
        path = "/platform/v1/keys/add"
        return Write(path, body, KeyRow.name, name, is_audited=True)

    def _sample(self, name, _):
        sample = {"slug": SERVICE, "status": "operational"}
        body = {"source": name.replace(" ", "-")}
        body["measurements"] = [sample | {"observedAt": self.observed_at}]
        path = "/status/v1/admin/measurements/record"
        return Write(path, body, MeasurementRow.source, body["source"])


def publication(document):
    """The write that shows a document which an answer has told of."""
    path, id = f"{DOCUMENTS}/publish", document["id"]
    return Write(path, {"id": id}, DocumentRow.id, id)
