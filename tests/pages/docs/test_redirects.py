"""A document that has moved is found from where it was."""

import pytest


@pytest.fixture
def moved(shelf, build_site):
    """A page that was a guide, then a product, and is a page of support."""
    document = shelf.publish("limits")
    build_site()
    shelf.update(document, collection="products")
    build_site()
    shelf.update(document, collection="support")
    build_site()
    return document


def test_rules(moved, output):
    """Page, Markdown and JSON lead from each old place straight to the present one."""
    assert (output / "_redirects").read_text().splitlines() == [
        f"/{old}/limits{end} /support/limits{end} 302"
        for old in ("guides", "products")
        for end in ("/", ".md", ".json")
    ] + ["/* /404.html 404"]


def test_service_follows_the_rules(moved, app):
    """Who has no other host is led as well, without a page in between."""
    client = app.test_client()

    for end in ("/", ".md", ".json"):
        answer = client.get(f"/guides/limits{end}")
        assert answer.status_code == 302
        assert answer.headers["Location"] == f"/support/limits{end}"
        assert client.get(f"/support/limits{end}", buffered=True).status_code == 200


def test_way_back(moved, shelf, build_site, app):
    """A page that comes back is at its address, and was never gone for good."""
    shelf.update(moved, collection="guides")
    build_site()
    client = app.test_client()

    assert client.get("/guides/limits/", buffered=True).status_code == 200
    assert client.get("/support/limits/").headers["Location"] == "/guides/limits/"


def test_page_for_other_hosts(moved, output):
    """It names the present address as the one that counts, and is not for an index."""
    html = (output / "guides/limits/index.html").read_text()

    assert 'rel="canonical" href="http://127.0.0.1:8000/support/limits/"' in html
    assert '<meta name="robots" content="noindex">' in html
    assert '<a href="/support/limits/">' in html


def test_unpublished_is_nowhere(moved, shelf, build_site, app, output):
    """A page that the public no longer has leaves no way to it."""
    shelf.withdraw(moved)
    build_site()

    assert (output / "_redirects").read_text() == "/* /404.html 404\n"
    assert app.test_client().get("/guides/limits/").status_code == 404


def test_names_for_hosts_are_not_shown(moved, app):
    """The files with rules are for hosts; readers find nothing there."""
    for name in ("_headers", "_redirects"):
        assert app.test_client().get(f"/{name}").status_code == 404
