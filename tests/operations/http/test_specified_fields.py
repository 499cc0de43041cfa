"""A response that the specification shows has its fields, and no others."""

import pytest

from api.operation import OPERATIONS

# The fields of each shape in the specification. A question mark marks a field that can
# be null, brackets a list, and a name after a colon the shape of the field.
SHAPES = {
    "Project": "id slug name description? status ownerId builtin createdAt updatedAt"
    " archivedAt?",
    "PurgeResult": "id slug deleted",
    "ProjectMember": "projectId accountId role createdAt",
    "ProjectActivity": "id projectId actorId actorType entityType entityId action"
    " metadata? createdAt",
    "WorkItem": "id projectId number type title description? status priority bucket"
    " creatorId creatorType assigneeIds[] labelIds[] specifications[]:SpecificationLink"
    " milestoneId? dueAt? createdAt updatedAt completedAt? archivedAt?",
    "SpecificationLink": "specificationId relationship",
    "WorkRelationship": "sourceId targetId relationship createdBy createdAt",
    "Label": "id projectId? name createdAt",
    "Milestone": "id projectId name description? status bucket targetAt? createdAt"
    " updatedAt archivedAt?",
    "Specification": "id projectId title slug status version content creatorId"
    " creatorType createdAt updatedAt supersededAt? supersededBy? archivedAt?",
    "SpecificationRevision": "id specificationId version title content status summary?"
    " authorId authorType createdAt",
    "Document": "id projectId title slug type summary? content version collection?"
    " section? position publishedVersion? publishedAt? creatorId creatorType createdAt"
    " updatedAt archivedAt?",
    "DocumentRevision": "id documentId version title summary? content note? authorId"
    " authorType createdAt",
    "PublishedDocument": "slug collection section? position title summary? content"
    " publishedVersion publishedAt revisedAt",
    "Comment": "id entityType entityId projectId authorId authorType content createdAt"
    " updatedAt deletedAt?",
    "ProjectsAdminAuditEvent": "id actor action targetType targetId targetLabel? at"
    " detail?",
    "ApiKey": "id prefix name scopes[] status createdAt expiresAt? rateCapacity?"
    " rateRefill? accountId?",
    "CreatedApiKey": "id prefix name scopes[] status createdAt expiresAt? rateCapacity?"
    " rateRefill? accountId? secret",
    "VerifiedKey": "id prefix name scopes[] status rateCapacity? rateRefill?",
    "AuditRecord": "id actor action targetKeyId targetKeyPrefix? targetKeyName? at"
    " detail?",
    "StatusAdminService": "id slug name description? hostname? group? displayOrder"
    " enabled createdAt updatedAt",
    "RemovedService": "slug purged",
    "StatusAffectedService": "slug name",
    "StatusIncident": "id title status severity startedAt resolvedAt? createdAt"
    " updatedAt services[]:StatusAffectedService",
    "StatusIncidentUpdate": "id incidentId status body createdAt",
    "StatusMaintenance": "id title description? startsAt endsAt status createdAt"
    " updatedAt services[]:StatusAffectedService",
    "RecordedMeasurements": "recorded unknown[]",
    "StatusService": "slug name description? hostname? group? displayOrder state"
    " observedAt? responseTimeMs? stale activeIncidentIds[] activeMaintenanceIds[]",
    "StatusServiceList": "overall checkedAt? stale freshnessSeconds"
    " services[]:StatusService",
    "StatusUptimeSummary": "slug period from to uptimePct? samples intervalSeconds"
    " avgResponseTimeMs?",
    "StatusServiceDetail": "service:StatusService uptime[]:StatusUptimeSummary"
    " incidents[]:StatusIncident maintenance[]:StatusMaintenance",
    "StatusIncidentDetail": "incident:StatusIncident updates[]:StatusIncidentUpdate",
    "StatusAuditEvent": "id actor action targetType targetId targetLabel? at detail?",
}
# The shape of `data` in the responses of areas B and C.
RESPONSES = {
    "POST /platform/v1/keys/add": "CreatedApiKey",
    "GET /platform/v1/keys/list": "[]:ApiKey",
    "GET /platform/v1/keys/get": "ApiKey",
    "POST /platform/v1/keys/update": "ApiKey",
    "POST /platform/v1/keys/remove": "ApiKey",
    "POST /platform/v1/keys/rotate": "CreatedApiKey",
    "POST /platform/v1/keys/verify": "VerifiedKey",
    "GET /platform/v1/audit/list": "[]:AuditRecord",
    "POST /platform/v1/developer/keys/create": "CreatedApiKey",
    "GET /platform/v1/developer/keys/list": "[]:ApiKey",
    "POST /platform/v1/developer/keys/revoke": "ApiKey",
    "POST /platform/v1/developer/keys/rotate": "CreatedApiKey",
    "GET /status/v1/admin/services/list": "[]:StatusAdminService",
    "POST /status/v1/admin/services/add": "StatusAdminService",
    "POST /status/v1/admin/services/update": "StatusAdminService",
    "POST /status/v1/admin/services/remove": "RemovedService",
    "POST /status/v1/admin/incidents/add": "StatusIncident",
    "POST /status/v1/admin/incidents/update": "StatusIncident",
    "POST /status/v1/admin/incident-updates/add": "StatusIncidentUpdate",
    "POST /status/v1/admin/maintenance/add": "StatusMaintenance",
    "POST /status/v1/admin/maintenance/update": "StatusMaintenance",
    "POST /status/v1/admin/measurements/record": "RecordedMeasurements",
    "GET /status/v1/admin/audit/list": "[]:StatusAuditEvent",
    "GET /status/v1/services/list": "StatusServiceList",
    "GET /status/v1/services/get": "StatusServiceDetail",
    "GET /status/v1/uptime/get": "StatusUptimeSummary",
    "GET /status/v1/incidents/list": "[]:StatusIncident",
    "GET /status/v1/incidents/get": "StatusIncidentDetail",
    "GET /status/v1/maintenance/list": "[]:StatusMaintenance",
    "GET /status/v1/maintenance/get": "StatusMaintenance",
}
# The fields of `meta` in the responses of lists; the others have no `meta`.
META = {
    "GET /platform/v1/keys/list": {"cursor"},
    "GET /platform/v1/audit/list": {"cursor"},
    "GET /platform/v1/developer/keys/list": set(),
    "GET /status/v1/admin/services/list": set(),
    "GET /status/v1/admin/audit/list": {"offset", "limit", "more"},
    "GET /status/v1/incidents/list": {"cursor"},
    "GET /status/v1/maintenance/list": {"cursor"},
}


