"""The documents of the sample site, and the lists that show them."""

from markupsafe import Markup

from tests.pages.sample_document import BODY, HEADINGS
from tests.pages.sample_site import ago


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
    {"section": None, "id": None, "pages": links("Welcome")},
    {"section": "Getting started", "id": "getting-started", "pages": FIRST},
    {
        "section": "Operations",
        "id": "operations",
        "pages": links("Backups", "Alerts", "On call"),
    },
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
    "sectionHref": "/guides/#getting-started",
    "sidebar": {"html": Markup("<ul></ul>")},
    "register": [],
    "previous": {"title": "Sign in", "href": "/guides/sign-in/"},
    "next": {"title": "Limits", "href": "/guides/limits/"},
    "publishedVersion": 7,
    "revisedAt": ago(days=9),
    "markdownHref": "/guides/keys-and-scopes.md",
    "twinHref": "/guides/keys-and-scopes.json",
}


NEWEST = [
    item | {"collectionTitle": "Guides", "publishedAt": ago(days=n)}
    for n, item in enumerate(FIRST)
]


def shelf(collection, title, count, pages):
    href = f"/{collection}/"
    facts = {"collection": collection, "title": title, "href": href, "count": count}
    return facts | {"pages": pages}
