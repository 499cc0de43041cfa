"""
A complete server notifies subscribers by webhook and email, once the page is live.
"""

import json
import re
import threading
import urllib.request
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest
from aiosmtpd.controller import Controller
from standardwebhooks.webhooks import Webhook

from tests.commands.conftest import fetch
from tests.commands.servers.test_serve import until
from tests.ports import free_port

ADMIN = "/status/v1/admin"
INCIDENT = {"title": "Errors", "severity": "degraded", "services": ["api"], "body": "…"}


def window_from(start):
    times = {"startsAt": start, "endsAt": start + timedelta(hours=1)}
    times = {name: f"{time:%Y-%m-%dT%H:%M:%SZ}" for name, time in times.items()}
    return {"title": "Move", "services": ["api"]} | times


class Hook:
    """A receiver of webhooks, which records whether the page was live."""

    def __init__(self, output):
        self.messages, hook = [], self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                page = re.search(rb"/status/incidents/[0-9a-f-]+/", body)
                is_live = page and (output / page[0].decode().strip("/")).exists()
                hook.messages.append((dict(self.headers), body, bool(is_live)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def types(self):
        return [json.loads(body)["type"] for _, body, _ in self.messages]


class Inbox:
    """A relay that stores the emails."""

    def __init__(self):
        self.mails = []

    async def handle_DATA(self, server, session, envelope):
        mail = message_from_bytes(envelope.content, policy=policy.default)
        self.mails.append((envelope.rcpt_tos, mail))
        return "250 OK"

    def subjects(self):
        return [mail["Subject"] for _, mail in self.mails]


@pytest.fixture
def hook(environment):
    found = Hook(Path(environment["MASTHEAD_OUTPUT"]))
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def inbox(environment):
    found, port = Inbox(), free_port()
    relay = Controller(found, hostname="127.0.0.1", port=port)
    relay.start()
    environment |= {
        "MASTHEAD_SMTP": f"smtp+plain://127.0.0.1:{port}",
        "MASTHEAD_MAIL_FROM": "Status <status@example.com>",
        "MASTHEAD_NOTIFY_NETWORKS": "127.0.0.0/8",
    }
    yield found
    relay.stop()


@pytest.mark.both_engines
def test_incident_is_told(start, key, hook, inbox):
    """
    An incident reaches a webhook, signed and with its page live, and a mailbox. Later
    events are in the same thread, also those caused by the clock.
    """
    _, address, _ = start()

    def post(path, fields, repeat="1"):
        answer = fetch(f"{address}{ADMIN}/{path}", key, fields, repeat=repeat)
        return json.loads(answer)["data"]

    post("services/add", {"slug": "api", "name": "API"})
    added = post("subscriptions/add", {"channel": "webhook", "address": hook.url})
    post("subscriptions/add", {"channel": "email", "address": "ada@example.com"}, "2")
    id = post("incidents/add", INCIDENT)["id"]

    until(lambda: hook.messages and inbox.mails)
    headers, body, is_live = hook.messages[0]
    assert is_live
    result = Webhook(added["secret"]).verify(body, headers)
    assert result["type"] == "incident.opened"
    assert result["data"]["incident"]["incident"]["id"] == id
    to, first = inbox.mails[0]
    assert (to, first["Subject"]) == (
        ["ada@example.com"],
        "[Masthead] New incident: Errors",
    )

    post("incident-updates/add", {"incidentId": id, "body": "Found it."})
    until(lambda: len(inbox.mails) == 2 and len(hook.messages) == 2)
    second = inbox.mails[1][1]
    assert second["In-Reply-To"] == first["Message-ID"]
    assert hook.messages[1][0]["webhook-id"] != headers["webhook-id"]

    begun = datetime.now(UTC) - timedelta(minutes=1)
    post("maintenance/add", window_from(begun), "3")
    until(lambda: "maintenance.started" in hook.types())
    until(lambda: "[Masthead] Maintenance started: Move" in inbox.subjects())


def test_reader_subscribes_and_leaves(start, key, inbox):
    """
    A reader subscribes, confirms with the link in an email, gets an incident, and
    unsubscribes with one click of the mail program; nothing follows.
    """
    _, address, _ = start()

    def post(path, asked, repeat):
        answer = fetch(f"{address}{ADMIN}/{path}", key, asked, repeat=repeat)
        return json.loads(answer)["data"]

    def submit(url, **fields):
        body = urlencode(fields, doseq=True).encode()
        with urllib.request.urlopen(url, body, timeout=20) as answer:
            return answer.status

    post("services/add", {"slug": "api", "name": "API"}, "1")
    form = {"email": "ada@example.com", "kind": ["incidents"]}
    assert submit(f"{address}/subscribe", **form) == 200
    until(lambda: inbox.mails)
    confirm = link_in(inbox.mails[0][1], "/subscribe/confirm/")
    assert submit(confirm, kind="incidents") == 200

    id = post("incidents/add", INCIDENT, "2")["id"]
    until(lambda: len(inbox.mails) == 2)
    mail = inbox.mails[1][1]
    assert mail["Subject"] == "[Masthead] New incident: Errors"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    end = mail["List-Unsubscribe"].strip("<>")
    assert submit(end, **{"List-Unsubscribe": "One-Click"}) == 200

    post("subscriptions/add", {"channel": "email", "address": "bob@example.com"}, "3")
    post("incident-updates/add", {"incidentId": id, "body": "Found it."}, "4")
    until(lambda: len(inbox.mails) == 3)
    assert [to for to, _ in inbox.mails[2:]] == [["bob@example.com"]]


def link_in(mail, path):
    text = mail.get_body(("plain",)).get_content()
    return re.search(rf"http\S+{path}\S+", text)[0]
