"""Settings: their limits, and the messages with which a wrong one stops the start."""

import re
from dataclasses import fields
from datetime import timedelta

import pytest

from models.settings import PUBLIC_READS, SettingError, Settings, environment_variable
from models.storage.database import without_password

MAIL = {"SMTP": "smtps://mail.example.com", "MAIL_FROM": "status@example.com"}
SHA256 = "0123456789abcdef" * 4


def read(**environ):
    return Settings.from_environment({f"MASTHEAD_{n}": v for n, v in environ.items()})


def test_defaults():
    """Without an environment every setting has its default, and a help text."""
    assert read() == Settings()
    assert all(each.metadata["help"] for each in fields(Settings))


def test_read():
    """Numbers, lists and texts are parsed by type."""
    found = read(
        PORT="9000",
        DEFAULT_RATE_REFILL="0.5",
        PUBLIC_SCOPES=" status:services:list, other.product:read ,",
        SITE_NAME=" Example ",
        FRESHNESS_SECONDS="120",
        RAW_RETENTION_DAYS="91",
        NOTIFY_NETWORKS="10.0.0.0/8, fd00::/8",
    )

    assert (found.port, found.default_rate_refill) == (9000, 0.5)
    assert found.public_scopes == ("status:services:list", "other.product:read")
    assert found.site_name == "Example"
    assert found.freshness == timedelta(minutes=2)
    assert found.raw_retention == timedelta(days=91)
    assert found.notify_networks == ("10.0.0.0/8", "fd00::/8")


def test_nothing_is_public():
    """An empty list means that developers may request no scopes."""
    assert read(PUBLIC_SCOPES="").public_scopes == ()
    assert Settings().public_scopes == PUBLIC_READS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("PUBLISH", "s3://"), ("PUBLISH", "s3://A"), ("PUBLISH", "s3://aa/../b")),
        *(("PUBLISH", "s3:aa"), ("PUBLISH", "s3://aa//b"), ("PUBLISH", "a\nb")),
        *(("PUBLISH", "output"), ("PUBLISH", "output/x"), ("PUBLISH", ".")),
        *(("PUBLISH_ENDPOINT", "s3.example.com"), ("PUBLISH_ENDPOINT", "ftp://a")),
        *(("PUBLISH_ENDPOINT", "https://a/b"), ("PUBLISH_ENDPOINT", "https://a/")),
        *(("PUBLISH_ENDPOINT", "http://a:65536"), ("PUBLISH_ENDPOINT", "http://a..b")),
        *(
            ("PUBLISH_ENDPOINT", "http://1.2.3"),
            ("PUBLISH_ENDPOINT", "http://1.2.3.256"),
        ),
        *(("PUBLISH_ENDPOINT", "http://[1:2]"), ("PUBLISH_ENDPOINT", "http://a.0x1")),
        *(
            ("PUBLISH_ENDPOINT", "http://key:secret@a"),
            ("PUBLISH_ENDPOINT", "http://-"),
        ),
        *(("PUBLISH_REGION", ""), ("PUBLISH_REGION", "a b"), ("PUBLISH_HOOK", "a 'b")),
        *(("DATABASE", ""), ("OUTPUT", ""), ("OUTPUT", " "), ("HOST", "")),
        *(("PORT", "0"), ("PORT", "65536"), ("PORT", "80a"), ("PORT", "")),
        *(("PORT", "-1"), ("PORT", "8e1"), ("PORT", "٣"), ("PORT", "1" * 13)),
        *(("THREADS", "0"), ("THREADS", "257")),
        *(("SITE_NAME", ""), ("SITE_NAME", "x" * 81), ("SITE_NAME", "a\nb")),
        *(("SITE_LOGO", "http://x/y.png"), ("SITE_LOGO", "logo.png")),
        *(("ACCENT_COLOUR", "red"), ("ACCENT_COLOUR", "#12345")),
        *(("FRESHNESS_SECONDS", "9"), ("FRESHNESS_SECONDS", "86401")),
        *(("PROBE_INTERVAL_SECONDS", "0"), ("PROBE_INTERVAL_SECONDS", "86401")),
        *(("RAW_RETENTION_DAYS", "90"), ("RAW_RETENTION_DAYS", "3651")),
        *(("PUBLIC_SCOPES", "status:*"), ("PUBLIC_SCOPES", "a;b")),
        *(("GRANT_POLICY", "closed"), ("GRANT_POLICY", "")),
        *(("DEFAULT_RATE_CAPACITY", "0"), ("DEFAULT_RATE_CAPACITY", "100001")),
        *(("DEFAULT_RATE_REFILL", "0.09"), ("DEFAULT_RATE_REFILL", "10000.1")),
        *(("DEFAULT_RATE_REFILL", "nan"), ("DEFAULT_RATE_REFILL", "1e3")),
        *(("BOOTSTRAP_KEY_SHA256", SHA256.upper()), ("BOOTSTRAP_KEY_SHA256", "0")),
        *(("DOCS_SLUG", ""), ("DOCS_SLUG", "Docs"), ("DOCS_SLUG", "a--b")),
        *(("DOCS_OWNER_ID", ""), ("DOCS_OWNER_ID", "ada")),
        ("LOG_LEVEL", "loud"),
        *(("EDIT_URL", "https://example.com/docs"), ("EDIT_URL", "{path}")),
        *(("NOTIFY_NETWORKS", "ten"), ("NOTIFY_NETWORKS", "10.0.0.1/8")),
        *(("NOTIFY_NETWORKS", "10.0.0.0/33"), ("NOTIFY_NETWORKS", "fd00::/8;::1")),
        *(("EDIT_URL", "javascript://x/{path}"), ("EDIT_URL", "https://a/b {path}")),
    ],
)
def test_wrong_value(name, value):
    """The start is stopped with a sentence that names the setting."""
    with pytest.raises(SettingError, match=rf"^MASTHEAD_{name} must .*\.$"):
        read(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("PORT", "1"), ("PORT", "65535"), ("THREADS", "256")),
        *(("FRESHNESS_SECONDS", "10"), ("FRESHNESS_SECONDS", "86400")),
        *(("DEFAULT_RATE_CAPACITY", "100000"), ("DEFAULT_RATE_REFILL", "0.1")),
        *(("DEFAULT_RATE_REFILL", "10000"), ("RAW_RETENTION_DAYS", "3650")),
        *(("SITE_NAME", "x" * 80), ("SITE_LOGO", "/assets/logo.svg")),
        *(("SITE_LOGO", "https://example.com/logo.svg"), ("GRANT_POLICY", "open")),
        *(("BOOTSTRAP_KEY_SHA256", SHA256), ("BOOTSTRAP_KEY_SHA256", "")),
        *(("SITE_URL", "https://docs.example.com"), ("SITE_URL", "http://[::1]:80")),
        *(("EDIT_URL", ""), ("EDIT_URL", "https://example.com/edit/{tree}/{path}")),
    ],
)
def test_value_at_the_limit(name, value):
    """A value at its limit is accepted."""
    assert str(getattr(read(**{name: value}), name.lower())).startswith(value)


