"""Define the options of the probe's targets: HTTP, TCP and DNS."""

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


class ConfigTable(Schema):
    """A table of the file; unlike JSON fields, its options are in snake_case."""

    model_config = ConfigDict(alias_generator=None)


def _resolve_path(value: str, info: ValidationInfo) -> str:
    assert isinstance(info.context, Path)
    return str(info.context / value)


def _require_certificates(value: str) -> str:
    try:
        ssl.create_default_context(cafile=value)
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror or "it is not PEM"
        raise ValueError(f"{value} contains no certificates: {reason}.") from None
    return value


def is_http_url(text: str) -> bool:
    try:
        url = parse_url(text)
    except LocationParseError:
        return False
    return url.scheme in ("http", "https") and bool(url.host)


def _require_http_url(value: str) -> str:
    if not is_http_url(value):
        raise ValueError("Must be a URL such as https://api.example.com/health.")
    if parse_url(value).auth:
        raise ValueError("Must not contain a user name or password: use headers.")
    return value


def _parse_status_range(value: object) -> str:
    text = str(value)
    if not re.fullmatch(rf"{_STATUS}(-{_STATUS})?", text, re.ASCII):
        raise ValueError('Must be a status such as 200, or a range such as "200-299".')
    low, _, high = text.partition("-")
    # A reversed range contains no status, so the target would always be down.
    if high and high < low:
        raise ValueError(f'Must begin with the lower status: "{high}-{low}".')
    return text


def _require_header_value(value: str) -> str:
    if not re.fullmatch(r"[\x20-\x7e]*", value):
        raise ValueError("Must be printable ASCII on one line.")
    return value


def _parse_ip_address(value: str) -> str:
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise ValueError("Must be an IP address, such as 192.0.2.53.") from None


# A relative path is resolved from the folder of the configuration file.
FilePath = Annotated[str, Field(min_length=1), AfterValidator(_resolve_path)]
CaFile = Annotated[FilePath, AfterValidator(_require_certificates)]
HttpUrl = Annotated[str, AfterValidator(_require_http_url)]
Host = Annotated[str, Field(pattern=r"^[^\s/]{1,253}$")]
Port = Annotated[int, Field(ge=1, le=65_535)]


class InheritedOptions(ConfigTable):
    """Options that targets inherit from the top of the file and can override."""

    source: StatusSlug
    interval_seconds: Annotated[float, Field(ge=1, le=86_400)] = 60
    timeout_seconds: Annotated[float, Field(ge=0.1, le=60)] = 10
    retries: Annotated[int, Field(ge=0, le=10)] = 1
    retry_pause_seconds: Annotated[float, Field(ge=0, le=60)] = 2
    degraded_above_ms: Annotated[int, Field(ge=1, le=60_000)] | None = None


class TargetOptions(InheritedOptions):
    """The options of every target."""

    service: StatusSlug


class HttpTarget(TargetOptions):
    """A URL that must respond as expected."""

    kind: Literal["http"]
    url: HttpUrl
    method: Literal["GET", "HEAD"] = "GET"
    headers: dict[
        Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")],
        Annotated[str, AfterValidator(_require_header_value)],
    ] = {}
    status: Annotated[
        list[Annotated[str, BeforeValidator(_parse_status_range)]],
        Field(min_length=1),
    ] = ["200-299"]
    contains: Annotated[str, Field(min_length=1, max_length=1000)] | None = None
    max_bytes: Annotated[int, Field(ge=1, le=16 << 20)] = 1 << 20
    max_redirects: Annotated[int, Field(ge=0, le=20)] = 0
    certificate_days: Annotated[int, Field(ge=0, le=365)] = 14
    ca_file: CaFile | None = None

    @model_validator(mode="after")
    def _require_body(self) -> Self:
        if self.contains and self.method == "HEAD":
            raise ValueError(
                "contains requires the method GET: a response to HEAD has no body."
            )
        return self

    def accepts(self, status: int) -> bool:
        ranges = (text.partition("-") for text in self.status)
        return any(int(low) <= status <= int(high or low) for low, _, high in ranges)


class TcpTarget(TargetOptions):
    """A port that must accept connections."""

    kind: Literal["tcp"]
    host: Host
    port: Port


class DnsTarget(TargetOptions):
    """A name that must resolve."""

    kind: Literal["dns"]
    name: Annotated[str, Field(min_length=1, max_length=255), SingleLine]
    record: RECORDS = "A"
    expected: Annotated[str, Field(min_length=1, max_length=1000)] | None = None
    server: Annotated[str, AfterValidator(_parse_ip_address)] | None = None
    port: Port = 53


ProbeTarget = Annotated[HttpTarget | TcpTarget | DnsTarget, Field(discriminator="kind")]
