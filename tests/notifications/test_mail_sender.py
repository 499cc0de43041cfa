"""Emails over a relay on this machine: the received bytes, and the failures."""

import logging
import ssl
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from functools import partial
from threading import Event

import fast_mail_parser
import pytest
from aiosmtpd.smtp import AuthResult

from api.notifications.mail_sender import MailSender
from models.notifications.addresses.mail_relay import Mailbox, MailRelay
from models.notifications.deliveries.outcomes import MAX_ANSWER
from models.settings import Settings
from sitegen.messages.renderer import message_renderer
from tests.factories.notifications import ATTEMPT, incident_data
from tests.notifications.relays import ACCEPTED, Relay, relaying, speaking
from tests.ports import free_port
from tests.probing.conftest import certificate  # noqa: F401

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SENDER = Mailbox("Example status", "status@example.com")
END = f"https://api.example.com/subscribe/end/{'Zm9v' * 20}"
NOTICE = replace(
    ATTEMPT,
    channel="email",
    type="incident.opened",
    data=incident_data(["Words.\n\n.\n\n.. and dots\n\n."], title="Störung der API"),
    token="Zm9v" * 20,
)
RENDER = message_renderer(
    Settings(
        site_name="Example status",
        site_url="https://docs.example.com",
        subscribe_url="https://api.example.com",
        smtp="smtps://mail.example.com",
        mail_from="Example status <status@example.com>",
    )
)


def mail(to="ada@example.com", id="delivery-1"):
    return RENDER(replace(NOTICE, address=to, delivery_id=id), NOW)


def sender_to(port, security="plain", host="127.0.0.1", user="", **options):
    """Return a sender to a relay on this machine, with short timeouts."""
    times = {"connect_seconds": 20, "mail_seconds": 20}
    relay = MailRelay(host, port, user, security)
    return MailSender(relay, SENDER, **times | options)


@pytest.fixture
def relay():
    with relaying(Relay()) as started:
        yield started


def test_delivered(relay):
    """The relay receives the email byte by byte, and its response is stored."""
    sent = mail()

    with sender_to(relay.port) as sender:
        outcome = sender.send(sent, "ada@example.com")

    assert outcome.is_delivered
    assert (outcome.status_code, outcome.answer) == (250, ACCEPTED)
    assert relay.mails == [sent]
    (envelope,) = relay.envelopes
    assert envelope.mail_from == "status@example.com"
    assert envelope.rcpt_tos == ["ada@example.com"]


