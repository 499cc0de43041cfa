"""Every setting once: name, default, unit and help."""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from ipaddress import ip_address
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from models.storage.engines.engine import is_served

PREFIX = "MASTHEAD_"
# An empty name of a file or folder would mean the folder we were started in.
SOMETHING = r"[^\x00-\x1f]+"
ADDRESS = r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
# The address of a database server; other signs in its parts are written as %40.
_PART = r"([^\s:@/?#%]|%[0-9A-Fa-f]{2})*"
_MORE = r"[a-z_]+=[^\s&]*"
_HOSTS = r"[A-Za-z0-9._,:%\[\]-]*"
SERVED = (
    rf"postgres(ql)?://({_PART}(:{_PART})?@)?{_HOSTS}(/{_PART})?(\?{_MORE}(&{_MORE})*)?"
)
# What a bucket may be called, and after it what its keys begin with.
BUCKET = r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?"
_HOST = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
_SEGMENT = r"[a-z0-9][a-z0-9._-]*"
NIL_UUID = "00000000-0000-0000-0000-000000000000"

PUBLIC_READS = (
    "status:services:list",
    "status:services:get",
    "status:uptime:get",
    "status:incidents:list",
    "status:incidents:get",
    "status:maintenance:list",
    "status:maintenance:get",
)


class SettingError(ValueError):
    """A setting whose value cannot be used; the text names it and says why."""


def setting(default: Any, help: str, **limits: Any) -> Any:
    """Declare one setting; `limits` may hold least, most, choices and pattern."""
    is_shown = limits.pop("is_shown", True)
    return field(default=default, repr=is_shown, metadata={"help": help, **limits})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The one instance is built by app.py and passed down."""

    # Not to be shown where settings are: an address may have a password.
    database: str = setting(
        "data/masthead.db",
        "the SQLite file, or a postgresql:// address",
        pattern=SOMETHING,
        is_shown=False,
    )
    output: str = setting(
        "output", "the folder the site is built into", pattern=SOMETHING
    )
    host: str = setting("127.0.0.1", "the address to listen on", pattern=SOMETHING)
    port: int = setting(8000, "the port to listen on", least=1, most=65535)
    threads: int = setting(8, "threads that answer requests", least=1, most=256)
    site_url: str = setting(
        "http://127.0.0.1:8000", "the site's public address, without a path"
    )
    site_name: str = setting(
        "Masthead", "the site's name", pattern=r"[^\x00-\x1f]{1,80}"
    )
    site_logo: str = setting(
        "", "address of a logo image: https, or a path of the site"
    )
    accent_colour: str = setting(
        "#3538a3", "the accent colour, as #rrggbb", pattern=r"#[0-9a-fA-F]{6}"
    )
    freshness_seconds: int = setting(
        300, "seconds after which a measurement is stale", least=10, most=86400
    )
    probe_interval_seconds: int = setting(
        60, "seconds between two measurements of a probe", least=1, most=86400
    )
    raw_retention_days: int = setting(
        100, "days for which raw measurements are kept", least=91, most=3650
    )
    public_scopes: tuple[str, ...] = setting(
        PUBLIC_READS,
        "scopes a developer may request, separated by commas",
        pattern=rf"{_SEGMENT}(:{_SEGMENT})*",
    )
    grant_policy: str = setting(
        "contained",
        "contained: a key grants only what it covers; open: any scope",
        choices=("contained", "open"),
    )
    default_rate_capacity: int = setting(
        2000, "requests in a burst, for keys without a rate", least=1, most=100_000
    )
    default_rate_refill: float = setting(
        200.0, "requests per second, for keys without a rate", least=0.1, most=10_000
    )
    bootstrap_key_sha256: str = setting(
        "",
        "SHA-256 (hex) of a first admin key, made at the start while there is no key",
        pattern=r"([0-9a-f]{64})?",
    )
    docs_slug: str = setting(
        "docs",
        "slug of the built-in docs project",
        pattern=r"[a-z0-9]+(?:-[a-z0-9]+)*",
    )
    docs_owner_id: str = setting(
        NIL_UUID,
        "account (uuid) that answers for the docs project",
        pattern=r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    )
    log_level: str = setting(
        "info", "how much is logged", choices=("debug", "info", "warning", "error")
    )
    metrics: str = setting(
        "on",
        "on: /metrics answers whoever asks; off: it is not there",
        choices=("on", "off"),
    )
    publish: str = setting(
        "",
        "where the built site is published to: a folder, or s3://bucket/prefix",
        is_shown=False,
    )
    publish_endpoint: str = setting(
        "",
        "the address of the object store; empty: that of AWS",
        is_shown=False,
    )
    publish_region: str = setting(
        "us-east-1",
        "the region of the bucket",
        pattern=r"[A-Za-z0-9-]{1,64}",
        is_shown=False,
    )
    # It may hold what a CDN is asked with.
    publish_hook: str = setting(
        "",
        "a command that reads the addresses that changed, after each publication",
        is_shown=False,
    )
    templates: str = setting("", "a folder whose templates replace ours by name")
    # Of no concern to pages, and not to be shown where settings are.
    probe_key: str = setting("", "the key that app.py probe posts with", is_shown=False)

    def __post_init__(self) -> None:
        for each in fields(self):
            problem = _problem(each.metadata, getattr(self, each.name))
            if problem:
                raise SettingError(f"{environment_name(each.name)} {problem}.")
        self._check_addresses()

    def _check_addresses(self) -> None:
        if is_served(self.database) and not re.fullmatch(SERVED, self.database):
            # Without the value: whatever is wrong in it may be the password.
            raise SettingError(
                "MASTHEAD_DATABASE must be a path, or an address such as"
                " postgresql://user:password@host:5432/name in which other signs"
                " are written as %40 and the like."
            )
        if not re.fullmatch(ADDRESS, self.site_url):
            raise SettingError(
                "MASTHEAD_SITE_URL must be an address such as https://docs.example.com,"
                " without a path and without a final slash."
            )
        if self.site_logo and not self.site_logo.startswith(("https://", "/")):
            raise SettingError("MASTHEAD_SITE_LOGO must start with https:// or /.")
        self._check_publishing()

    def _check_publishing(self) -> None:
        """A folder within the other would be published into itself, or built over."""
        is_s3 = self.publish.startswith("s3:")
        if not re.fullmatch(BUCKET if is_s3 else r"[^\x00-\x1f]*", self.publish):
            raise SettingError(
                "MASTHEAD_PUBLISH must be a folder, or a bucket such as"
                " s3://bucket/prefix."
            )
        if self.publish_endpoint and not _is_reachable(self.publish_endpoint):
            raise SettingError(
                "MASTHEAD_PUBLISH_ENDPOINT must be an address such as"
                " https://s3.example.com, without a path and without a final slash."
            )
        try:
            shlex.split(self.publish_hook)
        except ValueError as error:
            raise SettingError(
                f"MASTHEAD_PUBLISH_HOOK must be a command: {str(error).lower()}."
            ) from None
        if not self.publish or self.publishes_to_bucket:
            return
        target, output = (os.path.realpath(p) for p in (self.publish, self.output))
        if os.path.commonpath((target, output)) in (target, output):
            raise SettingError(
                "MASTHEAD_PUBLISH must be a folder apart from MASTHEAD_OUTPUT: neither"
                " the same, nor one within the other."
            )

    @property
    def publishes_to_bucket(self) -> bool:
        return self.publish.startswith("s3://")

    @property
    def freshness(self) -> timedelta:
        return timedelta(seconds=self.freshness_seconds)

    @property
    def raw_retention(self) -> timedelta:
        return timedelta(days=self.raw_retention_days)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the settings; raise SettingError for a wrong value or unknown name."""
        known = {environment_name(each.name): each.name for each in fields(cls)}
        unknown = sorted(
            name for name in environ if name.startswith(PREFIX) and name not in known
        )
        if unknown:
            raise SettingError(f"{unknown[0]} is not a setting of Masthead.")
        kinds = get_type_hints(cls)
        return cls(
            **{
                name: _read(key, environ[key], kinds[name])
                for key, name in known.items()
                if key in environ
            }
        )


