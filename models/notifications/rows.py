"""Store subscriptions, events, and the deliveries of events to subscriptions."""

from peewee import (
    AutoField,
    BlobField,
    BooleanField,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from models.audit import AuditTarget
from models.base import JsonField, ListField, MomentField, Row


class SubscriptionRow(Row):
    """
    A mailbox, a tool or a chat room that gets events.

    Without services, it gets those of all services.
    """

    id = TextField(primary_key=True)
    channel = TextField()
    address = TextField()
    # The channel and the folded address, None once it has ended: one live row each.
    live_key = TextField(null=True, unique=True)
    # Of an e-mail address, the mailbox that is sent few mails by strangers.
    mailbox = TextField(null=True, index=True)
    # pending, active, quarantined or ended.
    state = TextField()
    events = ListField()
    services = ListField()
    language = TextField(null=True)
    # self for a reader, operator for one that an operator added.
    source = TextField()
    # The secret of a webhook.
    sealed_secret = BlobField(null=True)
    created_at = MomentField()
    updated_at = MomentField()
    confirmed_at = MomentField(null=True)
    quarantined_at = MomentField(null=True)
    ended_at = MomentField(null=True)
    # The first of the failures since the last success.
    failing_since = MomentField(null=True)
    last_delivery_at = MomentField(null=True)
    reason = TextField(null=True)

    class Meta:
        indexes = ((("state", "id"), False),)

    @property
    def audited(self) -> AuditTarget:
        """Return the target without the address, which is for few eyes."""
        return AuditTarget("subscription", self.id, self.channel)

    def takes(self, type: str, services: list[str]) -> bool:
        """Return whether it asked for such events of one of these services."""
        if type not in self.events:
            return False
        chosen = set(self.services)
        return not chosen or not services or not chosen.isdisjoint(services)


class FormerSecretRow(Row):
    """A secret that a webhook had before a rotation, which signs until it expires."""

    number = AutoField()
    subscription = ForeignKeyField(SubscriptionRow, on_delete="CASCADE")
    sealed_secret = BlobField()
    expires_at = MomentField(index=True)

    subscription_id: str


class EventRow(Row):
    """
    An event for subscribers, written with the change that causes it.

    `phase` distinguishes the events of one type and subject: what the clock does to a
    subject has one row, however many servers see it. The event is due once the pages
    of the `generation` are live.
    """

    number = AutoField()
    id = TextField(unique=True)
    type = TextField()
    subject_id = TextField()
    phase = TextField()
    area = TextField()
    generation = IntegerField(null=True)
    # The slugs of the services that it concerns; none for a document.
    services = ListField()
    path = TextField()
    data = JsonField()
    at = MomentField(index=True)
    # When its subject was removed from the site: it is not delivered any more.
    withdrawn_at = MomentField(null=True)
    # The last subscription that has its delivery, while they are created.
    notified_up_to = TextField(null=True)
    # When the last delivery was created.
    notified_at = MomentField(null=True, index=True)

    class Meta:
        indexes = ((("type", "subject_id", "phase"), True),)


class DeliveryRow(Row):
    """
    The delivery of one event to one subscription, through all attempts.

    A message of the subscription itself, such as a confirmation, has no event.
    """

    number = AutoField()
    id = TextField(unique=True)
    subscription = ForeignKeyField(SubscriptionRow, on_delete="CASCADE", index=False)
    event = ForeignKeyField(EventRow, on_delete="CASCADE", index=False, null=True)
    # The type of the event, or of the message of the subscription.
    type = TextField()
    subject_id = TextField()
    # waiting, sending, delivered, failed or given-up.
    status = TextField()
    attempts = IntegerField(default=0)
    status_code = IntegerField(null=True)
    duration_ms = IntegerField(null=True)
    answer = TextField(null=True)
    # An attempt ended without an outcome, so the receiver may have it twice.
    possibly_repeated = BooleanField(default=False)
    due_at = MomentField()
    created_at = MomentField(index=True)
    sending_at = MomentField(null=True)
    delivered_at = MomentField(null=True)
    next_attempt_at = MomentField(null=True)

    subscription_id: str
    event_id: int | None

    class Meta:
        indexes = (
            (("event", "subscription"), True),
            (("subscription", "subject_id", "number"), False),
            (("status", "next_attempt_at"), False),
            (("status", "created_at"), False),
            (("subscription", "created_at"), False),
        )
