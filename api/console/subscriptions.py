"""See who is told of events; add, test, change and end subscriptions."""

from dataclasses import replace
from functools import partial
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option
from api.console.forms.form import English, Form, Sentences
from api.console.incidents import service_options
from api.notifications.languages import locale_for
from models.locales import available_languages
from models.notifications.deliveries.outcomes import status_code_in
from models.notifications.event_types import CHANNELS, WEBHOOKS_ONLY, events_of_channel
from models.notifications.subscriptions.readers import ENDED_BY_READER
from models.notifications.subscriptions.subscriptions import REMOVED_BY_OPERATOR

LIST = "GET /status/v1/admin/subscriptions/list"
GET = "GET /status/v1/admin/subscriptions/get"
ADD = "POST /status/v1/admin/subscriptions/add"
UPDATE = "POST /status/v1/admin/subscriptions/update"
TEST = "POST /status/v1/admin/subscriptions/test"
ROTATE = "POST /status/v1/admin/subscriptions/rotate-secret"
REMOVE = "POST /status/v1/admin/subscriptions/remove"
LIST_DELIVERIES = "GET /status/v1/admin/deliveries/list"

CHANGE_FIELDS = ("services", "events", "language")
ADD_FIELDS = ("channel", "address", *CHANGE_FIELDS)
NEWEST_DELIVERIES = 10
# The operations behind the buttons of a subscription's page.
BUTTONS = {"test": TEST, "rotate": ROTATE, "end": REMOVE}
_OWN_REASONS = {
    REMOVED_BY_OPERATOR: "subscriptions.reason-removed",
    ENDED_BY_READER: "subscriptions.reason-ended-by-reader",
}


@page("GET subscriptions/", opened_by=(LIST,))
def list_subscriptions(request: ConsoleRequest) -> Response:
    filters = request.form(LIST, "channel", "state")
    found = request.find(filters)
    return request.page(
        "console/subscriptions/list.html",
        filters.status,
        filters=filters,
        subscriptions=found.data,
        reason_of=partial(_reason, request),
        cursor=found.meta.get("cursor"),
        may_add=request.may(ADD),
    )


@page("GET subscriptions/add/")
def add_subscription_form(request: ConsoleRequest) -> Response:
    return _add_page(request, _add_form(request))


@page("POST subscriptions/add/")
def add_subscription(request: ConsoleRequest) -> Response:
    """Add a subscription; the secret of a webhook is shown once."""
    form = _add_form(request)
    result = request.submit(form)
    if result is None:
        return _add_page(request, form)
    if result.data["secret"]:
        return _secret_page(request, result.data)
    path = f"subscriptions/{result.data['id']}/"
    return request.go(path, done="subscription-added")


@page("GET subscriptions/<id>/")
def show_subscription(request: ConsoleRequest, id: str) -> Response:
    return _subscription_page(request, request.read(GET, id=id))


@page("POST subscriptions/<id>/change/")
def change_subscription(request: ConsoleRequest, id: str) -> Response:
    subscription = request.read(GET, id=id)
    form = _change_form(request, subscription)
    if request.submit(form, id=id) is None:
        return _subscription_page(request, subscription, change=form)
    return request.go(f"subscriptions/{id}/", done="subscription-changed")


@page("POST subscriptions/<id>/test/")
def test_subscription(request: ConsoleRequest, id: str) -> Response:
    """Have a test message delivered, and show what becomes of it."""
    form = _button(request, "test")
    result = request.submit(form, id=id)
    if result is None:
        return _subscription_page(request, request.read(GET, id=id), test=form)
    return request.go(f"deliveries/{result.data['id']}/", done="subscription-tested")


@page("POST subscriptions/<id>/rotate/")
def rotate_subscription_secret(request: ConsoleRequest, id: str) -> Response:
    form = _button(request, "rotate")
    result = request.submit(form, id=id)
    if result is None:
        return _subscription_page(request, request.read(GET, id=id), rotate=form)
    return _secret_page(request, result.data)