def test_one_click_on_the_wire(relay):
    """Mail programs find both fields of an unsubscription, each on one line."""
    with sender_to(relay.port) as sender:
        sender.send(mail(), "ada@example.com")

    (received,) = relay.mails
    assert f"\r\nList-Unsubscribe: <{END}>\r\n".encode() in received
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in received
    for fields in (
        message_from_bytes(received, policy=default),
        {n: v[0] for n, v in fast_mail_parser.parse_email(received).headers.items()},
    ):
        assert fields["List-Unsubscribe"] == f"<{END}>"
        assert fields["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert fields["Subject"].endswith("New incident: Störung der API")


def test_batch(relay):
    """A batch uses one connection, and no email inherits data from the previous one."""
    with sender_to(relay.port) as sender:
        outcomes = [
            sender.send(mail(to, id), to)
            for to, id in (("a@example.com", "1"), ("b@example.com", "2"))
        ]

    assert [outcome.is_delivered for outcome in outcomes] == [True, True]
    assert [envelope.rcpt_tos for envelope in relay.envelopes] == [
        ["a@example.com"],
        ["b@example.com"],
    ]
    assert relay.connections == 1
    assert relay.commands.count("RSET") == 2


@pytest.mark.parametrize(
    ("step", "reply", "is_permanent"),
    [
        ("RCPT", "451 4.7.1 Greylisted, try again in 5 minutes", False),
        ("RCPT", "452 4.2.2 Mailbox full", False),
        ("RCPT", "550 5.1.1 No such user", True),
        ("RCPT", "550 Requested action not taken: mailbox unavailable", True),
        ("RCPT", "553 Mailbox name not allowed", True),
        ("RCPT", "550 5.4.1 Recipient address rejected: Access denied", True),
        ("RCPT", "554 5.7.1 Relay access denied", False),
        ("RCPT", "530 5.7.0 Authentication required", False),
        ("RCPT", "530 Must issue a STARTTLS command first", False),
        ("RCPT", "550 5.1.8 Sender domain not found", False),
        ("RCPT", "500 Command not recognised", False),
        ("DATA", "451 4.3.0 Temporary failure", False),
        ("DATA", "554 Transaction failed", True),
        ("DATA", "550 5.2.1 Mailbox disabled", True),
        ("DATA", "550 5.7.1 Looks like spam", False),
        ("DATA", "552 5.3.4 Message too big", False),
        ("DATA", "550 5.6.1 Media not supported", False),
        ("MAIL", "451 4.7.1 Rate limit exceeded", False),
        ("MAIL", "550 5.1.0 Sender rejected", False),
        ("MAIL", "553 Sender address not owned by user", False),
    ],
)
def test_refused(relay, step, reply, is_permanent):
    """Only a rejection of the address ends deliveries to it; the batch continues."""
    relay.replies[step] = [reply, ACCEPTED]

    with sender_to(relay.port) as sender:
        refused = sender.send(mail(), "ada@example.com")
        next_one = sender.send(mail("b@example.com", "2"), "b@example.com")

    assert not refused.is_delivered
    assert refused.is_permanent == is_permanent
    assert refused.status_code == int(reply[:3])
    assert reply in refused.answer
    assert refused.answer.endswith(".")
    assert next_one.is_delivered
    assert relay.connections == 1


def test_fault_of_the_relay_is_told_apart(relay):
    """The outcome distinguishes faults of the relay from those of the address."""
    relay.replies["RCPT"] = ["554 5.7.1 Relay access denied", "550 5.1.1 Unknown"]

    with sender_to(relay.port) as sender:
        of_relay, of_address = (sender.send(mail(), "a@example.com") for _ in range(2))

    assert "Check the relay and its settings" in of_relay.answer
    assert of_address.answer == "The relay refused the address: 550 5.1.1 Unknown."


def test_relay_dies_before_its_answer(relay):
    """
    After a lost response the email may have arrived; it is sent again with its id.
    """
    relay.replies["DATA"] = [None, ACCEPTED]

    with sender_to(relay.port) as sender:
        lost = sender.send(mail(), "ada@example.com")
        again = sender.send(mail(), "ada@example.com")

    assert (lost.is_delivered, lost.is_permanent) == (False, False)
    assert "did not confirm it" in lost.answer
    assert again.is_delivered
    first, second = (message_from_bytes(each)["Message-ID"] for each in relay.mails)
    assert first == second == "<delivery-1@example.com>"


@pytest.mark.parametrize("step", ["RSET", "MAIL", "RCPT"])
@pytest.mark.parametrize("reply", [None, "421 4.4.2 Idle for too long"])
def test_connection_that_was_closed(relay, step, reply):
    """A closed connection is reopened once, without a failure."""
    relay.replies[step] = [ACCEPTED, reply, ACCEPTED]

    with sender_to(relay.port) as sender:
        outcomes = [sender.send(mail(), "ada@example.com") for _ in range(3)]

    assert [outcome.is_delivered for outcome in outcomes] == [True, True, True]
    assert len(relay.mails) == 3
    assert relay.connections == 2


@pytest.mark.parametrize(
    ("reply", "code", "sentence"),
    [(None, None, "closed the connection."), ("421 Busy", 421, "connection: 421 Busy")],
)
def test_relay_that_closes_each_connection(relay, reply, code, sentence):
    """If the relay closes every connection, the sender gives up."""
    relay.replies["MAIL"] = reply

    with sender_to(relay.port) as sender:
        outcome = sender.send(mail(), "ada@example.com")

    assert (outcome.is_delivered, outcome.is_permanent) == (False, False)
    assert outcome.status_code == code
    assert sentence in outcome.answer
    assert relay.connections == 1


def test_relay_away():
    """Without a relay the reason is a sentence, and another attempt follows."""
    with sender_to(free_port()) as sender:
        outcome = sender.send(mail(), "ada@example.com")

    assert (outcome.is_delivered, outcome.is_permanent) == (False, False)
    assert outcome.answer == "The relay cannot be reached: Connection refused."


def test_name_without_address():
    """A name that does not resolve is in the message, because it may be misspelt."""
    with sender_to(25, security="starttls", host="relay.invalid") as sender:
        outcome = sender.send(mail(), "ada@example.com")

    assert outcome.answer == "The relay's name relay.invalid does not resolve."


def test_batch_without_relay():
    """Only the first email of a batch waits for an unusable relay."""
    with speaking(lambda connection: None) as (port, connections):
        with sender_to(port) as sender:
            first, second = (sender.send(mail(), "a@example.com") for _ in range(2))

    assert "closed the connection before it was ready" in first.answer
    assert second.answer == first.answer
    assert len(connections) == 1


def drip(connection, text, ended):
    """Send a byte now and then."""
    for byte in text:
        connection.sendall(bytes([byte]))
        if ended.wait(0.05):
            return


def test_greeting_byte_by_byte():
    """A relay that sends single bytes is given up at the time limit."""
    ended = Event()
    greeting = partial(drip, text=b"220-" + b"x" * 400 + b"\r\n", ended=ended)

    with (
        speaking(greeting) as (port, _),
        sender_to(port, connect_seconds=0.5) as sender,
    ):
        outcome = sender.send(mail(), "ada@example.com")
        ended.set()

    assert outcome.answer == "The relay did not answer within 0.5 s."
    assert not outcome.is_permanent


def test_confirmation_byte_by_byte():
    """An email that is not confirmed in time may have arrived; the batch ends."""
    ended = Event()

    def converse(connection):
        with connection.makefile("rwb") as file:

            def reply(line):
                file.write(line + b"\r\n")
                file.flush()

            reply(b"220 relay")
            for line in file:
                command = line[:4].upper()
                reply(b"354 Go ahead" if command == b"DATA" else b"250 Ok")
                if command == b"DATA":
                    break
            while file.readline() != b".\r\n":
                pass
            drip(connection, b"250-" + b"x" * 400 + b"\r\n", ended)

    with speaking(converse) as (port, connections):
        with sender_to(port, mail_seconds=0.5) as sender:
            lost, second = (sender.send(mail(), "a@example.com") for _ in range(2))
        ended.set()

    assert "did not confirm it" in lost.answer
    assert second.answer == "The relay did not answer within 0.5 s."
    assert len(connections) == 1


@pytest.mark.parametrize(
    ("greeting", "sentence"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "What answers is not a mail relay"),
        (b"x" * 100_000, "refused the connection: 500 Line too long"),
        (b"220-more\r\n" * 100_000, "before it was ready for mails"),
        (b"554 5.3.2 No service here\r\n", "554 5.3.2 No service here"),
        (b"\xff\xfe\r\n", "What answers is not a mail relay"),
    ],
)
def test_something_else_answers(greeting, sentence):
    """Any other response than a relay's is an outcome with a short sentence."""
    with speaking(lambda connection: connection.sendall(greeting)) as (port, _):
        with sender_to(port) as sender:
            outcome = sender.send(mail(), "ada@example.com")

    assert sentence in outcome.answer
    assert outcome.answer.endswith(".")
    assert not outcome.is_permanent


