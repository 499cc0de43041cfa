"""Drafts of the editor, which a browser keeps until a version has their text."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from models.projects.documents.rows import DocumentRow
from tests import world
from tests.factories.manual import import_basics

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
# Longer than the editor waits after a letter before it stores a draft.
A_WHILE = 1000


@pytest.fixture(autouse=True)
def sample_world(store, clock):
    world.populate(clock.now)
    import_basics(clock.now)


class Editor:
    """The page of a document; its timers run when the test advances them."""

    def __init__(self, phone):
        self.page = phone.page
        self.page.clock.install(time=NOON)
        self.page.clock.pause_at(NOON + timedelta(seconds=1))
        id = DocumentRow.select().first().id
        self.open = lambda: phone.open(f"documents/{id}/")
        self.open()
        self.text = self.page.get_by_label("Text", exact=True)
        self.offer = self.page.get_by_text("that is not saved")

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def write(self, words):
        """Replace the text, and wait until the draft is stored."""
        self.text.fill(words)
        self.page.clock.run_for(A_WHILE)


@pytest.fixture
def editor(phone):
    return Editor(phone())


def test_offered_draft(editor):
    """An offered draft stays until it is used or discarded, and so do others."""
    editor.write("The first draft.")
    editor.open()
    expect(editor.offer).to_be_visible()
    editor.write("The second draft.")
    editor.open()

    editor.press("Discard it")
    expect(editor.offer).to_be_visible()
    editor.press("Use the draft")

    expect(editor.text).to_have_value("The first draft.")
    expect(editor.offer).not_to_be_visible()


def test_use_of_a_draft_after_writing(editor):
    """Text that was written before using a draft becomes the offered draft."""
    editor.write("The first draft.")
    editor.open()
    editor.text.fill("The second draft.")

    editor.press("Use the draft")
    expect(editor.text).to_have_value("The first draft.")
    editor.press("Use the draft")

    expect(editor.text).to_have_value("The second draft.")


def test_version_of_a_draft(editor, api):
    """
    A draft is saved against the version it was based on, however often it is used.
    """
    editor.write("The first draft.")
    document = DocumentRow.select().first()
    update = {"id": document.id, "content": "Theirs."}
    api("POST /projects/v1/documents/update", update)
    for _ in range(2):
        editor.open()
        editor.press("Use the draft")

    editor.press("Save")

    expect(editor.page.get_by_role("alert")).to_contain_text("while")
    expect(editor.text).to_have_value("The first draft.")


def test_save_right_after_a_letter(editor):
    """A saved text is no draft, even if it was saved right after the last letter."""
    editor.write("Saved")
    editor.text.press_sequentially("!")

    editor.press("Save")

    expect(editor.page.get_by_role("status").first).to_contain_text("saved")
    expect(editor.text).to_have_value("Saved!")
    expect(editor.offer).not_to_be_visible()


def test_leaving_right_after_a_letter(editor):
    """A text is in the draft even if the page is left right after the last letter."""
    editor.write("Draft")
    editor.text.press_sequentially("!")

    editor.open()
    editor.press("Use the draft")

    expect(editor.text).to_have_value("Draft!")
