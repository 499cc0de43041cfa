"""A look at one target: is it as it should be, and how long did that take."""

from collections.abc import Callable, Mapping
from datetime import datetime
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from dns.exception import DNSException, Timeout
from dns.resolver import Resolver

from api.client.deadline import Deadline
from api.client.http_request import FAILURES, Question, Response, ask
from api.client.targets import AnyTarget, DnsTarget, HttpTarget, TcpTarget, is_address
from models.status.measurements.measurements import StatusMeasurement
from models.status.state import MeasurementStatus

_DAY = 86_400


class Look(NamedTuple):
    """What a look at one target found: a measurement, and why it is not better."""

    target: AnyTarget
    measurement: StatusMeasurement
    why: str | None


class Wrong(Exception):
    """The target answered, and not as it should; the text says what was wrong."""


def measure(
    target: AnyTarget, clock: Callable[[], datetime], rest: Callable[[float], bool]
) -> Look | None:
    """
    Look at a target, and again before it is called down.

    `rest` waits for so many seconds and tells whether it was woken to end; then
    nothing is said, since one look does not make a target down.
    """
    found = look(target, clock())
    for _ in range(target.retries):
        if found.measurement.status != "down":
            break
        if rest(target.retry_pause_seconds):
            return None
        found = look(target, clock())
    return found


def look(target: AnyTarget, now: datetime) -> Look:
    """Look once; whatever goes wrong on the way is the target's state."""
    started = monotonic()
    status: MeasurementStatus = "operational"
    ms: int | None
    deadline = Deadline(target.timeout_seconds)
    try:
        with deadline:
            why = _found_at(target, now, deadline)
            ms = _ms(started)
    except Wrong as wrong:
        status, ms, why = "down", _ms(started), str(wrong)
    except (*FAILURES, DNSException) as error:
        status, ms, why = "down", None, deadline.told(error)
    else:
        limit = target.degraded_above_ms
        if limit is not None and ms > limit:
            why = f"took {ms} ms, more than {limit} ms"
        status = "degraded" if why else "operational"
    measurement = StatusMeasurement(
        slug=target.service, status=status, response_time_ms=ms, observed_at=now
    )
    return Look(target, measurement, why)


def _ms(started: float) -> int:
    return min(round((monotonic() - started) * 1000), 600_000)


def _found_at(target: AnyTarget, now: datetime, deadline: Deadline) -> str | None:
    """Return why the target is degraded, if it is; raise when it is down."""
    if isinstance(target, HttpTarget):
        return _http(target, now, deadline)
    if isinstance(target, TcpTarget):
        deadline.connect(target.host, target.port).close()
    else:
        _dns(target, deadline)
    return None


def _http(target: HttpTarget, now: datetime, deadline: Deadline) -> str | None:
    """Ask, go where the answers lead, and judge the last."""
    url, days = target.url, float("inf")
    for left in range(target.max_redirects, -1, -1):
        answer = ask(_question(target, url), deadline)
        if answer.holds_until is not None:
            days = min(days, (answer.holds_until - now.timestamp()) / _DAY)
        if not answer.location or not target.max_redirects:
            break
        if not left:
            raise Wrong(f"redirected more than {target.max_redirects} times")
        url = _joined(url, answer.location)
    _judge(target, answer)
    if days < target.certificate_days:
        return f"the certificate ends in {days:.1f} days"
    return None


def _joined(url: str, location: str) -> str:
    try:
        found = urljoin(url, location)
    except ValueError:
        found = location
    if not is_address(found):
        raise Wrong(f"redirected to {found[:200]}")
    return found


def _question(target: HttpTarget, url: str) -> Question:
    """What is told to the target is told to nobody that it sends us to."""
    is_own = urlsplit(url)[:2] == urlsplit(target.url)[:2]
    headers: Mapping[str, str] = target.headers if is_own else {}
    return Question(
        url,
        method=target.method,
        headers=headers,
        most=target.max_bytes,
        ca_file=target.ca_file,
    )


def _judge(target: HttpTarget, answer: Response) -> None:
    if not target.expects(answer.status):
        expected = ", ".join(target.status)
        raise Wrong(f"answered {answer.status} instead of {expected}")
    if target.contains and target.contains.encode() not in answer.body:
        raise Wrong(f"the text is not in the first {len(answer.body)} bytes")


def _dns(target: DnsTarget, deadline: Deadline) -> None:
    resolver = Resolver(configure=target.server is None)
    if target.server:
        resolver.nameservers = [target.server]
    resolver.port = target.port
    left = deadline.left()
    try:
        answer = resolver.resolve(
            target.name, target.record, lifetime=left, search=False
        )
    except Timeout as error:
        raise TimeoutError from error
    found = [_plain(each) for each in answer]
    if target.expected and _plain(target.expected) not in found:
        raise Wrong(f"resolves to {', '.join(found)[:200]}")


def _plain(record: Any) -> str:
    """Return a record as people write it: no final dot, no quotes, lower case."""
    return str(record).strip('"').rstrip(".").lower()
