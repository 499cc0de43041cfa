"""Links of a tree that will lead nowhere are named before the import."""

import pytest

from sitegen.sources.link_check import notes_on_links
from sitegen.sources.tree import read_tree
from tests.samples.pictures import png

TEXT = "# Here\n\n## Use it\n\n[Link]({})\n"


@pytest.fixture
def notes(tmp_path):
    """Return the notes on a link in a/here.md, of a tree with other pages."""

    def noted(target, **options):
        files = {
            "a/here.md": TEXT.format(target),
            "a/other.md": "# Other\n\n## One & two\n\nText.\n",
            "README.md": "---\naliases: [/old/]\n---\n# Start\n",
        }
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text)
        (tmp_path / "a.png").write_bytes(png())
        tree = read_tree(tmp_path, name="tree")
        options = {"name": "tree", "collection": "guides"} | options
        return [(each.path, each.reason) for each in notes_on_links(tree, **options)]

    return noted


@pytest.mark.parametrize(
    "target",
    [
        *("other.md", "other.md#one--two", "#use-it", "#here"),
        *("../README.md", "#top", "#"),
        *("../a.png", "https://a.example/x#y", "mailto:a@example.com", "/status/#x"),
        *("/guides/a/other/#one--two", "/old/#start", "/guides/", "./here.md#here"),
    ],
)
def test_link_that_works(notes, target):
    """Pages, headings in any spelling, files and other sites are there."""
    assert notes(target) == []


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("gone.md", "leads nowhere"),
        ("/guides/gone/", "leads nowhere"),
        ("other.md#three", "leads to no heading"),
        ("#three", "leads to no heading"),
        ("../README.md#use-it", "leads to no heading"),
    ],
)
def test_link_that_is_broken(notes, target, problem):
    """The note has the file, and the link as it is written."""
    assert notes(target) == [("a/here.md", f"The link {target} {problem}.")]


def test_former_website(notes):
    """What the tree lacks may be on the website of --base."""
    assert notes("/download", base="https://a.example") == []
