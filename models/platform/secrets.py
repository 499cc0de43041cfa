"""
Generate and check the secrets of API keys.

Their form is `mh_<public id>_<256 random bits><checksum>`. Only the SHA-256 of a secret
is stored. The checksum distinguishes a typing error, or a string of the same form,
from a secret without a look-up.
"""

import hashlib
import re
import secrets
import zlib
from dataclasses import dataclass

PREFIX = "mh"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SECRET_PATTERN = re.compile(rf"{PREFIX}_[0-9A-Za-z]{{8}}_[0-9A-Za-z]{{49}}", re.ASCII)
# Matches a secret or its beginning, which must not be logged; the group may be. Tokens
# in links to a reader's subscription are secrets too; links.py of the subscriptions
# writes them.
REDACTED_PATTERN = re.compile(
    rf"({PREFIX}_[0-9A-Za-z]{{8}}|subscribe/(?:confirm|manage|end))[_/][0-9A-Za-z_-]+",
    re.ASCII,
)

_ID_LENGTH, _RANDOM_LENGTH, _CHECKSUM_LENGTH = 8, 43, 6


@dataclass(frozen=True)
class Secret:
    text: str

    @property
    def prefix(self) -> str:
        """The part that is not secret."""
        return self.text[: len(PREFIX) + 1 + _ID_LENGTH]

    @property
    def hash(self) -> str:
        return hash_secret(self.text)


def generate_secret() -> Secret:
    public = "".join(secrets.choice(ALPHABET) for _ in range(_ID_LENGTH))
    body = f"{PREFIX}_{public}_{_base62(secrets.randbits(256), _RANDOM_LENGTH)}"
    return Secret(body + checksum(body))


def is_well_formed(text: str) -> bool:
    """Return whether the text has the form of a secret and a valid checksum."""
    return (
        SECRET_PATTERN.fullmatch(text) is not None
        and checksum(text[:-_CHECKSUM_LENGTH]) == text[-_CHECKSUM_LENGTH:]
    )


def checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _CHECKSUM_LENGTH)


def hash_secret(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _base62(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, digit = divmod(number, 62)
        digits = ALPHABET[digit] + digits
    return digits
