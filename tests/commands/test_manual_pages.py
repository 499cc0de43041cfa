"""Pages of the manual followed word by word, against a server."""

import json
import os
import subprocess
from urllib.parse import urlsplit

import pytest

from tests.house.words import MANUAL

PASTE = "=paste-the-id-here"
# Pages that can be followed from their beginning with nothing but a key.
WHOLE = [words for words in MANUAL if words.path.stem == "a-day-of-a-project"]


@pytest.mark.parametrize("words", WHOLE, ids=lambda words: words.name)
def test_page_can_be_followed(words, key, start):
    """Each command succeeds with the ids that the answers before it gave."""
    _, address, _ = start()
    host, answer = urlsplit(address).netloc, None
    environment = os.environ | {"KEY": key}
    for block in words.blocks("bash"):
        if PASTE in block:
            name = block.partition("=")[0].strip()
            environment[name] = id_of(answer)
            continue
        script = block.replace("127.0.0.1:8000", host)
        ran = subprocess.run(
            ["bash", "-euc", script], env=environment, capture_output=True, check=True
        )
        answer = json.loads(ran.stdout)
        assert "data" in answer, (block, answer)


def id_of(answer):
    """The id that a reader would paste: of what was made, or of the first."""
    data = answer["data"]
    return data["id"] if "id" in data else data["items"][0]["id"]
