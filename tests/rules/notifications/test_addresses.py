"""Where deliveries may go: URLs when they are added, and addresses when connecting."""

from ipaddress import ip_address

import pytest

from models.notifications.addresses.http_address import (
    RefusedAddress,
    is_public,
    parse_destination,
    refused_address,
    require_allowed,
)

PRIVATE = ("10.0.0.0/8", "fd00::/8")


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.com/a?b=c%20d",
        "https://HOOKS.example.com:8443/",
        "https://xn--mnchen-3ya.example/",
        "https://my_host.example",
        "https://8.8.8.8/hook",
        "https://[2606:4700::1111]:443/",
        "https://10.1.2.3/",
        "https://[fd00::1]/",
        "https://[::ffff:10.1.2.3]/",
        "http://10.1.2.3:8080/",
        # A name is checked when it is resolved.
        "http://internal.example/",
        "https://localhost/",
    ],
)
def test_accepted_url(url):
    """
    A name, a public address over HTTPS and an address of the networks are accepted.
    """
    assert refused_address(url, PRIVATE) is None


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://192.168.1.1/", "192.168.1.1 is not a public address"),
        ("https://[::1]/", "not a public address"),
        ("https://[::ffff:127.0.0.1]/", "not a public address"),
        ("https://[64:ff9b::7f00:1]/", "not a public address"),
        ("https://169.254.169.254/latest/", "not a public address"),
        ("http://8.8.8.8/", "not in the networks of MASTHEAD_NOTIFY_NETWORKS"),
        ("ftp://example.com/", "must begin with https://"),
        ("//example.com/", "must begin with https://"),
        ("example.com", "must begin with https://"),
        ("https://ada:secret@example.com/", "a user name or a password"),
        ("https://@example.com/", "a user name or a password"),
        ("https://example.com/#top", "a fragment"),
        ("https://", "has no host"),
        ("https://:443/", "has no host"),
        ("https://example.com:0/", "from 1 to 65535"),
        ("https://example.com:65536/", "not valid"),
        ("https://example.com:http/", "not valid"),
        ("https://[::1/", "not valid"),
        ("https://[fe80::1%25eth0]/", "not an IPv6 address"),
        ("https://[8.8.8.8]/", "not"),
        ("https://example.com./", "end with a dot"),
        ("https://10.1.2.3./", "end with a dot"),
        ("https://0x7f.1/", "four decimal numbers"),
        ("https://2130706433/", "four decimal numbers"),
        ("https://0177.0.0.1/", "four decimal numbers"),
        ("https://127.1/", "four decimal numbers"),
        ("https://example.0X7F/", "four decimal numbers"),
        ("https://a..b/", "not a valid host name"),
        ("https://-a.example/", "not a valid host name"),
        ("https://a%2eb.example/", "not a valid host name"),
        (f"https://{'a' * 64}.example/", "not a valid host name"),
        (f"https://{'a.' * 127}com/", "not a valid host name"),
        ("https://münchen.example/", "printable ASCII"),
        ("https://example.com/a b", "printable ASCII"),
        ("https://example.com\\@8.8.8.8/", "printable ASCII"),
        ("https://example.com/\r\nHost: x", "printable ASCII"),
        ("", "printable ASCII"),
        ("https://example.com/" + "a" * 2000, "more than 2000 characters"),
    ],
)
def test_refused_url(url, words):
    """A private, ambiguous or unsafe URL is rejected with a sentence."""
    reason = refused_address(url, PRIVATE)

    assert words in reason
    assert reason.endswith(".")


def test_plain_http_without_networks():
    """Without the setting, no plain HTTP URL is accepted, whatever its host."""
    assert "must begin with https://" in refused_address("http://a.example/", ())


@pytest.mark.parametrize(
    ("url", "destination"),
    [
        ("https://A.example/x", ("https", "a.example", 443)),
        ("http://[FD00::1]:80/x", ("http", "fd00::1", 80)),
        ("HTTPS://8.8.8.8:8443", ("https", "8.8.8.8", 8443)),
    ],
)
def test_destination(url, destination):
    """A URL has one host and port, with the default port of its scheme."""
    assert parse_destination(url, PRIVATE) == destination


@pytest.mark.parametrize(
    "text",
    [
        *("8.8.8.8", "2606:4700::1111", "192.0.1.0", "198.17.255.255", "223.255.255.1"),
        *("2001:200::1", "3ffe::1"),
        # 6to4 with a public address inside.
        "2002:808:808::1",
    ],
)
def test_public_address(text):
    """Addresses of the internet are public, also those inside 6to4."""
    assert is_public(ip_address(text))


@pytest.mark.parametrize(
    "text",
    [
        *("0.0.0.0", "0.1.2.3", "10.0.0.1", "127.0.0.1", "169.254.169.254"),
        *("172.16.0.1", "192.168.0.1", "100.64.0.1", "192.0.2.1", "198.18.0.1"),
        # Some releases of Python consider these public.
        *("192.0.0.0", "192.0.0.9", "192.0.0.192", "192.0.0.255", "192.31.196.1"),
        *("192.52.193.1", "192.88.99.1", "192.175.48.1"),
        *("2001:1::1", "2001:3::1", "2001:4:112::1", "2001:20::1", "2001:30::1"),
        *("2620:4f:8000::1", "3fff::1", "5f00::1", "100:0:0:1::1"),
        *("2002:c000:c0::1", "::ffff:8.8.8.8"),
        *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd12::1", "ff02::1"),
        *("ff0e::1", "2001:db8::1", "100::1", "4000::1"),
        # IPv4 inside IPv6: 6to4, Teredo, compatible, and NAT64 of a network.
        *("2002:7f00:1::1", "2002:a00:1::1", "2001:0:4136:e378:8000:63bf:80ff:fffe"),
        *("2001:0:a00:1:8000:63bf:f7f7:f7f7", "::8.8.8.8", "::127.0.0.1"),
        *("64:ff9b:1::808:808", "64:ff9b:1:7f00:0:100::"),
    ],
)
def test_address_that_is_not_public(text):
    """
    Host, link-local, site-local, multicast and unspecified addresses are not public.
    """
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("prefix", ["::ffff:", "64:ff9b::"])
def test_translated_address(prefix):
    """A translated address is judged by its target, to which the networks apply too."""
    for text in ("8.8.8.8", "10.1.2.3"):
        require_allowed(ip_address(prefix + text), "https", PRIVATE)
    for text in ("127.0.0.1", "192.168.0.1", "169.254.169.254", "0.0.0.0"):
        with pytest.raises(RefusedAddress):
            require_allowed(ip_address(prefix + text), "https", PRIVATE)


def test_tunnel_into_a_listed_network():
    """A tunnel does not reach a listed network, because it passes through others."""
    for text in ("2002:a00:1::1", "::10.0.0.1"):
        with pytest.raises(RefusedAddress):
            require_allowed(ip_address(text), "https", PRIVATE)
