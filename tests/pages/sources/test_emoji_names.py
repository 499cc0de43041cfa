"""Names of emoji in imported pages are shown as emoji."""

import pytest

from sitegen.markdown.rendering import render
from sitegen.sources.notations.dialects import to_markdown
from sitegen.sources.tree import read_tree
from tests.processor import at_most


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ship it :rocket:", "Ship it 🚀"),
        (":+1: :thumbsup: :white_check_mark: :100:", "👍 👍 ✅ 💯"),
        ("(:warning:) **:us:** :sunny:", "(⚠️) **🇺🇸** ☀️"),
        ("- :dog: and :cat:", "- 🐶 and 🐱"),
        (
            "| :x: | a |\n|:---:|:--|\n| :heart:, | b |",
            "| ❌ | a |\n|:---:|:--|\n| ❤️, | b |",
        ),
        ("> :memo: note", "> 📝 note"),
        ("[:book: Read](a.md)", "[📖 Read](a.md)"),
        ("A heart :heart:{ .beats }", "A heart ❤️"),
    ],
)
def test_names(text, shown):
    """The names of GitHub are known; each emoji looks as one and not as a sign."""
    assert to_markdown(text, is_mdx=False) == shown


@pytest.mark.parametrize(
    "text",
    [
        "`:rocket:` and ``a :tada: b``",
        "```\n:rocket:\n```",
        "std::rocket::new, a:rocket:b, a:rocket: and :rocket:b",
        ":no_such_name: and :Rocket:",
        "https://a.example/:id:/x and [a](b/:id:)",
        "Term\n: rocket: none",
    ],
)
def test_other_text(text):
    """Code, words, addresses and unknown names stay as they are."""
    assert to_markdown(text, is_mdx=False) == text


def test_indented_text():
    """Indented code stays as it is, unlike the text of lists and of admonitions."""
    code = "Run it:\n\n    git commit -m ':bug: a'\n\n\tgit commit -m ':bug: b'\n"
    items = "- A\nB\n\n    C :bug:\n\n1. D\n\n    E :bug:\n\nF\n    G :bug:\n"

    assert to_markdown(code, is_mdx=False) == code
    assert to_markdown(items, is_mdx=False) == items.replace(":bug:", "🐛")
    note = to_markdown("!!! note\n\n    See :bug:\n\n    and :bug:\n", is_mdx=False)
    assert note.count("🐛") == 2


def test_icons():
    """The icons of Material are removed as before."""
    assert to_markdown(":material-rocket: A :tada:", is_mdx=False).strip() == "A 🎉"


def test_links_to_headings():
    """A heading can be linked to by its words, and by the name if a link has it."""
    text = "[1](#launch) [2](#tada-party) [3](#party)\n\n## :rocket: Launch\n\n"
    text += "## :tada: Party\n"

    rendered = render(to_markdown(text, is_mdx=False))

    ids = {heading.id for heading in rendered.headings}
    assert ids == {"launch", "tada-party", "party"}
    assert [each.text for each in rendered.headings if each.level < 7] == [
        "🚀 Launch",
        "🎉 Party",
    ]


def test_titles(tmp_path):
    """Titles of pages have emoji, and so have the groups that are called after them."""
    (tmp_path / "index.md").write_text("# :tada: Start\n\n```{toctree}\na\n```\n")
    (tmp_path / "a.md").write_text("# :gear: Setup\n\n```{toctree}\nb\n```\n")
    (tmp_path / "b.md").write_text("# B\n\n:nope:\n")

    tree = read_tree(tmp_path)

    assert {source.path: source.title for source in tree.sources} == {
        "index.md": "🎉 Start",
        "a.md": "⚙️ Setup",
        "b.md": "B",
    }
    assert {source.section for source in tree.sources} == {None, "⚙️ Setup"}
    [note] = tree.notes
    assert note.reason == "Icons and emoji are shown as text: :nope: (line 3)."


@pytest.mark.parametrize("part", [":a", ":rocket: ", "## :x: a\n[a](#x-a)\n", "]("])
def test_hostile_names(part):
    """Any repetition is read in linear time."""
    with at_most(6):
        to_markdown(part * (100_000 // len(part)), is_mdx=False)


def test_many_unknown_names():
    """Each name is looked up at once, whatever their number."""
    with at_most(4):
        to_markdown(" ".join(f":n{number}:" for number in range(50_000)), is_mdx=False)
