"""One rich and one poor set of data for every template."""

from datetime import UTC, datetime, timedelta

from markupsafe import Markup

from tests.pages.sample_document import BODY, HEADINGS

HOSTILE = "<script>\"'\u202eevil"
NOW = datetime(2026, 3, 1, 14, 2, tzinfo=UTC)


def ago(**span):
    return (NOW - timedelta(**span)).isoformat(timespec="milliseconds")[:-6] + "Z"


def ahead(**span):
    return ago(**{unit: -length for unit, length in span.items()})


ASSETS = ("style.css", "docs.css", "status.css", "theme.js", "page.js", "status.js")
SITE = {
    "name": "Northwind Platform",
    "url": "https://docs.example.com",
    "logo": None,
    "assets": {name: "/assets/" + name.replace(".", ".0a1b2c3d.") for name in ASSETS},
    "collections": [
        {"collection": "guides", "title": "Guides", "href": "/guides/"},
        {"collection": "products", "title": "Products", "href": "/products/"},
        {"collection": "support", "title": "Support", "href": "/support/"},
    ],
}
BARE_SITE = SITE | {"collections": []}


def page(path, title, twin=None):
    return {
        "path": path,
        "title": title,
        "description": f"{title}: what there is to know.",
        "canonical": SITE["url"] + path,
        "twin": twin,
    }


def days(troubles=None, known=90):
    """Ninety days up to today; troubles by how many days ago they were."""
    troubles = troubles or {}
    row = []
    for back in range(89, -1, -1):
        state = troubles.get(back, "operational") if back < known else None
        words = (state or "no data").replace("-", " ").capitalize()
        row.append({"date": ago(days=back)[:10], "state": state, "words": words})
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


def shown(slug, name, state="operational", uptime=99.951, reason=None, **more):
    return {
        "slug": slug,
        "name": name,
        "description": more.get("description"),
        "state": state,
        "reason": reason or "3 of 3 probes say so at 14:01Z",
        "stale": state == "unknown",
        "href": f"/status/services/{slug}/",
        "uptimePct": uptime,
        "days": more.get("days") or days(),
    }


LONG = "Identity, single sign-on and session federation for partner organisations"
GROUPS = [
    {
        "name": "Core",
        "services": [
            shown(
                "api",
                "Public API",
                "partial-outage",
                99.42,
                'Incident "Errors on the API for one request in ten"',
                description="Everything under api.example.com.",
                days=days({0: "partial-outage", 31: "degraded", 32: "major-outage"}),
            ),
            shown("console", "Console", uptime=100.0),
            shown("identity", LONG, days=days({12: "degraded", 50: "maintenance"})),
        ],
    },
    {
        "name": "Data",
        "services": [
            shown(
                "search",
                "Search",
                "degraded",
                98.877,
                "1 of 3 probes slow at 14:01Z",
                days=days({0: "degraded", 3: "degraded", 4: "partial-outage"}),
            ),
            shown(
                "storage",
                "Object storage",
                "maintenance",
                99.998,
                'Maintenance "New disks in the northern hall"',
                days=days({0: "maintenance", 7: "maintenance", 8: "maintenance"}),
            ),
            shown("warehouse", "Warehouse", days=days(known=34), uptime=99.9),
        ],
    },
    {
        "name": "Messaging",
        "services": [
            shown("mail", "Mail", days=days({61: "major-outage", 60: "major-outage"})),
            shown("webhooks", "Webhooks", uptime=99.99),
            shown(
                "push",
                "Push notifications",
                "unknown",
                None,
                "No probe has reported since 13:51Z",
                days=days(known=0),
            ),
        ],
    },
    {
        "name": None,
        "services": [
            shown("docs", "Documentation", uptime=100.0),
            shown(
                "billing",
                "Billing",
                "major-outage",
                97.3,
                "3 of 3 probes down at 14:01Z",
                days=days({0: "major-outage"}),
            ),
            shown("support", "Support desk"),
        ],
    },
]

AFFECTED = [{"slug": "api", "name": "Public API"}, {"slug": "identity", "name": LONG}]
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
    return {"maintenance": window, "href": f"/status/maintenance/{window['id']}/"}


