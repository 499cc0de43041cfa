"""Webhook messages, as a receiver with the library of Standard Webhooks sees them."""

import base64
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from api.notifications.senders import signature_headers
from models.notifications.subscriptions.secrets import new_webhook_secret
from sitegen.messages.webhook import MAX_BODY_BYTES, webhook_body

AT = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)
URL = "https://status.example.com/status/incidents/1/"
# 𝄞 has four bytes; a control character has six in JSON.
texts = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('𝄞\x01"'),
    min_size=1,
    max_size=4000,
)


def incident_data(bodies, services=()):
    affected = [{"slug": name, "name": name} for name in services]
    incident = {"id": "1", "title": "Errors", "services": affected}
    updates = [{"id": str(n), "body": body} for n, body in enumerate(bodies)]
    return {"incident": {"incident": incident, "updates": updates}, "url": URL}


def maintenance_data(description, services=()):
    affected = [{"slug": name, "name": name} for name in services]
    window = {"id": "1", "description": description, "services": affected}
    return {"maintenance": window, "url": URL}


def test_body():
    """The body has the event, its time and its data, in UTF-8."""
    data = incident_data(["Ça ne va pas."])

    body = webhook_body("incident.opened", AT, data)

    assert json.loads(body) == {
        "type": "incident.opened",
        "timestamp": "2026-03-01T12:00:00.250Z",
        "data": data,
    }
    assert "Ça ne va pas." in body.decode()


def test_body_of_other_zone():
    """The time is in UTC, whatever the zone of the datetime."""
    at = AT.astimezone(timezone(timedelta(hours=2)))

    body = webhook_body("incident.opened", at, incident_data(["a"]))

    assert json.loads(body)["timestamp"] == "2026-03-01T12:00:00.250Z"


def test_oldest_updates_are_left_out():
    """Of a long incident, as many of the newest updates are sent as fit."""
    data = incident_data([f"{n} " + "x" * 3000 for n in range(20)], ["api"])

    body = webhook_body("incident.updated", AT, data)

    sent = json.loads(body)["data"]
    assert [update["id"] for update in sent["incident"]["updates"]] == [
        *("14", "15", "16", "17", "18", "19")
    ]
    assert sent["incident"]["incident"] == data["incident"]["incident"]
    assert len(data["incident"]["updates"]) == 20


def test_last_services_are_left_out():
    """
    If there are too many services, the first of them are sent, with the newest update.
    """
    names = [f"service-{n}" for n in range(1000)]
    data = incident_data(["old", "new"], names)

    sent = json.loads(webhook_body("incident.updated", AT, data))["data"]["incident"]

    assert [update["body"] for update in sent["updates"]] == ["new"]
    slugs = [service["slug"] for service in sent["incident"]["services"]]
    assert slugs == names[: len(slugs)]
    assert len(slugs) > 400


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (incident_data(["old", "\x01" * 4000]), ("incident", "updates", -1, "body")),
        (maintenance_data("\x01" * 4000), ("maintenance", "description")),
    ],
)
def test_long_text_is_cut(data, path):
    """A text that alone is too large is cut, and ends with an ellipsis."""
    body = webhook_body("incident.updated", AT, data)

    text = json.loads(body)["data"]
    for key in path:
        text = text[key]
    assert text.endswith("\x01…")
    assert MAX_BODY_BYTES - 10 < len(body) < MAX_BODY_BYTES


@given(
    bodies=st.lists(texts, min_size=1, max_size=8),
    services=st.lists(st.text(max_size=120), max_size=300),
)
def test_body_is_small(bodies, services):
    """Whatever the texts, a body is less than 20 KB and has the newest update."""
    services = [name.encode(errors="replace").decode() for name in services]
    for type, data in (
        ("incident.updated", incident_data(bodies, services)),
        ("maintenance.changed", maintenance_data(bodies[-1], services)),
    ):
        body = webhook_body(type, AT, data)

        assert len(body) < MAX_BODY_BYTES
        sent = json.loads(body)["data"]
        newest = sent.get("maintenance", {}).get("description")
        newest = newest or sent["incident"]["updates"][-1]["body"]
        assert newest == bodies[-1] or bodies[-1].startswith(newest.removesuffix("…"))
        assert sent["url"] == URL


def test_secret():
    """A secret is 32 random bytes in Base64 behind its prefix."""
    secret = new_webhook_secret()

    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
    assert new_webhook_secret() != secret


def test_signature():
    """A receiver with the secret verifies the message, and no other receiver does."""
    secret, other = new_webhook_secret(), new_webhook_secret()
    body = webhook_body("incident.opened", AT, incident_data(["Ça ne va pas."]))

    headers = signature_headers("evt_1", datetime.now(UTC), body, [secret])

    assert Webhook(secret).verify(body, headers) == json.loads(body)
    assert headers["webhook-id"] == "evt_1"
    for verifier, changed, sent in (
        (other, body, headers),
        (secret, body.replace(b"pas", b"bon"), headers),
        (secret, body, headers | {"webhook-id": "evt_2"}),
        (secret, body, signature_headers("evt_1", AT, body, [secret])),
    ):
        with pytest.raises(WebhookVerificationError):
            Webhook(verifier).verify(changed, sent)


def test_signature_during_rotation():
    """With two secrets, a receiver of either verifies the message."""
    old, new = new_webhook_secret(), new_webhook_secret()

    headers = signature_headers("evt_1", datetime.now(UTC), b"{}", [new, old])

    assert Webhook(old).verify(b"{}", headers) == {}
    assert Webhook(new).verify(b"{}", headers) == {}


def test_signature_of_the_specification():
    """The example that Standard Webhooks publishes has this signature."""
    at = datetime.fromtimestamp(1_614_265_330, UTC)
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    headers = signature_headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', [secret]
    )

    assert headers["webhook-timestamp"] == "1614265330"
    assert headers["webhook-signature"] == (
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )
