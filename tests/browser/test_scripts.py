"""What the scripts add, and that pages are complete without them."""

from urllib.parse import urlsplit

import pytest

from models.response_headers import content_security_policy
from tests.pages.html import THEME, rendered
from tests.pages.samples import FULL, MINIMAL

CHECKED, LATER = "2026-03-01T14:02:00Z", "2026-03-01T14:07:00Z"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="90"/>'
TYPES = {"css": "text/css", "js": "text/javascript", "woff2": "font/woff2"}


def answer(route):
    """Serve a sample page or an asset, as the built site would."""
    path = urlsplit(route.request.url).path
    if path.endswith(".svg"):
        return route.fulfill(body=PICTURE, content_type="image/svg+xml")
    if path.startswith("/assets/"):
        # The samples have names of assets without the digests in style sheets.
        name, *_, kind = path.removeprefix("/assets/").split(".")
        _, body = THEME.assets[f"{name}.{kind}"]
        return route.fulfill(body=body, content_type=TYPES[kind])
    kind, name = path.strip("/").split("/")
    html = rendered({"full": FULL, "minimal": MINIMAL}[kind][name])
    headers = {"Content-Security-Policy": content_security_policy(None)}
    return route.fulfill(body=html, content_type="text/html", headers=headers)


@pytest.fixture
def visit(browser):
    """Open a sample at a given time of the reader's clock; errors fail the test."""
    contexts, errors = [], []

    def note(message):
        # The style sheet of these samples loads the fonts from other addresses.
        if "preload" not in message.text:
            errors.append(message.text)

    def go(path, at=CHECKED, **options):
        context = browser.new_context(base_url="https://site.test", **options)
        contexts.append(context)
        context.route("**/*", answer)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", note)
        if options.get("java_script_enabled", True):
            page.clock.install(time=at)
        page.goto(path)
        return page

    yield go
    for context in contexts:
        context.close()
    assert errors == []


def test_status_while_fresh(visit):
    """Until its deadline the page shows the state of its build."""
    page = visit("/full/status")

    assert page.locator("h1").inner_text() == "Major outage"


@pytest.mark.parametrize("name", ["status", "service", "front"])
def test_status_at_its_deadline(visit, name):
    """From its deadline on an open page says that it is out of date."""
    page = visit(f"/full/{name}")

    page.clock.run_for(5 * 60 * 1000 + 10_000)

    assert page.get_by_text("Status data out of date").is_visible()
    assert page.locator(".when-fresh:visible").count() == 0
    assert page.title().startswith("Out of date: ")


def test_status_loaded_late(visit):
    """A copy that is served after its deadline is stale from the start."""
    page = visit("/full/status", at=LATER)

    assert page.locator("h1").inner_text() == "Status data out of date"


def test_window_opens(visit):
    """A window changes from planned to active at its minute."""
    page = visit("/full/status", at="2026-03-03T14:01:55Z")
    assert page.locator("#coming article").is_visible()

    page.clock.run_for(10_000)

    assert page.locator("#running").get_by_text("Upgrade of the identity").is_visible()
    assert not page.locator("#coming").is_visible()


def test_window_closes(visit):
    """A window that has ended is no longer active."""
    page = visit("/full/status", at="2026-03-01T15:30:00Z")

    assert not page.locator("#running").is_visible()
    assert (
        visit("/full/maintenance", at="2026-03-01T15:30:00Z")
        .get_by_text("Completed")
        .is_visible()
    )


def test_scheme_is_remembered(visit):
    """
    The chosen colours apply to the next page; choosing the system's deletes the choice.
    """
    page = visit("/full/front", color_scheme="light")
    button = page.get_by_role("button", name="Dark theme")

    button.click()
    page.goto("/full/status")

    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert page.evaluate("localStorage.getItem('theme')") is None


def test_code_is_copied(visit):
    """The button beside a block of code copies its text, and confirms it."""
    page = visit("/full/document", permissions=["clipboard-read", "clipboard-write"])

    page.get_by_role("button", name="Copy", exact=True).click()

    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("def ask(path")


def test_document_is_copied(visit):
    """The button above a document copies its Markdown, and confirms it."""
    page = visit("/full/document", permissions=["clipboard-read", "clipboard-write"])
    page.route("**/*.md", lambda route: route.fulfill(body="# Keys\n"))

    page.get_by_role("button", name="Copy as Markdown").click()

    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "# Keys\n"


def test_document_that_cannot_be_copied(visit):
    """Without a response the clipboard stays unchanged, and the button says so."""
    page = visit("/full/document", permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('before')")
    page.evaluate("window.fetch = async () => new Response('', { status: 503 })")

    page.get_by_role("button", name="Copy as Markdown").click()

    page.get_by_role("button", name="Copy failed").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "before"


def test_without_scripts(visit):
    """With scripts off no useless control is shown."""
    page = visit("/full/status", java_script_enabled=False)

    assert not page.locator("button").is_visible()
    assert page.locator("h1").inner_text() == "Major outage"


@pytest.mark.parametrize("name", sorted(FULL.keys() - {"redirect"}))
def test_nothing_is_wider_than_the_window(visit, name):
    """Every page fits 320 pixels without scrolling sideways."""
    page = visit(f"/full/{name}", viewport={"width": 320, "height": 700})

    assert page.evaluate("document.documentElement.scrollWidth") <= 320
