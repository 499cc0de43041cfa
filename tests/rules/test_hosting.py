"""How a published file is to be served."""

import pytest

from models.response_headers import (
    HEADERS,
    PLACES,
    TYPES,
    address,
    cache_class,
    headers_of,
    place_of,
    type_of,
)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("index.html", "/"),
        ("guides/index.html", "/guides/"),
        ("guides/keys/index.html", "/guides/keys/"),
        ("guides/keys.md", "/guides/keys.md"),
        ("404.html", "/404.html"),
        ("guides/my-index.html", "/guides/my-index.html"),
    ],
)
def test_address(path, told):
    """A folder's index is the folder; any other file is asked for by its name."""
    assert address(path) == told


@pytest.mark.parametrize(
    ("path", "kept"),
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
def test_how_long_it_is_kept(path, kept):
    """For good only what has its digest in its name; never what is asked to wait."""
    assert cache_class(path) == kept


@pytest.mark.parametrize("path", ["_headers", "_redirects", "unheard/of.html"])
def test_place_of_none(path):
    """What hosts read and never show has no place."""
    assert place_of(path) is None


def test_no_two_places_hold_the_same():
    """Hosts join what two rules say, so a place lies in no other."""
    folders = [place.removesuffix("*") for place in PLACES if place.endswith("*")]

    for place in PLACES:
        assert [f for f in folders if place.startswith(f)] in ([], [place[:-1]])


def test_type():
    """Text says that it is UTF-8; what is unknown is bytes and is not run."""
    assert type_of("guides/keys.md") == "text/markdown; charset=utf-8"
    assert type_of("_headers") == "text/plain; charset=utf-8"
    assert type_of("assets/tool.0a.exe") == "application/octet-stream"
    assert all("charset" in told for told in TYPES.values() if told[:5] == "text/")


def test_headers():
    """Every file has the policy, its type, and how long it may be kept."""
    told = headers_of("status/index.html")

    assert told.items() > HEADERS.items()
    assert told["Content-Type"] == "text/html; charset=utf-8"
    assert told["Cache-Control"] == "public, max-age=0, must-revalidate"
