"""The sample site and its fixed clock."""

from datetime import UTC, datetime, timedelta

from models.response_headers import PAGE_SECURITY_POLICY

HOSTILE = "<script>\"'\u202eevil"
NOW = datetime(2026, 3, 1, 14, 2, tzinfo=UTC)


def ago(**span):
    return (NOW - timedelta(**span)).isoformat(timespec="milliseconds")[:-6] + "Z"


def ahead(**span):
    return ago(**{unit: -length for unit, length in span.items()})


ASSETS = (
    *(
        "style.css",
        "wix-madefor-text-latin.woff2",
        "jetbrains-mono-latin.woff2",
        "search.css",
        "docs.css",
        "status.css",
        "icon.svg",
    ),
    *("theme.js", "page.js", "find.js", "search.js", "status.js"),
)
SITE = {
    "name": "Northwind Platform",
    "url": "https://docs.example.com",
    "logo": None,
    "card": {"href": "/assets/card.0a1b2c3d.png", "width": 1200, "height": 630},
    "fonts": ["/assets/wix-madefor-text-latin.0a1b2c3d.woff2"],
    "policy": PAGE_SECURITY_POLICY,
    "subscribe": None,
    "tagline": "Everything about the platform.",
    "feedback": "https://example.com/new?title={title}&body={url}",
    "is_indexed": True,
    "switcher": {},
    "assets": {name: "/assets/" + name.replace(".", ".0a1b2c3d.") for name in ASSETS},
    "reference": "/reference/",
    "collections": [
        {"collection": "guides", "title": "Guides", "href": "/guides/"},
        {"collection": "products", "title": "Products", "href": "/products/"},
        {"collection": "support", "title": "Support", "href": "/support/"},
    ],
}
BARE_SITE = SITE | {"collections": [], "reference": None, "card": None}
BARE_SITE |= {"tagline": "", "feedback": ""}


def page(path, title, json_href=None):
    return {
        "path": path,
        "title": title,
        "description": f"{title}: what there is to know.",
        "canonical": SITE["url"] + path,
        "jsonHref": json_href,
        "alternates": [],
    }
