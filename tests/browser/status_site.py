"""A status site with one-line calls for its data, and a builder that can stop."""

import shutil
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from models.settings import Settings
from models.status.incidents.incidents import StatusAddIncident, open_incident
from models.status.maintenance.windows import StatusAddMaintenance, schedule_maintenance
from models.status.measurements.measurements import (
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import database, open_database, writing
from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
OVERVIEW, SERVICE, FRONT = "/status/", "/status/services/api/", "/"
OLD = "Status data out of date"
MINUTE = 60_000
# How soon a server notices that it should stop.
POLL_SECONDS = 0.02

# Every place that has the colour of operational services on the page.
GREEN = """() => {
  const ground = document.createElement("div");
  ground.style.color = "light-dark(#1a774d, #52c08d)";
  document.body.append(ground);
  const green = getComputedStyle(ground).color;
  ground.remove();
  const all = [...document.querySelectorAll("main *")];
  return all.filter((each) => each.checkVisibility()).filter((each) => {
    const style = getComputedStyle(each);
    const { fill, backgroundColor, borderTopColor, borderLeftColor } = style;
    return [fill, backgroundColor, borderTopColor, borderLeftColor].includes(green);
  }).length;
}"""


class StaticHost(SimpleHTTPRequestHandler):
    """A plain static host that distinguishes two builds within a second."""

    def do_GET(self):
        # It would compare whole seconds, and consider a new build not modified.
        del self.headers["If-Modified-Since"]
        super().do_GET()

    def log_message(self, *_):
        pass


def seconds(count):
    return NOW + timedelta(seconds=count)


class StatusSite:
    """Seconds are relative to NOW; nothing is shown before it is built."""

    def __init__(self, folder, empty_database, path=""):
        """Serve the site below the path of a host that serves nothing else."""
        host, database_file = folder / "site", str(folder / "m.db")
        serve = partial(StaticHost, directory=str(host))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), serve)
        self.url = f"http://127.0.0.1:{self._server.server_port}{path}"
        self.settings = Settings(
            database=database_file, output=f"{host}{path}", site_url=self.url
        )
        shutil.copy(empty_database, self.settings.database)
        open_database(self.settings.database)
        self.set_theme()
        listen = partial(self._server.serve_forever, POLL_SECONDS)
        threading.Thread(target=listen, daemon=True).start()

    def set_theme(self, **settings):
        """Change the settings of the pages' theme."""
        self.settings = replace(self.settings, **settings)
        self._theme = site_theme(self.settings)

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        database.close()

    def build(self, at=0):
        report = build(BuildContext(seconds(at), self.settings, self._theme))
        assert report.failed == []

    def text(self, path):
        return (Path(self.settings.output) / path).read_text(encoding="utf-8")

    def service(self, slug, **more):
        body = {"slug": slug, "name": slug.capitalize()} | more
        with writing():
            return add_service(StatusAddService(**body), seconds(-3600))

    def sample(self, slug, status="operational", at=-10, source="probe"):
        sample = {"slug": slug, "status": status, "observed_at": seconds(at)}
        request = StatusRecordMeasurements(
            source=source, measurements=[sample | {"response_time_ms": 12}]
        )
        with writing():
            record_measurements(
                request, max(NOW, seconds(at)), retention=timedelta(days=100)
            )

    def incident(self, *slugs, severity="degraded", started=-60, at=0, **more):
        body = {"title": "Errors", "body": "We are looking.", "services": list(slugs)}
        body |= {"severity": severity, "started_at": seconds(started)}
        with writing():
            return open_incident(StatusAddIncident(**body | more), seconds(at)).id

    def window(self, *slugs, starts, ends, **more):
        body = {"title": "Move", "services": list(slugs)}
        body |= {"starts_at": seconds(starts), "ends_at": seconds(ends)}
        with writing():
            window = StatusAddMaintenance(**body | more)
            return schedule_maintenance(window, NOW).id


def headline(page):
    return page.locator("h1").inner_text()


def states(page):
    """Return the state texts of the services on the overview, by name."""
    rows = [each.inner_text().split("\n") for each in page.locator(".row").all()]
    return {name: state.strip() for name, *_, state in rows}
