"""One rich and one poor set of data for every template."""

from markupsafe import Markup

from sitegen.status.event_pages import LINKS as WHOLE_LINKS
from tests.pages.sample_docs import (
    DOCUMENT,
    FIRST,
    NEWEST,
    SECTIONS,
    collection_data,
    links,
)
from tests.pages.sample_past import HOW, MONTH, MONTHS, NO_MONTHS
from tests.pages.sample_site import BARE_SITE, SITE, ago, ahead, page
from tests.pages.sample_status import (
    AFFECTED_PAGES,
    CHARTS,
    COMING,
    GROUPS,
    INCIDENT,
    LINKS,
    NEVER_MEASURED,
    NO_UPTIME,
    RESOLVED,
    RESOLVED_UPDATES,
    SECOND,
    UPDATES,
    UPTIME,
    WINDOW,
    days,
    incident_item,
    incident_reason,
    overall,
    service,
    window_item,
)


def case(template, path, title, data, site=SITE, json_href=None):
    return template, {"site": site, "page": page(path, title, json_href), "data": data}


PROBLEM_TYPES = [
    {"type": slug, "title": title, "status": status, "href": f"/problems/{slug}/"}
    for slug, title, status in (
        ("invalid-cursor", "Invalid cursor", 400),
        ("service-not-found", "Service not found", 404),
        ("idempotency-in-progress", "The same request is still under way", 409),
    )
]
PROBLEMS = {"types": PROBLEM_TYPES, "hasReference": True}
NO_PROBLEMS = {"types": [], "hasReference": False}

FULL = {
    "front": case(
        "index.html",
        "/",
        SITE["name"],
        {
            "overall": "partial-outage",
            "hasServices": True,
            "missing": None,
            "incidents": [
                {
                    "title": INCIDENT["title"],
                    "severity": "partial-outage",
                    "startedAt": INCIDENT["startedAt"],
                    "href": "/status/incidents/0195-1/",
                }
            ],
            "otherIncidents": 2,
            "checkedAt": ago(seconds=20),
            "stale": False,
            "staleAt": ahead(minutes=5),
            "upcomingChange": None,
            "collections": [
                collection_data("guides", "Guides", 12, FIRST),
                collection_data(
                    "products", "Products", 1204, links("Search", "Object storage")
                ),
                collection_data("support", "Support", 1, links("How to reach us")),
            ],
            "newest": NEWEST,
        },
    ),
    "collection": case(
        "docs/collection.html",
        "/guides/",
        "Guides",
        {"collection": "guides", "title": "Guides", "count": 8, "listing": SECTIONS},
        json_href="/guides/index.json",
    ),
    "document": case(
        "docs/document.html",
        "/guides/keys-and-scopes/",
        "Keys and scopes",
        DOCUMENT,
        json_href="/guides/keys-and-scopes.json",
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
            "missing": {
                "services": [
                    {
                        "name": "Push notifications",
                        "href": "/status/services/push/",
                        "since": None,
                    },
                    {
                        "name": "Warehouse",
                        "href": "/status/services/warehouse/",
                        "since": ago(hours=2),
                    },
                ],
                "others": 0,
            },
            "affected": {
                "services": [
                    {
                        "name": "Billing",
                        "href": "/status/services/billing/",
                        "state": "major-outage",
                    },
                ],
                "others": 4,
            },
            "groups": GROUPS,
            "activeIncidents": [
                incident_item(INCIDENT, UPDATES),
                incident_item(SECOND, UPDATES[1:]),
            ],
            "activeMaintenance": [window_item(WINDOW)],
            "scheduledMaintenance": [window_item(COMING)],
            "resolvedIncidents": [incident_item(RESOLVED, RESOLVED_UPDATES)],
            "recentDays": 14,
            "moreResolved": 12,
            "links": WHOLE_LINKS,
            "staleAt": ahead(minutes=5),
            "upcomingChange": None,
        },
        json_href="/status/index.json",
    ),
    "service": case(
        "status/service.html",
        "/status/services/api/",
        "Public API",
        {
            "service": service(
                "api", "Public API", "partial-outage", description="The public API."
            ),
            "reason": incident_reason("Errors on the API for one request in ten"),
            "uptime": UPTIME,
            "days": days({0: "partial-outage", 31: "degraded", 32: "major-outage"}),
            "charts": CHARTS,
            "links": LINKS,
            "incidents": [
                {"incident": INCIDENT, "href": "/status/incidents/0195-1/"},
                {"incident": RESOLVED, "href": "/status/incidents/0195-3/"},
            ],
            "maintenance": [window_item(COMING)],
            "staleAt": ahead(minutes=5),
            "upcomingChange": None,
        },
        json_href="/status/services/api.json",
    ),
    "incident": case(
        "status/incident.html",
        "/status/incidents/0195-3/",
        RESOLVED["title"],
        {
            "incident": RESOLVED,
            "updates": RESOLVED_UPDATES,
            "affected": AFFECTED_PAGES,
            "previous": {
                "title": SECOND["title"],
                "href": "/status/incidents/0195-2/",
            },
            "next": None,
            "links": WHOLE_LINKS,
        },
        json_href="/status/incidents/0195-3.json",
    ),
    "maintenance": case(
        "status/maintenance.html",
        "/status/maintenance/0195-4/",
        WINDOW["title"],
        {
            "maintenance": WINDOW,
            "affected": AFFECTED_PAGES,
            "calendar": "/status/maintenance/0195-4.ics",
            "links": WHOLE_LINKS,
        },
        json_href="/status/maintenance/0195-4.json",
    ),
    "history": case("status/history.html", "/status/history/", "History", MONTHS),
    "month": case("status/month.html", "/status/history/2026-02/", "February", MONTH),
    "how": case("status/how.html", "/status/how/", "How", HOW),
    "lost": case("404.html", "/404.html", "Not found", {}),
    "problem": case(
        "problem.html",
        "/problems/invalid-cursor/",
        "Invalid cursor",
        {
            "type": "invalid-cursor",
            "title": "Invalid cursor",
            "status": 400,
            "meaning": "The cursor is damaged, or was given out for other filters.",
            "remedy": "Ask again without a cursor, from the first page on.",
            "operations": [
                {
                    "id": "list",
                    "href": "/reference/status/incidents/#list",
                    "method": "GET",
                    "path": "/status/v1/incidents/list",
                    "summary": "List incidents, newest first.",
                }
            ],
        },
    ),
    "problems": case("problems.html", "/problems/", "Problems", PROBLEMS),
}

