"""Add the console to the application: who is signed in, and what its pages answer."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from http import HTTPStatus
from typing import Any

from flask import Flask, redirect, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Response

from api.console.console_page import (
    CONSOLE,
    MAX_FORM_BYTES,
    PAGES,
    ConsolePage,
    address,
    declare_pages,
)
from api.console.console_request import (
    ConsoleRenderer,
    ConsoleRequest,
    ConsoleTheme,
    Refused,
)
from api.console.forms.form import English, LiteralText
from api.console.forms.labels import field_text
from api.console.forms.submission import FILLED_IN_BY
from api.console.sessions.next_page import SIGN_IN, UNKNOWN, next_page, readable_page
from api.console.sessions.session_cookie import delete_cookie, set_cookie
from api.console.sessions.signing_in import (
    InvalidPerson,
    SignedIn,
    SignIn,
    TooManyWrongKeys,
)
from api.http.authentication import require_scope
from api.http.body_limits import BodyAllowance
from api.http.cross_site import is_own_request
from api.http.dispatch import Dispatcher
from api.http.health import ListFaults
from api.http.middleware import REQUEST
from api.http.problem_types import PROBLEM_TYPES
from api.http.request import Request
from api.http.request_parsing import accepted_languages
from api.http.server.limits import KEYLESS_BODY_BYTES
from api.operation import OPERATIONS, Caller
from models.errors import RateLimited, Refusal
from models.fields import truncate_to_ms
from models.logs import LogLine
from models.platform.rate_limits import RateLimiter
from models.projects.documents.linking.draft_links import PublishedAddresses
from models.response_headers import CONTENT_TYPES, console_headers
from models.runtime.temporary_files import full_folder_refusal
from models.settings import SettingError, Settings
from models.storage.database import independent_reads

SIGN_OUT = CONSOLE + "sign-out/"
CHECK = SIGN_IN + "check/"
# Answered with a page where no page takes them.
WRONG_METHODS = ("POST", "PUT", "PATCH", "DELETE")
MESSAGE = "console/message.html"
# Who is not known, or asks too often, is told so on a page of its own.
WITHOUT_MENU = (HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS)
# A file of the console is named after its content, so it never changes.
ASSET_CACHE = "public, max-age=31536000, immutable"
MAX_FORM_FIELDS = 5000
KEY_FIELD, PERSON_FIELD = "key", "email"
# Fields of a form that was sent when the session had ended.
KEPT = "_kept."
# The texts of what the API does not refuse.
OWN_WORDS: dict[type[Refusal], str] = {
    InvalidPerson: "sign-in.invalid-email",
    TooManyWrongKeys: "sign-in.too-many-wrong-keys",
}

log = logging.getLogger("masthead.requests")


class Console:
    """The pages of the console, over the operations of the dispatcher."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        dispatcher: Dispatcher,
        theme: ConsoleTheme,
        rate_limiter: RateLimiter,
        list_faults: ListFaults,
    ) -> None:
        declare_pages()
        self._settings = settings
        self._clock = clock
        self._dispatcher = dispatcher
        self._operations = {f"{o.method} {o.path}": o for o in OPERATIONS}
        self._theme = theme
        self._sign_in = SignIn(settings, dispatcher, rate_limiter)
        self._list_faults = list_faults
        self._published_addresses = PublishedAddresses()
        self._headers = console_headers()

    def register(self, app: Flask) -> None:
        """Add a route for each page, for signing in and out, and for the assets."""
        add = app.add_url_rule
        add(CONSOLE + "assets/<name>", "console.asset", self._asset)
        add(SIGN_IN, "console.sign-in-form", self._guarded(self._sign_in_form))
        add(CHECK, "console.sign-in-check", self._guarded(self._check_cookie))
        posts = {SIGN_IN: self._start_session, SIGN_OUT: self._end_session}
        for path, view in posts.items():
            name = f"console.{path.split('/')[2]}"
            add(path, name, self._guarded(view), methods=["POST"])
        for page in PAGES:
            add(page.path, page.name, self._page_view(page), methods=[page.method])
        add("/console", "console", lambda: redirect(CONSOLE, 308))
        add(CONSOLE + "<path:path>", UNKNOWN, self._guarded(self._unknown))
        wrong = self._guarded(self._wrong_method)
        for path in (CONSOLE, CONSOLE + "<path:path>"):
            add(path, "console.wrong-method", wrong, methods=WRONG_METHODS)

    def admit(self, http_request: Request) -> BodyAllowance | None:
        """
        Return how large the body of a form may be; None for somebody unknown.

        Raise InsufficientScope if the key does not open the operation of the page.
        """
        try:
            signed_in = self._sign_in.find(http_request, self._now())
        except (Refusal, SettingError):
            return None
        if signed_in is None:
            return None
        max_bytes = self._max_bytes(http_request, signed_in.caller)
        return BodyAllowance(max_bytes, signed_in.identity)

    def credential_of(self, http_request: Request) -> str | None:
        """Return what may identify who is signed in."""
        return self._sign_in.credential_of(http_request)

    def _max_bytes(self, http_request: Request, caller: Caller) -> int:
        """Return how large the form may be that is sent to the page."""
        try:
            page, parts = (
                _forms().bind("").match(http_request.path, http_request.method)
            )
            scope = page.scope_of(**parts) if page.scope_of else None
        except HTTPException:
            return KEYLESS_BODY_BYTES
        if scope is not None:
            require_scope(caller, scope)
        return int(page.max_body_bytes)

    def _page_view(self, page: ConsolePage) -> Callable[..., Response]:
        """Return the view for Flask, for whoever is signed in."""

        def view(http_request: Request, **parts: str) -> Response:
            _limit_form(page.max_body_bytes)
            now = self._now()
            signed_in = self._sign_in.find(http_request, now)
            if signed_in is None:
                return self._ask_to_sign_in(http_request)
            # Before the form is parsed, and for pages that call no operation as well.
            self._dispatcher.limit_rate(signed_in.caller, {})
            console_request = self._request(http_request, signed_in, now)
            try:
                return page.view(console_request, **parts)
            except Refused as refused:
                problem = refused.status, refused.title, str(refused)
            except Refusal as refusal:
                problem_type = PROBLEM_TYPES[refusal.kind]
                if problem_type.status in WITHOUT_MENU:
                    raise
                self._dispatcher.on_refusal(refusal.kind)
                problem = problem_type.status, problem_type.title, refusal.detail
            status, title, text = problem
            return console_request.page(
                MESSAGE, status, title=English(title), sentences=[English(text)]
            )

        return self._guarded(view)

    def _request(
        self, http_request: Request, signed_in: SignedIn, now: datetime
    ) -> ConsoleRequest:
        http_request.key_prefix = signed_in.caller.prefix
        http_request.caller = signed_in.identity
        return ConsoleRequest(
            http_request=http_request,
            signed_in=signed_in,
            now=now,
            settings=self._settings,
            operations=self._operations,
            dispatcher=self._dispatcher,
            renderer=self._renderer(),
            query=request.args,
            sent=request.form,
            files=request.files,
            headers=self._headers,
            list_faults=self._list_faults,
            published_addresses=self._published_addresses,
        )

    def _guarded(self, view: Callable[..., Response]) -> Callable[..., Response]:
        """Return the view for Flask, which answers with a page in every case."""

        def guarded(**parts: str) -> Response:
            http_request: Request = request.environ[REQUEST]
            method, headers = http_request.method, http_request.headers
            is_browser = bool(headers.get("Cookie")) or self._sign_in.is_by_proxy(
                http_request
            )
            if not is_own_request(method, headers, is_browser=is_browser):
                return self._message(
                    403,
                    self._text("message.not-from-console"),
                    self._text("message.from-another-site"),
                )
            try:
                with independent_reads():
                    return view(http_request, **parts)
            except Refusal as refusal:
                return self._refusal(refusal, http_request)
            except Refused as refused:
                return self._message(
                    refused.status, English(refused.title), English(str(refused))
                )
            except SettingError as error:
                log.error(LogLine(request=http_request.id, error=error))
                title = self._text("message.proxy-fails")
                return self._message(503, title, English(str(error)))
            except RequestEntityTooLarge:
                return self._message(
                    413,
                    self._text("message.too-large"),
                    self._text("message.form-too-large"),
                )
            except HTTPException as error:
                return self._http_error(error)
            except Exception as error:
                if full := full_folder_refusal(error):
                    return self._refusal(full, http_request)
                path = http_request.path[:100]
                log.exception(LogLine(path=path, request=http_request.id))
                text = self._text("message.went-wrong", request=http_request.id)
                return self._message(500, self._text("message.internal-error"), text)

        return guarded

    def _refusal(self, refusal: Refusal, http_request: Request) -> Response:
        """Show why a key is refused; whoever has lost theirs can sign in again."""
        self._dispatcher.on_refusal(refusal.kind)
        problem_type = PROBLEM_TYPES[refusal.kind]
        if problem_type.status == HTTPStatus.UNAUTHORIZED:
            return self._ask_to_sign_in(http_request, refusal)
        if isinstance(refusal, RateLimited):
            return self._too_many_requests(refusal)
        status, title = problem_type.status, problem_type.title
        return self._message(status, English(title), self._words(refusal))

    def _too_many_requests(self, refusal: RateLimited) -> Response:
        response = self._message(
            429,
            self._text("message.too-many"),
            self._text("message.wait"),
            reason=self._words(refusal),
        )
        response.headers["Retry-After"] = str(refusal.members["retryAfter"])
        return response

    def _sign_in_form(self, http_request: Request) -> Response:
        if self._is_signed_in(http_request):
            return self._redirect(next_page())
        return self._sign_in_page(200, next=next_page())

    def _start_session(self, http_request: Request) -> Response:
        _limit_form(MAX_FORM_BYTES)
        form = request.form
        person = form.get(PERSON_FIELD, "")
        try:
            token = self._sign_in.start(
                http_request, form.get(KEY_FIELD, ""), person, self._now()
            )
        except Refusal as refusal:
            self._dispatcher.on_refusal(refusal.kind)
            status = PROBLEM_TYPES[refusal.kind].status
            return self._sign_in_page(
                status,
                problem=self._words(refusal),
                person=person,
                next=next_page(),
                kept=_kept_fields(form.items(multi=True)),
            )
        if kept := _kept_fields(form.items(multi=True)):
            response = self._resume_page(http_request, token, kept)
        else:
            response = self._redirect(address("sign-in/check/", next=next_page()))
        set_cookie(response, http_request, token)
        return response

    def _resume_page(
        self, http_request: Request, token: str, kept: list[tuple[str, str]]
    ) -> Response:
        """
        Show the form that was kept, which is not sent by itself.

        It is dropped if somebody else has filled it in: they used another key, or
        acted for another person.
        """
        signed_in = self._sign_in.find_started(http_request, token, self._now())
        fields = [(name.removeprefix(KEPT), value) for name, value in kept]
        mark = dict(fields).get(FILLED_IN_BY)
        return self._page(
            "console/resume.html",
            action=next_page(),
            opened=readable_page(next_page()),
            kept=fields,
            typed=self._typed(kept),
            signed_in=signed_in,
            is_of_another=mark is not None and mark != signed_in.mark,
        )

    def _check_cookie(self, http_request: Request) -> Response:
        """Go on, or say that the browser has not kept the cookie."""
        if self._is_signed_in(http_request):
            return self._redirect(next_page())
        return self._sign_in_page(
            400,
            problem=self._text("sign-in.no-cookie"),
            next=next_page(),
        )

    def _end_session(self, http_request: Request) -> Response:
        if request.form.get("everywhere"):
            self._sign_in.end_all(http_request, self._now())
        self._sign_in.end(http_request)
        response = self._redirect(address("sign-in/", done="signed-out"))
        delete_cookie(response, http_request)
        return response

    def _unknown(self, _: Request, path: str) -> Response:  # noqa: ARG002
        return self._message(
            404, self._text("site.not-found"), self._text("message.no-page")
        )

    def _wrong_method(self, _: Request, path: str = "") -> Response:  # noqa: ARG002
        text = self._text("message.no-form")
        response = self._message(405, self._text("message.not-allowed"), text)
        response.headers["Allow"] = "GET, HEAD"
        return response

    def _asset(self, name: str) -> Response:
        content = self._theme.asset(name)
        if content is None:
            return self._message(
                404, self._text("site.not-found"), self._text("message.no-file")
            )
        kind = CONTENT_TYPES["." + name.rpartition(".")[2]]
        return Response(
            content, 200, {"Content-Type": kind, "Cache-Control": ASSET_CACHE}
        )

    def _is_signed_in(self, http_request: Request) -> bool:
        try:
            return self._sign_in.find(http_request, self._now()) is not None
        except Refusal:
            return False

    def _ask_to_sign_in(
        self, http_request: Request, refusal: Refusal | None = None
    ) -> Response:
        """Ask for a key; what was sent with a form is kept for after that."""
        query = f"?{http_request.query_string}" if http_request.query_string else ""
        path = http_request.path + query
        if http_request.method != "POST":
            if refusal is None:
                return self._redirect(address("sign-in/", next=path))
            return self._sign_in_page(401, problem=self._words(refusal), next=path)
        form = request.form.items(multi=True)
        kept = [(KEPT + name, LiteralText(value)) for name, value in form]
        return self._sign_in_page(
            401,
            problem=self._words(refusal)
            if refusal
            else self._text("sign-in.session-ended"),
            next=path,
            kept=kept,
            # With another key the form is dropped, and this one opens nothing now.
            typed=self._typed(kept) if refusal else (),
        )

    def _sign_in_page(
        self,
        status: int,
        *,
        next: str,
        problem: str | English | None = None,
        person: str = "",
        kept: Any = (),
        typed: Any = (),
    ) -> Response:
        return self._page(
            "console/sign-in.html",
            status,
            action=SIGN_IN,
            next=next,
            problem=problem,
            person=person,
            kept=kept,
            typed=typed,
            done=request.args.get("done"),
        )

    def _http_error(self, error: HTTPException) -> Response:
        """Say that there is no such page, or that a form cannot be read."""
        if error.code == HTTPStatus.NOT_FOUND:
            text = error.description or self._text("message.no-page")
            return self._message(404, self._text("site.not-found"), text)
        title = self._text("message.bad-request")
        text = self._text("message.unreadable")
        return self._message(error.code or 400, title, text)

    def _message(
        self,
        status: int,
        title: str | English,
        text: str | English,
        reason: str | English = "",
    ) -> Response:
        sentences = [reason, text] if reason else [text]
        return self._page(MESSAGE, status, title=title, sentences=sentences)

    def _words(self, refusal: Refusal) -> str | English:
        """Return why something is refused: in the API's words, or in our own."""
        name = OWN_WORDS.get(type(refusal))
        return self._text(name) if name else English(refusal.detail)

    def _page(self, template: str, status: int = 200, **data: Any) -> Response:
        shown: Mapping[str, Any] = {"request": None, "address": address, **data}
        page = self._renderer().render(template, shown)
        return Response(page, status, self._headers)

    def _text(self, name: str, /, **values: Any) -> str:
        return self._renderer().locale.text(name, **values)

    def _renderer(self) -> ConsoleRenderer:
        """Return the renderer for the language of the browser."""
        return self._theme.in_language(accepted_languages(request.accept_languages))

    def _typed(self, kept: Any) -> list[tuple[str, str]]:
        """Return the label and the value of each kept field that somebody filled in."""
        locale = self._renderer().locale
        fields = [(name.removeprefix(KEPT), value) for name, value in kept]
        return [
            (field_text(locale, name), value)
            for name, value in fields
            if value and not name.startswith("_")
        ]

    def _redirect(self, path: str) -> Response:
        response = redirect(path, 303)
        response.headers.update(self._headers)
        return response

    def _now(self) -> datetime:
        return truncate_to_ms(self._clock())


@cache
def _forms() -> Map:
    """Return the addresses that forms are sent to, each with its page."""
    posts = (page for page in PAGES if page.method == "POST")
    rules = [Rule(page.path, methods=["POST"], endpoint=page) for page in posts]
    return Map(rules, merge_slashes=False)


def _limit_form(max_bytes: int) -> None:
    """Limit the form that is sent, which is parsed when it is first asked for."""
    request.max_content_length = request.max_form_memory_size = max_bytes
    request.max_form_parts = MAX_FORM_FIELDS


def _kept_fields(fields: Any) -> list[tuple[str, str]]:
    """Return the fields of the form that was sent when the session had ended."""
    return [
        (name, LiteralText(value)) for name, value in fields if name.startswith(KEPT)
    ]
