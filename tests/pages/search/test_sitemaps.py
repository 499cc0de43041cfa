"""Files for search engines and language models."""

from xml.etree import ElementTree

import pytest

from sitegen.docs import llms
from sitegen.search import sitemaps

SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
URL = "http://127.0.0.1:8000"
ADMIN = "POST /status/v1/admin"


def mapped(output, name):
    """Return the addresses of a sitemap with their last change, in order."""
    tree = ElementTree.fromstring((output / name).read_text())
    return {
        each.findtext(f"{SPACE}loc").removeprefix(URL): each.findtext(f"{SPACE}lastmod")
        for each in tree
    }


@pytest.fixture
def first_page(docs_project, clock):
    first = docs_project.publish(
        "welcome", "# Welcome\n\nHello.\n", summary="Start here."
    )
    clock.pass_(hours=1)
    docs_project.publish(
        "keys", "Keys open.\n", title="Keys [old] & <new>", section="Use"
    )
    return first


def test_sitemap_names_its_parts(first_page, build_site, output):
    """The sitemap index lists every part, and each part exists."""
    build_site()

    parts = mapped(output, "sitemap.xml")

    assert list(parts) == [
        f"/sitemaps/{name}.xml" for name in ("site", "status", "guides-1")
    ]
    assert all((output / path[1:]).exists() for path in parts)
    robots = (output / "robots.txt").read_text()
    assert robots.endswith(f"\nSitemap: {URL}/sitemap.xml\n")


def test_last_change_is_a_fact(first_page, build_site, output, clock):
    """A page's lastmod is the time of its publication, whatever the clock shows."""
    clock.pass_(days=1)
    build_site()

    # Written and published in instants that follow each other.
    assert mapped(output, "sitemaps/guides-1.xml") == {
        "/guides/": "2026-03-01T13:00:00.001Z",
        "/guides/keys/": "2026-03-01T13:00:00.001Z",
        "/guides/welcome/": "2026-03-01T12:00:00.002Z",
    }


def test_every_page_is_in_the_sitemap(first_page, api, build_site, output):
    """Exactly the permanent pages are in the sitemap."""
    api(f"{ADMIN}/services/add", {"slug": "api", "name": "API"})
    incident = {"title": "Slow", "severity": "degraded", "body": "Looking."}
    api(f"{ADMIN}/incidents/add", incident | {"services": ["api"]})
    build_site()

    parts = mapped(output, "sitemap.xml")
    result = {at for path in parts for at in mapped(output, path[1:])}

    found = {path.parent.relative_to(output) for path in output.rglob("index.html")}
    at = {f"/{each}/".replace("/./", "/") for each in found}
    assert result == {each for each in at if not each.startswith("/status/embed/")}


def test_long_collection_has_parts(docs_project, build_site, output, monkeypatch):
    """A new page rewrites only its part of the sitemap and later ones."""
    monkeypatch.setattr(sitemaps, "ADDRESSES_OF_SITEMAP", 2)
    for slug in ("a", "b", "c", "x"):
        docs_project.publish(slug)
    build_site()
    docs_project.publish("y")

    written = build_site(["docs"]).written

    assert list(mapped(output, "sitemaps/guides-2.xml")) == ["/guides/b/", "/guides/c/"]
    assert "sitemaps/guides-2.xml" not in written
    assert "sitemaps/guides-3.xml" in written


def test_llms_list(first_page, build_site, output):
    """The list has a title, a summary, and each document's Markdown in its section."""
    build_site()

    assert (
        (output / "llms.txt")
        .read_text()
        .startswith(
            "# Masthead\n\n> Documentation and status of Masthead.\n"
            f"\n## Guides\n\n- [Welcome]({URL}/guides/welcome.md): Start here.\n"
            f"\n## Guides: Use\n\n- [Keys \\[old\\] & \\<new>]({URL}/guides/keys.md)\n"
        )
    )


def test_llms_whole(first_page, build_site, output):
    """The texts are in reading order, each once with its title and address."""
    build_site()

    text = (output / "llms-full.txt").read_text()

    source = f"Source: {URL}/guides/welcome.md"
    assert f"\n---\n\n# Welcome\n\n{source}\n\nHello.\n\n---\n\n# Keys" in text
    assert text.endswith("\n\nKeys open.\n")


def test_llms_whole_is_not_endless(first_page, build_site, output, monkeypatch):
    """Texts over the limit are counted, with a link to them."""
    monkeypatch.setattr(llms, "MAX_BYTES", 25)
    build_site()

    text = (output / "llms-full.txt").read_text()

    assert "Hello." in text
    assert "Keys open." not in text
    assert text.endswith(f"1 more documents are named in {URL}/llms.txt\n")


def test_llms_whole_follows(docs_project, first_page, build_site, output):
    """A new version changes the file, a draft does not."""
    build_site()
    docs_project.update(first_page, content="Good day.")

    assert "llms-full.txt" not in build_site(["docs"]).written
    docs_project.release(first_page)
    assert "llms-full.txt" in build_site(["docs"]).written
    assert "Good day." in (output / "llms-full.txt").read_text()


def test_site_without_documents(build_site, output):
    """An empty site has all these files, and they are valid."""
    assert build_site().failed == []

    status = ["/status/", "/status/how/", "/status/history/"]
    assert list(mapped(output, "sitemaps/status.xml")) == status
    assert (output / "llms-full.txt").read_text().count("\n") == 3
