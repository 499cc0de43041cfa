"""The command that shows whether notifications arrive."""

from email import message_from_bytes

import pytest

from tests.notifications.relays import Relay, relaying
from tests.ports import free_port


@pytest.fixture
def relay(monkeypatch):
    monkeypatch.setenv("MASTHEAD_MAIL_FROM", "Example <status@example.com>")
    monkeypatch.setenv("MASTHEAD_SITE_URL", "https://docs.example.com")
    with relaying(Relay()) as started:
        monkeypatch.setenv("MASTHEAD_SMTP", f"smtp+plain://127.0.0.1:{started.port}")
        yield started


def test_accepted(command, relay):
    """The email reaches the address, and the relay's response is printed."""
    code, out, err = command("notify", "test", "ada@example.com")

    (mail,) = relay.mails
    assert (code, err) == (0, "")
    assert out == "The relay accepted the e-mail: 250 2.0.0 Ok: queued.\n"
    assert relay.envelopes[0].rcpt_tos == ["ada@example.com"]
    assert message_from_bytes(mail)["From"] == '"Example" <status@example.com>'
    assert b"https://docs.example.com/status/" in mail


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ("550 5.1.1 No such user", "refused the address: 550 5.1.1 No such user."),
        ("451 4.7.1 Greylisted", "try again later: 451 4.7.1 Greylisted."),
    ],
)
def test_refused(command, relay, reply, sentence):
    """The reason of a rejection is a sentence, and the exit code is 1."""
    relay.replies["RCPT"] = reply

    code, out, err = command("notify", "test", "ada@example.com")

    assert (code, err) == (1, "")
    assert out.startswith("Not sent. The relay ")
    assert out.endswith(f"{sentence}\n")


def test_relay_away(command, relay, monkeypatch):
    """An unreachable relay is reported."""
    monkeypatch.setenv("MASTHEAD_SMTP", f"smtp+plain://127.0.0.1:{free_port()}")

    code, out, _ = command("notify", "test", "ada@example.com")

    assert code == 1
    assert out == "Not sent. The relay cannot be reached: Connection refused.\n"


def test_help(command, capsys):
    """The help says where webhooks are tested."""
    with pytest.raises(SystemExit):
        command("notify", "test", "--help")

    assert "subscriptions/test" in capsys.readouterr().out


@pytest.mark.parametrize("address", ["ada", "ada@example.com\nBcc: eve@example.com"])
def test_no_address(command, relay, address):
    """A malformed address is rejected before the relay is called."""
    code, _, err = command("notify", "test", address)

    assert code == 2
    assert err.startswith("masthead: ")
    assert relay.connections == 0


def test_no_relay(command):
    """Without a relay, the missing settings are named."""
    code, _, err = command("notify", "test", "ada@example.com")

    assert code == 2
    assert "MASTHEAD_SMTP and MASTHEAD_MAIL_FROM" in err


def test_webhook(command, relay):
    """For the address of a webhook, the message says how to test one."""
    code, _, err = command("notify", "test", "https://tool.example.com/hook")

    assert code == 2
    assert "/status/v1/admin/subscriptions/test" in err
    assert relay.mails == []
