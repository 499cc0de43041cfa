"""Secrets: their form, their checksum, and the part that may be shown."""

import hashlib
import zlib

import pytest

from models.platform.secrets import (
    ALPHABET,
    SECRET_PATTERN,
    Secret,
    generate_secret,
    is_well_formed,
)

KNOWN = "mh_00000000_" + "0" * 43


def number(digits):
    value = 0
    for digit in digits:
        value = value * 62 + ALPHABET.index(digit)
    return value


def test_form():
    """A brand, eight public digits, 43 random ones, and six of checksum."""
    secret = generate_secret()

    assert SECRET_PATTERN.fullmatch(secret.text)
    assert len(secret.text) == 3 + 8 + 1 + 43 + 6
    assert secret.prefix == secret.text[:11]
    assert secret.hash == hashlib.sha256(secret.text.encode()).hexdigest()


def test_checksum_is_crc32_in_base62():
    """
    The checksum is the CRC32 of all before, in base 62, most significant digit first.
    """
    text = generate_secret().text

    assert number(text[-6:]) == zlib.crc32(text[:-6].encode())
    assert is_well_formed(text)


def test_two_secrets_differ():
    """No secret is generated twice, and neither is its public part."""
    made = {generate_secret().text for _ in range(100)}

    assert len({text[12:] for text in made}) == 100


@pytest.mark.parametrize("place", [3, 10, 12, 54, 55, 60])
def test_typing_error(place):
    """One wrong digit anywhere is detected without the database."""
    text = generate_secret().text
    wrong = "1" if text[place] == "0" else "0"

    assert not is_well_formed(text[:place] + wrong + text[place + 1 :])


@pytest.mark.parametrize(
    "bend",
    [
        lambda text: text[:0],
        lambda text: text + "\n",
        lambda text: text[:-1],
        lambda text: text + "0",
        lambda text: text.upper(),
        lambda text: "mx" + text[2:],
        lambda text: text.replace("_", "-"),
        lambda text: " " + text,
    ],
)
def test_what_is_no_secret(bend):
    """The form is checked from the first to the last character."""
    assert not is_well_formed(bend(generate_secret().text))


def test_secret_does_not_travel_in_its_prefix():
    """The public part reveals nothing of the random part."""
    assert Secret(KNOWN).prefix == "mh_00000000"
