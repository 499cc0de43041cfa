"""What a link means, by the names a document goes by."""

from datetime import UTC, datetime

import pytest

from models.projects.documents.link_resolver import LinkResolver
from models.projects.documents.published import PublishedPage

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def page(slug, collection="guides", source=None, tree="docs"):
    tree = tree if source else None
    return PublishedPage(
        slug, slug, collection, None, 0, slug, None, 1, NOW, NOW, source, tree, 1
    )


HERE = page("install", source="setup/install.md")
NEAR = page("first-steps", source="setup/first-steps/index.md")
FAR = page("limits", "support", source="reference/limits.md")
PLAIN = page("plain", "products")
ADDRESSES = LinkResolver([HERE, NEAR, FAR, PLAIN])


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("first-steps/index.md", "/guides/first-steps/"),
        ("first-steps/", "/guides/first-steps/"),
        ("first-steps", "/guides/first-steps/"),
        ("../reference/limits.md#rates", "/support/limits/#rates"),
        ("../../reference/limits.md", "/support/limits/"),
        (".", "/guides/install/"),
        ("?raw=1", "?raw=1"),
        ("/docs/setup/install.md", "/guides/install/"),
        ("/setup/install/", "/guides/install/"),
        ("plain.md", "/products/plain/"),
        ("first%2Dsteps.md?raw=1#a%23b", "/guides/first-steps/?raw=1#a%23b"),
        ("/guides/first-steps/?x=1#add-a", "/guides/first-steps/?x=1#add-a"),
        ("/search/?q=x&kind=page", "/search/?q=x&kind=page"),
        ("/guides?from=mail", "/guides/?from=mail"),
        ("plain#why?", "/products/plain/#why?"),
        ("/guides/", "/guides/"),
        ("/support", "/support/"),
        ("/", "/"),
        ("/status/services/api/", "/status/services/api/"),
        ("/api/v2/summary.json", "/api/v2/summary.json"),
    ],
)
def test_resolves(target, address):
    """By the file it came from, by slug, by address; the site's own are let be."""
    assert ADDRESSES.resolve(HERE, target) == address


@pytest.mark.parametrize(
    "target",
    [
        "gone.md",
        "/guides/gone/",
        "../gone/limits2.md",
        "/nowhere/",
        "..",
        "/status/%00",
        "plain%0A.md",
        "/status/%E2%80%AE",
        "/status/?q=\u202e",
        "/status/%3Fq=1",
        "/status/%23now",
    ],
)
def test_leads_nowhere(target):
    """What is not published, and what is no name at all."""
    assert ADDRESSES.resolve(HERE, target) is None


def test_document_without_a_source():
    """It names others by slug, whatever folders its author believes in."""
    assert ADDRESSES.resolve(PLAIN, "../support/limits.md") == "/support/limits/"
    assert ADDRESSES.resolve(PLAIN, "limits") == "/support/limits/"
