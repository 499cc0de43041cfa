"""The manual's instructions for gateways match the product, in each language."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from models.platform.secrets import generate_secret, hash_secret, is_well_formed
from tests.conventions.words import MANUAL

(PAGE,) = [words for words in MANUAL if words.path.stem == "api-gateways"]
(VECTORS,) = [json.loads(block) for block in PAGE.blocks("json")]
(SCANNED,) = PAGE.blocks("text")
RUNS = {
    "python": [sys.executable, "-c"],
    "javascript": ["node", "-e"],
    "sh": ["sh", "-c"],
}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda each: each["secret"])
def test_vectors(vector):
    """A vector with a hash is a valid secret with this hash; the others are invalid."""
    assert is_well_formed(vector["secret"]) == ("sha256" in vector)
    assert hash_secret(vector["secret"]) == vector.get(
        "sha256", hash_secret(vector["secret"])
    )


@pytest.mark.parametrize("language", RUNS)
def test_code(language):
    """The code of each language recognises valid secrets, and hashes them."""
    command = RUNS[language]
    if not shutil.which(command[0]):
        pytest.skip(f"There is no {command[0]} here.")
    (code,) = PAGE.blocks(language)
    fresh = generate_secret()

    for vector in [*VECTORS, {"secret": fresh.text, "sha256": fresh.hash}]:
        result = subprocess.run(
            [*command, code], input=vector["secret"], capture_output=True, text=True
        )

        assert result.stderr == ""
        assert result.stdout.strip() == vector.get("sha256", ""), vector
        assert result.returncode == ("sha256" not in vector)


def test_expression():
    """A scanner finds every secret in a text, and nothing longer."""
    secrets = [generate_secret().text for _ in range(50)]

    found = re.findall(SCANNED.strip(), f"key={';'.join(secrets)}, x{secrets[0]}0")

    assert found == secrets
