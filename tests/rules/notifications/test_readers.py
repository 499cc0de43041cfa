"""How readers subscribe by email, and what strangers can cause meanwhile."""

from datetime import UTC, datetime, timedelta

import pytest

from api.retention import delete_expired
from models.instance import InstanceRow
from models.notifications.deliveries.attempts import claim, record_outcomes
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.notifications.subscriptions import readers as module
from models.notifications.subscriptions.readers import (
    InvalidToken,
    SubscriptionEnded,
    TooManyUnconfirmed,
    change_subscription,
    confirm_subscription,
    forget_unconfirmed,
    kinds_of,
    request_subscription,
    subscription_faults,
    subscription_of,
    unsubscribe,
)
from models.notifications.subscriptions.secrets import token_of
from tests.factories.notifications import GONE, subscribe

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TICK, HOUR = timedelta(milliseconds=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(days=7)
ADA = "ada@example.com"
BOTH = ("incidents", "maintenance")

pytestmark = [pytest.mark.usefixtures("store"), pytest.mark.both_engines]


def api(address=ADA, services=(), kinds=BOTH, now=NOW):
    request_subscription(address, services, kinds, now)


def the_row():
    return SubscriptionRow.get()


def token(purpose="manage"):
    return token_of(SubscriptionRow.get().id, purpose)


def confirm(now, with_token=None):
    """Confirm a pending subscription, as the page shows it."""
    row = SubscriptionRow.get()
    chosen = with_token or token("confirm")
    return confirm_subscription(chosen, row.services, kinds_of(row), now)


def confirmed(now=NOW):
    """A requested and confirmed subscription of Ada."""
    api(now=now)
    return confirm(now)


def queued():
    rows = DeliveryRow.select().order_by(DeliveryRow.number)
    return [row.type.removeprefix("subscription.") for row in rows]


def test_asking_subscribes_nobody():
    """Until the mailbox confirms it, a subscription is pending and gets no events."""
    api(services=["api"], kinds=["incidents"])

    row = the_row()
    assert (row.state, row.source, row.confirmed_at) == ("pending", "self", None)
    assert (row.services, kinds_of(row)) == (["api"], ["incidents"])
    assert row.language is None
    assert queued() == ["confirm"]
    assert [attempt.address for attempt in claim(NOW, ["email"], 9)] == [ADA]


def test_kinds_are_events():
    """Each kind stands for its events, none of which is only for tools."""
    api(address="a@example.com", kinds=["incidents"])
    api(address="b@example.com", kinds=["maintenance"])

    rows = SubscriptionRow.select().order_by(SubscriptionRow.address)
    incidents, windows = (row.events for row in rows)
    assert len(incidents) == 4
    assert len(windows) == 5
    assert {event.split(".")[0] for event in incidents} == {"incident"}
    assert {event.split(".")[0] for event in windows} == {"maintenance"}


def test_confirming():
    """
    The token of the email confirms the subscription once; repeating it changes nothing.
    """
    api()

    confirm(NOW + HOUR)
    confirm(NOW + DAY)

    assert the_row().state == "active"
    assert the_row().confirmed_at == NOW + HOUR


def test_what_is_confirmed():
    """The owner gets what the owner confirms, not what someone else requested."""
    api(services=["api"], kinds=["incidents"])
    api(services=[], kinds=BOTH)

    confirm_subscription(token("confirm"), ["api"], ["incidents"], NOW)

    assert (the_row().services, kinds_of(the_row())) == (["api"], ["incidents"])

    confirm_subscription(token("confirm"), [], BOTH, NOW)

    assert (the_row().services, kinds_of(the_row())) == (["api"], ["incidents"])


def test_repeat_while_pending_merges():
    """Several requests are merged; a request without services means all services."""
    api(services=["api"], kinds=["incidents"])

    api(services=["mail", "api"], kinds=["maintenance"])

    assert the_row().services == ["api", "mail"]
    assert kinds_of(the_row()) == list(BOTH)

    api(services=[])
    api(services=["web"])

    assert the_row().services == []


def test_spellings_are_one_mailbox():
    """An address in other letter case is the same mailbox."""
    api("Ada@Example.com")

    api("ada@EXAMPLE.com")

    assert SubscriptionRow.select().count() == 1


def test_repeat_while_pending_renews():
    """A repeated request restarts the time to confirm, to the millisecond."""
    api()
    api(now=NOW + WEEK - TICK)

    forget_unconfirmed(NOW + 2 * WEEK - 2 * TICK)
    assert subscription_of(token("confirm"), "confirm", NOW + 2 * WEEK - 2 * TICK)

    late = token("confirm")
    with pytest.raises(SubscriptionEnded):
        confirm(NOW + 2 * WEEK - TICK, late)
    forget_unconfirmed(NOW + 2 * WEEK - TICK)
    assert SubscriptionRow.select().count() == DeliveryRow.select().count() == 0


def test_request_after_too_long_begins_anew():
    """A request that was not confirmed in time is discarded."""
    api(services=["api"])

    api(services=["mail"], now=NOW + WEEK)

    assert the_row().services == ["mail"]


def test_forgetting_is_a_job(settings):
    """The server deletes unconfirmed subscriptions by itself."""
    api()

    delete_expired(settings, NOW + WEEK)

    assert SubscriptionRow.select().count() == 0


def test_forgetting_keeps_the_others(monkeypatch):
    """Recent requests and confirmed subscriptions stay, however many there are."""
    monkeypatch.setattr(module, "SLICE_SIZE", 2)
    confirmed()
    for number in range(5):
        api(f"{number}@example.com")
    api("late@example.com", now=NOW + HOUR)

    forget_unconfirmed(NOW + WEEK)

    addresses = {row.address for row in SubscriptionRow.select()}
    assert addresses == {ADA, "late@example.com"}


def test_repeat_while_active_changes_nothing():
    """A request of a stranger for a subscribed mailbox changes nothing."""
    confirmed()

    api(services=["api"], kinds=["incidents"], now=NOW + HOUR)

    assert (the_row().services, kinds_of(the_row())) == ([], list(BOTH))
    assert queued() == ["confirm", "manage"]


def test_manage_mail_at_most_once_an_hour():
    """A subscribed mailbox gets the link to its subscription once an hour."""
    confirmed()

    api(now=NOW + HOUR)
    api(now=NOW + 2 * HOUR - TICK)
    assert queued() == ["confirm", "manage"]

    api(now=NOW + 2 * HOUR)
    assert queued() == ["confirm", "manage", "manage"]


def test_manage_mail_right_after_confirming():
    """The confirmation does not count as a link to the subscription."""
    confirmed()

    api(now=NOW + TICK)
    assert queued() == ["confirm", "manage"]


def test_three_mails_a_day():
    """A mailbox gets at most three emails in any 24 hours, in whatever state it is."""
    for hour in range(5):
        api(now=NOW + hour * HOUR)
    assert queued() == ["confirm"] * 3

    confirm(NOW + 5 * HOUR)
    api(now=NOW + 6 * HOUR)
    assert queued() == ["confirm"] * 3

    api(now=NOW + DAY)
    assert queued() == ["confirm"] * 3 + ["manage"]


def test_three_mails_a_day_over_an_end():
    """A subscription that ended does not raise the limit of emails."""
    for _ in range(2):
        api()
    unsubscribe(token(), NOW + HOUR)

    for _ in range(2):
        api("ADA@example.com", now=NOW + HOUR)

    assert queued() == ["confirm"] * 3
    rows = SubscriptionRow.select().order_by(SubscriptionRow.created_at)
    assert [row.state for row in rows] == ["ended", "pending"]


def test_other_mails_do_not_count():
    """Notifications do not count, and other mailboxes have their own limit."""
    for number in range(4):
        api(f"{number}@example.com")

    assert queued() == ["confirm"] * 4


def test_three_mails_a_day_of_one_mailbox():
    """
    Addresses with other tags are one mailbox, and no row is pending without an email.
    """
    for number in range(9):
        api(f"ada+{number}@example.com")
    api()

    assert queued() == ["confirm"] * 3
    assert SubscriptionRow.select().count() == 3

    api("ada+9@example.com", now=NOW + DAY)
    assert queued() == ["confirm"] * 4


def test_tags_are_subscriptions_of_their_own():
    """Two addresses of one mailbox are two subscriptions."""
    api("ada+work@example.com")
    api("ada+home@example.com")

    assert SubscriptionRow.select().count() == 2


def test_too_many_pending(monkeypatch):
    """
    Over the limit, the oldest unconfirmed request is deleted, and no request is
    rejected.
    """
    monkeypatch.setattr(module, "MAX_PENDING", 2)
    confirmed()
    for number in range(2):
        api(f"{number}@example.com", now=NOW + number * TICK)
    assert subscription_faults(NOW) == []

    api("2@example.com")

    addresses = sorted(row.address for row in SubscriptionRow.select())
    assert addresses == ["1@example.com", "2@example.com", ADA]
    assert [fault.is_harmless for fault in subscription_faults(NOW + HOUR - TICK)] == [
        True
    ]
    assert subscription_faults(NOW + HOUR) == []


def test_flood_of_a_domain(monkeypatch, caplog):
    """Mailboxes of one domain get requests until too many are unconfirmed."""
    monkeypatch.setattr(module, "MAX_UNCONFIRMED_OF_DOMAIN", 2)
    confirmed(now=NOW - 2 * HOUR)
    for number in range(2):
        api(f"{number}@Example.com")

    for address in ("2@example.com", "0@example.com", ADA):
        with pytest.raises(TooManyUnconfirmed):
            api(address)
    api("2@sub.example.com")

    assert queued() == ["confirm"] * 4
    assert [fault.state for fault in subscription_faults(NOW)] == [
        "subscriptions-limited"
    ]
    assert caplog.text.count("state=subscriptions-limited reason=unconfirmed") == 1
    api("2@example.com", now=NOW + HOUR)
    assert queued() == ["confirm"] * 5


def test_flood_of_all_domains(monkeypatch):
    """Too many unconfirmed requests are blocked, whatever their domains."""
    monkeypatch.setattr(module, "MAX_UNCONFIRMED", 2)
    for number in range(2):
        api(f"ada@{number}.example.com")

    with pytest.raises(TooManyUnconfirmed):
        api()


def test_crowd_that_confirms(monkeypatch):
    """
    Readers who confirm do not count as a flood, however many there are in an hour.
    """
    monkeypatch.setattr(module, "MAX_UNCONFIRMED_OF_DOMAIN", 1)
    for number in range(5):
        api(f"{number}@example.com")
        row = SubscriptionRow.get(SubscriptionRow.state == "pending")
        confirm_subscription(token_of(row.id, "confirm"), [], BOTH, NOW)

    # As many again can wait as have confirmed.
    for number in range(6):
        api(f"late{number}@example.com")
    with pytest.raises(TooManyUnconfirmed):
        api()


def test_repeats_are_part_of_a_flood(monkeypatch):
    """Repeated requests for a mailbox count again."""
    monkeypatch.setattr(module, "MAX_UNCONFIRMED_OF_DOMAIN", 2)
    for number in range(4):
        api(f"{number}@example.com", now=NOW + number * HOUR)

    for number in range(2):
        api(f"{number}@example.com", now=NOW + 5 * HOUR)
    with pytest.raises(TooManyUnconfirmed):
        api("2@example.com", now=NOW + 5 * HOUR)


def test_every_request_writes():
    """A request that sends no email writes too, so that it takes as long."""
    confirmed()
    api(now=NOW + HOUR)

    api(now=NOW + HOUR + TICK)

    value = InstanceRow.get(InstanceRow.name == "subscription-requested").value
    assert value == str(int((NOW + HOUR + TICK).timestamp() * 1000))


def test_quarantined_mailbox_confirms_again():
    """A quarantined mailbox gets messages again once its owner confirms."""
    confirmed()
    (attempt,) = claim(NOW, ["email"], 9)
    record_outcomes([(attempt, GONE)], NOW)
    assert the_row().state == "quarantined"

    api(services=["api"], now=NOW + HOUR)
    assert (the_row().state, the_row().services) == ("quarantined", [])
    assert queued() == ["confirm", "confirm"]
    confirm(NOW + 2 * HOUR)

    row = the_row()
    assert (row.state, row.confirmed_at) == ("active", NOW + 2 * HOUR)
    assert (row.quarantined_at, row.failing_since, row.reason) == (None, None, None)


def test_changing():
    """The choices replace the former ones, each service once."""
    confirmed()

    change_subscription(token(), ["api", "mail", "api"], ["maintenance"], NOW + HOUR)

    assert the_row().services == ["api", "mail"]
    assert kinds_of(the_row()) == ["maintenance"]
    assert the_row().state == "active"


def test_changing_keeps_single_events():
    """The events that an operator chose stay as long as their kind is chosen."""
    subscribe(NOW, ADA, channel="email", events=["incident.opened"], secret=None)

    change_subscription(token(), [], BOTH, NOW)

    events = the_row().events
    assert [event for event in events if event.startswith("inc")] == ["incident.opened"]
    assert len(events) == 6


def test_ending():
    """Nothing more is sent, ending is idempotent, and a request starts anew."""
    confirmed()

    unsubscribe(token(), NOW + HOUR)
    unsubscribe(token(), NOW + DAY)

    row = the_row()
    assert (row.state, row.ended_at, row.live_key) == ("ended", NOW + HOUR, None)
    assert claim(NOW + DAY, ["email"], 9) == []
    for act in (
        lambda: confirm(NOW),
        lambda: change_subscription(token(), [], BOTH, NOW),
        lambda: subscription_of(token(), "manage", NOW),
    ):
        with pytest.raises(SubscriptionEnded):
            act()
    assert the_row().state == "ended"


def test_ending_what_is_erased():
    """The link of an erased subscription says that it has ended."""
    confirmed()
    manage = token()
    SubscriptionRow.delete().execute()

    unsubscribe(manage, NOW)
    with pytest.raises(SubscriptionEnded):
        subscription_of(manage, "manage", NOW)


@pytest.mark.parametrize(
    "forge",
    [
        lambda confirm, manage: confirm,
        lambda confirm, manage: manage[:-1],
        lambda confirm, manage: manage[:22],
        lambda confirm, manage: ("B" if manage[0] == "A" else "A") + manage[1:],
        lambda confirm, manage: manage + "AAAA",
        lambda confirm, manage: "",
        lambda confirm, manage: "é" * 43,
        lambda confirm, manage: "\0" * 43,
    ],
)
def test_forged_token(forge):
    """A token that is cut, changed, extended or for another purpose is not valid."""
    confirmed()
    forged = forge(token("confirm"), token("manage"))

    for act in (
        lambda: change_subscription(forged, ["api"], BOTH, NOW),
        lambda: unsubscribe(forged, NOW),
        lambda: subscription_of(forged, "manage", NOW),
    ):
        with pytest.raises(InvalidToken):
            act()

    assert (the_row().state, the_row().services) == ("active", [])


def test_token_to_manage_confirms_nothing():
    """Only the token of the confirmation email confirms."""
    api()

    with pytest.raises(InvalidToken):
        confirm(NOW, token("manage"))

    assert the_row().state == "pending"


def test_changing_keeps_reminders():
    """Options that only operators can set stay, as long as their kind is chosen."""
    subscribe(NOW, ADA, channel="email", secret=None, events=["incident.reminder"])

    change_subscription(token(), (), ["incidents"], NOW)

    assert the_row().events == ["incident.reminder"]


def test_strangers_cannot_keep_an_address():
    """Requests that send no email do not postpone the deletion of the address."""
    for _ in range(3):
        api()
    for day in range(6):
        for _ in range(9):
            api(now=NOW + HOUR * (day + 1))

    forget_unconfirmed(NOW + WEEK)

    assert SubscriptionRow.select().count() == 0
