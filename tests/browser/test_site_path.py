"""A site below a path in a browser: its scripts, and the menu of versions."""

import json
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from models.projects.documents.documents import CreateDocument, create_document
from models.projects.documents.publication import PublishDocument, publish_document
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from models.storage.database import writing
from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.browser.axe import FEW_LOOKS, findings
from tests.browser.status_site import MINUTE, NOW, StatusSite
from tests.factories.projects import KEY

PATH = "/docs/v2"


@pytest.fixture
def world(tmp_path, empty_database):
    made = StatusSite(tmp_path, empty_database, PATH)
    yield made
    made.close()


def publish(slug, content):
    project = ensure_docs_project(NOW, slug="docs", owner_id=NIL_UUID)
    body = {"title": slug.capitalize(), "slug": slug, "type": "note"}
    body |= {"content": content, "collection": "guides"}
    with writing():
        document = create_document(
            CreateDocument(project_id=project.id, **body), NOW, KEY
        )
        publish_document(PublishDocument(id=document.id), NOW, KEY)


def test_search(works, visit):
    """The search finds pages, shows excerpts, and links to them."""
    publish("disks", "## Sizes\n\nA platter holds ten gigabytes.\n")
    works.build()
    page = visit(f"{PATH}/")

    page.keyboard.press("/")
    page.keyboard.insert_text("platter")
    page.clock.run_for(1000)

    found = page.locator(".results li")
    expect(found).to_contain_text("holds ten gigabytes")
    found.locator("a").click()
    page.wait_for_url(f"{works.url}/guides/disks/#sizes")


def test_search_page(works, visit):
    """The box opens the page of results, whose address is below the path."""
    page = visit(f"{PATH}/status/")

    page.keyboard.press("/")
    page.keyboard.insert_text("mail")
    page.keyboard.press("Enter")

    page.wait_for_url(f"{works.url}/search/?q=mail")
    page.clock.run_for(1000)
    link = page.locator(".results li a").first
    expect(link).to_have_attribute("href", f"{PATH}/status/services/mail/")


def test_open_status_page(works, visit):
    """The open page renews itself, as at the root of a host."""
    page = visit(f"{PATH}/status/")
    works.sample("api", "down", at=30)
    works.sample("mail", at=30)
    works.build(at=31)

    page.clock.run_for(MINUTE)

    page.get_by_role("heading", level=1, name="Major outage").wait_for()
    # It was replaced by the newer page; only other assets would make it load that one.
    assert page.requests.count(f"{works.url}/status/") == 2
    assert len([url for url in page.requests if "/assets/style." in url]) == 1


def test_open_status_page_in_another_look(works, visit):
    """The page reloads if the newer page has other styles."""
    page = visit(f"{PATH}/status/")
    works.set_theme(accent_colour="#008000")
    works.sample("api", "down", at=30)
    works.sample("mail", at=30)
    works.build(at=31)

    page.clock.run_for(MINUTE)

    page.get_by_role("heading", level=1, name="Major outage").wait_for()
    styles = {url for url in page.requests if "/assets/style." in url}
    assert len(styles) == 2


@pytest.fixture
def versions(works, tmp_path):
    """The site as version 2, and version 1 beside it, which lacks a document."""
    host = works.url.removesuffix(PATH)
    names = {"1.x": "/docs/v1", "2.x": PATH}
    sites = [
        {"name": name, "url": host + path, "version": name}
        for name, path in names.items()
    ]
    sites.append({"name": "0.x", "url": "https://old.example.com", "version": "0.9"})
    (tmp_path / "sites.json").write_text(json.dumps(sites))
    publish("disks", "Disks.\n")
    for path in names.values():
        if path == PATH:
            publish("tapes", "Tapes.\n")
        settings = replace(
            works.settings,
            site_url=host + path,
            output=str(tmp_path / "site") + path,
            switcher=str(tmp_path / "sites.json"),
        )
        assert build(BuildContext(NOW, settings, site_theme(settings))).failed == []
    return host


@pytest.mark.parametrize(
    ("page", "old"),
    [
        ("guides/disks/", "guides/disks/"),
        # Version 1 does not have it.
        ("guides/tapes/", ""),
    ],
)
def test_menu_of_versions(versions, visit, page, old):
    """The menu opens the same page of another version, or its home page."""
    shown = visit(f"{PATH}/{page}")

    with shown.expect_response(lambda response: response.request.method == "HEAD"):
        shown.get_by_label("Version: 2.x").click()

    link = shown.get_by_role("link", name="1.x")
    expect(link).to_have_attribute("href", f"{versions}/docs/v1/{old}")
    other = shown.get_by_role("link", name="0.x")
    expect(other).to_have_attribute("href", "https://old.example.com/")
    link.click()
    shown.wait_for_url(f"{versions}/docs/v1/{old}")


def test_menu_closes(versions, visit):
    """
    Escape closes the menu and keeps the focus on it; a click elsewhere closes it, too.
    """
    page = visit(f"{PATH}/guides/disks/")
    menu, link = page.get_by_label("Version: 2.x"), page.get_by_text("1.x")

    menu.press("Enter")
    expect(link).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    page.locator("h1").click()
    expect(link).to_be_hidden()


def test_menu_without_scripts(versions, visit):
    """Without scripts the menu opens the home page of each version."""
    page = visit(f"{PATH}/guides/disks/", java_script_enabled=False)

    page.get_by_label("Version: 2.x").click()
    page.get_by_role("link", name="1.x").click()

    page.wait_for_url(f"{versions}/docs/v1/")


@pytest.mark.parametrize("width", [320, 1280])
def test_menu_fits(versions, visit, width):
    """The open menu is within the page, and has no findings."""
    size = {"width": width, "height": 700}
    page = visit(f"{PATH}/guides/disks/", viewport=size)

    page.get_by_label("Version: 2.x").click()

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator(".switcher ul").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert findings(page, FEW_LOOKS) == {}
