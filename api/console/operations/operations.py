"""Every operation of the API as a form, made from its declaration."""

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any

from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from api.console.console_page import MIB, address, page
from api.console.console_request import ConsoleRequest, OperationResult, Refused
from api.console.forms.fields import Field, Option, form_fields
from api.console.forms.form import Form
from api.console.forms.submission import LISTED
from api.console.operations.curl import curl_line
from api.console.operations.result import Result
from api.openapi.examples import Examples
from api.openapi.schemas import request_schema
from api.operation import OPERATIONS, Operation

# A file or the JSON of an import, and the other fields of its form.
MAX_BYTES = 12 * MIB
MAX_SERVICES = 200
LIST_SERVICES = "GET /status/v1/services/list"
LIST_ALL_SERVICES = "GET /status/v1/admin/services/list"
# The buttons of a form: to do it, to see what it would do, and to see its curl line.
SEND, DRY_RUN, SHOW_CURL = "_send", "_dry-run", "_curl"
FILE = "_file"
EXAMPLE_MOMENT = "2026-03-01T12:00:00Z"


@page("GET operations/")
def list_operations(request: ConsoleRequest) -> Response:
    """List every operation by area and noun, or those with all words of a search."""
    words = request.query.get("q", "").lower().split()
    found = [entry for entry in _entries() if entry.has_words(words)]
    areas = [
        {"name": area, "nouns": _by_noun(request, list(entries))}
        for area, entries in groupby(found, key=lambda entry: entry.operation.area)
    ]
    return request.page(
        "console/operations/list.html",
        areas=areas,
        count=len(found),
        q=request.query.get("q", ""),
    )


@page("GET operations/<area>/<noun>/<verb>/")
def show_operation(
    request: ConsoleRequest, area: str, noun: str, verb: str
) -> Response:
    """Show the form of an operation; that of a GET has its result at its address."""
    entry = _entry(request, area, noun, verb)
    form = _operation_form(request, entry.operation)
    if entry.operation.method == "GET" and SEND in request.query:
        form.fill(_prefilled(form, request.query))
        return _send_query(request, entry, form)
    is_filled = bool(form.fields.keys() & request.query.keys())
    if is_filled:
        form.fill(_prefilled(form, request.query))
    return _operation_page(request, entry, form, is_example=not is_filled)


def _scope(area: str, noun: str, verb: str) -> str:
    if entry := _find(area, noun, verb):
        return entry.operation.scope
    raise NotFound


@page(
    "POST operations/<area>/<noun>/<verb>/",
    max_body_bytes=MAX_BYTES,
    scope_of=_scope,
)
def send_operation(
    request: ConsoleRequest, area: str, noun: str, verb: str
) -> Response:
    """Send the form of an operation, try it, or show its curl line."""
    entry = _entry(request, area, noun, verb)
    if entry.operation.method == "GET":
        raise NotFound(request.text("message.asked-with-get"))
    form = _operation_form(request, entry.operation).fill(request.sent)
    if SHOW_CURL in request.sent:
        return _operation_page(request, entry, form)
    is_dry = DRY_RUN in request.sent
    curl = _curl(request, entry.operation, form, is_dry=is_dry)
    try:
        found = _call(request, entry.operation, form, is_dry=is_dry)
    except Refused as refused:
        form.refuse(refused.refusal)
        return _operation_page(request, entry, form)
    result = Result.of(entry.operation, found, request.locale, is_dry=is_dry)
    if not is_dry:
        # What is sent next is meant; a repeat of this one has its key.
        form.renew_key()
    return _operation_page(request, entry, form, result=result, curl=curl)


@dataclass(frozen=True)
class Entry:
    """An operation, with its address and its description."""

    operation: Operation
    summary: str
    description: str

    @property
    def path(self) -> str:
        operation = self.operation
        return f"operations/{operation.area}/{operation.noun}/{operation.anchor}/"

    def has_words(self, words: list[str]) -> bool:
        operation = self.operation
        text = f"{operation.route} {operation.scope} {self.summary}".lower()
        return all(word in text for word in words)


