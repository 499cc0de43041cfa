"""The operations on subscriptions: who is told of events."""

from api.operation import Call, operation
from models.errors import (
    LimitExceeded,
    ReferenceNotFound,
    SubscriptionExists,
    SubscriptionNotActive,
    SubscriptionNotFound,
)
from models.locales import available_languages
from models.notifications.deliveries.deliveries import Delivery, delivery_of
from models.notifications.rows import SubscriptionRow
from models.notifications.subscriptions import subscriptions
from models.notifications.subscriptions.subscriptions import (
    AddSubscription,
    CreatedSubscription,
    GetSubscription,
    ListSubscriptions,
    RemovedSubscription,
    RemoveSubscription,
    RotateSecret,
    Subscription,
    TestSubscription,
    UpdateSubscription,
)
from models.pagination import Page
from models.status.services.catalogue import services_with_slugs
from models.status.services.notified_states import note_first_states
from models.status.snapshot.snapshot import status_snapshot
from models.storage.write_locks import WriteLock


@operation(
    "POST /status/v1/admin/subscriptions/add",
    locks=WriteLock.NOTIFICATIONS | WriteLock.STATUS,
    response=CreatedSubscription,
    idempotent="required",
    audit="subscription.added",
    secret_field="secret",
    errors=(SubscriptionExists, ReferenceNotFound),
)
def add_subscription(call: Call, request: AddSubscription) -> CreatedSubscription:
    """
    Subscribe a webhook, a chat room or a mailbox to events.

    It is active at once. Without services it is told of all services; without events,
    of all events that its channel takes. An address can have one subscription for each
    channel. Only this response contains the secret with which a webhook is signed; a
    repeat with the same Idempotency-Key within 24 hours returns it again.
    """
    services_with_slugs(request.services)
    networks = call.settings.notify_networks
    languages = available_languages(call.settings.templates)
    row, secret = subscriptions.add_subscription(request, networks, languages, call.now)
    # Erasing it deletes the stored response, which has its address.
    call.subject_ids.add(row.id)
    call.audit(row)
    _note_states(call, row)
    return subscriptions.with_secret(row, secret)


@operation("GET /status/v1/admin/subscriptions/list", response=list[Subscription])
def list_subscriptions(call: Call, query: ListSubscriptions) -> Page[SubscriptionRow]:
    """List subscriptions in all states, newest first."""
    return subscriptions.list_subscriptions(query)


@operation(
    "GET /status/v1/admin/subscriptions/get",
    response=Subscription,
    snapshot=False,
    errors=(SubscriptionNotFound,),
)
def get_subscription(call: Call, query: GetSubscription) -> SubscriptionRow:
    """Get a subscription."""
    return subscriptions.subscription_with_id(query.id)


@operation(
    "POST /status/v1/admin/subscriptions/update",
    locks=WriteLock.NOTIFICATIONS | WriteLock.STATUS,
    response=Subscription,
    audit="subscription.updated",
    errors=(SubscriptionNotFound, SubscriptionNotActive, ReferenceNotFound),
)
def update_subscription(call: Call, request: UpdateSubscription) -> SubscriptionRow:
    """
    Change the services, events or language of a subscription.

    Omitted fields do not change. A quarantine ends with a successful test.
    """
    services_with_slugs(request.services or ())
    languages = available_languages(call.settings.templates)
    row, changes = subscriptions.update_subscription(request, languages, call.now)
    call.subject_ids.add(row.id)
    call.audit_changes(row, changes)
    _note_states(call, row)
    return row


def _note_states(call: Call, row: SubscriptionRow) -> None:
    """Note the present states, if the subscription is told of changes to them."""
    if "service.state-changed" in row.events:
        note_first_states(status_snapshot(call.clock_at, call.settings.freshness))


@operation(
    "POST /status/v1/admin/subscriptions/remove",
    locks=WriteLock.NOTIFICATIONS | WriteLock.STATUS,
    response=RemovedSubscription,
    audit="subscription.removed",
    errors=(SubscriptionNotFound,),
)
def remove_subscription(call: Call, request: RemoveSubscription) -> RemovedSubscription:
    """
    End a subscription, or erase it.

    A subscription that has ended is shown for 30 days. Erasing deletes its address and
    its deliveries at once, also after it has ended.
    """
    row, has_changed = subscriptions.remove_subscription(request, call.now)
    call.audit_if(has_changed, row, detail="erased" if request.erase else None)
    return RemovedSubscription(id=row.id, erased=request.erase)


@operation(
    "POST /status/v1/admin/subscriptions/rotate-secret",
    locks=WriteLock.NOTIFICATIONS | WriteLock.STATUS,
    response=CreatedSubscription,
    audit="subscription.secret-rotated",
    secret_field="secret",
    errors=(SubscriptionNotFound, SubscriptionNotActive, LimitExceeded),
)
def rotate_secret(call: Call, request: RotateSecret) -> CreatedSubscription:
    """
    Give a webhook a new secret.

    For 24 hours after its rotation, a former secret signs messages beside the new one.
    Only this response contains the new one.
    """
    row, secret = subscriptions.rotate_secret(request, call.now, call.clock_at)
    call.subject_ids.add(row.id)
    call.audit(row)
    return subscriptions.with_secret(row, secret)


@operation(
    "POST /status/v1/admin/subscriptions/test",
    locks=WriteLock.NOTIFICATIONS | WriteLock.STATUS,
    response=Delivery,
    audit="subscription.tested",
    errors=(SubscriptionNotFound, SubscriptionNotActive),
)
def test_subscription(call: Call, request: TestSubscription) -> Delivery:
    """
    Have a test message delivered.

    The response is the delivery, which waits; deliveries/get shows what becomes of it.
    A test that is delivered ends the quarantine of the subscription.
    """
    row, delivery = subscriptions.test_subscription(
        request, call.clock_at, has_relay=bool(call.settings.smtp)
    )
    call.subject_ids.add(row.id)
    call.audit(row)
    return delivery_of(delivery)
