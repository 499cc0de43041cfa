"""The directives of MyST and Sphinx, converted with their arguments and options."""

import pytest

from sitegen.sources.notations.dialects import to_markdown
from sitegen.sources.tree import read_tree
from tests.processor import at_most


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```{tip} A\nb\n```", "> [!TIP]\n> A\n> b"),
        (":::{seealso}\n:name: x\n\nA\n:::", "> [!NOTE]\n> A"),
        (
            "```{admonition} The *title*\n:class: danger big\n\nA\n```",
            "> [!CAUTION]\n> **The *title***\n>\n> A",
        ),
        (
            "````{caution}\n```{hint}\nA\n```\n````",
            "> [!CAUTION]\n>\n> > [!TIP]\n> > A\n>",
        ),
        ("```{image} a.svg\n:alt: A b\n:width: 90px\n```", "![A b](a.svg){width=90}"),
        (
            "```{figure} a.svg\n:name: c\n\n*Caption*\n```",
            "![](a.svg){#c}\n\n*Caption*",
        ),
        ("```{versionadded} 4.1\n```", "**Added in version 4.1:**"),
        (
            "```{versionchanged} 4.1 Now b.\nc\n```",
            "**Changed in version 4.1:** Now b.\nc",
        ),
        (
            '```{code-block} sh\n:caption: A "b"\n:linenos:\n\n$ c\n```',
            "```sh title=\"A 'b'\" linenums=1\n$ c\n```",
        ),
        ("~~~{code-cell} ipython3\nc\n~~~", "~~~ipython3\nc\n~~~"),
        (
            "::::{tab-set}\n:::{tab-item} A\nb\n:::\n:::{tab-item} C\nd\n:::\n::::",
            '=== "A"\n\n    b\n\n\n=== "C"\n\n    d',
        ),
        (
            ":::{dropdown} A\nb\n:::",
            "<details>\n<summary>A</summary>\n\nb\n\n</details>",
        ),
        ("- A\n\n  ```{note}\n  b\n  ```", "- A\n\n  > [!NOTE]\n  > b"),
        ("(a-label)=\n# A", '<a id="a-label"></a>\n\n# A'),
        ("A\n\n```{toctree}\n:maxdepth: 2\n\nb\n```", "A"),
        ("```{math}\na = b\n```", "```math\na = b\n```"),
        ("```{ghost} a\nb\n```", "```{ghost} a\nb\n```"),
        (":::{ghost}\n```{note}\nb\n```\n:::", ":::{ghost}\n\n> [!NOTE]\n> b\n\n:::"),
        ("````md\n```{note}\na\n```\n````", "````md\n```{note}\na\n```\n````"),
    ],
)
def test_directive(text, expected):
    """A directive becomes its counterpart; one without any stays as written."""
    assert to_markdown(text, is_mdx=False).strip("\n") == expected


def test_include(tmp_path):
    """The file stands in place of the directive, and its directives are converted."""
    page = "A\n\n```{include} parts/b.md\n:heading: 1\n```\n\nC"
    (tmp_path / "a.md").write_text(page)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/b.md").write_text("```{tip}\nB\n```\n")
    (tmp_path / "d.md").write_text("```{include} ghost.md\n```\n")

    tree = read_tree(tmp_path)

    contents = {source.path: source.content for source in tree.sources}
    assert contents["a.md"] == "A\n\n> [!TIP]\n> B\n\nC"
    assert [(note.path, note.reason) for note in tree.notes] == [
        ("d.md", "Line 1: ghost.md was not included: there is no such file."),
        ("d.md", "Directives are shown as text: {include}."),
    ]


@pytest.mark.parametrize(
    "part",
    [
        *("```{note}\n", "```{ghost}\n", ":::{ghost}\n", "::::{note}\n:::{tip}\n"),
        *("(a)=\n", "```{figure} a\n:b: c\n", "```{note}\n```\n", ":a: b\n"),
    ],
)
def test_hostile_directives(part):
    """Any repetition is read within seconds."""
    text = (part * (100_000 // len(part) + 1))[:100_000]

    with at_most(3):
        to_markdown(text, is_mdx=False)


@pytest.mark.parametrize("fields", [":orphan:\n", "\n:tocdepth: 2\n:orphan:\n"])
def test_fields_and_label_before_the_title(tmp_path, fields):
    """What Sphinx is told of a page is not shown, and its label is an id as there."""
    (tmp_path / "a.md").write_text(f"{fields}\n(how/to_it)=\n# Do it\n\nWords.\n")

    [source] = read_tree(tmp_path).sources

    assert (source.title, source.content.split()) == (
        "Do it",
        ["<a", 'id="how-to_it"></a>', "Words."],
    )
