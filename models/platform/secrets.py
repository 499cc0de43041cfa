"""
The secrets of API keys: `mh_<public id>_<256 random bits><checksum>`.

Only SHA-256 of the whole is ever stored. The checksum lets anyone tell a typing
error, or a string that merely looks alike, from a key, without asking.
"""

import hashlib
import re
import secrets
import zlib
from dataclasses import dataclass

BRAND = "mh"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
FORM = re.compile(rf"{BRAND}_[0-9A-Za-z]{{8}}_[0-9A-Za-z]{{49}}", re.ASCII)
# What a log must not tell: a secret or its beginning; the group may be shown.
HIDDEN = re.compile(rf"({BRAND}_[0-9A-Za-z]{{8}})_[0-9A-Za-z]+", re.ASCII)

_ID, _RANDOM, _CHECKSUM = 8, 43, 6


@dataclass(frozen=True)
class Secret:
    text: str

    @property
    def prefix(self) -> str:
        """The part that may be shown."""
        return self.text[: len(BRAND) + 1 + _ID]

    @property
    def hash(self) -> str:
        return hash_of(self.text)


def make_secret() -> Secret:
    public = "".join(secrets.choice(ALPHABET) for _ in range(_ID))
    body = f"{BRAND}_{public}_{_base62(secrets.randbits(256), _RANDOM)}"
    return Secret(body + checksum(body))


def is_secret(text: str) -> bool:
    """Tell whether the text has the form of a secret and its checksum fits."""
    return (
        FORM.fullmatch(text) is not None
        and checksum(text[:-_CHECKSUM]) == text[-_CHECKSUM:]
    )


def checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _CHECKSUM)


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _base62(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, digit = divmod(number, 62)
        digits = ALPHABET[digit] + digits
    return digits
