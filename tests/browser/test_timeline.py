"""The Markdown of an update in a browser, compared with that of a document."""

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
from tests.browser.test_rich_document import END_OF_FIRST_LINE
from tests.factories.projects import KEY

TEXT = """
An update with code:

```python title="rate.py" {1}
if x < y: return "A line of code that is far too long for the screen of a phone"
return x
```

```
x < y and a line that is also far too long for the screen of a phone
```

> [!WARNING]
> Requests fail.

| Name | Rate |
|---|--:|
| a | 1 |

- [x] found
- [ ] mended
"""
# Elements with their own styles, and the properties to compare.
STYLED = {
    ".code": ["backgroundColor", "borderTopWidth", "borderRadius", "position"],
    ".code > .copy": ["position", "top", "right", "fontSize", "color", "borderColor"],
    ".code-title": ["paddingInlineStart", "fontFamily", "color"],
    ".code > pre": ["paddingLeft", "overflowX", "lineHeight"],
    ".code .k": ["color"],
    ".line.highlighted": ["backgroundColor", "boxShadow"],
    ".admonition": ["backgroundColor", "borderLeftColor", "paddingTop"],
    ".admonition-title": ["color", "fontWeight"],
    "td:last-child": ["textAlign"],
    ".task-list-item": ["listStyleType"],
    ".task-list-item > input": ["width", "marginLeft"],
}
STYLES = """styled => Object.entries(styled).map(([selector, names]) => {
  const element = document.querySelector(`:is(.prose, .said) ${selector}`);
  return [selector, names.map((name) => [name, getComputedStyle(element)[name]])];
})"""


@pytest.fixture(scope="module")
def addresses(tmp_path_factory, empty_database):
    """Return the addresses of a document and of an incident with the same text."""
    incidents = []

    def write():
        project = ensure_docs_project(NOW, slug="docs", owner_id=NIL_UUID)
        note = {"title": "Rates", "slug": "rates", "type": "note", "content": TEXT}
        place = {"project_id": project.id, "collection": "guides"}
        incident = {"title": "Errors", "severity": "degraded", "body": TEXT}
        with writing():
            document = create_document(CreateDocument(**note, **place), NOW, KEY)
            publish_document(PublishDocument(id=document.id), NOW, KEY)
            add_service(StatusAddService(slug="api", name="API"), NOW)
            opened = StatusAddIncident(**incident, services=["api"])
            incidents.append(open_incident(opened, NOW).id)

    folder = tmp_path_factory.mktemp("timeline")
    with served(folder, empty_database, write) as site:
        yield f"{site}/guides/rates/", f"{site}/status/incidents/{incidents[0]}/"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_update_looks_like_a_document(addresses, open_strictly, scheme):
    """The same Markdown has the same styles on the page of an incident."""
    document, incident = (open_strictly(at, color_scheme=scheme) for at in addresses)

    shown = incident.evaluate(STYLES, STYLED)

    assert shown == document.evaluate(STYLES, STYLED)


@pytest.mark.parametrize("has_touch", [True, False])
def test_copy_button_covers_no_code(addresses, open_strictly, has_touch):
    """The button is in the corner of the code, which can be read beside or below it."""
    viewport = {"width": 360, "height": 800}
    page = open_strictly(
        addresses[1], viewport=viewport, has_touch=has_touch, is_mobile=has_touch
    )

    for code in page.locator("div.code").all():
        button, box = code.locator(".copy").bounding_box(), code.bounding_box()
        right, top = code.locator("pre").evaluate(END_OF_FIRST_LINE)
        assert box["y"] <= button["y"] <= box["y"] + 8
        is_above = button["y"] + button["height"] <= top
        assert is_above or (right <= button["x"] and not has_touch)
