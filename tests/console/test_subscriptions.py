"""Subscriptions and deliveries: recipients, failures, and replays."""

import re

import pytest

from models.notifications.deliveries.fan_out import fan_out
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.event_types import CHANNELS, events_of_channel
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.notifications.subscriptions.readers import ENDED_BY_READER
from models.notifications.subscriptions.subscriptions import REMOVED_BY_OPERATOR
from tests.factories.notifications import ALL_LIVE, subscribe

ADD = "subscriptions/add/"
HOOK = {"channel": "webhook", "address": "https://tools.example.com/Hook?a=1&b=<2>"}
ARABIC = {"Accept-Language": "ar"}
XSS = "<script>alert(1)</script>"

pytestmark = pytest.mark.both_engines


@pytest.fixture(autouse=True)
def services(api):
    for slug in ("api", "mail"):
        api("POST /status/v1/admin/services/add", {"slug": slug, "name": slug})


@pytest.fixture
def hook(app, clock):
    return subscribe(clock.now)


@pytest.fixture
def failed(person, hook, api, clock):
    """A message that could not be delivered."""
    words = {"title": "Late", "services": ["api"], "severity": "degraded", "body": "x"}
    api("POST /status/v1/admin/incidents/add", words)
    fan_out(clock.now, ALL_LIVE)
    DeliveryRow.update(status="given-up", answer=f"503 {XSS}").execute()
    return DeliveryRow.get()


def secret_in(page):
    return re.search(r'value="([^"]+)" readonly', page)[1]


def test_add_a_webhook(person, audited):
    """The secret is shown once, and is the same when the form is sent twice."""
    page = person.get(ADD)

    first, second = (person.refill(page, ADD, **HOOK) for _ in range(2))

    assert secret_in(first.text) == secret_in(second.text)
    assert audited()[-1] == "subscription.added"
    row = SubscriptionRow.get()
    assert row.address == HOOK["address"]
    assert row.services == []
    shown = person.get(f"subscriptions/{row.id}/").text
    assert secret_in(first.text) not in shown
    assert "&lt;2&gt;" in shown


def test_add_for_services(person):
    """Services and events are ticked; channels other than webhooks have no secret."""
    mail = {"channel": "email", "address": "mia@example.com", "services": ["api"]}

    done = person.fill(ADD, ADD, **mail, events=["incident.opened"])

    assert done.status_code == 303
    row = SubscriptionRow.get()
    assert (row.services, row.events) == (["api"], ["incident.opened"])
    assert "mia@example.com" in person.get("subscriptions/?channel=email").text
    assert "mia@example.com" not in person.get("subscriptions/?state=ended").text


def events_in(page, action):
    """Return the events in the form of a page with this action."""
    form = page.partition(f'action="/console/{action}"')[2].partition("</form>")[0]
    return re.findall(r'name="events" value="([^"]+)"', form)


@pytest.mark.parametrize("channel", CHANNELS)
def test_events_of_a_channel(person, clock, channel):
    """A subscription has the events of its channel, and no others."""
    address = "mia@example.com" if channel == "email" else "https://tool.example.com/"
    id = subscribe(clock.now, address, channel=channel).id
    path = f"subscriptions/{id}/"

    offered = events_in(person.get(path).text, f"{path}change/")

    assert offered == list(events_of_channel(channel))
    done = person.fill(path, f"{path}change/", events=offered)
    assert done.status_code == 303
    assert SubscriptionRow.get().events == offered


def test_events_of_webhooks(person):
    """
    Before a channel is chosen, events for webhooks are marked; afterwards they are
    gone.
    """
    slack = {"channel": "slack", "address": "https://hooks.example.com/x"}
    events = ["incident.opened", "service.state-changed"]
    page = person.get(ADD).text
    only_hooks = page.partition("Only for webhooks")[2]
    assert "service.state-changed" in only_hooks
    assert "incident.opened" not in only_hooks

    refused = person.fill(ADD, ADD, **slack, events=events)

    assert refused.status_code == 422
    assert "service.state-changed" not in events_in(refused.text, ADD)
    assert person.refill(refused, ADD).status_code == 303
    assert SubscriptionRow.get().events == ["incident.opened"]


def test_services_are_joined_as_in_a_sentence(person, app, clock):
    """
    Services are joined with the words of the language, and omitted ones are counted.
    """
    few = subscribe(clock.now, services=["api", "mail"])
    many = [f"s{number}" for number in range(8)]
    subscribe(clock.now, "https://tool.example.com/", services=many)

    page = person.get(f"subscriptions/{few.id}/", headers=ARABIC).text
    listed = person.get("subscriptions/").text

    assert "<bdi>api</bdi> و<bdi>mail</bdi>" in page
    assert "<bdi>s4</bdi>, <bdi>s5</bdi> and 2 more" in listed


def test_a_refusal_stands_beside_its_field(person):
    """An unusable address is rejected, and kept in the form."""
    refused = person.fill(ADD, ADD, channel="email", address="nobody")

    assert refused.status_code == 422
    assert "Address</a>:" in refused.text
    assert "nobody</textarea>" in refused.text
    assert SubscriptionRow.select().count() == 0


