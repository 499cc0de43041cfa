"""A dozen services in four groups, their incidents and their windows."""

from markupsafe import Markup

from sitegen.status.charts import line_chart
from sitegen.status.services import links
from tests.pages.html import THEME
from tests.pages.sample_site import ago, ahead


def days(states=None, known=90):
    """
    Return ninety days up to today; `states` has exceptions by how many days ago they
    were.
    """
    states = states or {}
    row = []
    for back in range(89, -1, -1):
        state = states.get(back, "operational") if back < known else None
        day = {"date": ago(days=back)[:10], "state": state}
        day |= {"uptimePct": 100.0 if state else None, "events": ()}
        row.append(day | {"samples": 1440, "excluded": 20 * (back == 7)})
    return row


def service(slug, name, state="operational", **more):
    return {
        "slug": slug,
        "name": name,
        "description": None,
        "hostname": f"{slug}.example.com",
        "group": "Core",
        "displayOrder": 0,
        "state": state,
        "observedAt": ago(seconds=20),
        "responseTimeMs": 1184,
        "stale": state == "unknown",
        "activeIncidentIds": [],
        "activeMaintenanceIds": [],
    } | more


def measured(kind, reports=0, sources=0):
    """Return a reason that ends in a time."""
    return {
        "kind": kind,
        "title": None,
        "href": None,
        "at": ago(seconds=20),
        "reports": reports,
        "sources": sources,
    }


def incident_reason(title):
    href = "/status/incidents/0195-1/"
    return measured("incident") | {"title": title, "href": href, "at": None}


def maintenance_reason(title):
    href = "/status/maintenance/0195-4/"
    return incident_reason(title) | {"kind": "maintenance", "href": href}


MEASURED = measured("operational", 3, 3)
NEVER_MEASURED = measured("never-measured") | {"at": None}
RESPONSE_TIMES = {"line": "M0 4L4 6L8 3", "hours": 24, "meanMs": 1184}


def shown(slug, name, state="operational", uptime=99.951, reason=None, **more):
    return {
        "slug": slug,
        "name": name,
        "description": more.get("description"),
        "state": state,
        "reason": reason or MEASURED,
        "stale": state == "unknown",
        "upcomingChange": None,
        "href": f"/status/services/{slug}/",
        "uptimePct": uptime,
        "measured": more.get("measured"),
        "recent": {"uptimePct": uptime, "measured": None},
        "days": more.get("days") or days(),
        "responseTimes": RESPONSE_TIMES if uptime else None,
    }


def row_of(service, group):
    """Return the service as the overview shows it."""
    data = {"service": service | {"group": group}, "checkedAt": None}
    return Markup(THEME.render("status/service-row.html", data=data))


def group(name, state, *services):
    return {
        "name": name,
        "services": [each | {"row": row_of(each, name)} for each in services],
        "state": state,
        "upcomingChange": None,
        "isOpen": state != "operational",
    }


LONG = "Identity, single sign-on and session federation for partner organisations"
GROUPS = [
    group(
        "Core",
        "partial-outage",
        shown(
            "api",
            "Public API",
            "partial-outage",
            99.42,
            incident_reason("Errors on the API for one request in ten"),
            description="Everything under api.example.com.",
            days=days({0: "partial-outage", 31: "degraded", 32: "major-outage"}),
        ),
        shown("console", "Console", uptime=100.0),
        shown("identity", LONG, days=days({12: "degraded", 50: "maintenance"})),
    ),
    group(
        "Data",
        "degraded",
        shown(
            "search",
            "Search",
            "degraded",
            98.877,
            measured("degraded", 1, 3),
            days=days({0: "degraded", 3: "degraded", 4: "partial-outage"}),
        ),
        shown(
            "storage",
            "Object storage",
            "maintenance",
            99.998,
            maintenance_reason("New disks in the northern hall"),
            days=days({0: "maintenance", 7: "maintenance", 8: "maintenance"}),
        ),
        shown(
            "warehouse",
            "Warehouse",
            days=days(known=34),
            uptime=99.9,
            measured="34 days of 90 days",
        ),
    ),
    group(
        "Messaging",
        "unknown",
        shown("mail", "Mail", days=days({61: "major-outage", 60: "major-outage"})),
        shown("webhooks", "Webhooks", uptime=99.99),
        shown(
            "push",
            "Push notifications",
            "unknown",
            None,
            measured("no-data"),
            days=days(known=0),
        ),
    ),
    group(
        None,
        "major-outage",
        shown("docs", "Documentation", uptime=100.0),
        shown(
            "billing",
            "Billing",
            "major-outage",
            97.3,
            measured("down", 3, 3),
            days=days({0: "major-outage"}),
        ),
        shown("support", "Support desk"),
    ),
]

