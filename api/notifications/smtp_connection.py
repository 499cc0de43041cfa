"""Connect to a mail relay: encrypted, logged in, and with limits for each step."""

import smtplib
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader, RawIOBase
from pathlib import Path
from time import monotonic
from typing import Any

from models.notifications.addresses.mail_relay import MailRelay, may_be_unencrypted

OK = 250
# For all replies to one mail, or while connecting.
MAX_REPLY_BYTES = 65_536
ERRORS = (smtplib.SMTPException, OSError)


class RelayFault(Exception):
    """The relay or its settings prevent every mail; the message is a sentence."""

    def __init__(self, reason: str, code: int | None = None) -> None:
        super().__init__(reason)
        self.code = code


class SmtpConnection(smtplib.SMTP):
    """
    A connection to the relay that is ready for mails.

    `tls` verifies the relay's certificate. `local_name` is the domain by which we
    introduce ourselves: looking up the name of this machine could take seconds.
    """

    def __init__(
        self,
        relay: MailRelay,
        *,
        networks: Sequence[str],
        password_file: str,
        tls: ssl.SSLContext,
        local_name: str,
        seconds: float,
    ) -> None:
        self._relay, self._networks, self._tls = relay, networks, tls
        self.allow(seconds)
        try:
            super().__init__(relay.host, relay.port, local_name, timeout=seconds)
            self._greet()
            if relay.security == "starttls":
                self._start_tls()
            if relay.user:
                self._log_in(password_file)
        except BaseException as error:
            self.close()
            if isinstance(error, ERRORS):
                raise RelayFault(self._describe(error), _code_of(error)) from error
            raise

    def allow(self, seconds: float) -> None:
        """Give what follows so much time, and replies so many bytes."""
        self._seconds, self._ends_at = seconds, monotonic() + seconds
        self.bytes_left = MAX_REPLY_BYTES
        if self.sock:
            self.sock.settimeout(seconds)

    @property
    def seconds_left(self) -> float:
        return self._ends_at - monotonic()

    @property
    def timeout_sentence(self) -> str:
        return f"The relay did not answer within {self._seconds:g} s."

    def connect(
        self,
        host: str = "",
        port: int = 0,
        source_address: Any = None,  # noqa: ARG002  (as in the base class)
    ) -> tuple[int, bytes]:
        """Connect to the first address that accepts; called by the base class."""
        connection = self._connection_to(host, port)
        if self._relay.security == "tls":
            connection = self._tls.wrap_socket(connection, server_hostname=host)
        self.sock, self.file = connection, None
        return self.getreply()

    def getreply(self) -> tuple[int, bytes]:
        """Read a reply; one that arrives byte by byte ends at the deadline, too."""
        if self.file is None and self.sock:
            self.file = BufferedReader(_TimedReader(self))
        return super().getreply()

    def end(self, seconds: float) -> None:
        """Say goodbye, if the relay still listens."""
        with suppress(*ERRORS):
            self.allow(seconds)
            self.quit()
        self.close()

    def _connection_to(self, host: str, port: int) -> socket.socket:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(info[4][0]) for info in found]
        if self._relay.security == "plain":
            addresses = [
                each for each in addresses if may_be_unencrypted(each, self._networks)
            ]
        last_error: OSError | None = None
        for index, address in enumerate(addresses):
            # Each address gets its share: a dead one leaves time for the others.
            seconds = max(0.001, self.seconds_left / (len(addresses) - index))
            try:
                connection = socket.create_connection((address, port), seconds)
            except OSError as error:
                last_error = error
                continue
            connection.settimeout(max(0.001, self.seconds_left))
            return connection
        raise last_error or RelayFault(
            f"{host} has no address on this machine or in MASTHEAD_NOTIFY_NETWORKS, so"
            " mails would leave it unencrypted. Use smtp:// or smtps://."
        )

    def _greet(self) -> None:
        code, answer = self.ehlo()
        if code != OK:
            raise smtplib.SMTPResponseException(code, answer)

    def _start_tls(self) -> None:
        if not self.has_extn("starttls"):
            raise RelayFault(
                "The relay does not offer STARTTLS, without which nothing is sent to"
                " smtp://. Use smtps:// if it expects TLS from the start."
            )
        self.starttls(context=self._tls)
        self._greet()

    def _log_in(self, password_file: str) -> None:
        try:
            # Read each time, so that a new password needs no restart.
            password = Path(password_file).read_text(encoding="ascii").strip("\r\n")
        except UnicodeError:
            raise RelayFault(
                "The password in MASTHEAD_SMTP_PASSWORD_FILE must be ASCII."
            ) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name is not valid"
            raise RelayFault(
                f"MASTHEAD_SMTP_PASSWORD_FILE cannot be read: {reason}."
            ) from None
        try:
            self.login(self._relay.user, password)
        except smtplib.SMTPAuthenticationError as error:
            raise RelayFault(
                f"The relay refused the login: {_reply(error)}.", error.smtp_code
            ) from None
        except smtplib.SMTPNotSupportedError:
            raise RelayFault(
                "The relay does not offer a login. Remove the user from MASTHEAD_SMTP."
            ) from None

    def _describe(self, error: BaseException) -> str:
        if self.seconds_left <= 0 or isinstance(error, TimeoutError):
            return self.timeout_sentence
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"The relay's certificate is not trusted: {error.verify_message}."
        if isinstance(error, ssl.SSLError):
            return "The relay does not speak TLS as expected; check scheme and port."
        if isinstance(error, socket.gaierror):
            return f"The relay's name {self._relay.host} does not resolve."
        if isinstance(error, smtplib.SMTPResponseException):
            if not 100 <= error.smtp_code < 600:
                return "What answers is not a mail relay; check host and port."
            return f"The relay refused the connection: {_reply(error)}."
        if isinstance(error, OSError) and error.strerror:
            return f"The relay cannot be reached: {error.strerror}."
        return "The relay closed the connection before it was ready for mails."


class _TimedReader(RawIOBase):
    """Reads from the socket of a connection until the connection's time is over."""

    def __init__(self, connection: SmtpConnection) -> None:
        self._connection, self._socket = connection, connection.sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        seconds = self._connection.seconds_left
        if seconds <= 0 or self._socket is None:
            raise TimeoutError
        self._socket.settimeout(seconds)
        length = self._socket.recv_into(buffer)
        self._connection.bytes_left -= length
        # As if the relay had ended the connection.
        return length if self._connection.bytes_left >= 0 else 0


def _code_of(error: BaseException) -> int | None:
    code: int | None = getattr(error, "smtp_code", None)
    return code if code and code > 0 else None


def _reply(error: smtplib.SMTPResponseException) -> str:
    text = error.smtp_error
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    return f"{error.smtp_code} {' '.join(said.split())}".rstrip(". ")