def _is_reachable(address: str) -> bool:
    """Tell whether a client can make something of it: some die of a wrong one."""
    try:
        parts = urlsplit(address if re.fullmatch(ADDRESS, address) else "")
        host, _ = parts.hostname or "", parts.port
        if ":" in host or re.search(r"(^|\.)[0-9]\w*$", host):
            return bool(ip_address(host))
    except ValueError:
        return False
    return bool(re.fullmatch(_HOST, host))


def environment_name(name: str) -> str:
    return PREFIX + name.upper()


def _read(key: str, text: str, kind: Any) -> Any:
    if kind is int and not re.fullmatch(r"[0-9]{1,12}", text):
        raise SettingError(f"{key} must be a whole number.")
    if kind is float and not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        raise SettingError(f"{key} must be a number.")
    if kind in (int, float):
        return kind(text)
    if kind is str:
        return text.strip()
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _problem(limits: Mapping[str, Any], value: Any) -> str | None:
    if "least" in limits and not limits["least"] <= value <= limits["most"]:
        return f"must be from {limits['least']} to {limits['most']}"
    if "choices" in limits and value not in limits["choices"]:
        return f"must be one of {', '.join(limits['choices'])}"
    parts = value if isinstance(value, tuple) else (value,)
    if "pattern" in limits and not all(
        re.fullmatch(limits["pattern"], part) for part in parts
    ):
        return f"must match {limits['pattern']}"
    return None
