"""The headers with which a published file is served."""

import pytest

from models.response_headers import (
    CONTENT_TYPES,
    PATH_RULES,
    SITE_HEADERS,
    cache_class,
    content_type,
    path_rule,
    site_headers,
)
from models.site_addresses import url_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("index.html", "/"),
        ("guides/index.html", "/guides/"),
        ("guides/keys/index.html", "/guides/keys/"),
        ("guides/keys.md", "/guides/keys.md"),
        ("404.html", "/404.html"),
        ("guides/my-index.html", "/guides/my-index.html"),
    ],
)
def test_address(path, expected):
    """The index of a folder has the folder's address; any other file its name."""
    assert url_path(path) == expected


@pytest.mark.parametrize(
    ("path", "cache"),
    [
        ("assets/style.0a1b.css", "immutable"),
        ("index.html", "volatile"),
        ("guides/keys/index.html", "page"),
        ("sitemaps/guides-1.xml", "page"),
        ("status/index.html", "volatile"),
        ("api/v2/status.json", "volatile"),
        ("builds/7.json", "volatile"),
        ("build.json", "never"),
    ],
)
def test_how_long_it_is_kept(path, cache):
    """Only files with a digest in their name are immutable."""
    assert cache_class(path) == cache


@pytest.mark.parametrize("path", ["_headers", "_redirects", "unheard/of.html"])
def test_place_of_none(path):
    """Files that hosts read but do not serve have no rule."""
    assert path_rule(path) is None


def test_no_two_places_hold_the_same():
    """Hosts merge overlapping rules, so no rule's path is within another's."""
    folders = [place.removesuffix("*") for place in PATH_RULES if place.endswith("*")]

    for place in PATH_RULES:
        assert [f for f in folders if place.startswith(f)] in ([], [place[:-1]])


def test_type():
    """Text is UTF-8; an unknown type is binary and not executed."""
    assert content_type("guides/keys.md") == "text/markdown; charset=utf-8"
    assert content_type("_headers") == "text/plain; charset=utf-8"
    assert content_type("assets/tool.0a.exe") == "application/octet-stream"
    assert all(
        "charset" in result
        for result in CONTENT_TYPES.values()
        if result[:5] == "text/"
    )


def test_headers():
    """Every file has the policy, its type and its caching."""
    result = site_headers("status/index.html")

    assert result.items() > SITE_HEADERS.items()
    assert result["Content-Type"] == "text/html; charset=utf-8"
    assert result["Cache-Control"] == "public, max-age=0, must-revalidate"