MINIMAL = {
    "front": case(
        "index.html",
        "/",
        SITE["name"],
        {
            "overall": "unavailable",
            "hasServices": False,
            "missing": None,
            "incidents": [],
            "otherIncidents": 0,
            "checkedAt": None,
            "stale": True,
            "upcomingChange": None,
            "collections": [],
            "newest": [],
        },
        site=BARE_SITE,
    ),
    "collection": case(
        "docs/collection.html",
        "/guides/",
        "Guides",
        {"collection": "guides", "title": "Guides", "count": 0, "listing": []},
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
            "register": [],
            "previous": None,
            "next": None,
            "editHref": None,
        },
    ),
    "redirect": FULL["redirect"],
    "status": case(
        "status/index.html",
        "/status/",
        "Status",
        {
            "status": overall("unavailable", stale=True, checked=False),
            "missing": None,
            "affected": None,
            "groups": [],
            "activeIncidents": [],
            "activeMaintenance": [],
            "scheduledMaintenance": [],
            "resolvedIncidents": [],
            "recentDays": 14,
            "moreResolved": 0,
            "links": WHOLE_LINKS,
            "staleAt": None,
            "upcomingChange": None,
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
            "reason": NEVER_MEASURED,
            "uptime": NO_UPTIME,
            "days": days(known=0),
            "charts": [],
            "links": LINKS,
            "incidents": [],
            "maintenance": [],
            "staleAt": None,
            "upcomingChange": None,
        },
    ),
    "incident": case(
        "status/incident.html",
        "/status/incidents/0195-1/",
        INCIDENT["title"],
        {
            "incident": INCIDENT,
            "updates": UPDATES[1:],
            "affected": [AFFECTED_PAGES[0] | {"state": "partial-outage"}],
            "previous": None,
            "next": None,
            "links": WHOLE_LINKS,
        },
    ),
    "maintenance": case(
        "status/maintenance.html",
        "/status/maintenance/0195-5/",
        COMING["title"],
        {
            "maintenance": COMING | {"status": "cancelled"},
            "affected": AFFECTED_PAGES,
            "calendar": None,
            "links": WHOLE_LINKS,
        },
    ),
    "history": case("status/history.html", "/status/history/", "History", NO_MONTHS),
    "month": case(
        "status/month.html",
        "/status/history/2026-02/",
        "February",
        MONTH | {"days": [], "previous": None, "next": None},
    ),
    "how": FULL["how"],
    "lost": case("404.html", "/404.html", "Not found", {}, site=BARE_SITE),
    "problem": case(
        *("problem.html", "/problems/invalid-cursor/", "Invalid cursor"),
        FULL["problem"][1]["data"] | {"operations": None},
    ),
    "problems": case("problems.html", "/problems/", "Problems", NO_PROBLEMS),
}
