"""Generate numbered write requests for all areas that can be repeated and counted."""

from dataclasses import dataclass
from datetime import timedelta

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
    """A request that creates the one row in which `field` has `value`."""

    path: str
    body: dict
    field: object
    value: str
    is_audited: bool = False

    @property
    def idempotency_key(self):
        return f"{self.path} {self.value}".replace(" ", "-")

    @property
    def row_count(self):
        return self.field.model.select().where(self.field == self.value).count()

    @property
    def audit_record_count(self):
        return AuditRow.select().where(AuditRow.target_label == self.value).count()


class WriteRequests:
    """The sequence of writes; creating it adds the service that they refer to."""

    def __init__(self):
        add_service(StatusAddService(slug=SERVICE, name="API"), now())
        self.project = docs_project().id
        self.observed_at = now()

    def write(self, number):
        factories = (
            self._incident,
            self._work_item,
            self._document,
            self._key,
            self._measurement,
        )
        return factories[number % len(factories)](f"thing {number}", number)

    def _incident(self, name, _):
        body = {"title": name, "severity": "degraded", "body": "Looking."}
        body["services"] = [SERVICE]
        path = "/status/v1/admin/incidents/add"
        return Write(path, body, IncidentRow.title, name, is_audited=True)

    def _work_item(self, name, _):
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

    def _measurement(self, _, number):
        # A key may use few sources, so the response time tells the samples apart.
        observed_at = self.observed_at - timedelta(milliseconds=number)
        sample = {"slug": SERVICE, "status": "operational", "responseTimeMs": number}
        sample["observedAt"] = observed_at.isoformat()
        path = "/status/v1/admin/measurements/record"
        body = {"source": "bench", "measurements": [sample]}
        return Write(path, body, MeasurementRow.response_time_ms, number)


def publish_request(document):
    """Return the write that publishes a document, as serialized in a response."""
    path, id = f"{DOCUMENTS}/publish", document["id"]
    return Write(path, {"id": id}, DocumentRow.id, id)
