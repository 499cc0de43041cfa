"""
Serve the pages on which readers subscribe, confirm, change and end their subscription.

Asking for a subscription is open to everybody, but not to another site that has its
readers' browsers ask, each from an address of its own. The other pages require a token
that only the mailbox has.

What changes something is a POST, because mail scanners open every link in a mail.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from flask import Flask, Response, request

from api.http.clients import client_address, client_networks
from api.http.cross_site import is_own_request
from api.http.middleware import REQUEST
from api.http.request import Request
from api.http.request_parsing import accepted_languages
from api.notifications.languages import language_for, locale_for
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
from models.locales import available_languages, match_language
from models.notifications.addresses.mail_address import parse_mail_address
from models.notifications.rows import SubscriptionRow
from models.notifications.subscriptions.links import CONFIRM, END, MANAGE, SUBSCRIBE
from models.notifications.subscriptions.readers import (
    CONFIRM_WITHIN,
    KINDS,
    MAILS_PER_DAY,
    InvalidToken,
    SubscriptionEnded,
    TooManyUnconfirmed,
    change_subscription,
    confirm_subscription,
    kinds_of,
    request_subscription,
    subscription_of,
    unsubscribe,
)
from models.notifications.subscriptions.secrets import token_of
from models.platform.rate_limits import Rate, RateLimiter
from models.response_headers import reader_page_headers
from models.settings import Settings
from models.status.services.catalogue import services_in_display_order
from models.storage.database import independent_reads, reading

# Renders a template with its data in a language, in the look of the site.
RenderPage = Callable[[str, Mapping[str, Any], str], str]

BUSY_RETRY_SECONDS, FLOOD_RETRY_SECONDS = 2, 600
# How often the clients of a network can ask in an hour, by the length of its prefix.
REQUESTS_PER_HOUR = {32: 5, 24: 50, 64: 5, 56: 10, 48: 50}


def register_subscribe_pages(
    app: Flask,
    settings: Settings,
    clock: Callable[[], datetime],
    render: RenderPage,
    rate_limiter: RateLimiter,
) -> None:
    """Add the pages to the application; without a mail relay, they name the feeds."""
    pages = _SubscribePages(settings, clock, render, rate_limiter)
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
        rate_limiter: RateLimiter,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._render = render
        self._rate_limiter = rate_limiter
        self._headers = reader_page_headers(
            settings.site_origin if settings.is_subscribing_elsewhere else ""
        )

    def view(self, handler: Callable[..., Response]) -> Callable[..., Response]:
        """Return the handler for Flask, which answers with a page in every case."""

        def view(**arguments: str) -> Response:
            if not self._settings.smtp:
                return self._message(
                    "subscribe.unavailable-title",
                    "subscribe.unavailable",
                    404,
                    feeds=True,
                )
            try:
                with independent_reads():
                    return handler(**arguments)
            except BadForm as error:
                title = "subscribe.refused-title"
                return self._message(
                    title, error.text, error.status, values=error.values
                )
            except InvalidToken:
                title = "subscribe.link-invalid-title"
                return self._message(title, "subscribe.link-invalid", 404)
            except SubscriptionEnded:
                return self._message("subscribe.ended-title", "subscribe.expired", 410)
            except StorageBusy:
                return self._busy(BUSY_RETRY_SECONDS)
            except TooManyUnconfirmed:
                return self._busy(FLOOD_RETRY_SECONDS)

        return view

    def form(self) -> Response:
        return self._form(Choices([], list(KINDS)), "", None, 200)

    def subscribe(self) -> Response:
        fields = _sent_form()
        address, choices = fields.get("email", [""])[0], read_choices(fields)
        problem = address_problem(address) or choices.problem(_services())
        if problem:
            return self._form(choices, address, problem, 422)
        if not self._is_own_request():
            # Whoever meant it sends the form from here.
            return self._form(choices, address, None, 403)
        now, address = self._now(), parse_mail_address(address)
        language = self._language(choices.language)
        if self._allows():
            request_subscription(
                address, choices.services, choices.kinds, now, language
            )
        # The same for every address, known or not, and for whoever asks too often.
        return self._page(
            "notifications/requested.html",
            language=language,
            address=address,
            days=CONFIRM_WITHIN.days,
            mails=MAILS_PER_DAY,
        )

    def _is_own_request(self) -> bool:
        headers, site = _current_request().headers, self._settings.site_origin
        return is_own_request("POST", headers, is_browser=False, site=site)

    def _allows(self) -> bool:
        """Return whether none of the client's networks has asked too often."""
        # What one network is refused costs the larger ones around it nothing.
        return all(
            self._rate_limiter.take_token(
                f"subscribe {network}",
                Rate(per_hour := REQUESTS_PER_HOUR[network.prefixlen], per_hour / 3600),
            ).allowed
            for network in client_networks(client_address(_current_request()))
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
        languages = available_languages(self._settings.templates)
        # What the menu does not have changes nothing.
        language = match_language(filter(None, [choices.language]), languages)
        row = change_subscription(
            token, choices.services, choices.kinds, self._now(), language
        )
        return self._manage(row, token, is_saved=True)

    def end_form(self, token: str) -> Response:
        row = subscription_of(token, "manage", self._now())
        template = "notifications/end.html"
        return self._page(template, language=row.language, action=END + token)

    def end(self, token: str) -> Response:
        """End it, whatever the body: a mail program sends one as RFC 8058 says."""
        row = unsubscribe(token, self._now())
        return self._message(
            "subscribe.ended-title",
            "subscribe.ended",
            language=row.language if row else None,
            feeds=True,
        )

    def unknown(self, rest: str) -> Response:  # noqa: ARG002  (of the route)
        raise InvalidToken

    def _subscribed(self, row: SubscriptionRow) -> Response:
        with reading():
            manage = MANAGE + token_of(row.id, "manage")
        template = "notifications/subscribed.html"
        return self._page(template, language=row.language, manage=manage)

    def _form(
        self, choices: Choices, address: str, problem: FormProblem | None, status: int
    ) -> Response:
        """Return the form again, with what the reader entered and must correct."""
        services = [
            {"slug": slug, "name": name, "isChosen": True, "isRemoved": False}
            for slug, name in _services().items()
            if slug in choices.services
        ]
        response = self._page(
            "notifications/subscribe.html",
            status,
            language=choices.language,
            action=SUBSCRIBE,
            # What no mailbox has, such as a NUL, is no part of a page either.
            address=escape_line(address),
            services=services,
            kinds=choices.kinds,
            problem=problem,
        )
        # Its address has no token, and without a referrer browsers send no origin.
        response.headers["Referrer-Policy"] = "same-origin"
        return response

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
            language=row.language,
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
            language=row.language,
            action=MANAGE + token,
            end=END + token,
            languages=self._languages(
                entered.language if entered else None, row.language
            ),
            isQuarantined=row.state == "quarantined",
            isSaved=is_saved,
            problem=problem,
            **_choices(row, entered),
        )

    def _languages(self, *chosen: str | None) -> list[dict[str, Any]]:
        """Return the languages that mails can have, in the order of their tags."""
        settings, current = self._settings, language_for(self._settings, *chosen)
        return [
            {
                "tag": tag,
                "name": locale_for(settings, tag).own_name,
                "isChosen": tag == current,
            }
            for tag in available_languages(settings.templates)
        ]

    def _message(
        self,
        heading: str,
        text: str,
        status: int = 200,
        *,
        language: str | None = None,
        feeds: bool = False,
        values: Mapping[str, str] | None = None,
    ) -> Response:
        """Return a page that says a text; `heading` and `text` are their names."""
        return self._page(
            "notifications/message.html",
            status,
            language=language,
            heading=heading,
            text=text,
            values=values or {},
            feeds=feeds,
        )

    def _busy(self, retry_seconds: int) -> Response:
        response = self._message("subscribe.busy-title", "subscribe.busy", 503)
        response.headers["Retry-After"] = str(retry_seconds)
        return response

    def _page(
        self,
        template: str,
        status: int = 200,
        *,
        language: str | None = None,
        **data: Any,
    ) -> Response:
        """Return a page in the language, or else in the one that the browser asks."""
        language = self._language(language)
        headers = {**self._headers, "Content-Language": language}
        return Response(self._render(template, data, language), status, headers)

    def _language(self, chosen: str | None) -> str:
        return language_for(
            self._settings, chosen, *accepted_languages(request.accept_languages)
        )

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
    gone = {slug: slug for slug in row.services if slug not in names}
    services = [
        {
            "slug": slug,
            "name": name,
            "isChosen": slug in chosen.services,
            "isRemoved": slug in gone,
        }
        for slug, name in (names | gone).items()
    ]
    return {"address": row.address, "services": services, "kinds": chosen.kinds}
