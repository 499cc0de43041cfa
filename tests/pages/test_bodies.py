"""Bodies are rendered once, by whoever is at hand, and what fails fails alone."""

import pytest

from models.projects.bodies import BodyRow
from sitegen import bodies as module
from sitegen import workers
from sitegen.bodies import Bodies, below_title
from sitegen.workers import Workers
from tests.pages.test_build import files_in


@pytest.fixture
def many(shelf, monkeypatch):
    """So many documents that processes are started for them."""
    monkeypatch.setattr(module, "MANY", 2)
    return [
        shelf.publish(f"page-{number}", f"See [next](page-{number + 1}.md).\n\n## A\n")
        for number in range(9)
    ]


def no_render(text):
    raise AssertionError("rendered here")


def rendered_elsewhere(monkeypatch):
    """Let this process render nothing but the first, which is read alone."""
    here, render = [], module.render

    def once(text):
        here.append(text)
        return render(text) if len(here) == 1 else no_render(text)

    monkeypatch.setattr(module, "render", once)


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


def test_many_are_rendered_elsewhere(many, build_site, output, tmp_path, monkeypatch):
    """Other processes render the same as this one."""
    with monkeypatch.context() as elsewhere:
        rendered_elsewhere(elsewhere)
        assert build_site().failed == []
    right = files_in(output)
    BodyRow.delete().execute()
    monkeypatch.setattr(module, "MANY", 1000)

    build_site(output=tmp_path / "here")

    assert files_in(tmp_path / "here") == right


def test_process_that_dies(many, build_site, output, monkeypatch):
    """What a process leaves undone is rendered here."""
    dead = [workers.sys.executable, "-c", "pass"]
    start = workers.subprocess.Popen
    monkeypatch.setattr(
        workers.subprocess, "Popen", lambda _, **how: start(dead, **how)
    )

    assert build_site().failed == []

    assert (output / "guides/page-0/index.html").exists()


def test_failure_of_one(many, build_site, output, monkeypatch):
    """A document that cannot be rendered fails alone, with its reason."""
    monkeypatch.setattr(Workers, "render", lambda *_: {})
    render = module.render

    def failing(text):
        if "page-8." in text:
            raise ValueError("No.")
        return render(text)

    monkeypatch.setattr(module, "render", failing)

    report = build_site()

    assert report.failed == [("guides/page-7/index.html", "docs", "ValueError: No.")]
    assert (output / "guides/page-8/index.html").exists()


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
