"""Pages that the author's generator would not publish."""

import pytest

from sitegen.sources.tree import read_tree
from tests.conftest import NOON


@pytest.fixture
def read(tmp_path):
    """Write these files, and read their tree at noon."""

    def reading(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return read_tree(tmp_path, now=NOON)

    return reading


def paths(tree):
    return [source.path for source in tree.sources]


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("publishDate: 2099-02-03", "The front matter publishes it on 2099-02-03."),
        ("pubDate: '2099-02-03 10:00:00 +0200'", "The front matter publishes it on"),
        ("expiryDate: 2019-02-03T10:00:00Z", "It expired on 2019-02-03"),
        ("unpublishdate: 2019-02-03", "It expired on 2019-02-03"),
        ("headless: true", "The front matter marks it as headless."),
        ("build:\n  render: never", "The front matter says that it is not rendered."),
        ("_build:\n  render: false", "The front matter says that it is not rendered."),
    ],
)
def test_front_matter_that_hides_a_page(read, front, reason):
    """The page is not imported, and the report says why."""
    tree = read({"a.md": f"---\n{front}\n---\nSecret.", "b.md": "Words."})

    assert paths(tree) == ["b.md"]
    [note] = tree.drafts
    assert note.path == "a.md"
    assert note.reason.startswith(reason)


@pytest.mark.parametrize(
    "front",
    [
        *("publishDate: 2019-02-03", "expiryDate: 2099-02-03", "publishDate: soon"),
        *("headless: false", "hidden: [a]", "build: {render: always}", "build: 7"),
        *("date: 2099-02-03", "publishDate: 2019-02-03\ndate: 2099-01-01"),
    ],
)
def test_front_matter_that_hides_nothing(read, front):
    """Other values, and dates that do not hide a page today, do not."""
    assert paths(read({"a.md": f"---\n{front}\n---\nWords."})) == ["a.md"]


@pytest.mark.parametrize("config", ["hugo.yaml", "_config.yml"])
def test_date_in_the_future(read, config):
    """Hugo and Jekyll do not publish a page before its date."""
    page = "---\ndate: 2099-02-03\n---\nSecret."

    tree = read({config: "title: T", "a.md": page, "b.md": "Words."})

    assert paths(tree) == ["b.md"]


@pytest.mark.parametrize("front", ["unlisted: true", "hidden: true"])
def test_unlisted_page(read, front):
    """It is imported as such, since readers may know its address."""
    tree = read({"a.md": f"---\n{front}\n---\nWords.", "b.md": "Words."})

    assert [source.is_listed for source in tree.sources] == [False, True]


def test_folder_of_partials(read):
    """Parts of pages are pages only if the navigation names them."""
    part = "parts/Snippets/part.md"

    tree = read({"a.md": "Words.", part: "Part."})
    named = read({"SUMMARY.md": f"- [A](a.md)\n- [Part]({part})\n"})

    assert paths(tree) == ["a.md"]
    [note] = tree.drafts
    assert note.reason == (
        "The folder Snippets has partials, and no navigation names it."
    )
    assert paths(named) == ["a.md", part]