def overall(word, stale=False, checked=True):
    return {
        "overall": word,
        "checkedAt": ago(seconds=20) if checked else None,
        "stale": stale,
        "freshnessSeconds": 300,
        "services": [],
    }


def links(*titles):
    return [
        {
            "title": title,
            "href": f"/guides/{title.lower().replace(' ', '-')}/",
            "summary": f"What you need to know about {title.lower()}.",
        }
        for title in titles
    ]


FIRST = links("First steps", "Sign in", "Keys and scopes", "Limits")
SECTIONS = [
    {"section": None, "pages": links("Welcome")},
    {"section": "Getting started", "pages": FIRST},
    {"section": "Operations", "pages": links("Backups", "Alerts", "On call")},
]
SIDEBAR = {
    "sections": [
        {"section": None, "open": True, "href": "/guides/", "pages": links("Welcome")},
        {
            "section": "Getting started",
            "open": True,
            "href": "/guides/first-steps/",
            "pages": FIRST,
        },
        {
            "section": "Operations",
            "open": False,
            "href": "/guides/backups/",
            "pages": [],
        },
    ]
}
DOCUMENT = {
    "title": "Keys and scopes",
    "summary": "How a program proves who it is, and what it may then do.",
    "html": Markup(BODY),
    "headings": HEADINGS,
    "collection": "guides",
    "collectionTitle": "Guides",
    "collectionHref": "/guides/",
    "section": "Getting started",
    "sidebar": {"html": Markup("<ul></ul>")},
    "previous": {"title": "Sign in", "href": "/guides/sign-in/"},
    "next": {"title": "Limits", "href": "/guides/limits/"},
    "publishedVersion": 7,
    "revisedAt": ago(days=9),
    "markdownHref": "/guides/keys-and-scopes.md",
    "twinHref": "/guides/keys-and-scopes.json",
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
    }
    for period, uptime, samples in zip(
        PERIODS, (97.916, 99.702, 99.42, 100), (1440, 10080, 43200, 129600), strict=True
    )
]
NO_UPTIME = [
    row | {"uptimePct": None, "samples": 0, "avgResponseTimeMs": None} for row in UPTIME
]
NEWEST = [
    item | {"collectionTitle": "Guides", "publishedAt": ago(days=n)}
    for n, item in enumerate(FIRST)
]


def shelf(collection, title, count, pages):
    href = f"/{collection}/"
    facts = {"collection": collection, "title": title, "href": href, "count": count}
    return facts | {"pages": pages}


def case(template, path, title, data, site=SITE, twin=None):
    return template, {"site": site, "page": page(path, title, twin), "data": data}


KINDS = [
    {"kind": kind, "title": title, "status": status, "href": f"/problems/{kind}/"}
    for kind, title, status in (
        ("invalid-cursor", "Invalid cursor", 400),
        ("service-not-found", "No such service", 404),
        ("idempotency-in-progress", "The same request is still under way", 409),
    )
]

