"""Email addresses: which are valid, and which are the same."""

import pytest

from models.notifications.addresses.mail_address import (
    folded_address,
    mailbox_of,
    parse_mail_address,
    smtp_address,
)
from tests.processor import at_most


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ada@example.com", "ada@example.com"),
        ("  ada@example.com ", "ada@example.com"),
        ("Ada.L+status@EXAMPLE.com", "Ada.L+status@example.com"),
        ("ada@bücher.example.com", "ada@bücher.example.com"),
        ("ada@xn--bcher-kva.example.com", "ada@bücher.example.com"),
        ("ada@BÜCHER.example.com", "ada@bücher.example.com"),
        ("用户@例子.广告", "用户@例子.广告"),
        # One character, and not a letter with an accent after it.
        ("e\u0301ve@example.com", "éve@example.com"),
        (f"{'x' * 64}@example.com", f"{'x' * 64}@example.com"),
    ],
)
def test_address(text, address):
    """An address is stored as its owner writes it, with its domain in one form."""
    assert parse_mail_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "ada", "ada@", "@example.com", "ada@localhost", "ada@[192.0.2.1]"),
        *("ada@example.com\n", "ada\n@example.com", "ada@exam\r\nple.com"),
        *("ada@example.com\nBcc: eve@example.com", "ada@example.com, eve@example.com"),
        *("Ada <ada@example.com>", '"ada eve"@example.com', "ada@example..com"),
        *("ada@example.com.", ".ada@example.com", "a..b@example.com", "ada@a_b.com"),
        *("ada\0@example.com", "ada\u202e@example.com", "ada\u2028@example.com"),
        *("=?utf-8?q?eve=40example.org?=@example.com", "ada=?@example.com"),
        *("ada@☃.net", "ada@-a.com", "ada@corp.local", "ada@example.invalid"),
        *(f"{'x' * 65}@example.com", f"ada@{'a' * 64}.com", f"ada@{'ü' * 60}.com"),
        *("x" * 308 + "@example.com", "x" * 64 + "@" + "a." * 120 + "example.com"),
    ],
)
def test_no_address(text):
    """An invalid address is rejected with a sentence, on one line."""
    with pytest.raises(ValueError, match=r"^[A-Z][^\n]*\.$"):
        parse_mail_address(text)


def test_hostile_length():
    """A long text is rejected before it is parsed."""
    text = "a\u0301\u0323" * 1_000_000 + "@example.com"

    with at_most(0.1), pytest.raises(ValueError, match="254 characters"):
        parse_mail_address(text)


@pytest.mark.parametrize(
    ("address", "mailbox"),
    [
        ("Ada+status@Example.com", "ada@example.com"),
        ("ada+a+b@example.com", "ada@example.com"),
        ("+ada@example.com", "+ada@example.com"),
        ("a.d.a@example.com", "a.d.a@example.com"),
        ("A.d.a+x@gmail.com", "ada@gmail.com"),
        ("ada@GoogleMail.com", "ada@gmail.com"),
        ("ada+x@bücher.example.com", "ada@xn--bcher-kva.example.com"),
    ],
)
def test_mailbox_of_an_address(address, mailbox):
    """A suffix after a plus sign makes no second mailbox, nor do dots at Gmail."""
    assert mailbox_of(address) == mailbox


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ada@example.com", "ADA@Example.COM"),
        ("ada@bücher.example.com", "ada@xn--BCHER-kva.example.com"),
        ("ÉVE@example.com", "e\u0301ve@example.com"),
    ],
)
def test_same_address(one, other):
    """Letter case and the spelling of a domain make no second address."""
    assert folded_address(one) == folded_address(other)
    assert folded_address(parse_mail_address(one)) == folded_address(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ada@example.com", "ada@example.org"),
        ("ada+status@example.com", "ada@example.com"),
        # Cyrillic а: the domain looks the same but belongs to someone else.
        ("ada@ex\u0430mple.com", "ada@example.com"),
        ("ada@strasse.example.com", "ada@straße.example.com"),
    ],
)
def test_other_address(one, other):
    """Mailboxes that may have different owners are different."""
    assert folded_address(one) != folded_address(other)


def test_address_for_smtp():
    """The domain is always sent in ASCII; the local part has no such form."""
    assert smtp_address("ada@bücher.example.com") == "ada@xn--bcher-kva.example.com"
    assert smtp_address("éve@example.com") == "éve@example.com"
