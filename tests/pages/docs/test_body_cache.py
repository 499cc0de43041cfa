"""Bodies are rendered once and cached; a failure affects one page only."""

import pytest

from models.errors import StorageBusy
from models.projects.documents.rendered_bodies import BodyRow
from sitegen.docs import body_cache as module
from sitegen.docs import body_rendering as rendering
from sitegen.docs.body_cache import BodyCache
from sitegen.docs.body_rendering import without_title
from sitegen.markdown import work_limits
from tests.pages.builder.test_build import files_in

# Enough steps that the time is looked at.
LONG = "Words.\n\n" * 200


def no_render(text):
    raise AssertionError("rendered here")


def test_cached_from_build_to_build(docs_project, build_site, output, monkeypatch):
    """A build into an empty folder renders no body again."""
    docs_project.publish("limits", "## Rates\n")
    build_site()
    right = files_in(output)
    monkeypatch.setattr(rendering, "render", no_render)

    build_site(output=output / "../again")

    assert files_in(output / "../again") == right


def test_title_is_part_of_the_key(docs_project, build_site, output):
    """
    The title is part of the key, because a first line that repeats the title is
    removed.
    """
    document = docs_project.publish("limits", "# Rates\n\nWords.\n", title="Limits")
    build_site()
    docs_project.release(docs_project.update(document, title="Rates"))

    build_site(["docs"])

    assert (output / "guides/limits/index.html").read_text().count(">Rates<") < 5
    assert "<h2" not in (output / "guides/limits/index.html").read_text()


def test_outcome_of_the_time_limit_is_kept(
    docs_project, build_site, output, monkeypatch
):
    """
    A text that once exceeded the time limit stays unrendered in every folder, until it
    changes.
    """
    document = docs_project.publish("long", LONG)
    with monkeypatch.context() as patch:
        patch.setattr(work_limits, "MAX_SECONDS", 0)
        report = build_site()
    as_written = files_in(output)

    build_site(full=True)
    build_site(output=output / "../again", bodies=BodyCache())

    assert [warning.split(":")[0] for warning in report.warnings] == ["guides/long"]
    assert files_in(output) == files_in(output / "../again") == as_written
    docs_project.release(docs_project.update(document, content=f"{LONG}\nMore.\n"))
    assert build_site().warnings == []


def test_page_follows_the_kept_outcome(docs_project, build_site, output, monkeypatch):
    """A page that was built before a new outcome was stored is rendered again."""
    docs_project.publish("long", LONG)
    build_site()
    BodyRow.delete().execute()
    with monkeypatch.context() as patch:
        patch.setattr(work_limits, "MAX_SECONDS", 0)
        build_site(output=output / "../again", bodies=BodyCache())

    build_site(bodies=BodyCache())

    assert files_in(output) == files_in(output / "../again")


@pytest.mark.parametrize(
    ("content", "left"),
    [("# T\n\nA\n", "\nA\n"), ("\n# T\nA", "A"), ("T\nA", "T\nA"), ("# U", "# U")],
)
def test_without_title(content, left):
    """Only a heading that equals the title is removed."""
    assert without_title("T", content) == left


def test_saved_in_batches(docs_project, build_site, monkeypatch):
    """A long build saves rendered bodies in batches, not all at its end."""
    monkeypatch.setattr(module, "BATCH_SIZE", 2)
    for number in range(9):
        docs_project.publish(f"page-{number}", f"Page {number}.\n")
    cached, render = [], rendering.render
    bodies = BodyCache()

    def counted(text):
        cached.append(len(bodies._unsaved) + len(bodies._being_saved))
        return render(text)

    monkeypatch.setattr(rendering, "render", counted)
    build_site(bodies=bodies)

    assert (len(cached), max(cached)) == (9, 3)
    assert BodyRow.select().count() == 9


def test_busy_storage(docs_project, build_site, output, monkeypatch):
    """Bodies that cannot be saved are saved by the next build; pages are written."""
    monkeypatch.setattr(module, "BATCH_SIZE", 2)
    for number in range(5):
        docs_project.publish(f"page-{number}", f"Page {number}.\n")

    def busy(_):
        raise StorageBusy("No.")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(module, "store_bodies", busy)
        assert build_site().failed == []
    assert BodyRow.select().count() == 0

    build_site()

    assert BodyRow.select().count() == 5
    assert "Page 4." in (output / "guides/page-4/index.html").read_text()


def test_unused_are_removed(docs_project, build_site):
    """Bodies that no page shows now or showed before are removed."""
    document = docs_project.publish("limits", "Old.\n")
    keys = docs_project.publish("keys", "Words.\n")
    build_site()
    docs_project.release(docs_project.update(document, content="New.\n"))
    build_site()
    assert BodyRow.select().count() == 3
    docs_project.withdraw(keys)

    BodyCache().remove_unused()

    assert BodyRow.select().count() == 2
