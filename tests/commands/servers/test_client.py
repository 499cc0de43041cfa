"""The manual's typed client, generated and used on a live server."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from tests.conventions.words import MANUAL

(PAGE,) = [words for words in MANUAL if words.path.stem == "api-clients"]
(GENERATE,), (USE,) = PAGE.blocks("bash"), PAGE.blocks("python")


def test_generated_client(start, key, tmp_path):
    """The generator covers every operation, and the client opens an incident."""
    _, address, _ = start()
    host = urlsplit(address).netloc
    # The generator is installed already; nothing is downloaded.
    generate = GENERATE.replace("pip install openapi-python-client\n", "")
    tools = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"KEY": key, "PATH": tools}

    def run(*words):
        words = [each.replace("127.0.0.1:8000", host) for each in words]
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    made = run("bash", "-euc", generate)
    used = run(sys.executable, "-c", USE)

    assert (made.returncode, "WARNING" in made.stdout) == (0, False), made.stdout
    assert used.stderr == ""
    assert f"prints `{used.stdout.strip()}`" in PAGE.text
