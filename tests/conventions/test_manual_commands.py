"""Each curl command of the manual and the README is accepted unchanged."""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import pytest

from api.operation import OPERATIONS
from tests.conftest import ROUTES
from tests.conventions.words import ALL

ID = "01a1fbfc-9fd3-79db-9fa1-83ca6439e582"
NAMES = (
    *("PROJECT", "DOCUMENT", "SPECIFICATION", "MILESTONE", "ITEM"),
    *("INCIDENT", "UPDATE", "WINDOW", "KEY_ID", "SUBSCRIPTION"),
)

# Replaces curl and prints its arguments.
CURL = f"""#!{sys.executable}
import json, sys
body = sys.stdin.read() if "@-" in sys.argv else None
sys.stdout.write(json.dumps([sys.argv[1:], body]) + "\\n")
"""

AREAS = "|".join(sorted({each.area for each in OPERATIONS}))
CALL = re.compile(rf"curl .*/({AREAS})/v1/")
BLOCKS = [
    pytest.param(block, id=f"{words.name}-{number}")
    for words in ALL
    for number, block in enumerate(words.blocks("bash"))
    if CALL.search(block)
]


@pytest.fixture
def curl_calls(tmp_path):
    """Run a block of the shell and return the arguments of its curl commands."""
    curl = tmp_path / "curl"
    curl.write_text(CURL)
    curl.chmod(0o755)
    environment = dict.fromkeys(NAMES, ID) | {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "KEY": "mh_key",
    }

    def run(block):
        script = block.replace("paste-the-id-here", ID)
        shell = ["bash", "-euc", script]
        result = subprocess.run(shell, env=environment, capture_output=True, check=True)
        return [json.loads(line) for line in result.stdout.splitlines()]

    return run


@pytest.mark.parametrize("block", BLOCKS)
def test_curl_is_accepted(curl_calls, block):
    """The operation exists, accepts the request, and gets the headers it needs."""
    commands = curl_calls(block)

    assert commands
    for arguments, piped in commands:
        _check(arguments, piped)


def _check(arguments, piped):
    (address,) = [each for each in arguments if each.startswith("http")]
    url = urlsplit(address)
    headers = dict(each.split(": ", 1) for each in _option_value(arguments, "-H"))
    bodies = _option_value(arguments, "--json")
    is_post = bodies or "--data-binary" in arguments
    operation = ROUTES[f"{'POST' if is_post else 'GET'} {url.path}"]

    assert url.netloc == "127.0.0.1:8000"
    assert headers["Authorization"] == "Bearer mh_key"
    assert operation.idempotent != "required" or headers.get("Idempotency-Key")
    if bodies:
        body = piped if bodies[0] == "@-" else bodies[0]
        operation.request.model_validate_json(body, by_alias=True, by_name=False)
    else:
        payload = dict(parse_qsl(url.query, strict_parsing=True))
        operation.request.model_validate(payload, by_alias=True, by_name=False)


def _option_value(arguments, flag):
    return [value for name, value in pairwise(arguments) if name == flag]
