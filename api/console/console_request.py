"""One request for a page of the console: who makes it, and what they may do."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import Any, Protocol
from urllib.parse import urlsplit

from flask import redirect
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.wrappers import Response

from api.console.console_page import CONSOLE, PAGES, address
from api.console.forms.fields import is_query
from api.console.forms.form import Form, errors_of
from api.console.forms.labels import field_text, option_text, value_text
from api.console.forms.submission import parameter
from api.console.sessions.signing_in import SignedIn
from api.http.dispatch import Dispatcher, refusal_after
from api.http.health import ListFaults
from api.http.problem_types import PROBLEM_TYPES
from api.http.request import OperationRequest, Request
from api.http.request_parsing import read_body
from api.http.response import Response as OperationResponse
from api.operation import Caller, Operation
from models.errors import Refusal
from models.fields import truncate_to_ms
from models.locales import Locale
from models.pagination import invalid_cursor
from models.projects.documents.linking.draft_links import PublishedAddresses
from models.projects.documents.site_preview import SitePreview
from models.settings import Settings

# A file that somebody has sent runs nothing, and loads nothing.
DOWNLOAD_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}

# The button that shows what a form would do, without doing it.
PREVIEW = "_preview"
LONGEST_SEARCH = 320
GET_KEY = "GET /platform/v1/keys/get"


class ConsoleRenderer(Protocol):
    """Renders the templates of the console in a language."""

    @property
    def locale(self) -> Locale: ...

    def render(self, template: str, data: Mapping[str, Any]) -> str: ...


class ConsoleTheme(Protocol):
    """Has a renderer for each language, and the assets by name."""

    def asset(self, name: str) -> bytes | None: ...

    def in_language(self, wanted: Iterable[str]) -> ConsoleRenderer: ...


class Refused(Exception):
    """An operation has refused what a page asks of it; the metrics count that."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal
        problem_type = PROBLEM_TYPES[refusal.kind]
        self.status, self.title = problem_type.status, problem_type.title


@dataclass(frozen=True)
class OperationResult:
    """What an operation has answered: its data, and the metadata of a list."""

    data: Any
    meta: Mapping[str, Any]
    # Whether it is what the same request was answered before.
    is_replayed: bool = False


