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
    {"section": None, "id": "", "level": 1, "pages": links("Welcome")},
    {
        "section": "Getting started",
        "id": "getting-started",
        "level": 2,
        "pages": FIRST,
    },
    {
        "section": "Operations",
        "id": "operations",
        "level": 2,
        "pages": links("Backups", "Alerts", "On call"),
    },
]
SIDEBAR = {
    "items": [
        *({"section": None} | link for link in links("Welcome")),
        {
            "section": "Getting started",
            "open": True,
            "current": True,
            "href": "/guides/#getting-started",
            "items": [{"section": None} | link for link in FIRST],
        },
        {
            "section": "Operations",
            "open": False,
            "current": False,
            "href": "/guides/#operations",
            "items": [],
        },
    ]
}
DOCUMENT = {
    "title": "Keys and scopes",
    "titleId": None,
    "language": None,
    "direction": None,
    "summary": "How a program proves who it is, and what it may then do.",
    "hasLead": True,
    "description": "How a program proves who it is, and what it may then do.",
    "html": Markup(BODY),
    "headings": HEADINGS,
    "collection": "guides",
    "collectionTitle": "Guides",
    "collectionHref": "/guides/",
    "sections": [{"section": "Getting started", "href": "/guides/#getting-started"}],
    "sidebar": {"html": Markup("<ul></ul>")},
    "register": [],
    "listing": [],
    "isListed": True,
    "previous": {"title": "Sign in", "href": "/guides/sign-in/"},
    "next": {"title": "Limits", "href": "/guides/limits/"},
    "publishedVersion": 7,
    "revisedAt": ago(days=9),
    "markdownHref": "/guides/keys-and-scopes.md",
    "jsonHref": "/guides/keys-and-scopes.json",
    "editHref": "https://github.com/example/docs/edit/main/keys-and-scopes.md",
}


NEWEST = [
    item | {"collectionTitle": "Guides", "publishedAt": ago(days=n)}
    for n, item in enumerate(FIRST)
]


def collection_data(collection, title, count, pages):
    href = f"/{collection}/"
    facts = {"collection": collection, "title": title, "href": href, "count": count}
    return facts | {"pages": pages}