@cache
def _entries() -> list[Entry]:
    """Return all operations, by area, noun and verb."""
    entries = []
    for operation in OPERATIONS:
        text = inspect.getdoc(operation.handler) or ""
        summary, _, description = text.partition("\n")
        entries.append(Entry(operation, summary, description.strip()))
    return sorted(entries, key=lambda entry: entry.path)


def _find(area: str, noun: str, verb: str) -> Entry | None:
    path = f"operations/{area}/{noun}/{verb}/"
    for entry in _entries():
        if entry.path == path:
            return entry
    return None


def _entry(request: ConsoleRequest, area: str, noun: str, verb: str) -> Entry:
    if entry := _find(area, noun, verb):
        return entry
    raise NotFound(request.text("message.no-operation"))


def _by_noun(request: ConsoleRequest, entries: list[Entry]) -> Iterator[dict[str, Any]]:
    for noun, group in groupby(entries, key=lambda entry: entry.operation.noun):
        shown = [
            {"entry": entry, "may": request.may(entry.operation.route)}
            for entry in group
        ]
        yield {"name": noun.replace("-", " ").capitalize(), "entries": shown}


def _operation_form(request: ConsoleRequest, operation: Operation) -> Form:
    """Return the form with all fields; services are chosen where they are few."""
    form = request.form(operation.route)
    for name, field in form.fields.items():
        if field.kind == "moment":
            # As text, so that any moment can be pasted, to the millisecond.
            form.fields[name] = replace(field, kind="text", options=())
    if operation.area == "status":
        for name in {"services", "slug"} & form.fields.keys():
            if operation.verb == "add" and name == "slug":
                continue
            options = _service_options(request, with_disabled=name == "slug")
            if options:
                form.offer(name, _with_sent(request, name, options))
    return form


def _service_options(request: ConsoleRequest, *, with_disabled: bool) -> list[Option]:
    """Return the services; none if they are many, or the key may not list them."""
    services: list[dict[str, Any]] = []
    if with_disabled and request.may(LIST_ALL_SERVICES):
        services = request.read(LIST_ALL_SERVICES)
    elif not with_disabled and request.may(LIST_SERVICES):
        services = request.read(LIST_SERVICES)["services"]
    if len(services) > MAX_SERVICES:
        return []
    return [Option(s["slug"], s["name"], s["group"] or "") for s in services]


def _with_sent(
    request: ConsoleRequest, name: str, options: list[Option]
) -> list[Option]:
    """Add what was sent and is not among the options, so that it is not lost."""
    known = {option.value for option in options}
    sent = [*request.query.getlist(name), *request.sent.getlist(name)]
    return options + [Option(text, text) for text in sent if text and text not in known]


def _prefilled(form: Form, query: MultiDict[str, str]) -> MultiDict[str, str]:
    """Return what the form would send with the fields of a link in it."""
    sent: MultiDict[str, str] = MultiDict()
    for name, field in form.fields.items():
        if name in query:
            sent.setlist(name, query.getlist(name))
        elif LISTED + name in query:
            sent[LISTED + name] = "1"
        elif field.kind == "choices":
            chosen = [o.value for o in field.options if form.is_chosen(field, o.value)]
            sent.setlist(name, chosen)
        elif field.kind != "flag":
            sent[name] = form.text(field)
        elif form.is_ticked(field):
            sent[name] = "true"
    return sent


def _send_query(request: ConsoleRequest, entry: Entry, form: Form) -> Response:
    operation = entry.operation
    try:
        if operation.is_download:
            return request.download(operation.route, **form.request)
        if operation.streamed:
            response = request.download(operation.route, **form.request)
            name = f"{operation.noun}-{operation.verb}.json"
            response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
            return response
        found = request.call(operation.route, form.request)
    except Refused as refused:
        form.refuse(refused.refusal)
        return _operation_page(request, entry, form)
    result = Result.of(operation, found, request.locale)
    following = _next_page(request, entry, found)
    return _operation_page(request, entry, form, result=result, following=following)


