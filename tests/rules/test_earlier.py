"""What was public before, by the feed."""

import pytest

from models.projects.documents import publication_history
from models.projects.documents.publication_history import earlier_revisions


@pytest.fixture
def document(shelf):
    """It was public at versions 1, 2, 4, 1 and 5; version 3 was a draft."""
    document = shelf.publish("keys", "1")
    shelf.release(shelf.update(document, content="22"))
    shelf.update(document, content="333")
    shelf.release(shelf.update(document, content="4444"))
    shelf.release(document, version=1)
    shelf.release(shelf.update(document, content="55555"))
    return document


def versions(found):
    return [each.version for each in found]


def test_earlier(document, shelf):
    """Each once, as of the last time; drafts and the version that is are left out."""
    other = shelf.publish("other")

    found = earlier_revisions({document["id"]: 5, other["id"]: 1})

    assert list(found) == [document["id"]]
    assert versions(found[document["id"]]) == [2, 4, 1]
    assert [e.content() for e in found[document["id"]]] == ["22", "4444", "1"]


def test_earlier_than_what_is_not_public_yet(document):
    """Seen from a draft, what is public now is the last of what was."""
    found = earlier_revisions({document["id"]: 3})

    assert versions(found[document["id"]]) == [2, 4, 1, 5]


@pytest.mark.parametrize(
    ("bound", "most", "left"),
    [("MOST_REVISIONS", 2, [4, 1]), ("MOST_BYTES", 5, [4, 1]), ("MOST_BYTES", 0, [])],
)
def test_bounds(document, monkeypatch, bound, most, left):
    """The newest are kept: so many, and of so many bytes."""
    monkeypatch.setattr(publication_history, bound, most)

    found = earlier_revisions({document["id"]: 5})

    assert versions(found.get(document["id"], [])) == left