def test_change(person, hook):
    """A language is chosen by its name; no service means all of them again."""
    page, action = f"subscriptions/{hook.id}/", f"subscriptions/{hook.id}/change/"
    assert '<option value="en">English</option>' in person.get(page).text
    person.fill(page, action, services=["mail"], language="en")
    row = SubscriptionRow.get()
    assert (row.services, row.language) == (["mail"], "en")

    person.fill(page, action, services=[], language="")

    row = SubscriptionRow.get()
    assert (row.services, row.language) == ([], None)
    assert row.events == hook.events


def test_test(person, hook):
    """A test is queued, and its delivery is shown."""
    page = f"subscriptions/{hook.id}/"

    done = person.fill(page, f"{page}test/")

    delivery = DeliveryRow.get()
    assert done.headers["Location"].startswith(f"/console/deliveries/{delivery.id}/")
    assert "still to be sent" in person.client.get(done.headers["Location"]).text
    assert delivery.id in person.get(page).text


def test_quarantine(person, hook, clock):
    """A quarantined subscription has the reason, and how to end it."""
    reason = f"Refused {XSS}"
    SubscriptionRow.update(
        state="quarantined", reason=reason, quarantined_at=clock.now
    ).execute()

    texts = [
        person.get(p).text for p in ("subscriptions/", f"subscriptions/{hook.id}/")
    ]

    assert all("Refused &lt;script&gt;" in text for text in texts)
    assert "until a test message has been delivered" in texts[1]


def test_rotate(person, hook):
    """The new secret of a webhook is shown once."""
    page = f"subscriptions/{hook.id}/"

    shown = person.fill(page, f"{page}rotate/")

    assert secret_in(shown.text)
    assert secret_in(shown.text) not in person.get(page).text


def test_end_and_erase(person, hook, audited):
    """An ended subscription is still listed; an erased one is not."""
    page = f"subscriptions/{hook.id}/"
    person.fill(page, f"{page}end/")
    assert SubscriptionRow.get().state == "ended"
    assert "End subscription</button>" not in person.get(page).text

    done = person.fill(page, f"{page}end/", _erase="1")

    assert "done=subscription-erased" in done.headers["Location"]
    assert person.get(page).status_code == 404
    assert audited()[-2:] == ["subscription.removed"] * 2


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (REMOVED_BY_OPERATOR, "Durch die Administration entfernt."),
        (ENDED_BY_READER, "Über die Statusseite beendet."),
        (
            Outcome(is_delivered=False, status_code=410).reason,
            "Der Empfänger hat mit 410 geantwortet.",
        ),
        ("Gone for good.", '<span lang="en">Gone for good.</span>'),
    ],
)
def test_reason_in_another_language(person, hook, reason, sentence):
    """
    The reason of an ended subscription is translated, unless it is the receiver's text.
    """
    SubscriptionRow.update(state="quarantined", reason=reason).execute()

    for path in ("subscriptions/", f"subscriptions/{hook.id}/"):
        page = person.get(path, headers={"Accept-Language": "de"}).text
        assert f"<bdi>{sentence}</bdi>" in page


def test_send_again(person, failed):
    """
    The front page links to failed deliveries, which can be replayed on their page.
    """
    page = f"deliveries/{failed.id}/"
    assert f"/console/{page}" in person.get().text
    texts = [person.get(p).text for p in ("deliveries/?status=given-up", page)]
    assert all("503 &lt;script&gt;" in text for text in texts)
    assert failed.id not in person.get("deliveries/?status=delivered").text

    done = person.fill(page, f"{page}replay/")

    assert "It is sent again." in person.client.get(done.headers["Location"]).text
    assert DeliveryRow.get().status == "waiting"
    assert "Send again</button>" not in person.get(page).text


def test_filters_that_are_refused(person):
    """An invalid filter is rejected with a message beside its field."""
    refused = person.get("deliveries/?subscriptionId=x")

    assert refused.status_code == 422
    assert 'aria-invalid="true"' in refused.text


def test_recipients(person, visitor, issue, failed, hook):
    """
    A list of deliveries shows the recipients only to keys that may read subscriptions.
    """
    someone = visitor()
    someone.sign_in(issue("status:admin:deliveries:*"))

    for path in ("", "deliveries/"):
        assert f"<bdi>{hook.address}</bdi>" in person.get(path).text
        page = someone.get(path).text
        assert failed.event.type in page
        assert hook.address not in page


def test_what_the_key_may_not_do(visitor, issue, failed, hook):
    """Missing scopes are named, and their buttons are not shown."""
    someone = visitor()
    reads = ("subscriptions:list", "subscriptions:get", "deliveries:get")
    someone.sign_in(issue(*(f"status:admin:{scope}" for scope in reads)))

    assert "subscriptions:add</code>" in someone.get("subscriptions/").text
    assert "subscriptions:add</code>" in someone.get(ADD).text
    page = someone.get(f"subscriptions/{hook.id}/").text
    for verb in ("test", "update", "remove"):
        assert f"status:admin:subscriptions:{verb}</code>" in page
    assert "<button" not in page.partition("<main")[2]
    delivery = someone.get(f"deliveries/{failed.id}/").text
    assert "status:admin:deliveries:replay</code>" in delivery
    assert someone.get("deliveries/").status_code == 403
