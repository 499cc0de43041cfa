"""The operations on deliveries: what became of the events that are told."""

from api.operation import Call, operation
from models.errors import (
    DeliveryNotFound,
    LimitExceeded,
    SubscriptionNotActive,
    SubscriptionNotFound,
)
from models.notifications.deliveries import deliveries, replay
from models.notifications.deliveries.deliveries import (
    Delivery,
    GetDelivery,
    ListDeliveries,
)
from models.notifications.deliveries.replay import ReplayDeliveries, ReplayedDeliveries
from models.pagination import Page
from models.storage.write_locks import WriteLock


@operation("GET /status/v1/admin/deliveries/list", response=list[Delivery])
def list_deliveries(call: Call, query: ListDeliveries) -> Page[Delivery]:
    """
    List the deliveries of the last 30 days, newest first.

    from and to select those that were created in the range.
    """
    return deliveries.list_deliveries(query)


@operation(
    "GET /status/v1/admin/deliveries/get",
    response=Delivery,
    snapshot=False,
    errors=(DeliveryNotFound,),
)
def get_delivery(call: Call, query: GetDelivery) -> Delivery:
    """Get a delivery with the outcome of its last attempt."""
    return deliveries.delivery_of(deliveries.delivery_with_id(query.id))


@operation(
    "POST /status/v1/admin/deliveries/replay",
    locks=WriteLock.NOTIFICATIONS | WriteLock.STATUS,
    response=ReplayedDeliveries,
    audit="deliveries.replayed",
    errors=(
        DeliveryNotFound,
        SubscriptionNotFound,
        SubscriptionNotActive,
        LimitExceeded,
    ),
)
def replay_deliveries(call: Call, request: ReplayDeliveries) -> ReplayedDeliveries:
    """
    Deliver events again, with the same IDs.

    Send the ID of one delivery, or a subscription with from and to, which select the
    deliveries that were created in that range, at most 1,000. They are due at once.
    Deliveries that wait or are being sent do not change and are not counted.
    """
    subscription, count = replay.replay_deliveries(request, call.clock_at)
    detail = f"{request.description}; replayed: {count}"
    call.audit_if(count > 0, subscription, detail=detail)
    return ReplayedDeliveries(subscription_id=subscription.id, replayed=count)
