"""One request for a page of the console: who makes it, and what they may do."""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from flask import Response, redirect
from werkzeug.datastructures import FileStorage, MultiDict

from api.console.forms.form import Form
from api.console.forms.labels import field_text, option_text, value_text
from api.console.forms.submission import parameter
from api.console.page import CONSOLE, PAGES, address
from api.console.sessions.signing_in import SignedIn
from api.http.authentication import CREDENTIALS
from api.http.health import ListFaults
from api.http.messages import Request
from api.http.messages import Response as OperationAnswer
from api.http.middleware import View
from api.operation import Caller, Operation
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

# The name and the view of each operation, by path and method.
Routes = dict[str, dict[str, tuple[str, View]]]


class LanguageLook(Protocol):
    """Renders the templates of the console in a language."""

    @property
    def locale(self) -> Locale: ...

    def render(self, template: str, data: Mapping[str, Any]) -> str: ...


class ConsoleLook(Protocol):
    """Has the look of the console in each language, and the assets by name."""

    def asset(self, name: str) -> bytes | None: ...

    def in_language(self, wanted: Iterable[str]) -> LanguageLook: ...


class Refused(Exception):
    """An operation has refused a request; `problem` is what it answered."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(problem.get("detail") or problem["title"])
        self.problem = problem

    @property
    def status(self) -> int:
        return int(self.problem["status"])

    @property
    def title(self) -> str:
        return str(self.problem["title"])


@dataclass(frozen=True)
class OperationResult:
    """What an operation has answered: its data, and the metadata of a list."""

    data: Any
    meta: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(slots=True)
class ConsoleRequest:
    """
    A request of somebody who is signed in.

    Operations are called through the dispatch of the API, with the key of the session:
    they are authorized, limited, validated and audited as for any other client.
    """

    http_request: Request
    signed_in: SignedIn
    now: datetime
    settings: Settings
    operations: Mapping[str, Operation]
    routes: Routes
    look: LanguageLook
    query: MultiDict[str, str]
    sent: MultiDict[str, str]
    files: MultiDict[str, FileStorage]
    headers: Mapping[str, str]
    list_faults: ListFaults
    # How the site renders a text; None if this application does not know it.
    preview: SitePreview | None
    published_addresses: PublishedAddresses
    key_names: dict[str, str | None] = field(default_factory=dict)

    @property
    def caller(self) -> Caller:
        return self.signed_in.caller

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
        return self.look.locale.find(f"notice.{self.query.get('done', '')}")

    def text(self, name: str, /, **values: Any) -> str:
        """Return a text in the language of the person."""
        return self.look.locale.text(name, **values)

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
        operation = self.operations[route]
        environ = self._environ(operation, request)
        environ |= _options(idempotency_key, is_dry_run=dry_run)
        return self.dispatch(operation, environ)

    def upload(
        self,
        route: str,
        query: Mapping[str, Any],
        body: bytes,
        media_type: str,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> OperationResult:
        """Call an operation whose body is a file; raise Refused."""
        operation = self.operations[route]
        environ = self._environ(operation, query, body)
        environ["CONTENT_TYPE"] = media_type
        environ |= _options(idempotency_key, is_dry_run=dry_run)
        return self.dispatch(operation, environ)

    def download(self, route: str, **query: Any) -> Response:
        """Return the file that a GET sends; raise Refused."""
        operation = self.operations[route]
        environ = self._environ(operation, query)
        response = self._answer(operation, environ)
        chunks = response.chunks(environ)
        headers = response.headers | DOWNLOAD_HEADERS
        return Response(chunks, response.status, headers)

    def dispatch(
        self, operation: Operation, environ: dict[str, Any]
    ) -> OperationResult:
        """Call the view of the operation; raise Refused."""
        response = self._answer(operation, environ)
        content = json.loads(b"".join(response.chunks(environ)))
        return OperationResult(
            content["data"], content.get("meta", {}), response.headers
        )

    def _answer(self, operation: Operation, environ: dict[str, Any]) -> OperationAnswer:
        """Return the response of the operation; raise Refused."""
        _, view = self.routes[operation.path][operation.method]
        response = view(Request(environ))
        if response.status >= 400:
            raise Refused(json.loads(b"".join(response.chunks(environ))))
        return response

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
        except Refused as refusal:
            form.refuse(refusal.problem)
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
        except Refused as refusal:
            if not refusal.problem.get("errors"):
                raise
            filters.refuse(refusal.problem)
            return OperationResult([], {}, {})

    def form(self, route: str, *names: str, **options: Any) -> Form:
        """Return a form for the operation, with these of its fields or all."""
        locale = self.look.locale
        return Form(self.operations[route], names or None, locale=locale, **options)

    def page(self, template: str, status: int = 200, **data: Any) -> Response:
        """Return a page; the layout says who is signed in."""
        locale = self.look.locale
        words = {
            "address": address,
            "label_of": lambda field: field_text(locale, field.name),
            "field_label": partial(field_text, locale),
            "option_label": partial(option_text, locale),
            "value_label": partial(value_text, locale),
        }
        shown = {"request": self, **words, **data}
        return Response(self.look.render(template, shown), status, self.headers)

    def go(self, path: str, *, done: str = "", at: str = "", **query: Any) -> Response:
        """
        Lead to a page after a change; `done` names what it says was done.

        `at` is the id of what the page shows of it.
        """
        # 303, so that loading the page again does not send the form again.
        target = address(path, done=done, **query) + (f"#{at}" if at else "")
        return redirect(target, 303)  # type: ignore[return-value]

    def _environ(
        self,
        operation: Operation,
        request: Mapping[str, Any],
        body: bytes | None = None,
    ) -> dict[str, Any]:
        """Return a request for the operation as the server would pass it on."""
        has_query = operation.method == "GET" or body is not None
        query = {name: parameter(value) for name, value in request.items()}
        if body is None:
            # Escaped, a long text could be beyond what the operation accepts.
            text = json.dumps(request, ensure_ascii=False)
            body = text.encode(errors="surrogatepass")
        environ = {
            "REQUEST_METHOD": operation.method,
            "PATH_INFO": operation.path,
            "QUERY_STRING": urlencode(query) if has_query else "",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)) if operation.method != "GET" else "0",
            "REMOTE_ADDR": self.http_request.client_address,
            "HTTP_X_REQUEST_ID": self.http_request.id,
            "wsgi.input": io.BytesIO(body),
            CREDENTIALS: self.signed_in.credentials,
        }
        if self.signed_in.person is not None:
            environ["HTTP_ACT_AS_EMAIL"] = self.signed_in.person
        return environ


def _options(idempotency_key: str | None, *, is_dry_run: bool) -> dict[str, str]:
    """Return the headers of a change, as WSGI names them."""
    headers = {"HTTP_IDEMPOTENCY_KEY": idempotency_key} if idempotency_key else {}
    return headers | ({"HTTP_DRY_RUN": "true"} if is_dry_run else {})
