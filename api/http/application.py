"""The Flask application: operations, health, the OpenAPI document, and the site."""

import logging
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path

from flask import Flask, Response, g, jsonify, redirect, request
from werkzeug.exceptions import (
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    NotFound,
)

from api.http.access_log import Access
from api.http.dispatch import Dispatch, InternalError, views
from api.http.health import Troubles, register_health
from api.http.metrics import Metrics, register_metrics
from api.http.middleware import OperationMiddleware
from api.http.static_site import is_folder, is_served, moved, site_file
from api.openapi.document import document
from api.operation import AREAS, OPERATIONS, declare_operations
from models import errors
from models.logs import LogLine
from models.platform.key_uses import KeyUses
from models.platform.rate_limits import MemoryRateLimiter, RateLimiter
from models.projects.documents.site_preview import SitePreview
from models.response_headers import site_headers
from models.runtime.release import VERSION
from models.settings import Settings

log = logging.getLogger("masthead.requests")


def create_app(
    settings: Settings,
    *,
    clock: Callable[[], datetime],
    changed: Callable[[str, bool], None] = lambda *_: None,
    troubles: Troubles = list,
    uses: KeyUses | None = None,
    site: SitePreview | None = None,
    metrics: Metrics | None = None,
    buckets: RateLimiter | None = None,
) -> Flask:
    """
    Return the application.

    `clock` is the only source of time; `changed(area, is_quiet)` is called after
    a commit that the site must show; `troubles` says what is wrong with the builder;
    `uses` is told which keys are used, `metrics` what was answered; `site` says
    what pages would be like; `buckets` have what is left of the rates.
    """
    declare_operations()
    app = _flask()
    metrics = metrics or Metrics(settings, clock)
    access = Access(metrics)
    dispatch = Dispatch(
        settings,
        clock,
        changed,
        uses=uses or KeyUses(),
        buckets=buckets or MemoryRateLimiter(),
        site=site,
        refusing=metrics.refused,
    )
    access.register(app)
    metrics.watch(register_health(app, troubles))
    if settings.metrics == "on":
        register_metrics(app, metrics)
    _register_openapi(app, settings)
    _register_others(app, dispatch, Path(settings.output))
    _put_in_front(app, dispatch, access)
    return app


def _put_in_front(app: Flask, dispatch: Dispatch, access: Access) -> None:
    """Operations are answered before Flask is asked."""
    known = views(dispatch, OPERATIONS)
    front = OperationMiddleware(known, dispatch.wrong_method, app.wsgi_app, access.note)
    app.wsgi_app = front  # type: ignore[method-assign,assignment]


def _flask() -> Flask:
    app = Flask("masthead", static_folder=None)
    # What is broken is logged once, with the request's id.
    app.log_exception = lambda _: None  # type: ignore[method-assign,assignment]
    # An address that is nearly right is a problem, not a redirect.
    app.url_map.merge_slashes = False
    return app


def _register_openapi(app: Flask, settings: Settings) -> None:
    told = cache(document)

    @app.get("/openapi.json", endpoint="openapi", provide_automatic_options=False)
    def openapi() -> Response:
        answer = jsonify(told(settings.site_name, VERSION))
        # As any host of the site would, where the same is a file.
        answer.headers.update(site_headers("openapi.json"))
        return answer


def _register_others(app: Flask, dispatch: Dispatch, output: Path) -> None:
    """What is no operation: a file of the site, or a problem."""

    def refused(refusal: errors.Refusal) -> Response:
        told = dispatch.refused(refusal, request.path, g.request.id)
        return Response(told.body, told.status, told.headers)

    @app.errorhandler(NotFound)
    def missing(_: NotFound) -> Response:
        try:
            found = _from_site(output, dispatch.site)
        except errors.NotFound as refusal:
            return refused(refusal)
        except MethodNotAllowed as error:
            return wrong_method(error)
        return found or refused(errors.NotFound("Nothing is here."))

    @app.errorhandler(MethodNotAllowed)
    def wrong_method(error: MethodNotAllowed) -> Response:
        allow = ", ".join(sorted(error.valid_methods or []))
        detail = f"This address takes {allow}."
        return refused(errors.MethodNotAllowed(detail, allow=allow))

    @app.errorhandler(HTTPException)
    def unreadable(error: HTTPException) -> Response:
        detail = error.description or "Not readable."
        return refused(errors.MalformedRequest(detail))

    @app.errorhandler(InternalServerError)
    @app.errorhandler(Exception)
    def broken(_: Exception) -> Response:
        log.exception(LogLine(path=request.path[:100], request=g.request.id))
        return refused(InternalError("Something went wrong on our side."))


def _from_site(output: Path, site: SitePreview | None) -> Response | None:
    """Return the page or file at this address, for whoever reads the site here."""
    path = request.path
    if _is_api(path):
        return None
    if site is not None and not site.is_built_here:
        raise errors.NotFound(
            "Another server builds the site. Read it where it is published."
        )
    if request.method not in ("GET", "HEAD"):
        if is_served(output, path):
            raise MethodNotAllowed(["GET", "HEAD"])
        return None
    found = moved(output, path) or site_file(output, path)
    if found is not None:
        return found
    if not path.endswith("/") and is_folder(output, path):
        # Relative, so that an address such as //elsewhere leads nowhere else.
        return redirect(path.rsplit("/", 1)[-1] + "/", 308)  # type: ignore[return-value]
    wants_page = request.accept_mimetypes.best_match(["application/json", "text/html"])
    page = site_file(output, "/404.html") if wants_page == "text/html" else None
    if page is not None:
        page.status_code = 404
    return page


def _is_api(path: str) -> bool:
    return path.startswith(tuple(f"/{area}/v1/" for area in AREAS))
