"""Create the Flask application: operations, health, metrics, OpenAPI, and the site."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask, redirect, request
from werkzeug.exceptions import (
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    NotFound,
)
from werkzeug.wrappers import Response

from api.console.console import Console
from api.console.console_page import CONSOLE
from api.console.console_request import ConsoleTheme
from api.http.body_limits import BodyLimits
from api.http.clients import CredentialOf, bearer_credential
from api.http.dispatch import Dispatcher, InternalError, routes_of
from api.http.health import ListFaults, register_health
from api.http.metrics import Metrics, register_metrics
from api.http.middleware import (
    REQUEST,
    OperationMiddleware,
    RequestMiddleware,
    without_token,
)
from api.http.request import Request
from api.http.request_parsing import FormRequest
from api.http.static_site import (
    gone_page,
    has_folder,
    has_site_file,
    moved_page,
    register_openapi,
    site_file,
)
from api.notifications.subscribe_pages import RenderPage, register_subscribe_pages
from api.openapi.document import openapi_document
from api.operation import AREAS, OPERATIONS, declare_operations
from models import errors
from models.idempotency import RequestsInProgress
from models.logs import LogLine
from models.platform.key_uses import KeyUses
from models.platform.rate_limits import MemoryRateLimiter, RateLimiter
from models.projects.documents.site_preview import SitePreview
from models.runtime.release import VERSION
from models.runtime.temporary_files import full_folder_refusal
from models.settings import Settings
from models.storage.engines.engine import is_postgresql

MAX_PATH_LENGTH = 100
# The keys in the application's extensions of what its server must know.
BODY_LIMITS = "masthead.body_limits"
CREDENTIAL_OF = "masthead.credential_of"
LOOK_UPS = "masthead.look_ups"

log = logging.getLogger("masthead.requests")


def create_app(
    settings: Settings,
    *,
    clock: Callable[[], datetime],
    wake_builder: Callable[[str, bool], None] = lambda *_: None,
    list_faults: ListFaults = list,
    key_uses: KeyUses | None = None,
    preview: SitePreview | None = None,
    metrics: Metrics | None = None,
    rate_limiter: RateLimiter | None = None,
    in_progress: RequestsInProgress | None = None,
    render_page: RenderPage | None = None,
    client_limiter: RateLimiter | None = None,
    console_theme: ConsoleTheme | None = None,
    load_openapi: Callable[[], Mapping[str, Any]] | None = None,
) -> Flask:
    """
    Return the application.

    `clock` is its only source of time. `wake_builder(area, is_deferrable)` is called
    after each commit that makes pages of the site outdated. `list_faults` returns
    the faults of everything but the database, for /readyz. `preview` renders
    documents before they are published. `rate_limiter` limits the callers' rates, and
    `in_progress` knows the idempotent requests; the processes of a server share both.
    `render_page` renders the pages on which readers subscribe, without which there are
    none, and `client_limiter` limits what clients without a key ask for.
    `console_theme` renders the pages of the console, without which there is none.
    `load_openapi` returns the OpenAPI document, which is created without it.
    """
    declare_operations()
    app = _flask()
    metrics = metrics or Metrics(settings, clock)
    client_limiter = client_limiter or MemoryRateLimiter()
    dispatcher = Dispatcher(
        settings,
        clock,
        wake_builder,
        on_refusal=metrics.counts.record_refusal,
        rate_limiter=rate_limiter or MemoryRateLimiter(),
        client_limiter=client_limiter,
        key_uses=key_uses or KeyUses(),
        preview=preview,
        in_progress=in_progress or RequestsInProgress(),
    )
    metrics.add_faults(register_health(app, list_faults))
    if settings.metrics == "on":
        register_metrics(app, metrics)
    create_openapi = partial(openapi_document, settings.site_name, VERSION)
    register_openapi(app, load_openapi or create_openapi, settings.site_path)
    if render_page is not None:
        register_subscribe_pages(app, settings, clock, render_page, client_limiter)
    admit_form = console_credential = None
    if console_theme is not None:
        console = Console(
            settings, clock, dispatcher, console_theme, client_limiter, list_faults
        )
        console.register(app)
        admit_form, console_credential = console.admit, console.credential_of
    _register_site(app, dispatcher, settings)
    routes = routes_of(dispatcher, OPERATIONS)
    operations = OperationMiddleware(app.wsgi_app, routes, dispatcher)
    middleware = RequestMiddleware(operations, metrics.counts)
    app.wsgi_app = middleware  # type: ignore[method-assign]
    app.extensions[BODY_LIMITS] = BodyLimits(
        clock, OPERATIONS, dispatcher.authenticate, admit_form
    )
    # A database on another machine would have the server wait.
    app.extensions[LOOK_UPS] = {
        (operation.method, operation.path)
        for operation in OPERATIONS
        if operation.is_look_up and not is_postgresql(settings.database)
    }
    app.extensions[CREDENTIAL_OF] = partial(_credential_of, console_credential)
    return app


def _credential_of(
    console_credential: CredentialOf | None, request: Request
) -> str | None:
    """Return what may identify who has sent a request, where it will be checked."""
    if console_credential and request.path.startswith(CONSOLE):
        return console_credential(request)
    return bearer_credential(request) if _is_api_path(request.path) else None


def _flask() -> Flask:
    app = Flask("masthead", static_folder=None)
    app.request_class = FormRequest
    # The error handler logs exceptions once, with the request's id.
    app.log_exception = lambda _: None  # type: ignore[method-assign,assignment]
    # Doubled slashes are an unknown path, not a redirect.
    app.url_map.merge_slashes = False

    @app.before_request
    def name_operation() -> None:
        _current_request().operation = request.endpoint

    return app


def _current_request() -> Request:
    """Return the request as the middleware knows it."""
    current: Request = request.environ[REQUEST]
    return current


def _register_site(app: Flask, dispatcher: Dispatcher, settings: Settings) -> None:
    """Serve files of the site at all other paths, and problems where there is none."""

    def refuse(refusal: errors.Refusal) -> Response:
        response = dispatcher.refuse(refusal, _current_request())
        return Response(response.body, response.status, response.headers)

    @app.errorhandler(NotFound)
    def serve_site(_: NotFound) -> Response:
        try:
            response = _site_response(settings, dispatcher.preview)
        except errors.NotFound as refusal:
            return refuse(refusal)
        except MethodNotAllowed as error:
            return refuse_method(error)
        return response or refuse(errors.NotFound("Nothing exists at this path."))

    @app.errorhandler(MethodNotAllowed)
    def refuse_method(error: MethodNotAllowed) -> Response:
        allow = ", ".join(sorted(error.valid_methods or []))
        detail = f"This path accepts only {allow}."
        return refuse(errors.MethodNotAllowed(detail, allow=allow))

    @app.errorhandler(HTTPException)
    def refuse_malformed(error: HTTPException) -> Response:
        detail = error.description or "The request cannot be read."
        return refuse(errors.MalformedRequest(detail))

    @app.errorhandler(InternalServerError)
    @app.errorhandler(Exception)
    def refuse_internal(error: Exception) -> Response:
        if full := full_folder_refusal(error):
            return refuse(full)
        path = without_token(request.path)[:MAX_PATH_LENGTH]
        log.exception(LogLine(path=path, request=_current_request().id))
        return refuse(InternalError("Something went wrong on the server."))


def _site_response(settings: Settings, preview: SitePreview | None) -> Response | None:
    """
    Return the file, redirect or error page of the site for the current request.

    None if the site has nothing there and the client wants no HTML. Raise NotFound
    if another server builds the site.
    """
    if _is_api_path(request.path):
        return None
    if preview is not None and not preview.is_built_here(request.path):
        raise errors.NotFound(
            "Another server builds the site. Read it where it is published."
        )
    output, site_path = Path(settings.output), settings.site_path
    form_origin = settings.form_origin
    is_on_site = request.path.startswith(f"{site_path}/")
    path = request.path.removeprefix(site_path) if is_on_site else None
    if request.method not in ("GET", "HEAD"):
        if path is not None and has_site_file(output, path):
            raise MethodNotAllowed(["GET", "HEAD"])
        return None
    if path is None:
        if request.path in ("/", site_path):
            # What the host has at its root may change.
            status = 302 if request.path == "/" else 308
            return redirect(f"{site_path}/", status)
        return _error_page(output, form_origin)
    response = moved_page(output, request.path) or site_file(output, path, form_origin)
    if response is not None:
        return response
    if not path.endswith("/") and has_folder(output, path):
        # Relative, so that a path such as //elsewhere does not lead to another host.
        query = request.query_string.decode("latin-1")
        target = f"{path.rsplit('/', 1)[-1]}/{query and f'?{query}'}"
        return redirect(target, 308)
    return gone_page(output, path, form_origin) or _error_page(output, form_origin)


def _error_page(output: Path, form_origin: str) -> Response | None:
    """Return the site's page for a missing address, if the client wants HTML."""
    media_type = request.accept_mimetypes.best_match(["application/json", "text/html"])
    if media_type != "text/html":
        return None
    error_page = site_file(output, "/404.html", form_origin)
    if error_page is not None:
        error_page.status_code = 404
    return error_page


def _is_api_path(path: str) -> bool:
    return path.startswith(tuple(f"/{area}/v1/" for area in AREAS))
