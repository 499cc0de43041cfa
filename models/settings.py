"""
Declare every setting: its default, its limits and its help.

pydantic-settings is not used, since its errors are not sentences that name the
environment variable and what to change.
"""

import os
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar, get_type_hints
from urllib.parse import urlsplit

from models.notifications.addresses.mail_relay import parse_mail_relay, parse_mailbox
from models.storage.engines.engine import is_postgresql

T = TypeVar("T")
PREFIX = "MASTHEAD_"
# An empty path would mean the current directory.
NON_EMPTY_LINE = r"[^\x00-\x1f]+"
NON_EMPTY_LINE_FORM = "one line of text, and not empty"
ORIGIN_URL = r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
# Segments that are the same in a URL and in HTML, and that no browser resolves.
SITE_URL = rf"(?P<origin>{ORIGIN_URL})(?P<path>(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*)"
# A database URL; special characters in its parts are percent-encoded.
_URL_PART = r"([^\s:@/?#%]|%[0-9A-Fa-f]{2})*"
_URL_PARAMETER = r"[a-z_]+=[^\s&]*"
_HOSTS = r"[A-Za-z0-9._,:%\[\]-]*"
POSTGRESQL_URL = rf"postgres(ql)?://({_URL_PART}(:{_URL_PART})?@)?{_HOSTS}(/{_URL_PART})?(\?{_URL_PARAMETER}(&{_URL_PARAMETER})*)?"
# The name of a bucket, and an optional prefix of its keys.
S3_URL = r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?"
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


# Nobody can connect to these: a server that listens on one listens on all addresses.
REACHABLE_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


class SettingError(ValueError):
    """An invalid setting; the message names the variable and the reason."""


