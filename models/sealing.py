"""
Seal a secret under another secret: AES-256-GCM with a key from HKDF-SHA256.

The `cryptography` library is imported on first use: it takes longer to load than all
of a command that seals nothing.
"""

import secrets

SALT_BYTES = 16
NONCE_BYTES = 12
KEY_BYTES = 32
PURPOSE = b"masthead sealing 1"


class SealBroken(Exception):
    """The sealed bytes do not open with this secret and this associated data."""


def seal(plaintext: bytes, secret: str, associated_data: bytes) -> bytes:
    """
    Return salt, nonce and ciphertext, which open under the same secret only.

    `associated_data` is authenticated but not included: the sealed bytes open only
    together with equal associated data.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    salt, nonce = secrets.token_bytes(SALT_BYTES), secrets.token_bytes(NONCE_BYTES)
    key = _derive_key(secret, salt)
    return salt + nonce + AESGCM(key).encrypt(nonce, plaintext, associated_data)


def open_sealed(sealed: bytes, secret: str, associated_data: bytes) -> bytes:
    """Return the plaintext; raise SealBroken if anything differs from the sealing."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    salt, rest = sealed[:SALT_BYTES], sealed[SALT_BYTES:]
    nonce, ciphertext = rest[:NONCE_BYTES], rest[NONCE_BYTES:]
    try:
        return AESGCM(_derive_key(secret, salt)).decrypt(
            nonce, ciphertext, associated_data
        )
    except (InvalidTag, ValueError) as error:
        # A nonce that is cut short is a ValueError.
        raise SealBroken from error


def _derive_key(secret: str, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    kdf = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=PURPOSE)
    return kdf.derive(secret.encode())