@pytest.mark.parametrize(
    "value",
    [
        *("example.com", "ftp://example.com", "https://", "http://[", "https:/x"),
        *("https://example.com//", "https://example.com/a//b", "https://example.com?a"),
        *("https://example.com#a", "https://a b", "https://ada@example.com"),
        *("https://example.com/..", "https://example.com/a/./b", "https://a.b/.git"),
        *("https://example.com/a b", "https://example.com/%61", "https://a.b/é"),
        'https://example.com"',
    ],
)
def test_wrong_address(value):
    """The segments of a path must be the same in a URL and in HTML."""
    with pytest.raises(SettingError, match=r"^MASTHEAD_SITE_URL must .*\.$"):
        read(SITE_URL=value)


@pytest.mark.parametrize(
    ("values", "url"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"PORT": "18100", "SITE_URL": ""}, "http://127.0.0.1:18100"),
        ({"HOST": "status.example.com"}, "http://status.example.com:8000"),
        ({"HOST": "::1"}, "http://[::1]:8000"),
        ({"HOST": "fe80::1%eth0"}, "http://[fe80::1]:8000"),
        # All interfaces: not an address that a link can have, so it is this machine.
        ({"HOST": "0.0.0.0"}, "http://127.0.0.1:8000"),
        ({"HOST": "::"}, "http://[::1]:8000"),
        ({"HOST": "not a host", "SITE_URL": "https://a.example"}, "https://a.example"),
    ],
)
def test_address_of_the_site(values, url):
    """By default the site's address follows from host and port."""
    assert read(**values).site_url == url


@pytest.mark.parametrize(
    ("url", "origin", "path"),
    [
        ("https://example.com", "https://example.com", ""),
        ("https://example.com/", "https://example.com", ""),
        ("https://example.com/docs/v2", "https://example.com", "/docs/v2"),
        ("https://example.com:81/docs/v2/", "https://example.com:81", "/docs/v2"),
        ("http://[::1]:80/a.b_c~-", "http://[::1]:80", "/a.b_c~-"),
    ],
)
def test_site_below_a_path(url, origin, path):
    """With or without a trailing slash, it is the same site."""
    settings = read(SITE_URL=url)

    assert (settings.site_origin, settings.site_path) == (origin, path)
    assert settings.site_url == origin + path