def schemas():
    """Return the schema of each shape of a response, and of `data` by route."""
    named, by_route = {}, {}
    for operation in OPERATIONS:
        if not operation.is_download:
            schema = operation.response_adapter.json_schema(mode="serialization")
            named |= schema.pop("$defs", {})
            by_route[operation.route] = kind_of(schema)
            if "properties" in schema:
                named[schema["title"]] = schema
    return named, by_route


def kind_of(schema):
    """Return the notation of a field in the tables: ?, [] and the name of a shape."""
    choices = schema.get("anyOf", [schema])
    others = [choice for choice in choices if choice.get("type") != "null"]
    nullable = "?" if len(others) < len(choices) else ""
    (other,) = others if len(others) == 1 else [{}]
    if other.get("type") == "array":
        return f"{nullable}[]{kind_of(other['items'])}"
    name = other.get("$ref", "").rpartition("/")[2] or (
        other["title"] if "properties" in other else ""
    )
    return f"{nullable}:{name}" if name else nullable


NAMED, BY_ROUTE = schemas()


@pytest.mark.parametrize("shape", SHAPES)
def test_fields(shape):
    """A response has exactly the fields of the specification."""
    schema = NAMED[shape]

    fields = {name + kind_of(field) for name, field in schema["properties"].items()}

    assert fields == {*SHAPES[shape].split()}
    assert {*schema["required"]} == {*schema["properties"]}


@pytest.mark.parametrize("route", RESPONSES)
def test_shape_of_a_response(route):
    """An operation returns the shape of the specification, not one that extends it."""
    assert BY_ROUTE[route].removeprefix(":") == RESPONSES[route]


@pytest.mark.parametrize("route", META)
def test_meta(route, api):
    """A list has the `meta` of the specification, or none."""
    answer = api(route).json

    assert {*answer} == {"data", "meta"} if META[route] else {"data"}
    assert {*answer.get("meta", {})} == META[route]
