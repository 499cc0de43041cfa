"""Bodies are rendered once, by whoever is at hand, and what fails fails alone."""

import pytest

from models.errors import StorageBusy
from models.projects.documents.rendered_bodies import BodyRow
from sitegen.docs import body_cache as module
from sitegen.docs.body_cache import Bodies, below_title
from tests.pages.test_build import files_in


def no_render(text):
    raise AssertionError("rendered here")


def test_kept_from_build_to_build(shelf, build_site, output, monkeypatch):
    """A site that is built again from nothing renders nothing again."""
    shelf.publish("limits", "## Rates\n")
    build_site()
    right = files_in(output)
    monkeypatch.setattr(module, "render", no_render)

    build_site(output=output / "../again")

    assert files_in(output / "../again") == right


def test_title_is_part_of_the_key(shelf, build_site, output):
    """A first line that says the title goes when the title comes to say it."""
    document = shelf.publish("limits", "# Rates\n\nWords.\n", title="Limits")
    build_site()
    shelf.release(shelf.update(document, title="Rates"))

    build_site(["docs"])

    assert (output / "guides/limits/index.html").read_text().count(">Rates<") < 5
    assert "<h2" not in (output / "guides/limits/index.html").read_text()


@pytest.mark.parametrize(
    ("content", "left"),
    [("# T\n\nA\n", "\nA\n"), ("\n# T\nA", "A"), ("T\nA", "T\nA"), ("# U", "# U")],
)
def test_below_title(content, left):
    """Only a heading that is the title is left out."""
    assert below_title("T", content) == left


def test_many_are_kept_meanwhile(shelf, build_site, monkeypatch):
    """What a long build renders does not wait in memory for its end."""
    monkeypatch.setattr(module, "MANY", 2)
    for number in range(9):
        shelf.publish(f"page-{number}", f"Page {number}.\n")
    held, render = [], module.render
    bodies = Bodies()

    def counted(text):
        held.append(len(bodies._fresh) + len(bodies._leaving))
        return render(text)

    monkeypatch.setattr(module, "render", counted)
    build_site(bodies=bodies)

    assert (len(held), max(held)) == (9, 3)
    assert BodyRow.select().count() == 9


def test_busy_storage(shelf, build_site, output, monkeypatch):
    """What cannot be kept now is kept by the next build; the pages stand."""
    monkeypatch.setattr(module, "MANY", 2)
    for number in range(5):
        shelf.publish(f"page-{number}", f"Page {number}.\n")

    def busy(_):
        raise StorageBusy("No.")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(module, "store_bodies", busy)
        assert build_site().failed == []
    assert BodyRow.select().count() == 0

    build_site()

    assert BodyRow.select().count() == 5
    assert "Page 4." in (output / "guides/page-4/index.html").read_text()


def test_unused_are_forgotten(shelf, build_site):
    """What no page shows goes; what one shows, or did before, stays."""
    document = shelf.publish("limits", "Old.\n")
    keys = shelf.publish("keys", "Words.\n")
    build_site()
    shelf.release(shelf.update(document, content="New.\n"))
    build_site()
    assert BodyRow.select().count() == 3
    shelf.withdraw(keys)

    Bodies().forget()

    assert BodyRow.select().count() == 2
