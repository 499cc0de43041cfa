"""The settings of email: the relay, its password, and the sender."""

import pytest

from models.notifications.addresses.mail_relay import (
    Mailbox,
    MailRelay,
    may_be_unencrypted,
    parse_mail_relay,
    parse_mailbox,
)
from models.settings import SettingError, Settings

MAIL = {
    "MASTHEAD_SMTP": "smtp://ada@mail.example.com",
    "MASTHEAD_SMTP_PASSWORD_FILE": "/run/secrets/smtp",
    "MASTHEAD_MAIL_FROM": "status@example.com",
}


def read(**environ):
    return Settings.from_environment({f"MASTHEAD_{n}": v for n, v in environ.items()})


@pytest.mark.parametrize(
    ("url", "relay"),
    [
        ("smtp://mail.example.com", ("mail.example.com", 587, "", "starttls")),
        ("smtp://ada@mail.example.com:25", ("mail.example.com", 25, "ada", "starttls")),
        (
            "smtps://ada%40example.com@mail.example.com",
            ("mail.example.com", 465, "ada@example.com", "tls"),
        ),
        ("smtps://[2001:db8::1]:8465", ("2001:db8::1", 8465, "", "tls")),
        ("smtp+plain://localhost", ("localhost", 25, "", "plain")),
        ("smtp+plain://127.0.0.1:1025", ("127.0.0.1", 1025, "", "plain")),
    ],
)
def test_relay(url, relay):
    """The scheme determines the encryption and the default port."""
    assert parse_mail_relay(url) == MailRelay(*relay)


@pytest.mark.parametrize(
    "url",
    [
        *("mail.example.com", "http://mail.example.com", "smtp://", "smtp://:587"),
        *("smtp://@mail.example.com", "smtp://a b@mail.example.com", "smtp://a..b"),
        *("smtp://mail.example.com:0", "smtp://mail.example.com:65536", "smtp://a:x"),
        *("smtp://mail.example.com/", "smtp://mail.example.com?a=b", "smtp://a#b"),
        *("smtp://mail.exam\nple.com", "smtp://-a.example.com", "smtp://a_b.com"),
        *("smtp://[::1", "smtp://1.2.3", "smtp://1.2.3.256", "smtp://[fe80::1%25eth0]"),
        *("smtp://a%0ab@mail.example.com", "smtp://a%c3%bc@mail.example.com"),
    ],
)
def test_wrong_relay(url):
    """An invalid relay is rejected with a sentence that names the setting."""
    with pytest.raises(SettingError, match=r"^MASTHEAD_SMTP must be a URL .*\.$"):
        read(SMTP=url, MAIL_FROM="status@example.com")


def test_password_in_the_url():
    """
    A password in the URL is rejected, because it would be shown, and is not repeated.
    """
    with pytest.raises(SettingError, match="without the password") as caught:
        read(SMTP="smtp://ada:hush@mail.example.com", MAIL_FROM="status@example.com")

    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "networks"),
    [
        ("smtp+plain://192.0.2.1", ""),
        ("smtp+plain://mail.example.com", ""),
        ("smtp+plain://10.1.2.3", "10.2.0.0/16"),
        ("smtp+plain://[2001:db8::1]", "10.0.0.0/8"),
    ],
)
def test_unencrypted_relay_elsewhere(url, networks):
    """
    Emails are not sent unencrypted over a network, because they have addresses of
    people.
    """
    with pytest.raises(SettingError, match=r"^MASTHEAD_SMTP must begin with smtp://"):
        read(SMTP=url, NOTIFY_NETWORKS=networks, MAIL_FROM="status@example.com")


@pytest.mark.parametrize(
    ("url", "networks"),
    [
        ("smtp+plain://localhost", ""),
        ("smtp+plain://127.0.0.2", ""),
        ("smtp+plain://[::1]", ""),
        ("smtp+plain://10.1.2.3", "10.0.0.0/8"),
        # Its address is checked when it is resolved.
        ("smtp+plain://mail", "10.0.0.0/8"),
    ],
)
def test_unencrypted_relay_nearby(url, networks):
    """Unencrypted relays are allowed on this machine and in listed networks."""
    found = read(SMTP=url, NOTIFY_NETWORKS=networks, MAIL_FROM="status@example.com")

    assert found.smtp == url


