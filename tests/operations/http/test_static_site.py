"""The built site as the server itself serves it."""

from dataclasses import replace
from pathlib import Path

import pytest

from api.http.application import create_app
from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme


@pytest.fixture
def browse(app, build_site):
    build_site()
    client = app.test_client()
    return lambda path, **more: client.open(path, buffered=True, **more)


@pytest.mark.parametrize("path", ["/" + "a" * 3000, "/" + "a/" * 3000, "/x" * 200])
def test_address_longer_than_any_file(browse, refusal, path):
    """An address that no file can have is a 404."""
    response = browse(path)

    assert response.status_code == 404
    refusal(response, "not-found")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_page_is_only_read(browse, refusal, method):
    """A page allows GET and HEAD only, and says so in Allow."""
    response = browse("/status/", method=method)

    assert response.status_code == 405
    assert response.headers["Allow"] == "GET, HEAD"
    refusal(response, "method-not-allowed")


@pytest.mark.parametrize(
    "path",
    ["/..%2fmasthead.db", "/.masthead.lock", "/%2e%2e/masthead.db", "/status/..%00"],
)
def test_nothing_but_the_site(browse, path):
    """No address leads out of the folder or to its hidden files."""
    assert browse(path).status_code == 404


def test_page_has_the_policy(browse):
    """Served pages have the headers that a CDN should set."""
    response = browse("/status/")

    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"<h1" in response.data


def test_page_for_an_address_that_is_none(browse):
    """
    For an unknown address, a browser gets a page and a program a problem; both are 404.
    """
    page = browse("/nowhere/", headers={"Accept": "text/html"})

    assert page.status_code == 404
    assert page.mimetype == "text/html"
    assert b"Page not found" in page.data


def test_part_of_a_file(browse):
    """A range within the file is returned."""
    whole = browse("/status/").data

    for body, part in (("0-3", whole[:4]), ("-4", whole[-4:]), ("4-", whole[4:])):
        response = browse("/status/", headers={"Range": f"bytes={body}"})

        assert (response.status_code, response.data) == (206, part)


def test_parts_that_cannot_be_had(browse):
    """An invalid range or several ranges return the whole file."""
    beyond = ["bytes=99999999-", "bytes=" + "9" * 5000 + "-", "bytes=-0", "bytes=4-1"]
    several = ["bytes=0-1,3-4", "bytes=" + "0-1," * 2000]
    whole = browse("/status/").data

    for body in (*beyond, *several, "lines=1-2", "\xff"):
        response = browse("/status/", headers={"Range": body})

        assert (response.status_code, response.data) == (200, whole), body[:20]


def test_link_out_of_the_folder(browse, output, settings):
    """A symbolic link in the folder does not lead to files outside it."""
    (output / "secret").symlink_to(settings.database)
    (output / "linked").symlink_to(Path(settings.database).parent)
    (output / "same").symlink_to(output / "status")

    assert browse("/secret").status_code == 404
    assert browse("/linked/masthead.db").status_code == 404
    assert browse("/same/").status_code == 200


def test_folder_that_is_a_link(browse, app, output):
    """The folder itself may be a symbolic link."""
    output.rename(output.with_name("elsewhere"))
    output.symlink_to(output.with_name("elsewhere"))

    assert browse("/status/").status_code == 200


@pytest.fixture
def below(store, settings, clock, docs_project):
    """The server of a site below a path, as browsers and programs call it."""
    moved = docs_project.publish("limits", collection="support")
    docs_project.update(moved, collection="products")
    result = replace(settings, site_url="https://example.com/docs/v2")
    assert build(BuildContext(clock.now, result, site_theme(result))).failed == []
    client = create_app(result, clock=clock).test_client()
    return lambda path, **more: client.open(path, buffered=True, **more)


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        *((f"/docs/v2{page}", 200, None) for page in ("/", "/status/", "/robots.txt")),
        # The API is where it is without a path.
        *(("/openapi.json", 200, None), ("/healthz", 200, None)),
        ("/status/v1/services/list", 401, None),
        # A missing slash, and the host alone.
        ("/docs/v2", 308, "/docs/v2/"),
        ("/", 302, "/docs/v2/"),
        ("/docs/v2/status", 308, "status/"),
        ("/docs/v2/search?q=a%20b", 308, "search/?q=a%20b"),
        ("/docs/v2//status//", 200, None),
        ("/docs/v2/support/limits/", 301, "/docs/v2/products/limits/"),
        # Pages are at one address only.
        *((page, 404, None) for page in ("/status/", "/docs/v2/docs/v2/", "/docs/")),
        *((page, 404, None) for page in ("/docs/v2x/", "/robots.txt")),
        ("/docs/v2/_redirects", 404, None),
        ("/docs/v2/../v2/.masthead.lock", 404, None),
    ],
)
def test_site_below_a_path(below, path, status, location):
    """The site answers below its path, and the API at the root of the host."""
    response = below(path)

    assert (response.status_code, response.headers.get("Location")) == (
        status,
        location,
    )


def test_missing_page_below_a_path(below):
    """A browser gets the site's 404 page, anywhere on the host."""
    for path in ("/docs/v2/nowhere/", "/nowhere/"):
        page = below(path, headers={"Accept": "text/html"})

        assert (page.status_code, page.mimetype) == (404, "text/html")
        assert b'href="/docs/v2/assets/' in page.data


def test_site_below_a_path_is_only_read(below):
    """A page does not allow POST; what is no page is a 404 for every method."""
    page, other = below("/docs/v2/status/", method="POST"), below("/", method="POST")

    assert (page.status_code, page.headers["Allow"]) == (405, "GET, HEAD")
    assert other.status_code == 404
