"""
Services, incidents, windows and samples, created through the API in one line each.
"""

from datetime import timedelta

from models.fields import format_moment

ADMIN = "/status/v1/admin"
LIST_ADMIN = f"GET {ADMIN}/services/list"
ADD_SERVICE = f"POST {ADMIN}/services/add"
UPDATE_SERVICE = f"POST {ADMIN}/services/update"
REMOVE = f"POST {ADMIN}/services/remove"
ADD_INCIDENT = f"POST {ADMIN}/incidents/add"
UPDATE_INCIDENT = f"POST {ADMIN}/incidents/update"
REMOVE_INCIDENT = f"POST {ADMIN}/incidents/remove"
ADD_UPDATE = f"POST {ADMIN}/incident-updates/add"
CORRECT_UPDATE = f"POST {ADMIN}/incident-updates/update"
REMOVE_UPDATE = f"POST {ADMIN}/incident-updates/remove"
UPDATE_HISTORY = f"GET {ADMIN}/incident-updates/history"
ADD_WINDOW = f"POST {ADMIN}/maintenance/add"
UPDATE_WINDOW = f"POST {ADMIN}/maintenance/update"
REMOVE_WINDOW = f"POST {ADMIN}/maintenance/remove"
RECORD = f"POST {ADMIN}/measurements/record"
AUDIT = f"GET {ADMIN}/audit/list"
LIST = "GET /status/v1/services/list"
GET_SERVICE = "GET /status/v1/services/get"
GET_UPTIME = "GET /status/v1/uptime/get"
LIST_INCIDENTS = "GET /status/v1/incidents/list"
GET_INCIDENT = "GET /status/v1/incidents/get"
LIST_WINDOWS = "GET /status/v1/maintenance/list"
GET_WINDOW = "GET /status/v1/maintenance/get"


class World:
    """
    Creates status data; seconds are relative to now, and each call returns the data.
    """

    def __init__(self, api, clock):
        self.api, self.clock, self.count = api, clock, 0

    def text(self, seconds=0):
        return format_moment(self.clock.now + timedelta(seconds=seconds))

    def service(self, slug, **more):
        body = {"slug": slug, "name": f"Service {slug}"} | more
        return self._call(ADD_SERVICE, body)

    def incident(self, slugs, severity="degraded", started=0, **more):
        self.count += 1
        body = {
            "title": f"Trouble {self.count}",
            "severity": severity,
            "services": slugs.split(),
            "body": "We are looking.",
            "startedAt": self.text(started),
        }
        return self._call(ADD_INCIDENT, body | more)["id"]

    def window(self, slugs, starts, ends, **more):
        self.count += 1
        body = {
            "title": f"Move {self.count}",
            "startsAt": self.text(starts),
            "endsAt": self.text(ends),
            "services": slugs.split(),
        }
        return self._call(ADD_WINDOW, body | more)["id"]

    def sample(self, slug, source, status, seconds, **more):
        sample = {"slug": slug, "status": status, "observedAt": self.text(seconds)}
        body = {"source": source, "measurements": [sample | more]}
        return self._call(RECORD, body)

    def play(self, vector):
        """Create the data of a vector, for the service api."""
        self.service("api")
        for severity, started, is_resolved in vector.incidents:
            id = self.incident("api", severity, started)
            if is_resolved:
                self._call(UPDATE_INCIDENT, {"id": id, "status": "resolved"})
        for starts, ends in vector.windows:
            self.window("api", starts, ends)
        for source, status, seconds in vector.samples:
            self.sample("api", source, status, seconds)

    def _call(self, route, values):
        response = self.api(route, values)
        assert response.status_code == 200, response.text
        return response.json["data"]