AFFECTED = [{"slug": "api", "name": "Public API"}, {"slug": "identity", "name": LONG}]
# The second service was removed and has no page.
AFFECTED_PAGES = [
    {"name": "Public API", "href": "/status/services/api/", "state": None},
    {"name": LONG, "href": None, "state": None},
]
INCIDENT = {
    "id": "0195-1",
    "title": "Errors on the API for one request in ten",
    "status": "identified",
    "severity": "partial-outage",
    "startedAt": ago(hours=1, minutes=12),
    "resolvedAt": None,
    "createdAt": ago(hours=1),
    "updatedAt": ago(minutes=9),
    "services": AFFECTED,
}
SECOND = INCIDENT | {
    "id": "0195-2",
    "title": "Search answers slowly",
    "severity": "degraded",
    "status": "monitoring",
    "services": [{"slug": "search", "name": "Search"}],
}
RESOLVED = INCIDENT | {
    "id": "0195-3",
    "title": "Mail was not delivered to addresses outside the organisation",
    "severity": "major-outage",
    "status": "resolved",
    "startedAt": ago(days=3, hours=4),
    "resolvedAt": ago(days=3, hours=1, minutes=17),
    "services": [{"slug": "mail", "name": "Mail"}],
}


def update(status, body, **span):
    return {
        "id": f"0195-{status}",
        "incidentId": "0195-1",
        "status": status,
        "body": body,
        "editedAt": None,
        "isRemoved": False,
        "createdAt": ago(**span),
    }


UPDATES = [
    update(
        "identified",
        "A load balancer in the northern hall drops connections.\n\n"
        "We are taking it out of rotation; this needs about twenty minutes.",
        minutes=9,
    ),
    update("investigating", "One request in ten fails. We look into it.", minutes=60),
]
RESOLVED_UPDATES = [
    update("resolved", "All mail held back has been delivered.", days=3, hours=1),
    update("monitoring", "Mail flows again; we watch it.", days=3, hours=2),
    update("investigating", "Mail to the outside is held back.", days=3, hours=4),
]

WINDOW = {
    "id": "0195-4",
    "title": "New disks in the northern hall",
    "description": "Reads go on.\nWrites may take up to two seconds longer.",
    "startsAt": ago(minutes=32),
    "endsAt": ahead(hours=1, minutes=28),
    "status": "active",
    "createdAt": ago(days=5),
    "updatedAt": ago(days=5),
    "services": [{"slug": "storage", "name": "Object storage"}],
}
COMING = WINDOW | {
    "id": "0195-5",
    "title": "Upgrade of the identity database",
    "description": None,
    "startsAt": ahead(days=2),
    "endsAt": ahead(days=2, hours=3),
    "status": "scheduled",
    "services": AFFECTED,
}


def incident_item(incident, updates):
    return {
        "incident": incident,
        "href": f"/status/incidents/{incident['id']}/",
        "updates": updates,
    }


def window_item(window):
    return {
        "maintenance": window,
        "affected": AFFECTED_PAGES,
        "href": f"/status/maintenance/{window['id']}/",
    }


def overall(word, stale=False, checked=True):
    return {
        "overall": word,
        "checkedAt": ago(seconds=20) if checked else None,
        "stale": stale,
        "freshnessSeconds": 300,
        "services": [],
    }


PERIODS = ("24h", "7d", "30d", "90d")
UPTIME = [
    {
        "slug": "api",
        "period": period,
        "from": ago(days=1),
        "to": ago(seconds=0),
        "uptimePct": uptime,
        "samples": samples,
        "intervalSeconds": 60,
        "avgResponseTimeMs": 184,
        "coveragePct": 99.8,
        "excluded": 120,
        "measured": None,
    }
    for period, uptime, samples in zip(
        PERIODS, (97.916, 99.702, 99.42, 100), (1440, 10080, 43200, 129600), strict=True
    )
]
NO_UPTIME = [
    row
    | {"uptimePct": None, "samples": 0, "avgResponseTimeMs": None}
    | {"coveragePct": 0.0, "excluded": 0}
    for row in UPTIME
]


def drawn(unit, values):
    """Return a chart of these values, with None where nothing was measured."""
    back = range(len(values), 0, -1)
    points = [
        {"at": ago(**{f"{unit}s": n}), "ms": ms}
        for n, ms in zip(back, values, strict=True)
    ]
    return {"unit": unit, "points": points} | line_chart(values)


CHARTS = [
    drawn("hour", [180, 184, None, 190] * 6),
    drawn("day", [None] * 30 + [1200] * 59 + [900]),
]
LINKS = links("/status/services/api/", "api")
