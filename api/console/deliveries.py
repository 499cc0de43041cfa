"""See what became of deliveries, and send them again."""

from collections.abc import Iterable, Mapping
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form
from models.notifications.rows import SubscriptionRow
from models.storage.database import reading

LIST = "GET /status/v1/admin/deliveries/list"
GET = "GET /status/v1/admin/deliveries/get"
REPLAY = "POST /status/v1/admin/deliveries/replay"
GET_SUBSCRIPTION = "GET /status/v1/admin/subscriptions/get"


@page("GET deliveries/", opened_by=(LIST,))
def list_deliveries(request: ConsoleRequest) -> Response:
    """List the deliveries of the last 30 days, newest first."""
    filters = request.form(LIST, "status", "event", "subscriptionId")
    found = request.find(filters)
    return request.page(
        "console/deliveries/list.html",
        filters.status,
        filters=filters,
        deliveries=with_recipients(request, found.data),
        cursor=found.meta.get("cursor"),
    )


@page("GET deliveries/<id>/")
def show_delivery(request: ConsoleRequest, id: str) -> Response:
    return _delivery_page(request, id, request.form(REPLAY, "id"))


@page("POST deliveries/<id>/replay/")
def replay_delivery(request: ConsoleRequest, id: str) -> Response:
    form = request.form(REPLAY, "id")
    if request.submit(form, id=id) is None:
        return _delivery_page(request, id, form)
    return request.go(f"deliveries/{id}/", done="delivery-replayed")


def with_recipients(
    request: ConsoleRequest, deliveries: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return deliveries, each with its `recipient`: an address, if the key sees it."""
    deliveries = list(deliveries)
    ids = {delivery["subscriptionId"] for delivery in deliveries}
    addresses: dict[str, str] = {}
    if request.may(GET_SUBSCRIPTION):
        columns: Any = SubscriptionRow.select(
            SubscriptionRow.id, SubscriptionRow.address
        )
        with reading():
            addresses = dict(columns.where(SubscriptionRow.id.in_(ids)).tuples())
    return [
        {**delivery, "recipient": addresses.get(delivery["subscriptionId"])}
        for delivery in deliveries
    ]


def _delivery_page(request: ConsoleRequest, id: str, form: Form) -> Response:
    delivery = request.read(GET, id=id)
    return request.page(
        "console/deliveries/delivery.html",
        form.status,
        delivery=delivery,
        subscription=request.read_if_allowed(
            GET_SUBSCRIPTION, id=delivery["subscriptionId"]
        ),
        form=form,
        may_replay=request.may(REPLAY),
    )
