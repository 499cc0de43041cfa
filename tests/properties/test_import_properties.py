"""The short cuts of an import give the same results as the full conversion."""

from hypothesis import example, given
from hypothesis import strategies as st

from models.front_matter import FrontMatterLoader, load_yaml, plain_values
from sitegen.sources.notations.dialects import convert_lines, to_markdown

PARTS = [
    *("a", "word", " ", "  ", "\t", "\n", "\n\n", "\u2028", "\x1c", "- ", "> ", "    "),
    *("# Title", "===", "---", '=== "Tab"', "#", "# [T](#tab/x)", "```", "~~~rust"),
    *(":", "::", ":::", ":::note", "::: tip T", "!!!", "!!! note", "??? tip", "\\"),
    *("{: .note }", "{#id}", "{%", "raw", "%}", "{{< ref a >}}", "<", "<!--", "-->"),
    *("import a from 'b'", "export const", "import", "{/*", "*/}", "</Tabs>", "<Tabs>"),
    *(":material-x:", ":lucide-a-b:", ":octicons", "time:a-b", "[^1]: text"),
]

texts = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


@given(text=texts, is_mdx=st.booleans())
@example(text="a\n \nb", is_mdx=False)
@example(text="a\n\t", is_mdx=False)
@example(text="import a from 'b'", is_mdx=False)
@example(text="a\n\nexport const b", is_mdx=True)
def test_text_without_signs_of_a_dialect(text, is_mdx):
    """A page that is converted as a whole equals one converted line by line."""
    assert to_markdown(text, is_mdx=is_mdx) == convert_lines(text, is_mdx=is_mdx)


NAMES = ["title", "a-b", "On", "no", "y", "_a", "1a", "<<", "a b", "- a", "'a'", "  a"]
VALUES = [
    *("text", "A word", "don't", "a, b", "a (b)", "a/b.", "a:", "a: b", "a #b", "a#b"),
    *("true", "True", "no", "Off", "y", "null", "Null", "~", "", " ", "1", "0", "10"),
    *("1_0", "0x1f", "1.5", "1e3", "1:30", "2024-01-01", "012", "'q'", '"q"', "a\\b"),
    *("[a]", "{a}", "|", ">", "&a", "*a", "!t a", "é", "a\tb", "a ", "a -", "-", "..."),
]
lines = st.builds(
    "{}{}{}".format,
    st.sampled_from(NAMES),
    st.sampled_from([": ", ":", ":  "]),
    st.sampled_from(VALUES),
)


@given(lines=st.lists(lines | st.sampled_from(["", "# a", "  b", "..."]), max_size=4))
@example(lines=["title: no"])
@example(lines=["on: a"])
def test_plain_front_matter(lines):
    """Front matter that is read without YAML has the values and types of YAML."""
    text = "\n".join(lines)
    values = plain_values(text)

    if values is not None:
        expected = load_yaml(text, FrontMatterLoader) or {}
        assert values == expected
        assert [*map(type, values.values())] == [*map(type, expected.values())]


def test_plain_front_matter_is_read_without_yaml():
    """Text, whole numbers and booleans are plain."""
    text = "title: A page, (plain)\nweight: 10\ndraft: false\n"

    expected = {"title": "A page, (plain)", "weight": 10, "draft": False}
    assert plain_values(text) == expected