@pytest.mark.parametrize(
    ("url", "host", "base", "action", "form_origin"),
    [
        ("https://a.example", "", "", "/subscribe", ""),
        ("https://a.example", "https://a.example", "", "/subscribe", ""),
        ("https://a.example/v2", "", "/v2", "https://a.example/subscribe", ""),
        (
            "https://a.example/v2",
            "https://api.example",
            "https://a.example/v2",
            "https://api.example/subscribe",
            "https://api.example",
        ),
    ],
)
def test_subscribing_beside_a_path(url, host, base, action, form_origin):
    """Readers subscribe at the root of the host, whatever the site's path."""
    settings = read(SITE_URL=url, SUBSCRIBE_URL=host, **MAIL)

    assert settings.subscribe_origin == (host or "https://a.example")
    assert settings.site_base == base
    assert settings.form_action == action
    assert settings.form_origin == form_origin


def test_host_that_no_address_can_have():
    """For such a host the site's address must be set."""
    with pytest.raises(SettingError, match="Set MASTHEAD_SITE_URL to the URL"):
        read(HOST="not a host")


def test_sentence_about_a_form():
    """The expected form of a value is described in words, not as a pattern."""
    with pytest.raises(SettingError, match="HOST must be one line of text, and not e"):
        read(HOST="")
    with pytest.raises(SettingError, match=r"COLOUR must be a colour such as #3538a3"):
        read(ACCENT_COLOUR="red")
    limits = [setting.metadata for setting in fields(Settings)]
    assert all("form" in each for each in limits if "pattern" in each)


def test_unknown_setting():
    """A misspelt name is not silently ignored."""
    with pytest.raises(SettingError, match=r"^MASTHEAD_SITE_URI is not a setting"):
        read(SITE_URI="https://example.com")


def test_foreign_variables():
    """Variables without our prefix are ignored."""
    assert Settings.from_environment({"PATH": "/bin", "masthead_port": "x"}) == read()


def test_names():
    """The variable of a setting is derived from its name."""
    names = [environment_variable(each.name) for each in fields(Settings)]

    assert all(re.fullmatch(r"MASTHEAD_[A-Z][A-Z0-9_]*", name) for name in names)


def test_values_are_not_repeated():
    """The message does not repeat the value, which may be a misplaced secret."""
    with pytest.raises(SettingError) as refused:
        read(BOOTSTRAP_KEY_SHA256="mh_secret")

    assert "mh_secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("publish", ""), ("publish", "s3://my-bucket"), ("publish", "s3://b.a/c/d/")),
        *(
            ("publish", "/srv/www"),
            ("publish", "output-copy"),
            ("publish", "../out put"),
        ),
        ("publish_endpoint", "http://127.0.0.1:9000"),
        ("publish_endpoint", "https://[2001:db8::1]:443"),
        ("publish_endpoint", "https://s3.eu-central-1.example.com"),
        ("publish_hook", "purge --zone 'my zone'"),
    ],
)
def test_publishing(name, value):
    """
    The publication settings are used as they are, and are not shown with the settings.
    """
    found = read(**{name.upper(): value})

    assert getattr(found, name) == value
    assert name not in repr(found)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://",
        "postgresql:///masthead?host=/run/postgresql",
        "postgres://ada@db.example.com/masthead",
        "postgresql://ada:p%40ss@db-1.example.com:5432,db-2/masthead?sslmode=require",
        "postgresql://ada:hush@[::1]:5432/masthead",
    ],
)
def test_address_of_a_server(address):
    """The address of a database server is not shown with the settings."""
    found = read(DATABASE=address)

    assert found.database == address
    assert "postgres" not in repr(found)


@pytest.mark.parametrize(
    "rest",
    [
        "ada:hu@sh@host/name",
        "ada:hu/sh@host/name",
        "ada:hu:sh@host/name",
        "ada:hu#sh@host/name",
        "ada:hu?sh@host/name",
        "ada:hu%sh@host/name",
        "ada:hu sh@host/name",
    ],
)
def test_address_with_a_stray_sign(rest):
    """An ambiguous address is rejected, and not shown."""
    with pytest.raises(SettingError, match="MASTHEAD_DATABASE must be") as caught:
        read(DATABASE=f"postgresql://{rest}")

    assert "hu" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("data/masthead.db", "data/masthead.db"),
        ("postgresql://ada@host/name", "postgresql://ada@host/name"),
        ("postgresql://ada:hush@host/name", "postgresql://ada:…@host/name"),
        ("postgresql://ada:hu@sh/@host/name", "postgresql://ada:…@host/name"),
        (
            "postgresql://host/name?password=hush&sslpassword=hush&port=1",
            "postgresql://host/name?password=…&sslpassword=…&port=1",
        ),
    ],
)
def test_address_as_it_is_told(address, expected):
    """The address is shown without its password."""
    assert without_password(address) == expected
