"""Rendered texts are kept by what they were made from, and forgotten unharmed."""

from models.projects.documents.rendered_bodies import (
    Body,
    bodies_with,
    forget_bodies,
    keep_bodies,
)
from models.storage.database import reading

FIRST = Body.of("a", ["b.md"], [(2, "rates", "Rates")], "<p>Ä</p>")
SECOND = Body.of("b", [], [], "")


def test_kept_is_found(store):
    """What is kept comes back as it was, and what is not is left out."""
    keep_bodies([FIRST, SECOND])

    found = bodies_with(["a", "b", "c"])

    assert found == {"a": FIRST, "b": SECOND}
    assert found["a"].html == "<p>Ä</p>"
    assert found["a"].headings == [(2, "rates", "Rates")]


def test_blank(store):
    """A body without text is told without unpacking it."""
    assert SECOND.is_blank
    assert not FIRST.is_blank


def test_kept_twice(store):
    """Two builders that render the same keep one of it."""
    keep_bodies([FIRST])

    keep_bodies([FIRST, SECOND])

    assert set(bodies_with(["a", "b"])) == {"a", "b"}


def test_forgotten(store):
    """All go but those that are wanted."""
    keep_bodies([FIRST, SECOND])

    assert forget_bodies(["b", "never-kept"]) == 1

    with reading():
        assert set(bodies_with(["a", "b"])) == {"b"}
