"""Keep templates of incidents: the words that an operator begins with."""

from datetime import datetime
from typing import Annotated

from peewee import IntegerField, TextField
from pydantic import Field

from models.audit import AuditTarget
from models.base import Change, MomentField, Row, Schema, new_id, row_with_id
from models.errors import IncidentTemplateNotFound, NameTaken, VersionConflict
from models.fields import ID, TRIMMED, CreatedAt, MayOmit, SingleLine, UpdatedAt
from models.status import descriptions
from models.status.fields import StatusId, StatusTitle, Version
from models.status.incidents.incidents import Body
from models.status.state import Severity

TemplateName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]

# What several fields mean.
TEMPLATE_NAME = Field(
    description="The unique name, for operators.", examples=["Slow mail"]
)
FIRST_SEVERITY = Field(description="The severity with which incidents begin.")


class IncidentTemplate(Schema):
    id: Annotated[str, ID]
    name: Annotated[str, TEMPLATE_NAME]
    title: Annotated[str, descriptions.TITLE]
    severity: Annotated[Severity, FIRST_SEVERITY]
    body: Annotated[str, descriptions.BODY]
    version: int = Field(description="The version, which increases with each change.")
    created_at: CreatedAt
    updated_at: UpdatedAt


class AddIncidentTemplate(Schema):
    name: Annotated[TemplateName, TEMPLATE_NAME]
    title: Annotated[StatusTitle, descriptions.TITLE]
    severity: Annotated[Severity, FIRST_SEVERITY]
    body: Annotated[Body, descriptions.BODY]


class UpdateIncidentTemplate(Schema, example=("title", "body")):
    id: Annotated[StatusId, ID]
    name: Annotated[MayOmit[TemplateName], TEMPLATE_NAME] = None
    title: Annotated[MayOmit[StatusTitle], descriptions.TITLE] = None
    severity: Annotated[MayOmit[Severity], FIRST_SEVERITY] = None
    body: Annotated[MayOmit[Body], descriptions.BODY] = None
    expected_version: MayOmit[Version] = Field(
        default=None,
        description="The expected latest version; another one is a conflict.",
    )


class RemoveIncidentTemplate(Schema):
    id: Annotated[StatusId, ID]


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
    return row_with_id(
        IncidentTemplateRow, id, IncidentTemplateNotFound, "incident template"
    )


def _require_free_name(name: str) -> None:
    if IncidentTemplateRow.get_or_none(IncidentTemplateRow.name == name) is not None:
        raise NameTaken(f"There already is an incident template '{name}'.")
