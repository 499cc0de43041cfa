"""
Serve the pages on which readers subscribe, confirm, change and end their subscription.

They need no protection against cross-site requests: nobody is logged in, so another
site gains nothing by sending a reader's browser here. Asking for a subscription is open
to everybody, and the other pages require a token that only the mailbox has.

What changes something is a POST, because mail scanners open every link in a mail.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from flask import Flask, Response, request

from api.http.messages import Request
from api.http.middleware import REQUEST
from api.notifications.client_limits import ClientLimiter
from api.notifications.subscribe_form import (
    BadForm,
    Choices,
    FormProblem,
    address_problem,
    read_choices,
    read_form,
)
from models.display_text import escape_line
from models.errors import StorageBusy
from models.fields import truncate_to_ms
from models.notifications.addresses.mail_address import parse_mail_address
from models.notifications.rows import SubscriptionRow
from models.notifications.subscriptions.links import CONFIRM, END, MANAGE, SUBSCRIBE
from models.notifications.subscriptions.readers import (
    CONFIRM_WITHIN,
    KINDS,
    MAILS_PER_DAY,
    InvalidToken,
    SubscriptionEnded,
    change_subscription,
    confirm_subscription,
    kinds_of,
    request_subscription,
    subscription_of,
    unsubscribe,
)
from models.notifications.subscriptions.secrets import token_of
from models.platform.rate_limits import RateLimiter
from models.response_headers import reader_page_headers
from models.settings import Settings
from models.status.services.catalogue import services_in_display_order
from models.storage.database import reading

# Renders a template with its data, in the look of the site.
RenderPage = Callable[[str, Mapping[str, Any]], str]

BUSY_RETRY_SECONDS = 2


def register_subscribe_pages(
    app: Flask,
    settings: Settings,
    clock: Callable[[], datetime],
    render: RenderPage,
    rate_limiter: RateLimiter,
) -> None:
    """Add the pages to the application; without a mail relay, they name the feeds."""
    pages = _SubscribePages(settings, clock, render, ClientLimiter(rate_limiter))
    token = "<token>"  # noqa: S105  a part of the route
    routes: list[tuple[str, str, str, Callable[..., Response]]] = [
        ("GET", SUBSCRIBE, "subscribe.form", pages.form),
        ("POST", SUBSCRIBE, "subscribe", pages.subscribe),
        ("GET", CONFIRM + token, "subscribe.confirm.form", pages.confirm_form),
        ("POST", CONFIRM + token, "subscribe.confirm", pages.confirm),
        ("GET", MANAGE + token, "subscribe.manage.form", pages.manage_form),
        ("POST", MANAGE + token, "subscribe.manage", pages.manage),
        ("GET", END + token, "subscribe.end.form", pages.end_form),
        ("POST", END + token, "subscribe.end", pages.end),
        # A link that was cut or continued, such as by a mail program.
        ("GET", f"{SUBSCRIBE}/", "subscribe.slash", pages.form),
        ("GET", f"{SUBSCRIBE}/<path:rest>", "subscribe.unknown.form", pages.unknown),
        ("POST", f"{SUBSCRIBE}/<path:rest>", "subscribe.unknown", pages.unknown),
    ]
    for method, path, name, view in routes:
        app.add_url_rule(
            path,
            name,
            pages.view(view),
            methods=[method],
            provide_automatic_options=False,
        )


class _SubscribePages:
    """The views, without Flask's part in them."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        render: RenderPage,
        limiter: ClientLimiter,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._render = render
        self._limiter = limiter
        self._headers = reader_page_headers(
            settings.site_origin if settings.is_api_elsewhere else ""
        )

    def view(self, handler: Callable[..., Response]) -> Callable[..., Response]:
        """Return the handler for Flask, which answers with a page in every case."""

        def view(**arguments: str) -> Response:
            if not self._settings.smtp:
                return self._message(
                    "No notifications by email",
                    "This site sends no notifications by email. Its feeds have the"
                    " same incidents and maintenance.",
                    404,
                    feeds=True,
                )
            try:
                return handler(**arguments)
            except BadForm as error:
                return self._message("Nothing was changed", str(error), error.status)
            except InvalidToken:
                return self._message(
                    "The link is not valid",
                    "Copy the whole link from the email, or subscribe again.",
                    404,
                )
            except SubscriptionEnded:
                return self._message(
                    "The subscription has ended",
                    "Or it was not confirmed in time. You receive no emails from it."
                    " You can subscribe again on the status page.",
                    410,
                )
            except StorageBusy:
                return self._busy()

        return view

    def form(self) -> Response:
        return self._form(Choices([], list(KINDS)), "", None, 200)

    def subscribe(self) -> Response:
        fields = _sent_form()
        address, choices = fields.get("email", [""])[0], read_choices(fields)
        problem = address_problem(address) or choices.problem(_services())
        if problem:
            return self._form(choices, address, problem, 422)
        now, address = self._now(), parse_mail_address(address)
        if self._limiter.allows(_current_request(), int(now.timestamp() * 10**9)):
            request_subscription(address, choices.services, choices.kinds, now)
        # The same for every address, known or not, and for whoever asks too often.
        return self._page(
            "notifications/requested.html",
            address=address,
            days=CONFIRM_WITHIN.days,
            mails=MAILS_PER_DAY,
        )

    def confirm_form(self, token: str) -> Response:
        row = subscription_of(token, "confirm", self._now())
        return self._confirm(row, token)

    def confirm(self, token: str) -> Response:
        """Confirm what the reader saw, also if somebody has asked for more since."""
        row = subscription_of(token, "confirm", self._now())
        if row.state == "active":
            return self._subscribed(row)
        choices = read_choices(_sent_form())
        if problem := choices.problem({*_services(), *row.services}):
            return self._confirm(row, token, choices, problem, 422)
        row = confirm_subscription(token, choices.services, choices.kinds, self._now())
        return self._subscribed(row)

    def manage_form(self, token: str) -> Response:
        row = subscription_of(token, "manage", self._now())
        return self._manage(row, token)

    def manage(self, token: str) -> Response:
        choices = read_choices(_sent_form())
        row = subscription_of(token, "manage", self._now())
        if problem := choices.problem({*_services(), *row.services}):
            return self._manage(row, token, choices, problem=problem, status=422)
        row = change_subscription(token, choices.services, choices.kinds, self._now())
        return self._manage(row, token, is_saved=True)

    def end_form(self, token: str) -> Response:
        subscription_of(token, "manage", self._now())
        return self._page("notifications/end.html", action=END + token)

    def end(self, token: str) -> Response:
        """End it, whatever the body: a mail program sends one as RFC 8058 says."""
        unsubscribe(token, self._now())
        return self._message(
            "The subscription has ended",
            "You receive no more emails. You can subscribe again on the status page.",
            feeds=True,
        )

    def unknown(self, rest: str) -> Response:  # noqa: ARG002  (of the route)
        raise InvalidToken

    def _subscribed(self, row: SubscriptionRow) -> Response:
        with reading():
            manage = MANAGE + token_of(row.id, "manage")
        return self._page("notifications/subscribed.html", manage=manage)

    def _form(
        self, choices: Choices, address: str, problem: FormProblem | None, status: int
    ) -> Response:
        """Return the form again, with what the reader entered and must correct."""
        services = [
            {"slug": slug, "name": name, "isChosen": True}
            for slug, name in _services().items()
            if slug in choices.services
        ]
        return self._page(
            "notifications/subscribe.html",
            status,
            action=SUBSCRIBE,
            # What no mailbox has, such as a NUL, is no part of a page either.
            address=escape_line(address),
            services=services,
            kinds=choices.kinds,
            problem=problem,
        )

    def _confirm(
        self,
        row: SubscriptionRow,
        token: str,
        entered: Choices | None = None,
        problem: FormProblem | None = None,
        status: int = 200,
    ) -> Response:
        if row.state == "active":
            return self._subscribed(row)
        return self._page(
            "notifications/confirm.html",
            status,
            action=CONFIRM + token,
            problem=problem,
            **_choices(row, entered),
        )

    def _manage(
        self,
        row: SubscriptionRow,
        token: str,
        entered: Choices | None = None,
        *,
        problem: FormProblem | None = None,
        is_saved: bool = False,
        status: int = 200,
    ) -> Response:
        return self._page(
            "notifications/manage.html",
            status,
            action=MANAGE + token,
            end=END + token,
            isQuarantined=row.state == "quarantined",
            isSaved=is_saved,
            problem=problem,
            **_choices(row, entered),
        )

    def _message(
        self, heading: str, text: str, status: int = 200, *, feeds: bool = False
    ) -> Response:
        return self._page(
            "notifications/message.html",
            status,
            heading=heading,
            text=text,
            feeds=feeds,
        )

    def _busy(self) -> Response:
        response = self._message(
            "Please try again",
            "The server is busy, and nothing was changed. Try again in a moment.",
            503,
        )
        response.headers["Retry-After"] = str(BUSY_RETRY_SECONDS)
        return response

    def _page(self, template: str, status: int = 200, **data: Any) -> Response:
        return Response(self._render(template, data), status, self._headers)

    def _now(self) -> datetime:
        return truncate_to_ms(self._clock())


def _current_request() -> Request:
    """Return the request as the middleware knows it."""
    current: Request = request.environ[REQUEST]
    return current


def _sent_form() -> dict[str, list[str]]:
    return read_form(_current_request().media_type, request.get_data(cache=False))


def _services() -> dict[str, str]:
    """Return the names of the services on the status page, by slug."""
    with reading():
        return {row.slug: row.name for row in services_in_display_order()}


def _choices(row: SubscriptionRow, entered: Choices | None) -> dict[str, Any]:
    """Return what a form shows as chosen: what was entered, or what is stored."""
    chosen = entered or Choices(row.services, list(kinds_of(row)))
    names = _services()
    # One that is gone is shown, or saving the page would choose all services.
    gone = {slug: f"{slug} (removed)" for slug in row.services if slug not in names}
    services = [
        {"slug": slug, "name": name, "isChosen": slug in chosen.services}
        for slug, name in (names | gone).items()
    ]
    return {"address": row.address, "services": services, "kinds": chosen.kinds}
