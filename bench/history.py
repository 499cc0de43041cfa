"""
Time an incident and an outage until their pages, with a long history behind them.

INCIDENTS=50,10000 sets the histories that are compared, each with a tenth as many
windows, and SERVICES=500 how many services both have.
"""

import json
import os
import tempfile
import time
from contextlib import suppress
from datetime import timedelta
from itertools import count
from pathlib import Path
from uuid import uuid4

from bench.docs import memory_megabytes, wait_until
from bench.overtaking import Writer, answers, percentile
from bench.server import app_server, full_access_key, now
from bench.status_site import fill, record_operational
from models.base import new_id
from models.settings import Settings
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentSeverityRow,
    IncidentUpdateRow,
)
from models.status.maintenance.windows import MaintenanceRow
from models.status.services.rows import AffectedRow, ServiceRow
from models.storage.database import database, migrate, open_database, writing
from tests.ports import free_port

HISTORIES = [int(each) for each in os.environ.get("INCIDENTS", "50,10000").split(",")]
SERVICES = int(os.environ.get("SERVICES", "500"))
# Over so long the incidents are spread, one after the other.
YEARS = timedelta(days=4 * 365)
CHANGES = int(os.environ.get("CHANGES", "40"))
# Until the builder has finished the work that no reader waits for.
PAUSE_SECONDS = 1.5
STATUSES = "investigating", "monitoring", "resolved"
ADMIN = "/status/v1/admin"
MAX_MS, MAX_MEGABYTES = 250, 30


def run():
    memory = []
    for incidents in HISTORIES:
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(Path(folder), incidents)
        memory.append(figures.pop("memory"))
        prefix = f"{incidents:,} incidents, {SERVICES} services"
        for label, times in figures.items():
            p95 = percentile(times, 0.95)
            median = f"{percentile(times, 0.5):.0f}"
            yield f"{prefix}: {label}, median ms", median, ""
            yield f"{prefix}: {label}, p95 ms", f"{p95:.0f}", f"<= {MAX_MS}"
        yield f"{prefix}: memory of all processes, MB", f"{memory[-1]:.0f}", ""
    more = memory[-1] - memory[0]
    yield (
        f"{HISTORIES[-1]:,} incidents beside {HISTORIES[0]}: more memory, MB",
        f"{more:.0f}",
        f"<= {MAX_MEGABYTES}",
    )