def test_long_answer(relay):
    """A relay's response is stored on one line, and up to a maximum length."""
    relay.replies["RCPT"] = "\r\n".join(
        ["550-5.1.1 \x1b[31mNo", *["550-5.1.1 more" for _ in range(200)], "550 end"]
    )

    with sender_to(relay.port) as sender:
        outcome = sender.send(mail(), "ada@example.com")

    assert len(outcome.answer) == MAX_ANSWER
    assert outcome.answer.isprintable()


def trusting(file):
    return ssl.create_default_context(cafile=file)


@pytest.fixture
def tls(certificate):  # noqa: F811
    """The TLS contexts of a server at 127.0.0.1 and of a client that trusts it."""
    context, file = certificate(90)
    return context, trusting(file)


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_encrypted(tls, security):
    """The relay must authenticate before anything else is sent."""
    server, client = tls
    options = {"starttls": {"tls_context": server, "require_starttls": True}}
    options["tls"] = {"ssl_context": server}

    with relaying(Relay(), **options[security]) as relay:
        with sender_to(relay.port, security, tls=client) as sender:
            outcome = sender.send(mail(), "ada@example.com")

    assert outcome.is_delivered, outcome.answer
    assert relay.mails == [mail()]


@pytest.mark.parametrize("security", ["starttls", "tls"])
@pytest.mark.parametrize(
    ("host", "is_trusted", "sentence"),
    [
        ("127.0.0.1", False, "certificate is not trusted: self-signed certificate"),
        ("localhost", True, "certificate is not trusted: Hostname mismatch"),
    ],
)
def test_wrong_certificate(tls, security, host, is_trusted, sentence):
    """Nothing is sent to a relay whose certificate is not trusted."""
    server, client = tls
    options = {"starttls": {"tls_context": server}, "tls": {"ssl_context": server}}
    trust = client if is_trusted else None

    with relaying(Relay(), **options[security]) as relay:
        with sender_to(relay.port, security, host, tls=trust) as sender:
            outcome = sender.send(mail(), "ada@example.com")

    assert sentence in outcome.answer
    assert not outcome.is_permanent
    assert relay.commands == []


