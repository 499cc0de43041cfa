"""Keep templates of incidents: the words that an operator begins with."""

from datetime import datetime
from typing import Annotated

from peewee import IntegerField, TextField
from pydantic import Field

from models.audit import AuditTarget
from models.base import Change, MomentField, Row, Schema, new_id
from models.errors import IncidentTemplateNotFound, NameTaken, VersionConflict
from models.fields import TRIMMED, MayOmit, Moment, SingleLine
from models.status.fields import StatusId, StatusTitle, Version
from models.status.incidents.incidents import Body
from models.status.state import Severity

TemplateName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]


class IncidentTemplate(Schema):
    id: str
    name: str
    title: str
    severity: Severity
    body: str
    version: int
    created_at: Moment
    updated_at: Moment


class AddIncidentTemplate(Schema):
    name: TemplateName
    title: StatusTitle
    severity: Severity
    body: Body


class UpdateIncidentTemplate(Schema):
    id: StatusId
    name: MayOmit[TemplateName] = None
    title: MayOmit[StatusTitle] = None
    severity: MayOmit[Severity] = None
    body: MayOmit[Body] = None
    expected_version: MayOmit[Version] = None


class RemoveIncidentTemplate(Schema):
    id: StatusId


class IncidentTemplateRow(Row):
    id = TextField(primary_key=True)
    name = TextField(unique=True)
    title = TextField()
    severity = TextField()
    body = TextField()
    version = IntegerField()
    created_at = MomentField()
    updated_at = MomentField()

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("incident-template", self.id, self.name)


def list_templates() -> list[IncidentTemplateRow]:
    """Return all templates by name."""
    return list(IncidentTemplateRow.select().order_by(IncidentTemplateRow.name))


def add_template(request: AddIncidentTemplate, now: datetime) -> IncidentTemplateRow:
    """Add a template; raise NameTaken."""
    _require_free_name(request.name)
    return IncidentTemplateRow.create(
        id=new_id(now),
        version=1,
        created_at=now,
        updated_at=now,
        **request.all_fields(),
    )


def update_template(
    request: UpdateIncidentTemplate, now: datetime
) -> tuple[IncidentTemplateRow, dict[str, Change]]:
    """
    Update the fields that were sent; return the template and what changed.

    Raise IncidentTemplateNotFound, VersionConflict or NameTaken.
    """
    template = _template_with_id(request.id)
    if request.expected_version not in (None, template.version):
        raise VersionConflict(
            f"The template is at version {template.version},"
            f" not {request.expected_version}.",
            current=template.version,
        )
    values = request.sent_fields()
    values.pop("id")
    values.pop("expected_version", None)
    if values.get("name", template.name) != template.name:
        _require_free_name(values["name"])
    changes = template.assign(values)
    if changes:
        template.version += 1
        template.touch(now)
    return template, changes


def remove_template(request: RemoveIncidentTemplate) -> IncidentTemplateRow:
    """Delete the template, and return it; raise IncidentTemplateNotFound."""
    template = _template_with_id(request.id)
    template.delete_instance()
    return template


def _template_with_id(id: str) -> IncidentTemplateRow:
    template: IncidentTemplateRow | None = IncidentTemplateRow.get_or_none(
        IncidentTemplateRow.id == id
    )
    if template is None:
        raise IncidentTemplateNotFound(f"No incident template has the id '{id}'.")
    return template


def _require_free_name(name: str) -> None:
    if IncidentTemplateRow.get_or_none(IncidentTemplateRow.name == name) is not None:
        raise NameTaken(f"There already is an incident template '{name}'.")
