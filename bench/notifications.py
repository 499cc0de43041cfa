"""
Measure the delay of notifications about an incident, and their effect on other
requests.
"""

import json
import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.docs import Site, wait_until
from bench.overtaking import Writer, add_service, answers, percentile, request_times
from bench.receivers import arrivals, receivers
from bench.server import full_access_key
from models.instance import create_instance_secrets
from models.notifications.event_types import default_events
from models.notifications.subscriptions.subscriptions import create_subscription
from models.storage.database import database, migrate, open_database, writing
from tests.ports import free_port

MAILBOXES = int(os.environ.get("MAILBOXES", "10000"))
WEBHOOKS = int(os.environ.get("WEBHOOKS", "1000"))
# The numbers of webhooks that hang, refuse connections, and respond slowly.
BAD_KINDS, BAD_WEBHOOKS = ("hang", "refuse", "slow"), 50
GOOD = f"/good-{len(BAD_KINDS) * BAD_WEBHOOKS}"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
IDLE_SECONDS, MAX_SECONDS = 10, 170
ADD = "/status/v1/admin/incidents/add"
ADD_UPDATE = "/status/v1/admin/incident-updates/add"


def run():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with receivers(folder) as (http_port, smtp_port, log):
            yield from measure(folder, http_port, smtp_port, log)


def measure(folder, http_port, smtp_port, log):
    site, port = Site(folder, 0), free_port()
    site.environment |= {
        "MASTHEAD_SMTP": f"smtp+plain://127.0.0.1:{smtp_port}",
        "MASTHEAD_MAIL_FROM": "Status <status@example.com>",
        "MASTHEAD_NOTIFY_NETWORKS": "127.0.0.0/8",
    }
    open_database(site.database)
    migrate()
    with writing():
        create_instance_secrets()
    secret = full_access_key()
    expected = add_subscriptions(http_port)
    database.close()
    with site.start(port):
        wait_until(lambda: answers(port, secret))
        client = Writer(port, secret)
        add_service(client)
        with request_times(port, secret) as idle:
            time.sleep(IDLE_SECONDS)
        with request_times(port, secret) as busy:
            incident = {"title": "Errors", "severity": "degraded", "services": ["api"]}
            response = client.post(ADD, incident | {"body": "We are looking."})
            id = json.loads(response)["data"]["id"]
            page = site.output / f"status/incidents/{id}/index.html"
            wait_until(page.exists)
            live_at = time.time()
            times = wait_for_arrivals(log, expected, live_at)
        # Beside receivers that hang, a further event reaches a good one.
        log.write_text("")
        response = client.post(ADD_UPDATE, {"incidentId": id, "body": "Still looking."})
        second = wait_for_arrivals(log, {GOOD}, time.time())
    count = f"{MAILBOXES:,} mailboxes, {WEBHOOKS:,} webhooks"
    notified = f"{len(times):,} of {len(expected):,}"
    yield f"{count}: notified, of those that receive", notified, "all"
    yield f"{count}: until the last is notified, s", f"{max(times):.1f}", "<= 60"
    yield f"{count}: median, s", f"{percentile(times, 0.5):.1f}", ""
    ratio = percentile(busy, 0.99) / percentile(idle, 0.99)
    for label, found in (("idle", idle), ("meanwhile", busy)):
        figures = ", ".join(f"{percentile(found, p):.1f}" for p in (0.5, 0.95, 0.99))
        yield f"API {label}, p50, p95, p99, ms", figures, ""
    yield "API p99 meanwhile, ratio to idle", f"{ratio:.1f}", "<= 2"
    yield "the next event, at a good webhook, s", f"{max(second):.2f}", "<= 14"


def add_subscriptions(http_port):
    """Subscribe all addresses; return those that accept messages."""
    refused_port, now = free_port(), datetime.now(UTC)
    # Those that hang are first, which is the worst for the others.
    kinds = [kind for kind in BAD_KINDS for _ in range(BAD_WEBHOOKS)]
    kinds += ["good"] * (WEBHOOKS - len(kinds))
    webhooks = {
        f"/{kind}-{number}": f"http://127.0.0.1:"
        f"{refused_port if kind == 'refuse' else http_port}/{kind}-{number}"
        for number, kind in enumerate(kinds)
    }
    mailboxes = [f"reader-{number}@example.com" for number in range(MAILBOXES)]
    with writing():
        for channel, addresses, secret in (
            ("webhook", webhooks.values(), SECRET),
            ("email", mailboxes, None),
        ):
            for address in addresses:
                create_subscription(
                    channel,
                    address,
                    folded_address=address,
                    events=default_events(channel),
                    services=[],
                    source="operator",
                    secret=secret,
                    now=now,
                )
    good = [path for path in webhooks if path.startswith(("/good", "/slow"))]
    return {*good, *mailboxes}


def wait_for_arrivals(log, expected, since):
    """Wait until all have arrived, or the time is over; return the seconds of each."""
    deadline = time.monotonic() + MAX_SECONDS
    while time.monotonic() < deadline:
        first, _ = arrivals(log)
        if expected <= first.keys():
            break
        time.sleep(0.5)
    return [first[address] - since for address in expected if address in first]