def declare_setting(default: Any, help: str, **limits: Any) -> Any:
    """
    Declare a setting; `limits` may have minimum, maximum, choices and pattern.

    A pattern comes with its `form`, which a sentence describes it with.
    `in_repr` must be false for secrets, and for settings that no page depends on.
    """
    in_repr = limits.pop("in_repr", True)
    return field(default=default, repr=in_repr, metadata={"help": help, **limits})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a process; app.py creates the one instance and passes it down."""

    # Not in the repr, since a URL may contain a password.
    database: str = declare_setting(
        "data/masthead.db",
        "path of the SQLite file, or a postgresql:// URL",
        pattern=NON_EMPTY_LINE,
        form=NON_EMPTY_LINE_FORM,
        in_repr=False,
    )
    output: str = declare_setting(
        "output",
        "folder into which the site is built",
        pattern=NON_EMPTY_LINE,
        form=NON_EMPTY_LINE_FORM,
    )
    host: str = declare_setting(
        "127.0.0.1",
        "address to listen on",
        pattern=NON_EMPTY_LINE,
        form=NON_EMPTY_LINE_FORM,
    )
    port: int = declare_setting(8000, "port to listen on", minimum=1, maximum=65535)
    threads: int = declare_setting(
        8,
        "number of threads that process requests, in each process of the API",
        minimum=1,
        maximum=256,
    )
    processes: int = declare_setting(
        0,
        "number of processes that serve the API; 0: one for each two cores, at most 4",
        minimum=0,
        maximum=64,
    )
    # Never empty once the settings are made: see __post_init__.
    site_url: str = declare_setting(
        "",
        "public URL of the site, which may have a path such as "
        "https://example.com/docs/v2; empty: follows host and port",
    )
    site_name: str = declare_setting(
        "Masthead",
        "name of the site",
        pattern=r"[^\x00-\x1f]{1,80}",
        form="one line of 1 to 80 characters",
    )
    tagline: str = declare_setting(
        "",
        "sentence below the name on the front page, which search engines show",
        pattern=r"[^\x00-\x1f]{0,160}",
        form="one line of at most 160 characters",
    )
    front: str = declare_setting(
        "documents",
        "documents: the front page shows the documents and the state of the services;"
        " status: the front page is the status page",
        choices=("documents", "status"),
    )
    language: str = declare_setting(
        "en",
        "language of the site, its feeds and its mails, such as de or pt-BR",
        pattern=r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*",
        form="the tag of a language, such as de or pt-BR",
    )
    switcher: str = declare_setting(
        "",
        "JSON file with the sites in other languages or of other versions, to which a "
        "menu of all pages leads",
    )
    indexing: str = declare_setting(
        "on",
        "on: search engines may list the pages; off: every page asks them not to, as "
        "those of old versions should",
        choices=("on", "off"),
    )
    site_logo: str = declare_setting(
        "", "URL of a logo: https://…, or a path on the site"
    )
    accent_colour: str = declare_setting(
        "#3538a3",
        "accent colour, as #rrggbb",
        pattern=r"#[0-9a-fA-F]{6}",
        form="a colour such as #3538a3",
    )
    freshness_seconds: int = declare_setting(
        300,
        "number of seconds after which a measurement is stale",
        minimum=10,
        maximum=86400,
    )
    probe_interval_seconds: int = declare_setting(
        60,
        "seconds between two measurements of a probe; published with the uptime",
        minimum=1,
        maximum=86400,
    )
    raw_retention_days: int = declare_setting(
        100,
        "number of days for which raw measurements are kept, at least 91",
        minimum=91,
        maximum=3650,
    )
    public_scopes: tuple[str, ...] = declare_setting(
        PUBLIC_READS,
        "scopes that any key can grant, separated by commas",
        pattern=rf"{_SEGMENT}(:{_SEGMENT})*",
        form="scopes such as status:services:list, with commas between them",
    )
    grant_policy: str = declare_setting(
        "contained",
        "contained: a key can grant only scopes that it covers; open: "
        "any scope except platform:actors:assert",
        choices=("contained", "open"),
    )
    source_policy: str = declare_setting(
        "open",
        "open: any key can record measurements for any source; owned: only the first "
        "key that used the source, and its replacements",
        choices=("open", "owned"),
    )
    developer_keys_max: int = declare_setting(
        50,
        "number of active keys that a developer may have",
        minimum=1,
        maximum=10_000,
    )
    default_rate_capacity: int = declare_setting(
        2000,
        "burst size, in requests, of keys without their own rate limit",
        minimum=1,
        maximum=100_000,
    )
    default_rate_refill: float = declare_setting(
        200.0,
        "sustained requests per second of keys without their own rate limit",
        minimum=0.1,
        maximum=10_000,
    )
    bootstrap_key_sha256: str = declare_setting(
        "",
        "SHA-256 hash of a first admin key, which is created at startup "
        "if no key exists",
        pattern=r"([0-9a-f]{64})?",
        form="empty or 64 lowercase hexadecimal digits",
    )
    docs_slug: str = declare_setting(
        "docs",
        "slug of the built-in docs project",
        pattern=r"[a-z0-9]+(?:-[a-z0-9]+)*",
        form="lowercase letters and digits, with single hyphens between them",
    )
    docs_owner_id: str = declare_setting(
        NIL_UUID,
        "UUID of the account that owns the built-in docs project",
        pattern=r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        form="a UUID in lowercase",
    )
    files_max_bytes: int = declare_setting(
        1_000_000_000,
        "number of bytes that all files of a project may have",
        minimum=0,
        maximum=999_999_999_999,
        in_repr=False,
    )
    edit_url: str = declare_setting(
        "",
        "address at which an imported file is edited, with {path} for its path in the "
        "folder, and {tree} for the name of the tree if there are several",
        pattern=r"(https?://[^\s/]+/\S*\{path\}\S*)?",
        form="empty or a URL with {path}, such as"
        " https://github.com/acme/handbook/edit/main/docs/{path}",
    )
    feedback_url: str = declare_setting(
        "",
        "address at which readers comment on a document, with {url} for its address and"
        " {title} for its title",
        pattern=r"((https?://[^\s/]+/|mailto:[^\s@]+@[^\s@?]+)\S*)?",
        form="empty or a URL such as https://github.com/acme/handbook/issues/new"
        "?title={title}&body={url}, or mailto:docs@example.com?subject={title}",
    )
    log_level: str = declare_setting(
        "info",
        "log level: debug, info, warning or error",
        choices=("debug", "info", "warning", "error"),
    )
    metrics: str = declare_setting(
        "on",
        "on: /metrics is available without a key; off: it is disabled",
        choices=("on", "off"),
    )
    publish: str = declare_setting(
        "",
        "target to which the built site is published: a folder, or s3://bucket/prefix",
        in_repr=False,
    )
    publish_endpoint: str = declare_setting(
        "",
        "URL of the object store; use http:// only in your own network; empty: AWS",
        in_repr=False,
    )
    publish_region: str = declare_setting(
        "us-east-1",
        "region of the bucket",
        pattern=r"[A-Za-z0-9-]{1,64}",
        form="a region such as eu-central-1",
        in_repr=False,
    )
    # Not in the repr, since it may contain the token of a CDN.
    publish_hook: str = declare_setting(
        "",
        "command that runs after each publication and reads the changed "
        "URLs from standard input",
        in_repr=False,
    )
    # Not in the repr, since no page depends on these.
    notify_networks: tuple[str, ...] = declare_setting(
        (),
        "private networks to which notifications can be delivered, as CIDR, separated "
        "by commas",
        in_repr=False,
    )
    reminder_hours: int = declare_setting(
        4,
        "number of hours without an update after which operators who asked for it are"
        " reminded of an active incident",
        minimum=1,
        maximum=168,
        in_repr=False,
    )
    # Not in the repr, since no page depends on how mails are sent.
    smtp: str = declare_setting(
        "",
        "URL of the relay that takes mails, such as smtp://user@mail.example.com:587; "
        "empty: no mails are sent",
        in_repr=False,
    )
    smtp_password_file: str = declare_setting(
        "", "file with the password of the user in MASTHEAD_SMTP", in_repr=False
    )
    mail_from: str = declare_setting(
        "",
        "address that mails are from, such as Example status <status@example.com>",
        in_repr=False,
    )
    api_url: str = declare_setting(
        "",
        "URL at which operators reach the API and the console, for links to the console"
        " and for the commands incident and maintenance, without a path or a trailing"
        " slash; empty: the host of the site",
    )
    subscribe_url: str = declare_setting(
        "",
        "public URL of the host that forwards /subscribe, for forms of the site and "
        "links in mails, without a path or a trailing slash; empty: the host of the "
        "site",
    )
    console: str = declare_setting(
        "on",
        "on: people can sign in to the console at /console/ with an API key; off:"
        " there is none",
        choices=("on", "off"),
        in_repr=False,
    )
    console_trusted_header: str = declare_setting(
        "",
        "header in which a proxy passes the e-mail address of who has signed in to it,"
        " such as X-Forwarded-Email",
        pattern=r"([A-Za-z][A-Za-z0-9-]{0,63})?",
        form="the name of a header, such as X-Forwarded-Email",
        in_repr=False,
    )
    console_key_file: str = declare_setting(
        "",
        "file with the API key for whoever such a proxy has signed in; the key needs"
        " the scope platform:actors:assert",
        in_repr=False,
    )
    console_trusted_proxies: tuple[str, ...] = declare_setting(
        (),
        "networks of the proxies whose header is believed, as CIDR such as 10.0.0.0/8,"
        " separated by commas",
        in_repr=False,
    )
    templates: str = declare_setting(
        "", "folder with templates that replace the built-in templates of the same name"
    )
    # Not in the repr, since only an import reads it.
    components: str = declare_setting(
        "",
        "folder with templates that replace components and shortcodes of the same name"
        " when documents are imported",
        in_repr=False,
    )
    # Not in the repr, since it is a secret; pages do not depend on it.
    probe_key: str = declare_setting(
        "", "API key that probe uses instead of its key_file", in_repr=False
    )
    # Not in the repr, since no page depends on it.
    key_file: str = declare_setting(
        "",
        "file with the API key that docs import --to, incident and maintenance use",
        in_repr=False,
    )

    def __post_init__(self) -> None:
        for setting in fields(self):
            if problem := find_problem(setting.name, getattr(self, setting.name)):
                raise SettingError(f"{environment_variable(setting.name)} {problem}.")
        if not self.site_url:
            object.__setattr__(self, "site_url", self._local_site_url())
        object.__setattr__(self, "site_url", self.site_url.removesuffix("/"))
        self._check_urls()

    def _check_urls(self) -> None:
        if is_postgresql(self.database) and not re.fullmatch(
            POSTGRESQL_URL, self.database
        ):
            # The message omits the value, in which the password may be wrong.
            raise SettingError(
                "MASTHEAD_DATABASE must be a path, or a URL such as"
                " postgresql://user:password@host:5432/name with special characters"
                " percent-encoded."
            )
        if not re.fullmatch(SITE_URL, self.site_url):
            raise SettingError(
                "MASTHEAD_SITE_URL must be a URL such as https://docs.example.com or"
                " https://example.com/docs/v2. Its path may have letters, digits, dots,"
                " hyphens, underscores and tildes."
            )
        if self.site_logo and not self.site_logo.startswith(("https://", "/")):
            raise SettingError("MASTHEAD_SITE_LOGO must start with https:// or /.")
        for name in ("api_url", "subscribe_url"):
            if not re.fullmatch(rf"({ORIGIN_URL})?", getattr(self, name)):
                raise SettingError(
                    f"{environment_variable(name)} must be a URL such as"
                    " https://api.example.com, without a path and without a trailing"
                    " slash."
                )
        self._check_publishing()
        for name in ("notify_networks", "console_trusted_proxies"):
            for network in getattr(self, name):
                _check_network(name, network)
        self._check_mail()
        self._check_console()

    def _check_publishing(self) -> None:
        """Check the target: a folder in the output would be published into itself."""
        is_s3 = self.publish.startswith("s3:")
        if not re.fullmatch(S3_URL if is_s3 else r"[^\x00-\x1f]*", self.publish):
            raise SettingError(
                "MASTHEAD_PUBLISH must be a folder, or a bucket such as"
                " s3://bucket/prefix."
            )
        if self.publish_endpoint and not _is_endpoint(self.publish_endpoint):
            raise SettingError(
                "MASTHEAD_PUBLISH_ENDPOINT must be a URL such as"
                " https://s3.example.com, without a path and without a trailing slash."
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
                "MASTHEAD_PUBLISH must be a folder outside of MASTHEAD_OUTPUT, and must"
                " not contain it."
            )

    def _check_mail(self) -> None:
        _parse_setting("mail_from", self.mail_from, parse_mailbox)
        relay = _parse_setting("smtp", self.smtp, parse_mail_relay)
        if relay is None:
            return
        if not relay.is_allowed(self.notify_networks):
            raise SettingError(
                "MASTHEAD_SMTP must begin with smtp:// or smtps://: smtp+plain:// is"
                " not encrypted, and is only for a relay on this machine or in"
                " MASTHEAD_NOTIFY_NETWORKS."
            )
        if relay.user and not self.smtp_password_file:
            raise SettingError(
                "MASTHEAD_SMTP_PASSWORD_FILE must be set, because MASTHEAD_SMTP names a"
                " user."
            )
        if not self.mail_from:
            raise SettingError(
                "MASTHEAD_MAIL_FROM must be set, because MASTHEAD_SMTP is set."
            )

    def _check_console(self) -> None:
        names = (
            "console_trusted_header",
            "console_key_file",
            "console_trusted_proxies",
        )
        missing = [name for name in names if not getattr(self, name)]
        if missing and len(missing) < len(names):
            raise SettingError(
                f"{environment_variable(missing[0])} must be set: a proxy can only sign"
                " people in to the console if all of MASTHEAD_CONSOLE_TRUSTED_HEADER,"
                " MASTHEAD_CONSOLE_KEY_FILE and MASTHEAD_CONSOLE_TRUSTED_PROXIES are."
            )

    def _local_site_url(self) -> str:
        if not re.fullmatch(ORIGIN_URL, self.server_url):
            raise SettingError(
                f"MASTHEAD_HOST '{self.host}' cannot be the host of a URL. Set"
                " MASTHEAD_SITE_URL to the URL of the site."
            )
        return self.server_url

    @property
    def server_url(self) -> str:
        """The URL at which this machine reaches the server."""
        return url_of(REACHABLE_HOSTS.get(self.host, self.host), self.port)

    @property
    def listens_on_all_addresses(self) -> bool:
        return self.host in REACHABLE_HOSTS

    @property
    def site_origin(self) -> str:
        """The URL of the host of the site."""
        return self.site_url.removesuffix(self.site_path)

    @property
    def site_path(self) -> str:
        """The path that addresses of the site begin with on its host, often empty."""
        return urlsplit(self.site_url).path

    @property
    def api_origin(self) -> str:
        """The URL at which operators reach the API and the console."""
        return self.api_url or self.site_origin

    @property
    def subscribe_origin(self) -> str:
        """The URL of the host with the pages on which readers subscribe."""
        return self.subscribe_url or self.site_origin

    @property
    def is_subscribing_elsewhere(self) -> bool:
        """Whether readers subscribe at another host than that of the site."""
        return self.subscribe_origin != self.site_origin

    @property
    def site_base(self) -> str:
        """What links to the site begin with on the pages on which readers subscribe."""
        return self.site_url if self.is_subscribing_elsewhere else self.site_path

    @property
    def form_action(self) -> str | None:
        """Where forms of the site are sent to, None if readers cannot subscribe."""
        if not self.smtp:
            return None
        # These pages are not below the path of the site.
        origin = self.site_origin if self.site_path else ""
        return f"{self.form_origin or origin}/subscribe"

    @property
    def form_origin(self) -> str:
        """The host that forms of the site are sent to, empty for that of the site."""
        return self.subscribe_url if self.smtp and self.is_subscribing_elsewhere else ""

    @property
    def publish_location(self) -> str:
        """Return what distinguishes the target from every other one."""
        is_bucket = self.publishes_to_bucket
        return f"{self.publish_endpoint if is_bucket else ''} {self.publish}".strip()

    @property
    def publishes_to_bucket(self) -> bool:
        return self.publish.startswith("s3://")

    @property
    def freshness(self) -> timedelta:
        return timedelta(seconds=self.freshness_seconds)

    @property
    def reminder_after(self) -> timedelta:
        return timedelta(hours=self.reminder_hours)

    @property
    def raw_retention(self) -> timedelta:
        return timedelta(days=self.raw_retention_days)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the settings; raise SettingError for an invalid value or name."""
        known = {
            environment_variable(setting.name): setting.name for setting in fields(cls)
        }
        unknown = sorted(
            name for name in environ if name.startswith(PREFIX) and name not in known
        )
        if unknown:
            raise SettingError(f"{unknown[0]} is not a setting of Masthead.")
        types = get_type_hints(cls)
        return cls(
            **{
                name: _parse(variable, environ[variable], types[name])
                for variable, name in known.items()
                if variable in environ
            }
        )


