"""Sealed secrets open only with the same secret and the same record."""

import pytest

from models.sealing import SealBroken, open_sealed, seal

PLAINTEXT = b"mh_12345678_secret"


def test_opened():
    """With the same secret and record the plaintext is returned."""
    sealed = seal(PLAINTEXT, "bearer", b"record")

    assert PLAINTEXT not in sealed
    assert open_sealed(sealed, "bearer", b"record") == PLAINTEXT


@pytest.mark.parametrize(
    ("secret", "record"), [("other", b"record"), ("bearer", b"other"), ("bearer", b"")]
)
def test_not_opened(secret, record):
    """Neither another secret nor another record opens it."""
    sealed = seal(PLAINTEXT, "bearer", b"record")

    with pytest.raises(SealBroken):
        open_sealed(sealed, secret, record)


def test_changed_bytes():
    """No byte of sealed data can be changed, added or left out."""
    sealed = seal(PLAINTEXT, "bearer", b"record")
    flipped = [
        sealed[:index] + bytes([sealed[index] ^ 1]) + sealed[index + 1 :]
        for index in range(len(sealed))
    ]
    cut = [sealed[:length] for length in range(len(sealed))]

    for broken in (*flipped, *cut, sealed + b"x"):
        with pytest.raises(SealBroken):
            open_sealed(broken, "bearer", b"record")


def test_sealed_twice():
    """Two seals of one plaintext have nothing in common."""
    first, second = (seal(PLAINTEXT, "bearer", b"record") for _ in range(2))

    assert first[:16] != second[:16]
    assert first[28:] != second[28:]
