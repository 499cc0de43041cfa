"""Hostile texts in the pages of the console."""

import pytest

from models.projects.documents.documents import CreateDocument, create_document
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from models.status.incidents.incidents import StatusAddIncident, open_incident
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing
from tests.browser.phone import EXCESS, menu_of
from tests.browser.test_hostile import HARM
from tests.factories.projects import KEY
from tests.samples.hostile import HTML

RTL = "\u0645\u0634\u0643\u0644\u0629 \u202e" + "W" * 140
# The elements that the browser's own parser finds in hostile texts. Forms are ours.
HARM = HARM.replace("form, ", "").replace("/assets/", "/console/assets/")


@pytest.fixture
def harm(store, clock):
    """Write hostile and long texts wherever the console shows texts."""
    project = ensure_docs_project(clock.now, slug="docs", owner_id=NIL_UUID)
    with writing():
        for number, name in enumerate((*HTML[:4], RTL)):
            slug = f"s{number}"
            add_service(
                StatusAddService(slug=slug, name=name[:120], group=HTML[number][:64]),
                clock.now,
            )
            incident = StatusAddIncident(
                title=name[:160],
                services=[slug],
                severity="degraded",
                body="\n\n".join(HTML)[:4000],
            )
            opened = open_incident(incident, clock.now)
            document = CreateDocument(
                project_id=project.id,
                title=name[:200],
                slug=f"d{number}",
                type="note",
                content="\n\n".join(HTML),
                collection="guides",
                section=HTML[number][:80],
            )
            create_document(document, clock.now, KEY)
    return opened.id


def test_texts_that_mean_harm(phone, harm):
    """No title, name or text executes anything, or makes a page wider."""
    phone = phone()
    found = {}

    for path in [*menu_of(phone), f"incidents/{harm}/"]:
        phone.open(path)
        phone.page.set_viewport_size({"width": 320, "height": 800})
        if harmful := phone.page.evaluate(HARM):
            found[path] = harmful
        if (excess := phone.page.evaluate(EXCESS)) > 0:
            found[f"{path} overflow"] = excess

    assert found == {}
