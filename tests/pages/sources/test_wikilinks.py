"""Links and embeds of a vault, by the names of its files."""

import pytest

from sitegen.sources.tree import read_tree
from tests.processor import at_most
from tests.samples import pictures

PAGES = {
    "Guides/Install it.md": "Words.\n\n## First part\n\nOne.\n\n### In it\n\n## Rest\n",
    "Guides/deep/Notes.md": "---\naliases: [Jottings]\n---\nNoted. ^quote1\n",
    "Notes.md": "Other notes.\n",
    "Blocks.md": "One\nline ^first1\n\n- a ^item1\n- b\n\n> Said.\n\n^quote-2\n"
    "\n![[A map.png]]^map1\n",
}


@pytest.fixture
def convert(tmp_path):
    """Return the text of a page of the vault, and the remarks on it."""

    def converted(text, path="Guides/Here.md"):
        for name, content in (PAGES | {path: text}).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        (tmp_path / "pictures").mkdir(exist_ok=True)
        (tmp_path / "pictures/A map.png").write_bytes(pictures.png())
        tree = read_tree(tmp_path)
        page = next(source for source in tree.sources if source.path == path)
        return page.content.strip(), [note.reason for note in tree.notes]

    return converted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Install it]]", "[Install it](<Install it.md>)"),
        ("[[install IT.md|this way]]", "[this way](<Install it.md>)"),
        (
            "[[Install it#First part]]",
            "[Install it > First part](<Install it.md#first-part>)",
        ),
        ("[[Install it#A#First part|x]]", "[x](<Install it.md#first-part>)"),
        (
            "[[Notes]], [[deep/Notes]]",
            "[Notes](<../Notes.md>), [deep/Notes](<deep/Notes.md>)",
        ),
        ("[[Jottings]]", "[Jottings](<deep/Notes.md>)"),
        ("[[Notes#^quote1|said]]", "[said](<../Notes.md>)"),
        ("[[#Own part]]", "[Own part](#own-part)"),
        ("| [[Notes\\|n]] |", "| [n](<../Notes.md>) |"),
        ("[[A map.png]]", "[A map.png](</pictures/A-map.png>)"),
        ("A block. ^ab12", "A block."),
        ("x ^2", "x ^2"),
        ("![[A map.png]]^pic1", "![](</pictures/A-map.png>)"),
        ("[[Notes#^gone1]]", "[Notes](<../Notes.md>)"),
        ("[[#|here]]", "here"),
        ("[[Notes|`n()`]] and `[[b|c]]`", "[`n()`](<../Notes.md>) and `[[b|c]]`"),
        ("`[[Notes]]`", "`[[Notes]]`"),
        ("```\n[[Notes]]\n```", "```\n[[Notes]]\n```"),
    ],
)
def test_link(convert, text, expected):
    """It leads to the file of that name, wherever it is, and to its heading."""
    content, notes = convert(f"[[Notes]]\n\n{text}\n")

    assert content.partition("\n\n")[2] == expected
    assert notes == []


def test_links_to_nothing(convert):
    """Their words stay, and the report names them."""
    content, notes = convert("See [[Gone away]] and [[Gone#x|more]].")

    assert content == "See Gone away and more."
    assert notes == [
        "Links to pages that do not exist are shown as text: Gone away, Gone."
    ]


def test_embeds(convert):
    """A page, or a part of it, is part of this one; a picture has its width."""
    content, notes = convert("![[Install it#First part]]\n\n![[A map.png|300]]")

    assert content == (
        "## First part\n\nOne.\n\n### In it\n\n\n![](</pictures/A-map.png>){width=300}"
    )
    assert notes == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![[Blocks#^first1]]", "One\nline"),
        ("![[Blocks#^item1]]", "- a"),
        ("![[Blocks#^QUOTE-2]]", "> Said."),
        ("> [!NOTE]\n> ![[Blocks#^first1]]", "> [!NOTE]\n> One\n> line"),
        ("![[Blocks#^map1]]", "![](</pictures/A-map.png>)"),
        ("![[Blocks#^gone1]]", "[Blocks](<../Blocks.md>)"),
    ],
)
def test_embed_of_a_block(convert, text, expected):
    """The block with the id is part of the page, also within a quote."""
    content, notes = convert(text)

    assert content == expected
    assert notes == []


LINKS_INSTEAD = (
    "Pages that would repeat within themselves, or are too many or too long to be"
    " embedded, are links:"
)


def test_page_within_itself(convert):
    """It is not embedded, and the report names it; a part of it may be."""
    text = "Me.\n![[Here]]\n![[Here#Part]]\n\n## Part\n\nP."

    content, notes = convert(text, "Here.md")

    assert content == "Me.\nHere\n## Part\n\nP.\n\n## Part\n\nP."
    assert notes == [f"{LINKS_INSTEAD} Here."]


def test_embeds_that_multiply(convert):
    """Pages that embed each other many times are cut off, and the report says so."""
    parts = [f"## {name}\n" + f"![[Here#{name}x]]\n" * 60 for name in ("A", "Ax")]

    with at_most(6):
        content, notes = convert("\n".join(["![[Here#A]]\n" * 60, *parts]), "Here.md")

    assert len(content) < 500_000
    assert notes[0].startswith(LINKS_INSTEAD)


def test_many_links_to_nothing(convert):
    """A vault may have thousands of them."""
    with at_most(6):
        _, notes = convert("[[No such page]] " * 10_000)

    assert len(notes) == 1
    assert len(notes[0]) < 500
