"""Hostile texts in a real browser: nothing is executed, and no other host is called."""

import pytest

from models.projects.documents.documents import CreateDocument, create_document
from models.projects.documents.publication import PublishDocument, publish_document
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from models.status.incidents.incidents import StatusAddIncident, open_incident
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing
from tests.browser.conftest import served
from tests.browser.status_site import NOW
from tests.factories.projects import KEY
from tests.samples.hostile import HTML, IDS, links

# All that is in the prose, as the browser's own parser has understood it.
HARM = """() => {
  const own = new Set([...document.querySelectorAll("script[src^='/assets/']")]);
  const tags = "script, style, iframe, object, embed, base, form, math, template";
  const found = [...document.querySelectorAll(`main :is(${tags}):not(.sign)`)]
    .filter((each) => !own.has(each)).map((each) => each.outerHTML);
  for (const each of document.querySelectorAll("main *"))
    for (const { name, value } of each.attributes) {
      if (name.startsWith("on") || name === "srcdoc" || name === "style")
        found.push(`${name}=${value}`);
      if (["href", "src", "action"].includes(name)) {
        const { protocol } = new URL(value, location.href);
        if (!["http:", "https:", "mailto:"].includes(protocol)) found.push(value);
      }
    }
  if (window.harmed) found.push("A script has run.");
  return found;
}"""
PLAIN = [text.replace("\x00", "") for text in (*HTML, *links(), IDS)]
SPREAD = 6


def write_harm():
    """Create documents with many hostile texts each, and an incident with some."""
    project = ensure_docs_project(NOW, slug="docs", owner_id=NIL_UUID)
    for number in range(SPREAD):
        request = CreateDocument(
            project_id=project.id,
            title=HTML[number],
            slug=f"harm-{number}",
            type="note",
            summary=HTML[SPREAD - number],
            content="\n\n".join(PLAIN[number::SPREAD]),
            collection="guides",
            section=HTML[1],
        )
        with writing():
            document = create_document(request, NOW, KEY)
            publish_document(PublishDocument(id=document.id), NOW, KEY)
    with writing():
        add_service(StatusAddService(slug="api", name=HTML[2]), NOW)
        body = "\n\n".join(HTML)[:4000]
        request = StatusAddIncident(
            title=HTML[1], services=["api"], severity="degraded", body=body
        )
        open_incident(request, NOW)


@pytest.fixture(scope="module")
def harmed_site(tmp_path_factory, empty_database):
    with served(tmp_path_factory.mktemp("harm"), empty_database, write_harm) as at:
        yield at


@pytest.mark.parametrize(
    "path",
    [*(f"guides/harm-{number}/" for number in range(SPREAD)), "status/", "guides/", ""],
)
def test_nothing_runs(browser, harmed_site, path):
    """There are no scripts, dialogs, handlers, unsafe addresses or requests."""
    context, body, shown = browser.new_context(), [], []
    context.route("**/*", lambda route: body.append(route.request) or route.continue_())
    page = context.new_page()
    page.on("dialog", lambda dialog: shown.append(dialog) or dialog.dismiss())

    page.goto(f"{harmed_site}/{path}")
    page.locator("h1").first.hover()

    assert page.evaluate(HARM) == []
    outside = [each for each in body if not each.url.startswith(harmed_site)]
    # An image over https is the only thing that a document may load from others.
    assert [each for each in outside if each.resource_type != "image"] == []
    assert shown == []
    context.close()


# Our own words in the page that are not displayed from left to right.
REVERSED = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const reversed = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentNode.closest("bdi, [dir=auto], script, noscript")) continue;
    for (const { 0: word, index } of text.data.matchAll(/[A-Za-z]{2,}/g)) {
      const boxes = [index, index + word.length - 1].map((at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect();
      });
      if (boxes[0].top === boxes[1].top && boxes[0].left > boxes[1].left) {
        reversed.push(word);
      }
    }
  }
  return reversed;
}"""
OVERRIDE = "\u2069\u202eevil"


def test_titles_reorder_nothing(works, visit):
    """
    A title that closes its isolate and overrides the direction is shown, and our own
    words around it stay in order.
    """
    works.service("bidi", name=OVERRIDE, group=OVERRIDE)
    incident = works.incident("bidi", "api", title=OVERRIDE)
    window = works.window("bidi", starts=-60, ends=600, title=OVERRIDE)
    works.build()
    paths = (
        "/",
        "/status/",
        "/status/services/bidi/",
        f"/status/incidents/{incident}/",
        f"/status/maintenance/{window}/",
        "/status/history/2026-03/",
        "/status/embed/bidi/",
    )

    pages = {path: visit(path) for path in paths}

    found = {path: page.evaluate(REVERSED) for path, page in pages.items()}
    assert found == {path: [] for path in paths}
    assert "evil" in pages["/status/"].locator("main").inner_text()