@dataclass(slots=True)
class ConsoleRequest:
    """
    A request of somebody who is signed in.

    Operations are dispatched in this process, with the key of the session: they are
    authorized, limited, validated and audited as for any other client.
    """

    http_request: Request
    signed_in: SignedIn
    now: datetime
    settings: Settings
    operations: Mapping[str, Operation]
    dispatcher: Dispatcher
    renderer: ConsoleRenderer
    query: MultiDict[str, str]
    sent: MultiDict[str, str]
    files: MultiDict[str, FileStorage]
    headers: Mapping[str, str]
    list_faults: ListFaults
    published_addresses: PublishedAddresses
    key_names: dict[str, str | None] = field(default_factory=dict)

    @property
    def caller(self) -> Caller:
        return self.signed_in.caller

    @property
    def preview(self) -> SitePreview | None:
        """How the site renders a text; None if this application does not know it."""
        return self.dispatcher.preview

    @property
    def locale(self) -> Locale:
        """The language of the person."""
        return self.renderer.locale

    @property
    def origin(self) -> str:
        """The URL at which the person reaches the API."""
        environ = self.http_request.environ
        host = environ.get("HTTP_HOST", "")
        # A proxy in front may speak HTTPS where this server does not.
        for url in (self.settings.api_url, self.settings.site_origin):
            if urlsplit(url).netloc == host:
                return url
        return f"{environ['wsgi.url_scheme']}://{host}"

    @property
    def sections(self) -> frozenset[str]:
        """The paths of the pages that the key opens, for the menu."""
        return frozenset(
            page.path.removeprefix(CONSOLE)
            for page in PAGES
            if not page.opened_by or any(map(self.may, page.opened_by))
        )

    @property
    def notice(self) -> str | None:
        """What was done before this page was shown."""
        return self.locale.find(f"notice.{self.query.get('done', '')}")

    def text(self, name: str, /, **values: Any) -> str:
        """Return a text in the language of the person."""
        return self.locale.text(name, **values)

    def search_text(self, name: str) -> str:
        """Return what a list is searched for, without what no text contains."""
        text = "".join(filter(str.isprintable, self.query.get(name, "")))
        return text.strip()[:LONGEST_SEARCH]

    @property
    def cursor(self) -> str | None:
        """Return where a list goes on; raise InvalidCursor for what is no cursor."""
        cursor = self.query.get("cursor")
        if cursor is not None and not cursor.isprintable():
            raise invalid_cursor()
        return cursor

    def may(self, route: str) -> bool:
        """Return whether the key opens the operation."""
        return self.caller.has_scope(self.operations[route].scope)

    def read(self, route: str, **query: Any) -> Any:
        """Return the data of a GET; raise Refused."""
        return self.call(route, query).data

    def key_name(self, id: str) -> str | None:
        """Return the name of a key; None if there is none, or not for the caller."""
        if not self.may(GET_KEY):
            return None
        if id not in self.key_names:
            try:
                self.key_names[id] = str(self.read(GET_KEY, id=id)["name"])
            except Refused:
                self.key_names[id] = None
        return self.key_names[id]

    def read_if_allowed(self, route: str, **query: Any) -> Any:
        """Return the data of a GET, None if the key does not open it."""
        return self.read(route, **query) if self.may(route) else None

    def call(
        self,
        route: str,
        request: Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> OperationResult:
        """Call an operation and return its answer; raise Refused."""
        operation, body = self.operations[route], b""
        if not is_query(operation):
            # Escaped, a long text could be beyond what the operation accepts.
            text = json.dumps(request, ensure_ascii=False)
            request, body = {}, text.encode(errors="surrogatepass")
        response = self._dispatch(operation, request, body, idempotency_key, dry_run)
        return _result(response)

    def upload(
        self,
        route: str,
        query: Mapping[str, Any],
        body: bytes,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> OperationResult:
        """Call an operation whose body is a file; raise Refused."""
        operation = self.operations[route]
        response = self._dispatch(operation, query, body, idempotency_key, dry_run)
        return _result(response)

    def download(self, route: str, **query: Any) -> Response:
        """Return the file that a GET sends; raise Refused."""
        response = self._dispatch(self.operations[route], query)
        headers = response.headers | DOWNLOAD_HEADERS
        return Response(response.chunks({}), response.status, headers)

    def _dispatch(
        self,
        operation: Operation,
        query: Mapping[str, Any],
        body: bytes = b"",
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> OperationResponse:
        """Have the operation done for who is signed in; raise Refused."""
        headers = {"Dry-Run": "true"} if dry_run else {}
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        if self.signed_in.person is not None:
            headers["Act-As-Email"] = self.signed_in.person
        id = self.http_request.id
        parameters = MultiDict((name, parameter(v)) for name, v in query.items())
        # The type of a file follows from its name and bytes, whatever a browser says.
        is_file = operation.read_upload is not None
        media_type = "application/octet-stream" if is_file else "application/json"
        try:
            content = read_body(operation, BytesIO(body), len(body), media_type)
            request = OperationRequest(id, headers, parameters, content, media_type)
            now = truncate_to_ms(self.dispatcher.clock())
            self.dispatcher.admit(self.caller, now, {})
            return self.dispatcher.dispatch(operation, self.caller, request)
        except Exception as error:
            refusal = refusal_after(error, operation, id)
            self.dispatcher.on_refusal(refusal.kind)
            raise Refused(refusal) from error

    def submit(self, form: Form, **more: Any) -> OperationResult | None:
        """
        Send a form; return the answer, or None if it is to be shown again.

        It then says why it was refused, or what it would do, if a preview was asked
        for. `more` are fields that the form does not show.
        """
        form.fill(self.sent)
        if form.is_contested:
            form.contest()
            return None
        operation = form.operation
        is_preview = PREVIEW in self.sent
        try:
            result = self.call(
                f"{operation.method} {operation.path}",
                form.request | more,
                idempotency_key=form.idempotency_key,
                dry_run=is_preview,
            )
        except Refused as refused:
            form.refuse(refused.refusal)
            return None
        if is_preview:
            form.preview = result.data
            return None
        return result

    def submit_change(
        self, form: Form, present: Mapping[str, Any], **more: Any
    ) -> OperationResult | None:
        """
        Send a form that shows what is present; return the answer, or None.

        If somebody else has changed it since, the form shows both.
        """
        form.fill(self.sent)
        result = self.submit(form, **form.expected_version, **more)
        if form.is_conflict:
            form.compare(present)
        return result

    def read_list(self, filters: Form, **more: Any) -> OperationResult:
        """
        Return the page of a list that the address asks for, with these filters.

        Raise Refused.
        """
        filters.fill(self.query)
        operation = filters.operation
        query = filters.request | more
        if cursor := self.query.get("cursor"):
            query["cursor"] = cursor
        return self.call(f"{operation.method} {operation.path}", query)

    def find(self, filters: Form, **more: Any) -> OperationResult:
        """
        Return that page; the form says why a filter is refused.

        Raise Refused if it is not about a filter: a list that cannot be read is not
        empty.
        """
        try:
            return self.read_list(filters, **more)
        except Refused as refused:
            if not errors_of(refused.refusal):
                raise
            filters.refuse(refused.refusal)
            return OperationResult([], {})

    def form(self, route: str, *names: str, **options: Any) -> Form:
        """Return a form for the operation, with these of its fields or all."""
        operation = self.operations[route]
        return Form(operation, names or None, locale=self.locale, **options)

    def page(self, template: str, status: int = 200, **data: Any) -> Response:
        """Return a page; the layout says who is signed in."""
        locale = self.locale
        words = {
            "address": address,
            "label_of": lambda field: field_text(locale, field.name),
            "field_label": partial(field_text, locale),
            "option_label": partial(option_text, locale),
            "value_label": partial(value_text, locale),
        }
        shown = {"request": self, **words, **data}
        return Response(self.renderer.render(template, shown), status, self.headers)

    def page_of_forms(
        self,
        template: str,
        forms: Mapping[str, Form],
        refused: Mapping[str, Form],
        status: int = 200,
        **data: Any,
    ) -> Response:
        """Return a page with these forms; `refused` are those that were sent."""
        return self.page(
            template,
            max((form.status for form in refused.values()), default=status),
            forms={**forms, **refused},
            open=set(refused),
            **data,
        )

    def go(self, path: str, *, done: str = "", at: str = "", **query: Any) -> Response:
        """
        Lead to a page after a change; `done` names what it says was done.

        `at` is the id of what the page shows of it.
        """
        # 303, so that loading the page again does not send the form again.
        target = address(path, done=done, **query) + (f"#{at}" if at else "")
        return redirect(target, 303)


def _result(response: OperationResponse) -> OperationResult:
    content = json.loads(response.body)
    is_replayed = "Idempotent-Replayed" in response.headers
    return OperationResult(content["data"], content.get("meta", {}), is_replayed)
