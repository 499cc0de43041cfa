"""What a probe can look at: the shapes of the targets in its file."""

import ipaddress
import re
import ssl
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from models.base import Schema
from models.fields import SingleLine, StatusSlug

_STATUS = r"[1-5][0-9]{2}"
RECORDS = Literal["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT"]


class Part(Schema):
    """A table of the file: its members are written in snake_case, as TOML's are."""

    model_config = ConfigDict(alias_generator=None)


def _beside(value: str, info: ValidationInfo) -> str:
    assert isinstance(info.context, Path)
    return str(info.context / value)


def _readable(value: str) -> str:
    try:
        ssl.create_default_context(cafile=value)
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror or "it is not PEM"
        raise ValueError(f"{value} gives no certificates: {reason}.") from None
    return value


def is_address(url: str) -> bool:
    """Tell whether it can be asked over HTTP."""
    try:
        found = parse_url(url)
    except LocationParseError:
        return False
    return found.scheme in ("http", "https") and bool(found.host)


def _address(value: str) -> str:
    if not is_address(value):
        raise ValueError("Must be an address such as https://api.example.com/health.")
    if parse_url(value).auth:
        raise ValueError("Must not hold a name or password: they are sent in headers.")
    return value


def _range(value: object) -> str:
    text = str(value)
    if not re.fullmatch(rf"{_STATUS}(-{_STATUS})?", text, re.ASCII):
        raise ValueError('Must be a status such as 200, or a range such as "200-299".')
    low, _, high = text.partition("-")
    # No status is within a reversed range, so the target would be down for ever.
    if high and high < low:
        raise ValueError(f'Must begin with the lower status: "{high}-{low}".')
    return text


def _header(value: str) -> str:
    if not re.fullmatch(r"[\x20-\x7e]*", value):
        raise ValueError("Must be visible ASCII on one line.")
    return value


def _server(value: str) -> str:
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise ValueError("Must be an IP address, such as 192.0.2.53.") from None


# A path that is not absolute begins where the file lies.
Beside = Annotated[str, Field(min_length=1), AfterValidator(_beside)]
Certificates = Annotated[Beside, AfterValidator(_readable)]
Address = Annotated[str, AfterValidator(_address)]
Host = Annotated[str, Field(pattern=r"^[^\s/]{1,253}$")]
Port = Annotated[int, Field(ge=1, le=65_535)]


class Rhythm(Part):
    """What stands at the top of the file for all targets, or with one for itself."""

    source: StatusSlug
    interval_seconds: Annotated[float, Field(ge=1, le=86_400)] = 60
    timeout_seconds: Annotated[float, Field(ge=0.1, le=60)] = 10
    retries: Annotated[int, Field(ge=0, le=10)] = 1
    retry_pause_seconds: Annotated[float, Field(ge=0, le=60)] = 2
    degraded_above_ms: Annotated[int, Field(ge=1, le=60_000)] | None = None


class Target(Rhythm):
    """What all kinds have in common."""

    service: StatusSlug


class HttpTarget(Target):
    """An address that answers over HTTP as it should."""

    kind: Literal["http"]
    url: Address
    method: Literal["GET", "HEAD"] = "GET"
    headers: dict[
        Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")],
        Annotated[str, AfterValidator(_header)],
    ] = {}
    status: Annotated[
        list[Annotated[str, BeforeValidator(_range)]], Field(min_length=1)
    ] = ["200-299"]
    contains: Annotated[str, Field(min_length=1, max_length=1000)] | None = None
    max_bytes: Annotated[int, Field(ge=1, le=16 << 20)] = 1 << 20
    max_redirects: Annotated[int, Field(ge=0, le=20)] = 0
    certificate_days: Annotated[int, Field(ge=0, le=365)] = 14
    ca_file: Certificates | None = None

    @model_validator(mode="after")
    def _has_a_body(self) -> Self:
        if self.contains and self.method == "HEAD":
            raise ValueError("contains needs the method GET: HEAD brings no body.")
        return self

    def expects(self, status: int) -> bool:
        ranges = (each.partition("-") for each in self.status)
        return any(int(low) <= status <= int(high or low) for low, _, high in ranges)


class TcpTarget(Target):
    """A port that takes connections."""

    kind: Literal["tcp"]
    host: Host
    port: Port


class DnsTarget(Target):
    """A name that resolves."""

    kind: Literal["dns"]
    name: Annotated[str, Field(min_length=1, max_length=255), SingleLine]
    record: RECORDS = "A"
    expected: Annotated[str, Field(min_length=1, max_length=1000)] | None = None
    server: Annotated[str, AfterValidator(_server)] | None = None
    port: Port = 53


AnyTarget = Annotated[HttpTarget | TcpTarget | DnsTarget, Field(discriminator="kind")]