@pytest.mark.parametrize(
    ("address", "networks", "may_be"),
    [
        ("127.0.0.1", (), True),
        ("::1", (), True),
        ("10.0.0.1", (), False),
        ("10.255.255.255", ("10.0.0.0/8",), True),
        ("11.0.0.0", ("10.0.0.0/8",), False),
        ("fd00::1", ("10.0.0.0/8", "fd00::/8"), True),
    ],
)
def test_unencrypted_address(address, networks, may_be):
    """The address decides, whatever name resolved to it."""
    assert may_be_unencrypted(address, networks) == may_be


@pytest.mark.parametrize(
    ("text", "mailbox"),
    [
        ("status@example.com", ("", "status@example.com")),
        ("status+a.b@EXAMPLE.com", ("", "status+a.b@example.com")),
        ("Example status <s@example.com>", ("Example status", "s@example.com")),
        ('"Status, Inc." <s@localhost>', ("Status, Inc.", "s@localhost")),
        ("État <s@example.com>", ("État", "s@example.com")),
    ],
)
def test_mailbox(text, mailbox):
    """The sender is an address, with or without a name."""
    assert parse_mailbox(text) == Mailbox(*mailbox)


@pytest.mark.parametrize(
    "text",
    [
        *("status", "@example.com", "s@", "<s@example.com>", "A <s@example.com> b"),
        *("A <s@example.com", "s@example.com>", "A <<s@example.com>>", "a b@c.com"),
        *("s@exam ple.com", "s@ex\nample.com", "A\nBcc: b@c.com <s@example.com>"),
        *("=?utf-8?q?s?=@example.com", "s=?@example.com"),
        *(".s@example.com", "s.@example.com", "s..t@example.com", "é@example.com"),
        *("s@bücher.example.com", "s@192.0.2.1", "a,b@example.com", "a@b@c.com"),
    ],
)
def test_wrong_mailbox(text):
    """Line breaks and other characters cannot inject into a header."""
    with pytest.raises(SettingError, match=r"^MASTHEAD_MAIL_FROM must be .*\.$"):
        read(MAIL_FROM=text)


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ("MASTHEAD_MAIL_FROM", "MASTHEAD_MAIL_FROM must be set"),
        ("MASTHEAD_SMTP_PASSWORD_FILE", "MASTHEAD_SMTP_PASSWORD_FILE must be set"),
    ],
)
def test_half_of_the_settings(missing, named):
    """A relay with incomplete settings stops the start, not the first email."""
    environ = {name: value for name, value in MAIL.items() if name != missing}

    with pytest.raises(SettingError, match=named):
        Settings.from_environment(environ)


def test_relay_is_not_shown():
    """No page depends on the relay, and it is never shown."""
    shown = repr(Settings.from_environment(MAIL))

    assert "mail.example.com" not in shown
    assert "secrets" not in shown


def test_hosts_of_readers_and_operators():
    """
    Readers subscribe on the site, and operators use the API there, unless a setting
    separates them; neither setting changes the other.
    """
    site, other = "https://status.example.com", "https://api.example.com"

    hosts = [
        (settings.subscribe_origin, settings.api_origin)
        for settings in (
            read(SITE_URL=site),
            read(SITE_URL=site, API_URL=other),
            read(SITE_URL=site, SUBSCRIBE_URL=other),
        )
    ]

    assert hosts == [(site, site), (site, other), (other, site)]


@pytest.mark.parametrize("name", ["API_URL", "SUBSCRIBE_URL"])
@pytest.mark.parametrize("url", ["api.example.com", "https://a.example.com/v1"])
def test_wrong_url_of_a_host(name, url):
    """The value is an origin, like the site's URL."""
    with pytest.raises(SettingError, match=rf"^MASTHEAD_{name} must be a URL .*\.$"):
        read(**{name: url})
