"""Check one target: does it respond as expected, and how fast."""

from collections.abc import Callable, Mapping
from datetime import datetime
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from dns.exception import DNSException, Timeout
from dns.resolver import Resolver

from api.client.deadline import Deadline
from api.client.http_request import (
    REQUEST_ERRORS,
    HttpRequest,
    HttpResponse,
    send_request,
)
from api.client.targets import (
    DnsTarget,
    HttpTarget,
    ProbeTarget,
    TcpTarget,
    is_http_url,
)
from models.status.measurements.measurements import StatusMeasurement
from models.status.state import MeasurementStatus

_DAY_SECONDS = 86_400
_MAX_RESPONSE_MS = 600_000


class CheckResult(NamedTuple):
    """The measurement of a target, and the reason if it is not operational."""

    target: ProbeTarget
    measurement: StatusMeasurement
    reason: str | None


class UnexpectedResponse(Exception):
    """The target responded, but not as expected; the message says how."""


def check_with_retries(
    target: ProbeTarget,
    clock: Callable[[], datetime],
    wait: Callable[[float], bool],
) -> CheckResult | None:
    """
    Check a target, and retry before it is reported as down.

    `wait` waits for a number of seconds and returns whether the probe was stopped
    meanwhile. In that case return None, because one failed check is not enough.
    """
    result = check_target(target, clock())
    for _ in range(target.retries):
        if result.measurement.status != "down":
            break
        if wait(target.retry_pause_seconds):
            return None
        result = check_target(target, clock())
    return result


def check_target(target: ProbeTarget, now: datetime) -> CheckResult:
    """Check a target once; any network error means that it is down."""
    started = monotonic()
    status: MeasurementStatus = "operational"
    response_ms: int | None
    deadline = Deadline(target.timeout_seconds)
    try:
        with deadline:
            reason = _check(target, now, deadline)
            response_ms = _elapsed_ms(started)
    except UnexpectedResponse as error:
        status, response_ms, reason = "down", _elapsed_ms(started), str(error)
    except (*REQUEST_ERRORS, DNSException) as error:
        status, response_ms, reason = "down", None, deadline.describe(error)
    else:
        limit = target.degraded_above_ms
        if limit is not None and response_ms > limit:
            reason = f"took {response_ms} ms, more than {limit} ms"
        status = "degraded" if reason else "operational"
    measurement = StatusMeasurement(
        slug=target.service,
        status=status,
        response_time_ms=response_ms,
        observed_at=now,
    )
    return CheckResult(target, measurement, reason)


def _elapsed_ms(started: float) -> int:
    return min(round((monotonic() - started) * 1000), _MAX_RESPONSE_MS)


def _check(target: ProbeTarget, now: datetime, deadline: Deadline) -> str | None:
    """Return why the target is degraded, if it is; raise an error if it is down."""
    if isinstance(target, HttpTarget):
        return _check_http(target, now, deadline)
    if isinstance(target, TcpTarget):
        deadline.connect(target.host, target.port).close()
    else:
        _check_dns(target, deadline)
    return None


def _check_http(target: HttpTarget, now: datetime, deadline: Deadline) -> str | None:
    """Send the request, follow redirects, and check the last response."""
    url, days_left = target.url, float("inf")
    for redirects_left in range(target.max_redirects, -1, -1):
        response = send_request(_request(target, url), deadline)
        if response.certificate_expires_at is not None:
            seconds_left = response.certificate_expires_at - now.timestamp()
            days_left = min(days_left, seconds_left / _DAY_SECONDS)
        if not response.location or not target.max_redirects:
            break
        if not redirects_left:
            raise UnexpectedResponse(
                f"redirected more than {target.max_redirects} times"
            )
        url = _redirect_url(url, response.location)
    _check_response(target, response)
    if days_left < target.certificate_days:
        return f"the certificate expires in {days_left:.1f} days"
    return None


def _redirect_url(url: str, location: str) -> str:
    try:
        redirect_url = urljoin(url, location)
    except ValueError:
        redirect_url = location
    if not is_http_url(redirect_url):
        raise UnexpectedResponse(f"redirected to {redirect_url[:200]}")
    return redirect_url


def _request(target: HttpTarget, url: str) -> HttpRequest:
    # The headers may contain credentials, so they are not sent to another origin.
    is_same_origin = urlsplit(url)[:2] == urlsplit(target.url)[:2]
    headers: Mapping[str, str] = target.headers if is_same_origin else {}
    return HttpRequest(
        url,
        method=target.method,
        headers=headers,
        max_body_bytes=target.max_bytes,
        ca_file=target.ca_file,
    )


def _check_response(target: HttpTarget, response: HttpResponse) -> None:
    if not target.accepts(response.status):
        expected = ", ".join(target.status)
        raise UnexpectedResponse(f"answered {response.status} instead of {expected}")
    if target.contains and target.contains.encode() not in response.body:
        raise UnexpectedResponse(
            f"the text is not in the first {len(response.body)} bytes"
        )


def _check_dns(target: DnsTarget, deadline: Deadline) -> None:
    resolver = Resolver(configure=target.server is None)
    if target.server:
        resolver.nameservers = [target.server]
    resolver.port = target.port
    lifetime = deadline.seconds_left()
    try:
        answer = resolver.resolve(
            target.name, target.record, lifetime=lifetime, search=False
        )
    except Timeout as error:
        raise TimeoutError from error
    records = [_normalized(record) for record in answer]
    if target.expected and _normalized(target.expected) not in records:
        raise UnexpectedResponse(f"resolves to {', '.join(records)[:200]}")


def _normalized(record: Any) -> str:
    """Return the text of a record without final dot and quotes, in lower case."""
    return str(record).strip('"').rstrip(".").lower()
