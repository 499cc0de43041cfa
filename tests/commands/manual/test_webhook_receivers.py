"""The webhook receivers in the manual, and the messages that it shows."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import sleep

import pytest

from api.notifications.http_sender import HttpSender
from api.notifications.senders import signature_headers
from models.notifications.deliveries.schedule import JITTER, MAX_FAILING, PAUSES
from models.notifications.event_types import EVENT_TYPES
from models.notifications.subscriptions.secrets import new_webhook_secret
from models.status.incidents.incidents import StatusIncidentDetail
from sitegen.messages.webhook import webhook_body
from tests.conventions.words import MANUAL
from tests.ports import free_port

(PAGE,) = [words for words in MANUAL if words.path.stem == "receiving-webhooks"]
(MESSAGE,) = map(json.loads, PAGE.blocks("json"))


def programs():
    """Return the program of each example and the name of its file."""
    yield "python", sys.executable, "receiver.py"
    yield "typescript", shutil.which("node"), "receiver.mjs"


@pytest.fixture(params=programs(), ids=lambda program: program[0])
def receiver(request, tmp_path):
    """Run an example; return its secret, its URL and its output."""
    language, program, name = request.param
    if not program:
        pytest.skip("node is not installed")
    (block,) = PAGE.blocks(language)
    port, secret, printed = free_port(), new_webhook_secret(), tmp_path / "printed"
    (tmp_path / name).write_text(block.replace("8080", str(port)))
    environment = {"PATH": os.environ["PATH"], "WEBHOOK_SECRET": secret}
    with printed.open("w") as output:
        process = subprocess.Popen(
            [program, tmp_path / name],
            env=environment,
            stdout=output,
            stderr=subprocess.DEVNULL,
        )
        wait_for(process, port)
        yield secret, f"http://127.0.0.1:{port}/", printed.read_text
        process.kill()
        process.wait()


def wait_for(process, port):
    while process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        sleep(0.05)
    raise AssertionError("The receiver ended.")


def test_receiver(receiver):
    """A signed message is accepted once, also with the signatures of a rotation."""
    secret, url, printed = receiver
    body = webhook_body(MESSAGE["type"], datetime.now(UTC), MESSAGE["data"])

    outcomes = [
        send(url, body, id, [secret, *others])
        for id, others in (("a", []), ("a", []), ("b", [new_webhook_secret()]))
    ]

    assert [outcome.status_code for outcome in outcomes] == [204, 204, 204]
    line = f"{MESSAGE['type']} {MESSAGE['data']['url']}"
    assert printed().splitlines() == [line, line]


def test_receiver_of_forged_messages(receiver):
    """Another secret, another body and an old message are rejected."""
    secret, url, printed = receiver
    now = datetime.now(UTC)
    headers = signature_headers("a", now, b"{}", [secret])

    outcomes = [
        send(url, b"{}", "a", [new_webhook_secret()]),
        SENDER.send(url, headers, b'{"type": "forged"}'),
        SENDER.send(url, {"webhook-signature": "v1,="}, b"{}"),
        SENDER.send(
            url,
            signature_headers("a", now - timedelta(hours=1), b"{}", [secret]),
            b"{}",
        ),
    ]

    assert [outcome.status_code for outcome in outcomes] == [401] * 4
    assert printed() == ""


SENDER = HttpSender(("127.0.0.0/8",), lambda: datetime.now(UTC), timeout_seconds=60)


def send(url, body, id, secrets):
    headers = signature_headers(id, datetime.now(UTC), body, secrets)
    return SENDER.send(url, headers, body)


def test_message():
    """The message that the page shows has the fields of the API's incidents."""
    data = MESSAGE["data"]

    assert MESSAGE.keys() == {"type", "timestamp", "data"}
    assert data.keys() == {"incident", "url"}
    StatusIncidentDetail.model_validate_json(json.dumps(data["incident"]))


def test_types():
    """The page has each type of event once."""
    table = PAGE.text.partition("| Type |")[2].partition("## Headers")[0]

    named = re.findall(r"`((?:incident|maintenance|service|document)\.[a-z-]+)`", table)
    assert sorted(named) == sorted(EVENT_TYPES)


def test_pauses():
    """The page has the pauses between attempts, and when a webhook is quarantined."""
    (sentence,) = re.findall(r"before the next one: (.*)\.", PAGE.text)
    units = {"second": 1, "minute": 60, "hour": 3600}

    result = [
        int(count) * units[unit]
        for count, unit in re.findall(r"(\d+) (second|minute|hour)", sentence)
    ]
    assert (0, *result) == PAUSES
    assert len(PAUSES) == 10
    assert JITTER == 0.1
    assert timedelta(days=5) == MAX_FAILING
