"""Keep templates: the words with which incidents begin."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form

ADD = "POST /status/v1/admin/incident-templates/add"
UPDATE = "POST /status/v1/admin/incident-templates/update"
REMOVE = "POST /status/v1/admin/incident-templates/remove"
LIST = "GET /status/v1/admin/incident-templates/list"

FIELDS = ("name", "title", "severity", "body")


@page("GET incidents/templates/")
def list_incident_templates(request: ConsoleRequest) -> Response:
    """List the templates, each with a form to change it, and one to add another."""
    return _templates_page(request)


@page("POST incidents/templates/")
def add_incident_template(request: ConsoleRequest) -> Response:
    form = request.form(ADD, *FIELDS)
    if request.submit(form) is None:
        return _templates_page(request, add=form)
    return request.go("incidents/templates/", done="template-added")


@page("POST incidents/templates/<id>/")
def change_incident_template(request: ConsoleRequest, id: str) -> Response:
    templates = {template["id"]: template for template in request.read(LIST)}
    template = templates.get(id, {"id": id})
    form = _change_form(request, template)
    if request.submit_change(form, template, id=id) is None:
        return _templates_page(request, changed={id: form})
    return request.go("incidents/templates/", done="template-changed")


@page("POST incidents/templates/<id>/remove/")
def remove_incident_template(request: ConsoleRequest, id: str) -> Response:
    request.call(REMOVE, {"id": id})
    return request.go("incidents/templates/", done="template-removed")


def _change_form(request: ConsoleRequest, template: dict[str, Any]) -> Form:
    id = f"template.{template['id']}"
    return request.form(
        UPDATE, *FIELDS, values=template, is_prefilled=True, id_prefix=id
    )


def _templates_page(
    request: ConsoleRequest,
    *,
    add: Form | None = None,
    changed: dict[str, Form] | None = None,
) -> Response:
    refused = changed or {}
    shown = add or next(iter(refused.values()), None)
    return request.page(
        "console/incidents/templates.html",
        shown.status if shown else 200,
        entries=[
            {
                "template": template,
                "form": refused.get(template["id"]) or _change_form(request, template),
                "is_open": template["id"] in refused,
            }
            for template in request.read(LIST)
        ],
        add=add or request.form(ADD, *FIELDS),
        is_adding=add is not None,
        may_add=request.may(ADD),
        may_change=request.may(UPDATE),
        may_remove=request.may(REMOVE),
    )
