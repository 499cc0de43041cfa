"""Files that include others: what is inserted, and what is rejected."""

import pytest

from sitegen.sources.tree import read_tree
from tests.processor import at_most

CODE = """fn main() {
    // ANCHOR: body
    one();
    // ANCHOR: inner
    two();
    // ANCHOR_END: inner
    // ANCHOR_END: body
}
# --8<-- [start:part]
three
# --8<-- [end:part]
/* #region last-one */
four
/* #endregion last-one */
"""


@pytest.fixture
def content(tmp_path):
    """Write the files beside a page, and return the converted page."""

    def read(text, include_from=(), **files):
        folder = tmp_path / "tree"
        for name, file_text in {"page.md": text, "code.rs": CODE, **files}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file_text)
        tree = read_tree(folder, include_from=include_from)
        page = next(each for each in tree.sources if each.path == "page.md")
        return page.content, [each.reason for each in tree.notes]

    return read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{#include code.rs:inner}}", "    two();"),
        ("{{#rustdoc_include code.rs:body}}", "    one();\n    two();"),
        ("{{#include code.rs:1}}", "fn main() {"),
        ("{{#include code.rs:8:9}}", "}\n# --8<-- [start:part]"),
        ("{{#include code.rs::1}}", "fn main() {"),
        ("{{#include code.rs::2}}", "fn main() {\n    // ANCHOR: body"),
        ("{{#include code.rs:10:11}}", "three\n# --8<-- [end:part]"),
        ('--8<-- "code.rs:part"', "three"),
        ("{{ #include code.rs:1 }}", "fn main() {"),
        ("{{#title The page}}\nWords.", "Words."),
        ("{{#playground code.rs:1}}", "```rs\nfn main() {\n```"),
        ("```\n{{#playground code.rs:1}}\n```", "```\nfn main() {\n```"),
        ("{* ./code.rs:1 hl[1,3:4] *}", "```rs {1,3-4}\nfn main() {\n```"),
        ("- A\n\n  <<< @/code.rs:1{2}", "- A\n\n  ```rs {2}\n  fn main() {\n  ```"),
        ("<<< ./ghost.rs", "<<< ./ghost.rs"),
        ("<<< ./code.rs#last-one{1}", "```rs {1}\nfour\n```"),
        ("<<< @/code.rs#body", "```rs\n    one();\n    two();\n```"),
        ("    --8<-- 'code.rs:body'", "        one();\n        two();"),
        ("-8<-\nb.md\n\ncode.rs:1\n-8<-\nA", "*B*\nfn main() {\nA"),
        ("import B from './p.md';\n\n<B name=\"x\" n={3} />", "x *3* "),
        ("a {{#include b.md}} c", "a *B* c"),
        ('{% include "../tree/.gitbook/includes/d.md" %}', "*D*"),
        ("[!INCLUDE [b](b.md)]", "*B*"),
        ("{% include_relative b.md %}", "*B*"),
        ("import B from './b.md';\n\n<B />", "*B*"),
        ("import B from '@site/b.md'\n\n<B/>", "*B*"),
        ("import B from './b.md';\n\na<C />", "a"),
        ('{{< readfile file="b.md" >}}', "*B*"),
        ("<!-- @include: b.md -->", "*B*"),
        ("[!code-rust[a](code.rs?range=1)]", "```rust\nfn main() {\n```"),
        (
            "```{literalinclude} code.rs\n:language: rust\n:lines: 1-1\n```",
            "```rust\nfn main() {\n```",
        ),
        ("\\{{#include b.md}}", "{{#include b.md}}"),
    ],
)
def test_include(content, text, expected):
    """
    An include is a range of lines, a named part or a whole file without front matter.
    """
    text, _ = content(
        text,
        **{
            "b.md": "---\ntitle: B\n---\n*B*\n",
            ".gitbook/includes/d.md": "*D*\n",
            "p.md": "{props.name} *{props.n}* {props.x}",
        },
    )

    assert text == expected


def test_whole_file_without_anchors(content):
    """Markers of parts are not part of the code."""
    text, _ = content("```\n{{#include code.rs}}\n```")

    assert text == "```\nfn main() {\n    one();\n    two();\n}\nthree\nfour\n```"


def test_include_in_an_included_file(content):
    """The path is relative to the file with the include."""
    files = {"a/b.md": "{{#include c.md}}", "a/c.md": "C"}

    assert content("{{#include a/b.md}}", **files) == ("C", [])