def measure(folder, incidents):
    """Return the milliseconds of each kind of change, and the memory at the end."""
    settings = Settings(
        database=str(folder / "bench.db"), output=str(folder / "site"), processes=1
    )
    open_database(settings.database)
    migrate()
    secret = full_access_key()
    fill(SERVICES)
    add_past(incidents, incidents // 10)
    database.close()
    # Nothing measures here, so the services must stay fresh by themselves.
    os.environ["MASTHEAD_FRESHNESS_SECONDS"] = "86400"
    with app_server(settings, port := free_port()) as server:
        wait_until(lambda: answers(port, secret))
        site = Site(settings.output, Writer(port, secret))
        site.wait_until_idle()
        return {
            "incident until its page and the overview": site.measure(site.open),
            "outage until its page and the overview": site.measure(site.break_service),
            "memory": memory_megabytes(server),
        }


class Site:
    """The files of a running server, and a client that changes them."""

    def __init__(self, output, client):
        self.status, self.client, self.numbers = (
            Path(output) / "status",
            client,
            count(),
        )
        self.live = Path(output) / "build.json"

    def measure(self, change):
        """Return the milliseconds from the response of each change to its pages."""
        times = []
        for _ in range(CHANGES):
            number = next(self.numbers)
            expected, undo = change(number)
            started = time.perf_counter()
            for page, text in expected:
                wait_for_text(page, text)
            times.append((time.perf_counter() - started) * 1000)
            self.wait_until_idle()
            self.client.post(*undo)
            self.wait_until_idle()
        return times

    def open(self, number):
        title = f"Errors {number}"
        body = {"title": title, "severity": "degraded", "body": "We are *looking*."}
        body |= {"services": [f"s{number % SERVICES}"]}
        id = json.loads(self.client.post(f"{ADMIN}/incidents/add", body))["data"]["id"]
        solved = {"incidentId": id, "status": "resolved", "body": "Solved."}
        pages = self.status / f"incidents/{id}/index.html", self.status / "index.html"
        return [(page, title) for page in pages], (
            f"{ADMIN}/incident-updates/add",
            solved,
        )

    def break_service(self, number):
        slug = f"s{number % SERVICES}"
        path, body = measurement(slug, "down")
        self.client.post(path, body)
        page = self.status / f"services/{slug}/index.html"
        banner = "top is-major-outage"
        return [(page, banner), (self.status / "index.html", banner)], (
            measurement(slug, "operational")
        )

    def wait_until_idle(self):
        """Wait until nothing has been built for a while."""
        before = None
        while (stamp := self._stamp()) != before or stamp is None:
            before = stamp
            time.sleep(PAUSE_SECONDS)

    def _stamp(self):
        with suppress(OSError):
            return self.live.stat().st_mtime_ns
        return None


def measurement(slug, status):
    at = now().isoformat()
    sample = {"slug": slug, "status": status, "observedAt": at, "responseTimeMs": 20}
    body = {"source": "probe", "measurements": [sample]}
    return f"{ADMIN}/measurements/record", body


def wait_for_text(page, text):
    """Wait until the page has the text; it is read only when it has changed."""
    stamp, deadline = None, time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(OSError):
            newest = page.stat().st_mtime_ns
            if newest != stamp and text.encode() in page.read_bytes():
                return
            stamp = newest
        time.sleep(0.002)
    raise TimeoutError(f"{page} has no {text!r}.")


def add_past(incidents, windows):
    """Add resolved incidents with their updates, and windows that are over."""
    end = now() - timedelta(days=1)
    numbers = [service.number for service in ServiceRow.select()]
    rows, severities, updates, affected, planned = [], [], [], [], []

    def affect(subject, number):
        for service in numbers[number % SERVICES :: SERVICES // 2 or 1]:
            slug = f"s{number % SERVICES}"
            affected.append(
                AffectedRow(subject=subject, service=service, slug=slug, kept_name=slug)
            )

    for number in range(incidents):
        start = end - YEARS * (incidents - number) / incidents
        start = start.replace(microsecond=0)
        id, resolved_at = new_id(start), start + timedelta(minutes=20 + number % 90)
        rows.append(
            IncidentRow(
                id=id,
                title=f"Requests fail in region {number}",
                status="resolved",
                severity=("degraded", "partial-outage", "major-outage")[number % 3],
                started_at=start,
                resolved_at=resolved_at,
                created_at=start,
                updated_at=resolved_at,
            )
        )
        severities.append(
            IncidentSeverityRow(
                incident=id, severity=rows[-1].severity, starts_at=start
            )
        )
        for step, status in enumerate(STATUSES):
            at = start + (resolved_at - start) * step / 2
            updates.append(
                IncidentUpdateRow(
                    id=new_id(at),
                    incident=id,
                    status=status,
                    body=f"Requests of *{number}* are {status}. " * 4,
                    created_at=at,
                )
            )
        affect(id, number)
    for number in range(windows):
        start = end - YEARS * (windows - number) / windows
        start = start.replace(microsecond=0)
        id = str(uuid4())
        planned.append(
            MaintenanceRow(
                id=id,
                title=f"Disks of rack {number}",
                description="We *replace* them.",
                starts_at=start,
                ends_at=start + timedelta(minutes=30),
                written="scheduled",
                is_notified=False,
                created_at=start - timedelta(days=3),
                updated_at=start - timedelta(days=3),
            )
        )
        affect(id, number)
    with writing():
        for batch in (rows, severities, updates, affected, planned):
            type(batch[0]).bulk_create(batch, batch_size=500)
        record_operational(range(SERVICES), now())