def test_no_encryption_on_offer(relay):
    """Without STARTTLS nothing is sent, and the sentence says what to change."""
    with sender_to(relay.port, "starttls") as sender:
        outcome = sender.send(mail(), "ada@example.com")

    assert "does not offer STARTTLS" in outcome.answer
    assert "smtps://" in outcome.answer
    assert relay.commands == []


def test_plain_relay_at_an_encrypted_port(tls, relay):
    """The wrong scheme is reported with a sentence, too."""
    with sender_to(relay.port, "tls", tls=tls[1]) as sender:
        outcome = sender.send(mail(), "ada@example.com")

    assert outcome.answer.startswith("The relay does not speak TLS as expected")


def test_unencrypted_relay_elsewhere(relay):
    """The address of a relay's name is checked when it is resolved."""
    # It is this machine, but no address of it.
    with sender_to(relay.port, host="0.0.0.0") as refusing:
        refused = refusing.send(mail(), "ada@example.com")
    with sender_to(relay.port, host="0.0.0.0", networks=["0.0.0.0/32"]) as allowing:
        allowed = allowing.send(mail(), "ada@example.com")

    assert "MASTHEAD_NOTIFY_NETWORKS" in refused.answer
    assert allowed.is_delivered
    assert relay.connections == 1


def log_in(server, session, envelope, mechanism, data):
    is_right = (data.login, data.password) == (b"ada", b"hush hush")
    return AuthResult(success=is_right, handled=False)


@pytest.fixture
def guarded(tls):
    options = {"authenticator": log_in, "auth_required": True, "tls_context": tls[0]}
    with relaying(Relay(), **options) as started:
        yield started


@pytest.fixture
def logging_in(guarded, tls, tmp_path):
    """Send one email with this content of the password file."""

    def sent(password):
        file = tmp_path / "password"
        if password is not None:
            file.write_bytes(password)
        with sender_to(
            guarded.port,
            "starttls",
            user="ada",
            tls=tls[1],
            password_file=str(file),
        ) as sender:
            return sender.send(mail(), "ada@example.com")

    return sent