def _check_network(name: str, text: str) -> None:
    try:
        ip_network(text)
    except ValueError as error:
        raise SettingError(
            f"{environment_variable(name)} must be networks such as 10.0.0.0/8 or"
            f" fd00::/8, with commas between them: {error}."
        ) from None


def _parse_setting(name: str, text: str, parse: Callable[[str], T]) -> T | None:
    try:
        return parse(text) if text else None
    except ValueError as error:
        raise SettingError(f"{environment_variable(name)} {error}.") from None


def _is_endpoint(address: str) -> bool:
    """Return whether a client can parse it; some crash on an invalid URL."""
    try:
        parts = urlsplit(address if re.fullmatch(ORIGIN_URL, address) else "")
        host, _ = parts.hostname or "", parts.port
        if ":" in host or re.search(r"(^|\.)[0-9]\w*$", host):
            return bool(ip_address(host))
    except ValueError:
        return False
    return bool(re.fullmatch(_HOST, host))


def url_of(host: str, port: int) -> str:
    """Return the URL of a server; the zone of an IPv6 address has no place in it."""
    name = f"[{host.partition('%')[0]}]" if ":" in host else host
    return f"http://{name}:{port}"


def is_site_url_set(environ: Mapping[str, str]) -> bool:
    return bool(environ.get(environment_variable("site_url"), "").strip())


def environment_variable(name: str) -> str:
    return PREFIX + name.upper()


def _parse(variable: str, text: str, type_: Any) -> Any:
    if type_ is int and not re.fullmatch(r"[0-9]{1,12}", text):
        raise SettingError(f"{variable} must be a whole number.")
    if type_ is float and not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        raise SettingError(f"{variable} must be a number.")
    if type_ in (int, float):
        return type_(text)
    if type_ is str:
        return text.strip()
    return tuple(part.strip() for part in text.split(",") if part.strip())


def find_problem(name: str, value: Any) -> str | None:
    """Return what is wrong with a setting's value, such as "must be from 1 to 9"."""
    limits = Settings.__dataclass_fields__[name].metadata
    if "minimum" in limits and not limits["minimum"] <= value <= limits["maximum"]:
        return f"must be from {limits['minimum']} to {limits['maximum']}"
    if "choices" in limits and value not in limits["choices"]:
        return f"must be one of {', '.join(limits['choices'])}"
    parts = value if isinstance(value, tuple) else (value,)
    if "pattern" in limits and not all(
        re.fullmatch(limits["pattern"], part) for part in parts
    ):
        return f"must be {limits['form']}"
    return None