@page("POST subscriptions/<id>/end/")
def end_subscription(request: ConsoleRequest, id: str) -> Response:
    """End a subscription, or erase it, as the button says."""
    form, is_erased = _button(request, "end"), bool(request.sent.get("_erase"))
    if request.submit(form, id=id, erase=is_erased) is None:
        return _subscription_page(request, request.read(GET, id=id), end=form)
    if is_erased:
        return request.go("subscriptions/", done="subscription-erased")
    return request.go(f"subscriptions/{id}/", done="subscription-ended")


def _reason(request: ConsoleRequest, subscription: dict[str, Any]) -> Sentences:
    """Return why it is as it is: in a text, or in English as it was recorded."""
    reason = subscription["reason"]
    if not reason:
        return []
    if name := _OWN_REASONS.get(reason):
        return [request.text(name)]
    if code := status_code_in(reason):
        return [request.text("subscriptions.reason-answered", code=code)]
    return [English(reason)]


def _add_form(request: ConsoleRequest) -> Form:
    form = request.form(ADD, *ADD_FIELDS)
    return _with_choices(request, form, request.sent.get("channel", ""))


def _change_form(request: ConsoleRequest, subscription: dict[str, Any]) -> Form:
    form = request.form(UPDATE, *CHANGE_FIELDS, values=subscription, is_prefilled=True)
    return _with_choices(
        request,
        form,
        subscription["channel"],
        subscription["services"],
        subscription["language"],
    )


def _with_choices(
    request: ConsoleRequest,
    form: Form,
    channel: str,
    chosen: list[str] | None = None,
    language: str | None = None,
) -> Form:
    """Offer the services and the languages that there are, and what is chosen."""
    form.offer("events", _event_options(request, form, channel))
    tags = available_languages(request.settings.templates)
    names = {tag: locale_for(request.settings, tag).own_name for tag in tags}
    if language:
        names.setdefault(language, language)
    form.offer("language", [Option(tag, name) for tag, name in names.items()])
    gone = [{"slug": slug, "name": slug} for slug in chosen or []]
    options = service_options(request, gone)
    return form.offer("services", options) if options else form


def _event_options(request: ConsoleRequest, form: Form, channel: str) -> list[Option]:
    """Return the events that the channel takes; of all channels before it is chosen."""
    options = form.fields["events"].options
    if channel in CHANNELS:
        taken = events_of_channel(channel)
        return [option for option in options if option.value in taken]
    heading = request.text("subscriptions.only-for-webhooks")
    return [
        replace(option, group=heading if option.value in WEBHOOKS_ONLY else "")
        for option in options
    ]


def _button(request: ConsoleRequest, name: str) -> Form:
    return request.form(BUTTONS[name], "id", id_prefix=name)


def _add_page(request: ConsoleRequest, form: Form) -> Response:
    return request.page(
        "console/subscriptions/add.html",
        form.status,
        form=form,
        may_add=request.may(ADD),
    )


def _secret_page(request: ConsoleRequest, subscription: dict[str, Any]) -> Response:
    template = "console/subscriptions/secret.html"
    return request.page(template, subscription=subscription)


def _subscription_page(
    request: ConsoleRequest,
    subscription: dict[str, Any],
    *,
    change: Form | None = None,
    **failed: Form,
) -> Response:
    """Show a subscription; `failed` is the form of a button that was refused."""
    refused = [form for form in (change, *failed.values()) if form]
    forms = {name: failed.get(name) or _button(request, name) for name in BUTTONS}
    deliveries = request.read_if_allowed(
        LIST_DELIVERIES, subscriptionId=subscription["id"], limit=NEWEST_DELIVERIES
    )
    return request.page(
        "console/subscriptions/subscription.html",
        refused[0].status if refused else 200,
        subscription=subscription,
        reason=_reason(request, subscription),
        change=change or _change_form(request, subscription),
        is_changing=change is not None,
        is_ending="end" in failed,
        forms=forms,
        deliveries=deliveries,
        may_change=request.may(UPDATE),
        may={name: request.may(route) for name, route in BUTTONS.items()},
    )