def _next_page(
    request: ConsoleRequest, entry: Entry, found: OperationResult
) -> str | None:
    """Return the address of the next page of a list."""
    query = request.query.to_dict(flat=False)
    if cursor := found.meta.get("cursor"):
        return address(entry.path, **query | {"cursor": [cursor]})
    if found.meta.get("more"):
        offset = found.meta["offset"] + found.meta["limit"]
        return address(entry.path, **query | {"offset": [offset]})
    return None


def _call(
    request: ConsoleRequest, operation: Operation, form: Form, *, is_dry: bool
) -> OperationResult:
    key = form.idempotency_key if operation.is_mutation else None
    if not operation.read_upload:
        return request.call(
            operation.route, form.request, idempotency_key=key, dry_run=is_dry
        )
    file = request.files.get(FILE) or FileStorage()
    return request.upload(
        operation.route,
        form.request,
        file.read(),
        idempotency_key=key,
        dry_run=is_dry,
    )


def _curl(
    request: ConsoleRequest,
    operation: Operation,
    form: Form,
    *,
    values: Mapping[str, Any] | None = None,
    is_dry: bool = False,
) -> str:
    """Return the curl line for what the form has, or for these values."""
    headers = {}
    if request.signed_in.person is not None:
        headers["Act-As-Email"] = request.signed_in.person
    if operation.is_mutation:
        headers["Idempotency-Key"] = form.idempotency_key
    if is_dry:
        headers["Dry-Run"] = "true"
    fields = form.request if values is None else values
    return curl_line(operation, fields, origin=request.origin, headers=headers)


@cache
def _examples(operation: Operation) -> dict[str, Any]:
    """Return an example of the request: what it must have, and what helps."""
    if operation.request is None:
        return {}
    schema = request_schema(operation)
    examples = Examples(schema.get("$defs", {}), is_response=False)
    return examples.fields_of(schema, operation.request.__name__)


@cache
def _json_example(operation: Operation, name: str) -> str:
    """Return an example of a field that is written as JSON."""
    schema = request_schema(operation)
    examples = Examples(schema.get("$defs", {}), is_response=False)
    schema_name = operation.request.__name__ if operation.request else ""
    value = examples.value_of(schema["properties"][name], schema_name, name)
    return json.dumps(value, indent=2, ensure_ascii=False)


def _operation_page(
    request: ConsoleRequest,
    entry: Entry,
    form: Form,
    *,
    result: Result | None = None,
    curl: str | None = None,
    following: str | None = None,
    is_example: bool = False,
) -> Response:
    operation = entry.operation
    values = _examples(operation) if is_example else None
    return request.page(
        "console/operations/operation.html",
        form.status,
        entry=entry,
        operation=operation,
        form=form,
        parameters=[
            _parameter(request, operation, field) for field in form.fields.values()
        ],
        result=result,
        following=following,
        may=request.may(operation.route),
        curl=curl or _curl(request, operation, form, values=values),
        is_example=is_example and bool(values),
    )


def _parameter(
    request: ConsoleRequest, operation: Operation, field: Field
) -> dict[str, str]:
    """Return what is said of a field, by its name."""
    declared = form_fields(operation)[field.name]
    notes = [declared.bounds(request.locale)]
    if declared.kind == "moment":
        notes.append(request.text("form.moment-such-as", example=EXAMPLE_MOMENT))
    if declared.default not in (None, [], {}) and field.kind in ("number", "text"):
        notes.append(request.text("form.default", value=declared.default))
    example = _json_example(operation, field.name) if field.kind == "json" else ""
    return {
        "name": field.name,
        "notes": " ".join(note for note in notes if note),
        "example": example,
    }