def test_login(logging_in):
    """The password is read from its file when it is needed."""
    assert logging_in(b"wrong").status_code == 535
    assert logging_in(b"hush hush\n").is_delivered


@pytest.mark.parametrize(
    ("password", "sentence"),
    [
        (b"not hush", "The relay refused the login: 535"),
        ("hüsh".encode(), "MASTHEAD_SMTP_PASSWORD_FILE must be ASCII."),
        (None, "MASTHEAD_SMTP_PASSWORD_FILE cannot be read: No such file"),
    ],
)
def test_wrong_password(logging_in, guarded, password, sentence, caplog):
    """A failed login is a fault of the settings, and the message has no password."""
    with caplog.at_level(logging.DEBUG):
        outcome = logging_in(password)

    assert sentence in outcome.answer
    assert not outcome.is_permanent
    assert "hush" not in outcome.answer + caplog.text
    assert guarded.commands == []


def test_login_that_is_not_on_offer(relay, tmp_path):
    """A relay that offers no login is reported."""
    (tmp_path / "password").write_text("hush")
    file = str(tmp_path / "password")

    with sender_to(relay.port, user="ada", password_file=file) as sender:
        outcome = sender.send(mail(), "ada@example.com")

    assert "does not offer a login" in outcome.answer


@pytest.mark.parametrize(
    ("to", "envelope_to", "is_needed"),
    [
        ("éve@example.com", "éve@example.com", True),
        ("ada@bücher.example.com", "ada@xn--bcher-kva.example.com", False),
        ("ada@example.com", "ada@example.com", False),
    ],
)
def test_smtputf8(to, envelope_to, is_needed):
    """Only an address with Unicode in the local part uses the extension."""
    with relaying(Relay(), enable_SMTPUTF8=True) as relay:
        with sender_to(relay.port) as sender:
            outcome = sender.send(mail(to), to)

    (envelope,) = relay.envelopes
    assert outcome.is_delivered
    assert envelope.rcpt_tos == [envelope_to]
    assert ("SMTPUTF8" in envelope.mail_options) == is_needed
    assert fast_mail_parser.parse_email(relay.mails[0]).to[0].address == envelope_to


def test_smtputf8_that_is_not_on_offer():
    """
    A relay that never accepts such an address ends its deliveries; others are not
    affected.
    """
    with relaying(Relay(), enable_SMTPUTF8=False) as relay:
        with sender_to(relay.port) as sender:
            impossible = sender.send(mail("éve@example.com"), "éve@example.com")
            usual = sender.send(mail(), "ada@example.com")

    assert impossible.is_permanent
    assert "SMTPUTF8" in impossible.answer
    assert usual.is_delivered
    assert len(relay.mails) == 1


@pytest.mark.parametrize("to", ["ada", "ada@example.com\r\nRCPT TO:<eve@example.com>"])
def test_no_address(relay, to):
    """A malformed address never reaches the relay."""
    with sender_to(relay.port) as sender:
        outcome = sender.send(mail(), to)

    assert outcome.is_permanent
    assert relay.connections == 0


def test_address_is_not_told(relay, caplog):
    """Outcomes and logs do not repeat addresses, though relays do."""
    to = "ada@bücher.example.com"
    relay.replies["RCPT"] = f"550 5.1.1 <ADA@xn--bcher-kva.example.com>: {to}"

    with caplog.at_level(logging.DEBUG), sender_to(relay.port) as sender:
        outcome = sender.send(mail(to), to)

    assert outcome.answer == "The relay refused the address: 550 5.1.1 <…>: …."
    # aiosmtpd, which runs in this process, logs what it receives.
    ours = [each for each in caplog.records if not each.name.startswith("mail.")]
    assert "cher" not in "".join(each.getMessage() for each in ours)
