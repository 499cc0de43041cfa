"""The roles, labels and links without words of MyST and Sphinx."""

import pytest

from sitegen.sources.tree import read_tree
from tests.processor import at_most

OTHER = (
    "(Other)=\n# The *other* page\n\n(part-2)=\n## Part `2` {#two}\n\n"
    "(a/b)=\n### A\n\n```{figure} a.png\n:name: fig-a\nCaption\n```\n"
)


@pytest.fixture
def convert(tmp_path):
    """Return the text of a page in the tree, and the remarks on it."""

    def run(text):
        (tmp_path / "guide").mkdir()
        (tmp_path / "guide/page.md").write_text(f"Words.\n\n{text}\n")
        (tmp_path / "other.md").write_text(OTHER)
        tree = read_tree(tmp_path)
        source = next(each for each in tree.sources if each.path == "guide/page.md")
        notes = [note.reason for note in tree.notes if note.path == "guide/page.md"]
        return source.content.removeprefix("Words.").strip("\n"), notes

    return run


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{doc}`../other`", "[The other page](<../other.md>)"),
        ("{doc}`/other`", "[The other page](<../other.md>)"),
        ("{doc}`this *one* <../other.md>`", "[this *one*](<../other.md>)"),
        ("{ref}`part-2`", "[Part `2`](<../other.md#part-2>)"),
        ("{ref}`Part-2`", "[Part `2`](<../other.md#part-2>)"),
        ("a {ref}`long\nwords\n<other>` b", "a [long words](<../other.md#Other>) b"),
        ("{ref}`a/b`", "[A](<../other.md#a-b>)"),
        ("{numref}`fig-a`", "[fig-a](<../other.md#fig-a>)"),
        ("{numref}`Figure %s <fig-a>`", "[Figure](<../other.md#fig-a>)"),
        (
            "{any}`../other` {any}`other`",
            "[The other page](<../other.md>) [The *other* page](<../other.md#Other>)",
        ),
        ("{term}`a*b` {term}`words <a*b>`", "a\\*b words"),
        ("{download}`the file <a.zip>`", "[the file](<a.zip>)"),
        (
            "{kbd}`Ctrl` {sub}`2` {guilabel}`OK`",
            "<kbd>Ctrl</kbd> <sub>2</sub> <strong>OK</strong>",
        ),
        ("{abbr}`UI (user interface)`", '<abbr title="user interface">UI</abbr>'),
        ("{menuselection}`File --> Save`", "File → Save"),
        ("{file}`a_b` {py:func}`~os.path.join`", "`a_b` `join`"),
        ("{py:class}`!Name` {class}`the <Name>`", "`Name` `the`"),
        ("{math}`a_1`", "$`a_1`$"),
        (
            "{rfc}`9457` {pep}`8`",
            "[RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) [PEP 8](https://peps.python.org/pep-0008/)",
        ),
        ("a {octicon}`x` {bdg-primary}`New`", "a  <small>New</small>"),
        ("[](../other.md)", "[The other page](../other.md)"),
        (
            "[](<../other>) [](../other.md#part-2)",
            "[The other page](../other) [Part `2`](../other.md#part-2)",
        ),
        (
            "[](#part-2) [words](part-2)",
            "[Part `2`](<../other.md#part-2>) [words](<../other.md#part-2>)",
        ),
        (
            "```{code-block} md\n[](../other.md) {doc}`../other`\n```",
            "```md\n[](../other.md) {doc}`../other`\n```",
        ),
        ("[](part-2)", "[Part `2`](<../other.md#part-2>)"),
        (
            "```{tip}\nSee {doc}`../other`.\n```",
            "> [!TIP]\n> See [The other page](<../other.md>).",
        ),
    ],
)
def test_role(convert, text, expected):
    """A role becomes a link with the title of what it leads to, or an element."""
    assert convert(text) == (expected, [])


@pytest.mark.parametrize(
    "text",
    [
        "`` {doc}`../other` `` and `[](../other.md)`",
        "```\n{doc}`../other`\n```",
        "[words](../other.md) and [](https://a.example) and [](#here)",
    ],
)
def test_text_like_a_role(convert, text):
    """Code, links with words of their own, and headings of the page itself stay."""
    content, _ = convert(text)

    assert content == text


def test_label_of_the_page_itself(convert):
    """A link to a heading of the page stays, though another page has such a label."""
    content, _ = convert("## Part 2\n\n[words](#part-2) [words](#other)")

    assert content == "## Part 2\n\n[words](#part-2) [words](<../other.md#Other>)"


def test_role_that_leads_nowhere(convert):
    """Its words are text, and it is in the report, as a role is that is not known."""
    content, notes = convert("{doc}`gone` {ref}`words <away>` {cite:p}`key`")

    assert content == "gone words {cite:p}`key`"
    assert sorted(notes) == [
        "Links to pages that do not exist are shown as text: gone, away.",
        "Shortcodes and directives are shown as text: {cite:p} (line 3).",
    ]


@pytest.mark.parametrize(
    "part",
    ["{doc}`", "{doc}`a", "[](", "[](a", "```{a}\n", "(a)=\n", "{a", ":name: a\n"],
)
def test_hostile_roles(convert, part):
    """Any repetition is read in linear time."""
    with at_most(6):
        convert(part * (30_000 // len(part)))