FULL = {
    "front": case(
        "index.html",
        "/",
        SITE["name"],
        {
            "overall": "partial-outage",
            "checkedAt": ago(seconds=20),
            "stale": False,
            "staleAt": ahead(minutes=5),
            "collections": [
                shelf("guides", "Guides", 12, FIRST),
                shelf("products", "Products", 1204, links("Search", "Object storage")),
                shelf("support", "Support", 1, links("How to reach us")),
            ],
            "newest": NEWEST,
        },
    ),
    "collection": case(
        "docs/collection.html",
        "/guides/",
        "Guides",
        {"collection": "guides", "title": "Guides", "sections": SECTIONS},
        twin="/guides/index.json",
    ),
    "document": case(
        "docs/document.html",
        "/guides/keys-and-scopes/",
        "Keys and scopes",
        DOCUMENT,
        twin="/guides/keys-and-scopes.json",
    ),
    "redirect": case(
        "docs/redirect.html",
        "/support/limits/",
        "Moved",
        {"href": "/guides/limits/", "title": "Limits"},
    ),
    "status": case(
        "status/index.html",
        "/status/",
        "Status",
        {
            "status": overall("major-outage"),
            "groups": GROUPS,
            "incidents": [
                incident_item(INCIDENT, UPDATES),
                incident_item(SECOND, UPDATES[1:]),
            ],
            "running": [window_item(WINDOW)],
            "coming": [window_item(COMING)],
            "past": [incident_item(RESOLVED, RESOLVED_UPDATES)],
            "staleAt": ahead(minutes=5),
        },
        twin="/status/index.json",
    ),
    "service": case(
        "status/service.html",
        "/status/services/api/",
        "Public API",
        {
            "service": service(
                "api", "Public API", "partial-outage", description="The public API."
            ),
            "reason": 'Incident "Errors on the API for one request in ten"',
            "uptime": UPTIME,
            "days": days({0: "partial-outage", 31: "degraded", 32: "major-outage"}),
            "incidents": [
                {"incident": INCIDENT, "href": "/status/incidents/0195-1/"},
                {"incident": RESOLVED, "href": "/status/incidents/0195-3/"},
            ],
            "maintenance": [window_item(COMING)],
            "staleAt": ahead(minutes=5),
        },
        twin="/status/services/api.json",
    ),
    "incident": case(
        "status/incident.html",
        "/status/incidents/0195-3/",
        RESOLVED["title"],
        {"incident": RESOLVED, "updates": RESOLVED_UPDATES},
        twin="/status/incidents/0195-3.json",
    ),
    "maintenance": case(
        "status/maintenance.html",
        "/status/maintenance/0195-4/",
        WINDOW["title"],
        {"maintenance": WINDOW},
        twin="/status/maintenance/0195-4.json",
    ),
    "lost": case("404.html", "/404.html", "Not found", {}),
    "problem": case(
        "problem.html",
        "/problems/invalid-cursor/",
        "Invalid cursor",
        {
            "kind": "invalid-cursor",
            "title": "Invalid cursor",
            "status": 400,
            "meaning": "The cursor is damaged, or was given out for other filters.",
            "remedy": "Ask again without a cursor, from the first page on.",
        },
    ),
    "problems": case("problems.html", "/problems/", "Problems", {"kinds": KINDS}),
}

MINIMAL = {
    "front": case(
        "index.html",
        "/",
        SITE["name"],
        {
            "overall": "unavailable",
            "checkedAt": None,
            "stale": True,
            "collections": [],
            "newest": [],
        },
        site=BARE_SITE,
    ),
    "collection": case(
        "docs/collection.html",
        "/guides/",
        "Guides",
        {"collection": "guides", "title": "Guides", "sections": []},
    ),
    "document": case(
        "docs/document.html",
        "/guides/one/",
        "One",
        DOCUMENT
        | {
            "summary": None,
            "html": Markup("<p>Short.</p>"),
            "headings": [],
            "section": None,
            "previous": None,
            "next": None,
        },
    ),
    "redirect": FULL["redirect"],
    "status": case(
        "status/index.html",
        "/status/",
        "Status",
        {
            "status": overall("unavailable", stale=True, checked=False),
            "groups": [],
            "incidents": [],
            "running": [],
            "coming": [],
            "past": [],
            "staleAt": None,
        },
        site=BARE_SITE,
    ),
    "service": case(
        "status/service.html",
        "/status/services/api/",
        "Public API",
        {
            "service": service("api", "Public API", "unknown")
            | dict.fromkeys(
                ("group", "hostname", "observedAt", "responseTimeMs", "description")
            ),
            "reason": None,
            "uptime": NO_UPTIME,
            "days": [],
            "incidents": [],
            "maintenance": [],
            "staleAt": None,
        },
    ),
    "incident": case(
        "status/incident.html",
        "/status/incidents/0195-1/",
        INCIDENT["title"],
        {"incident": INCIDENT, "updates": UPDATES[1:]},
    ),
    "maintenance": case(
        "status/maintenance.html",
        "/status/maintenance/0195-5/",
        COMING["title"],
        {"maintenance": COMING | {"status": "cancelled"}},
    ),
    "lost": case("404.html", "/404.html", "Not found", {}, site=BARE_SITE),
    "problem": FULL["problem"],
    "problems": case("problems.html", "/problems/", "Problems", {"kinds": []}),
}
