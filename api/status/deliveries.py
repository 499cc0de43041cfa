"""The operations on deliveries: what became of the events that are told."""

from api.operation import Call, operation
from models.errors import DeliveryNotFound
from models.notifications import deliveries
from models.notifications.deliveries import Delivery, GetDelivery, ListDeliveries
from models.pagination import Page


@operation(
    "GET /status/v1/admin/deliveries/list",
    scope="status:admin:deliveries:list",
    request=ListDeliveries,
    response=list[Delivery],
)
def list_deliveries(call: Call, query: ListDeliveries) -> Page[Delivery]:
    """
    List the deliveries of the last 30 days, newest first.

    from and to select those that were created in the range.
    """
    return deliveries.list_deliveries(query)


@operation(
    "GET /status/v1/admin/deliveries/get",
    scope="status:admin:deliveries:get",
    request=GetDelivery,
    response=Delivery,
    snapshot=False,
    errors=(DeliveryNotFound,),
)
def get_delivery(call: Call, query: GetDelivery) -> Delivery:
    """Get a delivery with the outcome of its last attempt."""
    return deliveries.delivery_of(deliveries.delivery_with_id(query.id))
