"""Rendered bodies are stored by their inputs, and can be deleted at any time."""

from models.projects.documents.rendered_bodies import (
    RenderedBody,
    delete_unused_bodies,
    store_bodies,
    stored_bodies,
)
from models.storage.database import reading

FIRST = RenderedBody.from_html("a", ["b.md"], [(2, "rates", "Rates")], "<p>Ä</p>")
SECOND = RenderedBody.from_html("b", [], [], "")


def test_kept_is_found(store):
    """A stored body is returned unchanged, and missing ones are left out."""
    store_bodies([FIRST, SECOND])

    found = stored_bodies(["a", "b", "c"])

    assert found == {"a": FIRST, "b": SECOND}
    assert found["a"].html == "<p>Ä</p>"
    assert found["a"].headings == [(2, "rates", "Rates")]


def test_blank(store):
    """A body without text is recognised without decompressing it."""
    assert SECOND.is_blank
    assert not FIRST.is_blank


def test_kept_twice(store):
    """If two builders render the same body, it is stored once."""
    store_bodies([FIRST])

    store_bodies([FIRST, SECOND])

    assert set(stored_bodies(["a", "b"])) == {"a", "b"}


def test_forgotten(store):
    """All bodies that are no longer used are deleted."""
    store_bodies([FIRST, SECOND])

    assert delete_unused_bodies(["b", "never-kept"]) == 1

    with reading():
        assert set(stored_bodies(["a", "b"])) == {"b"}