def test_include_outside(content, tmp_path):
    """A file outside the folder is included only from a folder that was named."""
    (tmp_path / "listings").mkdir()
    (tmp_path / "listings" / "a.rs").write_text("secret")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link.rs").symlink_to(tmp_path / "listings" / "a.rs")
    for path in ("../listings/a.rs", str(tmp_path / "listings/a.rs"), "link.rs"):
        text, notes = content(f"\n{{{{#include {path}}}}}")

        assert "secret" not in text
        is_found = not path.startswith("/")
        missing = f"--include-from {tmp_path / 'listings'}."
        assert any(note.endswith(missing) for note in notes) == is_found
        assert any("there is no such file" in note for note in notes) != is_found

    text, notes = content("{{#include ../listings/a.rs}}", [tmp_path / "listings"])
    assert (text, notes) == ("secret", [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{#include page.md}}", "the file includes itself"),
        ("{{#include b.md}}", "the file includes itself"),
        ("{{#include ghost.md}}", "there is no such file"),
        (f"{{{{#include {'a' * 290}.md}}}}", "there is no such file"),
        ("{{#include loop.md}}", "there is no such file"),
        ("{{#include .git/config}}", "hidden files are not included"),
        ("{{#include large.md}}", "the file has more than 500000 characters"),
        ("{{#include code.rs:ghost}}", "it has no part ghost"),
    ],
)
def test_include_that_fails(content, tmp_path, text, reason):
    """A failed include stays as a directive, and the remark has its line."""
    (tmp_path / "outside.md").write_text("Outside.")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "loop.md").symlink_to("loop.md")
    (tmp_path / "tree" / ".git").mkdir()
    (tmp_path / "tree" / ".git" / "config").write_text("token")
    with (tmp_path / "tree" / "large.md").open("wb") as file:
        file.truncate(1_000_000_000)

    page, notes = content(f"A\n\n{text}", **{"b.md": "{{#include page.md}}"})

    assert "{{#include" in page
    assert [each for each in notes if each.startswith(("Line 1:", "Line 3:"))]
    assert any(each.endswith(f"was not included: {reason}.") for each in notes)


@pytest.mark.parametrize(
    ("name", "options"),
    [("a.md", ""), ("b.md", "base_path: [parts]"), ("c.md", "base_path: deep/parts")],
)
def test_snippet_relative_to_the_configuration(tmp_path, name, options):
    """Snippets are looked up beside mkdocs.yml, and in the folders that it names."""
    folders = {"a.md": ".", "b.md": "parts", "c.md": "deep/parts"}
    config = f"markdown_extensions:\n  - toc\n  - pymdownx.snippets: {{{options}}}\n"
    for path, text in {
        "mkdocs.yml": config,
        "docs/page.md": f'--8<-- "{name}"\n',
        f"{folders[name]}/{name}": "Part.",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    tree = read_tree(tmp_path / "docs", include_from=[tmp_path])

    assert [source.content for source in tree.sources] == ["Part.\n"]


def test_folders_outside_are_counted(tmp_path):
    """Each missing folder is reported once, so that it can be added to the command."""
    for name in ("code/a/x.rs", "code/b/y.rs", "top.md", "docs/sub/b.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
    (tmp_path / "docs/sub/b.md").write_text("{{#include ../../code/a/x.rs}}")
    places = ("../code/a/x.rs", "../code/b/y.rs", "../top.md")
    text = "\n".join(f"{{{{#include {place}}}}}" for place in places)
    (tmp_path / "docs/a.md").write_text(text)

    tree = read_tree(tmp_path / "docs")

    notes = {note.path: note.reason for note in tree.notes if ".." in note.path}
    assert notes == {
        "../code": "3 includes of files outside of the tree could not be resolved. Name"
        f" the folder with --include-from {tmp_path}/code.",
        "..": "1 include of a file outside of the tree could not be resolved. Name the"
        f" folder with --include-from {tmp_path}.",
    }
    folders = [tmp_path / "code", tmp_path]
    assert read_tree(tmp_path / "docs", include_from=folders).notes == []


def test_path_with_nul(tmp_path):
    """The file is reported as unusable, and the others are imported."""
    (tmp_path / "a.md").write_text("{{#include a\0b.md}} ![b](a\0b.png)")
    (tmp_path / "b.md").write_text("B")

    tree = read_tree(tmp_path)

    assert [source.path for source in tree.sources] == ["b.md"]
    assert [note.path for note in tree.skipped] == ["a.md"]


def test_includes_that_multiply(content):
    """
    Ten files that include each next one ten times do not make a page of gigabytes.
    """
    files = {f"{n}.md": f"{{{{#include {n + 1}.md}}}}\n" * 10 for n in range(9)}

    with at_most(10):
        text, notes = content("{{#include 0.md}}", **files, **{"9.md": "word " * 20})

    assert len(text) < 1_000_000
    assert any("would become too long" in each for each in notes)


def test_hidden_lines_of_a_book(content, tmp_path):
    """Rust lines that mdBook hides are removed; comments in other languages stay."""
    (tmp_path / "book.toml").write_text("[book]\n")

    text, _ = content(
        "```rust\n# fn main() {\n#[test]\na\n#\n# }\n```\n\n```sh\n# b\n```"
    )

    assert text == "```rust\n#[test]\na\n```\n\n```sh\n# b\n```"


def test_hash_that_a_book_shows(content, tmp_path):
    """Of two hashes at the start of a line of Rust, mdBook shows one."""
    (tmp_path / "book.toml").write_text("[book]\n")

    text, _ = content("```rust,ignore\n  ## A\n# hidden\n```\n\n## B\n")

    assert text == "```rust,ignore\n  # A\n```\n\n## B\n"
