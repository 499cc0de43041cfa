"""Comments that mark lines of code become numbers after the fence."""

import pytest

from sitegen.markdown.rendering import render
from sitegen.sources.notations.dialects import to_markdown
from tests.processor import at_most


def converted(code, language="js"):
    """Return the fence and the code that a block of code becomes."""
    text = to_markdown(f"```{language}\n{code}\n```\n", is_mdx=False)
    fence, _, rest = text.partition("\n")
    return fence.removeprefix("```"), rest.removesuffix("\n```\n")


@pytest.mark.parametrize(
    ("mark", "options"),
    [
        ("++", "js ins={2}"),
        ("--", "js del={2}"),
        ("focus", "js focus={2}"),
        ("highlight", "js {2}"),
        ("hl", "js {2}"),
        ("warning", "js warning={2}"),
        ("error", "js error={2}"),
    ],
)
def test_marks_of_shiki(mark, options):
    """Each mark of VitePress becomes an option of its kind, and the comment goes."""
    assert converted(f"a();\nb(); // [!code {mark}]\nc();") == (
        options,
        "a();\nb();\nc();",
    )


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("js", "a // [!code ++]"),
        ("js", "a; /* [!code ++] */"),
        ("jsx", "a {/* [!code ++] */}"),
        ("html", "<a> <!-- [!code ++] -->"),
        ("python", "a = 1  # [!code ++]"),
        ("sql", "select 1 -- [!code ++]"),
        ("lisp", "(a) ;; [!code ++]"),
        ("latex", "a % [!code ++]"),
        ("ocaml", "let a (* [!code ++] *)"),
        ("vb", "a ' [!code ++]"),
        ("bat", "a REM [!code ++]"),
        ("js", "a;//[!code ++]  "),
    ],
)
def test_comments_of_languages(language, line):
    """A mark is read in the comment of any language, which goes as a whole."""
    info, code = converted(line, language)

    assert info == f"{language} ins={{1}}"
    assert code in line
    assert "code" not in code
    assert code == code.rstrip()


def test_several_lines():
    """A count marks as many lines, from its own, or below a comment that is alone."""
    assert converted("a // [!code --:2]\nb\nc\n# [!code ++:2]\nd\n\ne") == (
        "js del={1-2} ins={4-5}",
        "a\nb\nc\nd\n\ne",
    )


def test_several_marks():
    """One line has several marks, in one comment or in two."""
    assert converted(
        "a // [!code ++] // [!code focus]\nb // [!code ++] [!code hl]"
    ) == (
        "js {2} focus={1} ins={1-2}",
        "a\nb",
    )


def test_words_of_a_comment_stay():
    """Of a comment that says more, only the mark goes."""
    assert converted("a /* why [!code ++] */\nb // so [!code --]") == (
        "js del={2} ins={1}",
        "a /* why */\nb // so",
    )


def test_no_marks():
    """What is not in a comment is code, and so is an escaped mark, without its sign."""
    code = 'a = "[!code ++]"\nb [!code ++]\nc // [!code more]\nd // [!code ++] e'

    assert converted(code) == ("js", code)
    assert converted("a // [!!code ++]") == ("js", "a // [!code ++]")


def test_marks_of_docusaurus():
    """Comments of Docusaurus, alone in their lines, highlight those below them."""
    code = "a\n// highlight-next-line\nb\nc\n{/* highlight-start */}\nd\ne\n"
    code += "  # highlight-end\nf"

    assert converted(code, 'js title="x"') == (
        'js title="x" {2,4-5}',
        "a\nb\nc\nd\ne\nf",
    )
    assert converted("// highlighted\n// highlight-next-line") == (
        "js",
        "// highlighted",
    )


def test_marks_of_docusaurus_in_markdown():
    """In code that is Markdown, only comments of Markdown are marks."""
    code = "// highlight-next-line\n<!-- highlight-next-line -->\na"

    assert converted(code, "md") == ("md {2}", "// highlight-next-line\na")


def test_fences():
    """
    Numbers follow what a fence says, or a language; text has no marks.

    A fence may be in a quote, or open until the end.
    """
    for text, expected in (
        ("```js{1} {3}\na\nb # [!code ++]\n```", "```js{1} {3} ins={2}\na\nb\n```"),
        ("~~~\na // [!code hl]\n~~~", "~~~text {1}\na\n~~~"),
        ("> ```js\n> // [!code hl]\n> a\n> ```", "> ```js {1}\n> a\n> ```"),
        ("```js\na // [!code hl]", "```js {1}\na"),
        ("a // [!code hl]\n\n// highlight-next-line\nb", None),
    ):
        assert to_markdown(text, is_mdx=False) == (expected or text)


def test_group_of_code():
    """Code in a group keeps its marks."""
    text = "::: code-group\n```js [a.js]\na // [!code focus]\n```\n:::\n"

    html = render(to_markdown(text, is_mdx=False)).html

    assert '<span class="line focused">a\n</span>' in html


@pytest.mark.parametrize(
    "part", ["// [!code ++:9999]\n", "a // [!code ++] ", "[!code "]
)
def test_hostile_marks(part):
    """Any repetition is read in linear time."""
    with at_most(6):
        converted(part * (200_000 // len(part)))
