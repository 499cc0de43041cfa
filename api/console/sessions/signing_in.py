"""
Sign people in to the console: by an API key, or by a proxy that has authenticated them.

Everything but who somebody is follows from the key, which is read at each request.
"""

import logging
import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from ipaddress import ip_address, ip_network

from api.console.sessions.session_cookie import cookie_name
from api.http.authentication import Credentials, act_for_person, key_credentials
from api.http.clients import client_address, client_networks
from api.http.dispatch import Dispatcher
from api.http.request import Request
from api.operation import Caller
from models.errors import (
    InvalidKey,
    RateLimited,
    Refusal,
    StorageBusy,
    ValidationFailed,
)
from models.logs import LogLine
from models.platform.console_sessions import (
    end_session,
    end_sessions_like,
    find_session,
    needs_renewal,
    renew_session,
    start_session,
)
from models.platform.rate_limits import Rate, RateLimiter
from models.platform.secrets import Secret, is_well_formed
from models.settings import SettingError, Settings
from models.storage.database import independent_reads, writing
from models.storage.write_locks import WriteLock

# The form of a session's token.
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
# Wrong keys of one client.
WRONG_KEY_RATE = Rate(capacity=10, refill=10 / 60)
MAX_KEY_FILE_CHARACTERS = 1000

log = logging.getLogger("masthead.sign-ins")


class TooManyWrongKeys(RateLimited):
    """A client has tried too many keys that there are not."""


class InvalidPerson(ValidationFailed):
    """What should be the address of a person is none."""


@dataclass(frozen=True)
class SignedIn:
    """Somebody who is signed in; `person` is an e-mail address, if one is known."""

    caller: Caller
    person: str | None
    is_by_proxy: bool

    @property
    def identity(self) -> str:
        """Return what distinguishes them: the key, and the person who acts by it."""
        return f"{self.caller.lineage} {self.person or ''}".rstrip()

    @property
    def mark(self) -> str:
        """Return a digest of the identity, which forms carry: who filled them in."""
        return sha256(self.identity.encode()).hexdigest()[:16]


