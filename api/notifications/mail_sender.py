"""Send mails over a relay, one connection for a batch."""

import re
import ssl
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from types import TracebackType
from typing import Self

from api.notifications.smtp_connection import ERRORS, OK, RelayFault, SmtpConnection
from models.display_text import escape_line
from models.notifications.addresses.mail_address import smtp_address
from models.notifications.addresses.mail_relay import Mailbox, MailRelay
from models.notifications.deliveries.outcomes import MAX_ANSWER, Outcome

CONNECT_SECONDS = 30.0
# A relay may check a mail for viruses before it answers.
MAIL_SECONDS = 60.0
END_SECONDS = 2.0
GO_AHEAD, WILL_FORWARD, CLOSING = 354, 251, 421
# Replies to commands that the relay does not know, and to missing authentication.
_OF_THE_RELAY = {*range(500, 505), *range(530, 540)}
# Enhanced status codes (RFC 3463): the sender, the mail system, the content, policy.
_OF_OTHERS = re.compile(r"5\.(1\.[78]|3\.\d+|6\.\d+|7\.\d+)\b")


class MailSender:
    """
    Sends the mails of a batch while it is entered.

    If the relay cannot be used, the first mail waits for it, and the others fail at
    once with the same outcome.
    """

    def __init__(
        self,
        relay: MailRelay,
        sender: Mailbox,
        *,
        password_file: str = "",
        networks: Sequence[str] = (),
        tls: ssl.SSLContext | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        mail_seconds: float = MAIL_SECONDS,
    ) -> None:
        self._relay, self._sender = relay, sender
        self._password_file, self._networks = password_file, networks
        self._tls = tls or ssl.create_default_context()
        self._connect_seconds, self._mail_seconds = connect_seconds, mail_seconds
        self._connection: SmtpConnection | None = None
        self._fault: Outcome | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection:
            self._connection.end(END_SECONDS)
            self._connection = None

    def send(self, message: bytes, to: str) -> Outcome:
        """Hand the mail over to the relay once, and return what became of it."""
        started = monotonic()
        try:
            recipient = smtp_address(to)
        except ValueError as error:
            return _failed(str(error), is_permanent=True)
        try:
            outcome = self._fault or self._send(message, recipient)
        except RelayFault as fault:
            self._disconnect()
            outcome = self._fault = _failed(str(fault), fault.code)
        return replace(
            outcome,
            answer=_readable(outcome.answer or "", {to, recipient}),
            duration_ms=round((monotonic() - started) * 1000),
        )

    def _send(self, message: bytes, recipient: str) -> Outcome:
        if self._connection:
            # A relay closes a connection that was idle, or carried many mails.
            with suppress(_ConnectionLost):
                return self._transmit(self._connection, message, recipient)
            self._disconnect()
        self._connection = self._connect()
        try:
            return self._transmit(self._connection, message, recipient)
        except _ConnectionLost as lost:
            self._disconnect()
            return _failed(f"The relay closed the connection{lost.answer}.", lost.code)

    def _connect(self) -> SmtpConnection:
        return SmtpConnection(
            self._relay,
            networks=self._networks,
            password_file=self._password_file,
            tls=self._tls,
            local_name=self._sender.domain,
            seconds=self._connect_seconds,
        )

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None

    def _transmit(
        self, connection: SmtpConnection, message: bytes, recipient: str
    ) -> Outcome:
        """Raise _ConnectionLost if the mail was certainly not handed over."""
        connection.allow(self._mail_seconds)
        try:
            if refusal := self._prepare(connection, message, recipient):
                return refusal
        except ERRORS as error:
            if connection.seconds_left <= 0:
                raise RelayFault(connection.timeout_sentence) from None
            raise _ConnectionLost from error
        try:
            connection.send(_without_lone_dots(message) + b".\r\n")
            code, answer = connection.getreply()
        except ERRORS:
            return self._unconfirmed(connection)
        return _outcome("the mail", code, answer)

    def _prepare(
        self, connection: SmtpConnection, message: bytes, recipient: str
    ) -> Outcome | None:
        """Say from whom and to whom the mail is; return why the relay refuses it."""
        options = [f"SIZE={len(message)}"] if connection.has_extn("size") else []
        if not recipient.isascii():
            if not connection.has_extn("smtputf8"):
                return _failed(
                    "The relay does not offer SMTPUTF8, which this address needs.",
                    is_permanent=True,
                )
            options += ["SMTPUTF8", "BODY=8BITMIME"]
        # It ends what the mail before left, and shows whether the relay is still there.
        _still_open(connection.rset())
        code, answer = _still_open(connection.mail(self._sender.address, options))
        if code != OK:
            return _outcome("the sender", code, answer)
        code, answer = _still_open(connection.rcpt(recipient))
        if code not in (OK, WILL_FORWARD):
            return _outcome("the address", code, answer)
        code, answer = _still_open(connection.docmd("DATA"))
        return None if code == GO_AHEAD else _outcome("the mail", code, answer)

    def _unconfirmed(self, connection: SmtpConnection) -> Outcome:
        """Return the outcome of a mail that the relay may or may not have."""
        if connection.seconds_left <= 0:
            self._fault = _failed(connection.timeout_sentence)
        self._disconnect()
        return Outcome(
            is_delivered=False,
            answer="The relay received the mail but did not confirm it. It is sent"
            " again with the same Message-ID, and may arrive twice.",
            is_unconfirmed=True,
        )


class _ConnectionLost(Exception):
    """The relay has closed the connection, perhaps with an answer."""

    def __init__(self, code: int | None = None, answer: str = "") -> None:
        super().__init__(answer)
        self.code, self.answer = code, answer


def _still_open(reply: tuple[int, bytes]) -> tuple[int, bytes]:
    code, answer = reply
    if code == CLOSING:
        raise _ConnectionLost(code, f": {_text(code, answer)}")
    return reply


def _outcome(refused: str, code: int, answer: bytes) -> Outcome:
    """Return what the relay's answer means; `refused` is what it was about."""
    text = _text(code, answer)
    if code == OK:
        return Outcome(is_delivered=True, status_code=code, answer=text)
    if 400 <= code < 500:
        return _failed(f"The relay asks to try again later: {text}.", code)
    if not 500 <= code < 600:
        return _failed("The relay gave an answer that is not SMTP.")
    is_of_relay = code in _OF_THE_RELAY or _OF_OTHERS.match(text.partition(" ")[2])
    if refused == "the sender" or is_of_relay:
        return _failed(
            f"The relay refused {refused}: {text}. Check the relay and its settings,"
            " not the subscription.",
            code,
        )
    return _failed(f"The relay refused {refused}: {text}.", code, is_permanent=True)


def _failed(
    answer: str, code: int | None = None, is_permanent: bool = False
) -> Outcome:
    return Outcome(
        is_delivered=False, status_code=code, answer=answer, is_permanent=is_permanent
    )


def _text(code: int, answer: bytes) -> str:
    text = " ".join(answer.decode(errors="replace").split())
    return f"{code} {text}".rstrip(". ")


def _readable(answer: str, addresses: Collection[str]) -> str:
    """Return the answer without the address, which is kept longer than the address."""
    for address in addresses:
        answer = re.sub(re.escape(address), "…", answer, flags=re.IGNORECASE)
    return escape_line(answer)[:MAX_ANSWER]


def _without_lone_dots(message: bytes) -> bytes:
    """Return the mail with dots doubled that begin a line, as SMTP requires."""
    return re.sub(rb"(?m)^\.", b"..", message)