class SignIn:
    """Starts and ends sessions, and finds who has made a request."""

    def __init__(
        self,
        settings: Settings,
        dispatcher: Dispatcher,
        rate_limiter: RateLimiter,
    ) -> None:
        self._settings = settings
        self._dispatcher = dispatcher
        self._rate_limiter = rate_limiter
        self._proxies = [ip_network(n) for n in settings.console_trusted_proxies]

    def start(self, request: Request, secret: str, person: str, now: datetime) -> str:
        """
        Start a session under the key, and return its token; the log has who tried to.

        Raise what refuses the key, ActorNotAllowed if it may not act for a person, and
        RateLimited if the client has tried too many wrong ones.
        """
        secret, person = secret.strip(), person.strip()
        line = {
            "event": "sign-in",
            "key": Secret(secret).prefix if is_well_formed(secret) else None,
            "client": client_address(request),
            "request": request.id,
        }
        try:
            token = self._start(request, secret, person, now)
        except Refusal as refusal:
            log.warning(LogLine(**line, refused=refusal.kind))
            raise
        log.info(LogLine(**line, person=person or None))
        return token

    def _start(self, request: Request, secret: str, person: str, now: datetime) -> str:
        try:
            with independent_reads():
                credentials = key_credentials(secret)
                caller = self._dispatcher.authenticate(request, now, credentials)
        except InvalidKey:
            self._limit_wrong_keys(request)
            raise
        if person:
            _check_person(caller, person)
        with writing(WriteLock.PLATFORM):
            # Signing in again leaves no session behind that nobody has.
            if former := session_token(request):
                end_session(former)
            return start_session(caller.key_id, person or None, now)

    def find(self, request: Request, now: datetime) -> SignedIn | None:
        """
        Return who has made the request; None if nobody is signed in.

        Raise what refuses the key, if it was revoked or has expired.
        """
        with independent_reads():
            if signed_in := self._by_proxy(request, now):
                return signed_in
            token = session_token(request)
            return self._by_token(request, token, now) if token else None

    def find_started(self, request: Request, token: str, now: datetime) -> SignedIn:
        """Return who has just started a session, whose cookie comes only next time."""
        signed_in = self._by_token(request, token, now)
        assert signed_in is not None
        return signed_in

    def end(self, request: Request) -> None:
        if token := session_token(request):
            with writing(WriteLock.PLATFORM):
                end_session(token)

    def end_all(self, request: Request, now: datetime) -> None:
        """End all sessions of the session's key, which may have been revoked."""
        if token := session_token(request):
            with writing(WriteLock.PLATFORM):
                end_sessions_like(token, now)

    def _by_proxy(self, request: Request, now: datetime) -> SignedIn | None:
        settings = self._settings
        name, file = settings.console_trusted_header, settings.console_key_file
        if not (name and file and self._is_trusted(request)):
            return None
        person = request.headers.get(name)
        if not person:
            return None
        credentials = key_credentials(read_proxy_key(file))
        caller = self._dispatcher.authenticate(request, now, credentials)
        _check_person(caller, person)
        return SignedIn(caller, person, is_by_proxy=True)

    def is_by_proxy(self, request: Request) -> bool:
        """Return whether a proxy says who has made the request."""
        name = self._settings.console_trusted_header
        return bool(name and request.headers.get(name)) and self._is_trusted(request)

    def _is_trusted(self, request: Request) -> bool:
        try:
            address = ip_address(request.client_address)
        except ValueError:
            return False
        return any(address in network for network in self._proxies)

    def credential_of(self, request: Request) -> str | None:
        """Return what may identify who has made the request, without asking for it."""
        if self.is_by_proxy(request):
            name = self._settings.console_trusted_header
            return f"{name} {request.headers.get(name)}"
        return session_token(request)

    def _by_token(self, request: Request, token: str, now: datetime) -> SignedIn | None:
        session = find_session(token, now)
        if session is None:
            return None
        credentials = Credentials(session.key_hash, token)
        caller = self._dispatcher.authenticate(request, now, credentials)
        if needs_renewal(session, now):
            try:
                with writing(WriteLock.PLATFORM):
                    renew_session(session, now)
            except StorageBusy:
                # Pages can be read while nothing can be written.
                pass
        return SignedIn(caller, session.person, is_by_proxy=False)

    def _limit_wrong_keys(self, request: Request) -> None:
        name = f"sign-in {client_networks(client_address(request))[0]}"
        decision = self._rate_limiter.take_token(name, WRONG_KEY_RATE)
        if not decision.allowed:
            raise TooManyWrongKeys(
                "Too many wrong keys were tried.", retryAfter=decision.retry_after
            )


def _check_person(caller: Caller, person: str) -> None:
    """Raise what refuses the person in each operation, for pages that call none."""
    try:
        act_for_person(caller, {"Act-As-Email": person})
    except ValidationFailed:
        raise InvalidPerson("The email address is invalid.") from None


def session_token(request: Request) -> str | None:
    """
    Return the token in the cookie of the session, None if there is none.

    The standard library takes time in the square of a quoted value's length, and reads
    no cookie behind an odd one, which any site of the same domain can set.
    """
    name = cookie_name(request)
    for cookie in (request.headers.get("Cookie") or "").split(";"):
        key, _, value = cookie.strip().partition("=")
        if key == name and TOKEN.fullmatch(value):
            return value
    return None


def read_proxy_key(path: str) -> str:
    """Return the key by which people act whom a proxy has signed in."""
    try:
        with open(path, encoding="ascii") as file:
            key = file.read(MAX_KEY_FILE_CHARACTERS).strip()
    except OSError as error:
        raise _unreadable(error.strerror or "It is no file") from error
    except UnicodeError:
        raise _unreadable("It is not ASCII") from None
    if not is_well_formed(key):
        raise _unreadable("It has no API key, or one that is mistyped")
    return key


def _unreadable(reason: str) -> SettingError:
    return SettingError(
        f"The console's key file, MASTHEAD_CONSOLE_KEY_FILE, cannot be read: {reason}."
    )
