"""Reading a tree of Markdown files as documents."""

import os

import pytest

from sitegen.markdown.work_limits import MAX_SECONDS
from sitegen.sources.tree import read_tree
from tests.processor import at_most


@pytest.fixture
def read(tmp_path):
    """Write these files and read their tree."""

    def reading(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/")
            path = path.with_suffix(".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_tree(tmp_path)

    return reading


def the(tree):
    assert tree.skipped == []
    [source] = tree.sources
    return source


def test_file(read):
    """Folder, file name, front matter and text each determine their fields."""
    text = "---\ntitle: First  steps\ndescription: Begin\nsort_rank: 3\n---\n\nWords.\n"

    source = the(read(http_api__first_steps=text))

    assert source.to_json() == {
        "path": "http_api/first_steps.md",
        "address": None,
        "slug": "first-steps",
        "section": "Http api",
        "position": 3,
        "isNumbered": False,
        "isListed": True,
        "hasLead": False,
        "changedAt": None,
        "title": "First steps",
        "navTitle": None,
        "summary": "Begin",
        "language": None,
        "content": "Words.\n",
        "aliases": [],
    }


@pytest.mark.parametrize(
    ("front", "language", "noted"),
    [
        ("lang: de", "de", False),
        ("language: pt_BR", "pt-BR", False),
        ("lang: zh-Hant-TW", "zh-Hant-TW", False),
        ("lang: ''", None, False),
        ("lang: no English", None, True),
        ("lang: [de]", None, False),
    ],
)
def test_language(read, front, language, noted):
    """The language is a tag as in HTML; anything else is reported."""
    tree = read(a_page=f"---\n{front}\n---\nWords.")

    assert the(tree).language == language
    assert bool(tree.notes) is noted


@pytest.mark.parametrize(
    ("text", "title", "content"),
    [
        ("# Start #\n\nWords.", "Start", "Words."),
        ("---\ntitle: Start\n---\n# Start\nWords.", "Start", "Words."),
        ("---\ntitle: Other\n---\n# Start\nWords.", "Other", "# Start\nWords."),
        ("Words.\n\n# Later\n", "A page", "Words.\n\n# Later\n"),
        ("## Part\n\n# Later\n", "A page", "## Part\n\n# Later\n"),
        ("Start\nhere\n=====\nWords.", "Start here", "Words."),
        ("#\tStart\nWords.", "Start", "Words."),
        ("# Start\n\n# Start\n", "Start", "# Start\n"),
        (
            '<h1 id="s" class="c">\n  A <i>start</i>\n</h1>\n\nWords.',
            "A start",
            '<a id="s"></a>\n\nWords.',
        ),
        ("<div>\n<h1>Start</h1>\n</div>\n\nWords.", "Start", "<div>\n</div>\n\nWords."),
        (
            '[![a](https://b/c.svg)](https://b)\n<a id="l"></a>\n\n# Start\n\nWords.',
            "Start",
            '[![a](https://b/c.svg)](https://b)\n<a id="l"></a>\n\n\nWords.',
        ),
        ("<!-- a -->\n***\n# Start\nWords.", "Start", "***\nWords."),
        (
            "# The `a_b`, *c* & [d](e.md) \\* ![f](https://g/h.svg)",
            "The a_b, c & d *",
            "",
        ),
        (
            '# Start <a id="x"></a> {#y .z}\nWords.',
            "Start",
            '<a id="y"></a><a id="x"></a>\n\nWords.',
        ),
        ('# Start <Badge type="tip" text="2.0" />\n', "Start", ""),
        ("<script setup>\nimport A from 'b'\n</script>\n\n# Start\n", "Start", ""),
        ("[](){#l}\n\n# Start\nWords.", "Start", "[](){#l}\n\nWords."),
        ("+++\ntitle = 1.10\n+++\nWords.", "1.10", "Words."),
        ("# List<T> and `Map<K, V>`", "List<T> and Map<K, V>", ""),
        ("---\ntitle: Use `a` and **b**\n---\nWords.", "Use a and b", "Words."),
        ("---\ntitle: f(*args, **kwargs)\n---\nWords.", "f(*args, **kwargs)", "Words."),
        ("```sh\n# install\n```\n", "A page", "```sh\n# install\n```\n"),
        ("Words.", "A page", "Words."),
        ("\ufeff# Start\r\nWords.\r\n", "Start", "Words.\n"),
        ("---\ntitle: [1]\n---\nWords.", "A page", "Words."),
        ("---\nWords after a rule.", "A page", "---\nWords after a rule."),
    ],
)
def test_title(read, text, title, content):
    """
    From the front matter, else a level-1 heading at the start, else the file's name.

    The heading is shown once, its ids stay, and titles have no markup.
    """
    source = the(read(a_page=text))

    assert (source.title, source.content) == (title, content)


@pytest.mark.parametrize(
    "written",
    [
        *(
            "2024-05-01",
            "2024-05-01 10:00:00",
            "10:30",
            "0123",
            "1.10",
            "1_000",
            "0x1F",
        ),
        *("true", "No", "1e3", "007", "3", "+5", "-0"),
    ],
)
def test_title_of_front_matter_is_as_written(read, written):
    """A title that YAML reads as a date, a number or a boolean is text."""
    tree = read(a=f"---\ntitle: {written}\n---\nWords.", b="Words.")

    assert [source.title for source in tree.sources] == [written, "B"]


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# Notes: today\n\nOf 'all.\n\n---\n\nWords.",
        "---\nOnly words.\n---\nWords.",
        "---\n- a\n- b\n---\n",
        "---\n\n# Notes\n\n---\n",
    ],
)
def test_text_between_rules_is_no_front_matter(read, text):
    """What stands between two rules and has no names is a part of the page."""
    source = the(read(a_page=text))

    words = "\n".join(line for line in text.split("\n") if line[:1] != "#")
    assert [line for line in source.content.split("\n") if line] == [
        line for line in words.split("\n") if line
    ]


@pytest.mark.parametrize(
    ("front", "position"),
    [
        ("position: 4\nweight: 9", 4),
        ("weight: 9", 9),
        ("nav_order: '7'", 7),
        ("order: 2.5", 2),
        ("sort_rank: -3", 10),
        ("weight: 99999999999999", 10),
        ("weight: last", 10),
        ("title: T", 10),
    ],
)
def test_position(read, front, position):
    """The first of the known keys, limited to valid positions."""
    assert the(read(page=f"---\n{front}\n---\nWords.")).position == position


def test_section_of_nested_folders(read):
    """Nested folders are one section; the root has none."""
    tree = read(api__http__errors="E", top="T")

    assert [each.section for each in tree.sources] == ["Api / Http", None]


def test_section_of_the_file(read):
    """A file may set its section, or have none, wherever it is."""
    tree = read(
        api__a="---\nsection: HTTP\n---\nA.",
        api__b="---\nsection:\n---\nB.",
        api__c="C",
    )

    assert [each.section for each in tree.sources] == ["HTTP", None, "Api"]


def test_slugs(read):
    """
    Files with the same name get their folders; an index is named after its folder.
    """
    tree = read(
        a__Pushing="1", b__pushing="2", c__index="3", **{"Über uns!": "4", "---": "5"}
    )

    slugs = {each.path: each.slug for each in tree.sources}
    assert slugs == {
        "a/Pushing.md": "a-pushing",
        "b/pushing.md": "b-pushing",
        "c/index.md": "c",
        "Über uns!.md": "uber-uns",
        "---.md": "page",
    }


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        *(
            ("Fußgänger", "fussganger"),
            ("Þór & Œuvre", "thor-oeuvre"),
            ("升级", "shengji"),
        ),
        *(("Начало", "nachalo"), ("हिन्दी", "hindi"), ("דף", "df"), ("\N{GEAR} a", "a")),
        *(("U\u0308bung", "ubung"), ("\N{GEAR}", "page")),
    ],
)
def test_slug_of_a_name_in_another_script(read, name, slug):
    """Letters are transliterated, so that names that differ have slugs that do."""
    assert the(read(**{name: "Words."})).slug == slug


def test_slugs_that_folders_do_not_tell_apart(read):
    """Equal slugs are numbered; no slug is longer than 64 characters."""
    long = "x" * 70

    tree = read(**{"a-b": "1", "a b": "2", f"{long}1": "3", f"{long}2": "4"})

    slugs = sorted(each.slug for each in tree.sources)
    assert slugs == ["a-b", "a-b-2", "x" * 62 + "-2", "x" * 64]


def test_index_without_text(read):
    """An index without text describes its section: its title, and its position."""
    tree = read(a__index="---\ntitle: All\nweight: 8\n---\n\n")

    index = the(tree)
    assert (index.slug, index.title, index.section) == ("a", "All", "All")
    assert (index.content, index.position) == ("", 8)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"\xff\xfe", "The file is not UTF-8."),
        ("x" * 500_001, "The file has more than 500000 characters."),
        ("é" * 1_000_001, "The file has more than 500000 characters."),
        ("---\n" + "[" * 5000 + "\n---\n", "The front matter is not valid YAML"),
        (
            "---\na: !!python/name:os.system\n---\n",
            "The front matter is not valid YAML",
        ),
        (f"---\ntitle: {'x' * 201}\n---\n", "The title cannot be used"),
        ("nul \x00", "The content cannot be used"),
    ],
)
def test_file_that_cannot_be_used(read, text, reason):
    """An unusable file is reported with its reason; the others are read."""
    tree = read(bad=text, good="Words.")

    assert [each.slug for each in tree.sources] == ["good"]
    [skipped] = tree.skipped
    assert skipped.path == "bad.md"
    assert skipped.reason.startswith(reason)
    assert skipped.reason.endswith(".")


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("---\ntitle: T\na: [\n---\n", "not valid YAML: line 4"),
        ("---\ntitle: T\nb: c: d\n---\n", "not valid YAML: line 3"),
        ("+++\ntitle = 'T'\na =\n+++\n", "not valid TOML: line 3"),
        ("---\nwhen: 2026-13-45\n---\n", "not valid YAML"),
    ],
)
def test_front_matter_that_cannot_be_read(read, front, reason):
    """The page is read without its front matter, and the remark has the line."""
    tree = read(page=front + "Words.")

    source = the(tree)
    assert (source.title, source.content) == ("Page", "Words.")
    [note] = tree.notes
    assert note.reason == f"The front matter is {reason}, so the page has none."


def test_links_of_the_file_system(read, tmp_path):
    """Symbolic links out of the folder, or to nothing, are not followed."""
    outside = tmp_path.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("Secret.")
    (tmp_path / "out.md").symlink_to(outside / "secret.md")
    (tmp_path / "nothing.md").symlink_to(tmp_path / "ghost")
    (tmp_path / "folder").symlink_to(outside)

    tree = read(page="Words.")

    assert [each.path for each in tree.sources] == ["page.md"]
    assert {each.path: each.reason for each in tree.skipped} == {
        "nothing.md": "This is not a regular file, or a broken symbolic link.",
        "out.md": "The symbolic link points outside the folder.",
    }


def test_texts_of_other_formats(read, tmp_path):
    """They are named, as nothing is lost unsaid."""
    (tmp_path / "a.rst").write_text("A\n=\n")
    (tmp_path / "b.ipynb").write_text("{}")

    tree = read(page="Words.")

    assert [(note.path, note.reason.partition(",")[0]) for note in tree.notes] == [
        ("a.rst", "It is in reStructuredText"),
        ("b.ipynb", "It is in the format of Jupyter notebooks"),
    ]


def test_hidden_and_other_files(read, tmp_path):
    """Hidden and other files are not part of the tree."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.md").write_text("Words.")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")

    assert the(read(page="Words.")).path == "page.md"


@pytest.mark.parametrize(
    "line",
    [
        f"# a{' ' * 400_000}",
        f"# a{' #' * 200_000}",
        f"# a {{#a{'-' * 400_000}",
        f"::: note {'{' * 400_000}",
        f"![a](b{' ' * 400_000}",
        " ".join(f"{{{{a{number}}}}}" for number in range(40_000)),
        " ".join(f"![](a{number}.png)" for number in range(10_000)),
    ],
    ids=["spaces", "hashes", "id", "braces", "image", "shortcodes", "images"],
)
def test_hostile_line_is_read_at_once(tmp_path, line):
    """A hostile line takes little longer than the limit of parsing, in each file."""
    (tmp_path / "a.md").write_text(f"Words.\n\n{line}\n")
    (tmp_path / "b.md").write_text(line)

    with at_most(2 * MAX_SECONDS + 1):
        tree = read_tree(tmp_path)

    # A title of 400,000 characters is ignored.
    assert len(tree.sources) + len(tree.skipped) == 2


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: a: b\ndraft: true\n---\n",
        "---\ndraft: yes # until the release\ntitle: [\n---\n",
        '---\n\tDraft : "true"\ntitle: \'a\n---\n',
        "---\ntitle: a: b\npublished: false\n---\n",
        "+++\ntitle = [\ndraft = true\n+++\n",
        "---\n" + "a: b\n" * 7_000 + "draft: true\n---\n",
        "---\ntitle: A page without an end of its front matter\ndraft: true\n",
    ],
)
def test_draft_whose_front_matter_cannot_be_read(read, front):
    """A draft with unreadable front matter is not published."""
    tree = read(a=f"{front}\nWords that nobody should read yet.")

    assert tree.sources == tree.notes == tree.skipped == []
    [note] = tree.drafts
    assert note.reason.startswith("The front matter ")
    assert note.reason.endswith(". A line of it marks the page as a draft.")


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: a: b\ndraft: false\n---\n",
        "---\ntitle: a: b\npublished: 2024-01-01\nundraft: true\n---\n",
        "---\ntitle: a: b\npublished: true\n---\ndraft: true\n",
        "---\nWords after a line.\n\ndraft: true\n",
    ],
)
def test_page_whose_front_matter_cannot_be_read(read, front):
    """Other pages are imported, even if they mention a draft."""
    assert len(read(a=f"{front}\nWords.").sources) == 1


@pytest.mark.parametrize("value", ["true", "yes", "'true'", "1", "'True'"])
def test_ways_to_mark_a_draft(read, value):
    """Generators accept the word with or without quotes."""
    assert len(read(a=f"---\ndraft: {value}\n---\nWords.").drafts) == 1


@pytest.mark.parametrize("mark", ["draft: 'false'", "draft:", "draft: 0", "published:"])
def test_ways_to_mark_no_draft(read, mark):
    """Other values, and an empty one, do not make a draft."""
    assert len(read(a=f"---\n{mark}\n---\nWords.").sources) == 1


def test_long_unreadable_front_matter(read):
    """Searching for the draft mark takes linear time."""
    lines = "---\ntitle: [\n" + " " * 100_000 + "\n" + "draft:\n" * 50_000

    with at_most(seconds=2):
        read(a=f"{lines}---\nWords.")


def test_name_that_is_not_utf_8(tmp_path):
    """A file whose name is not UTF-8 is skipped, and the others are read."""
    (tmp_path / "a.md").write_text("# A")
    (tmp_path / os.fsdecode(b"bad\xff.md")).write_text("# B")

    tree = read_tree(tmp_path)

    assert [source.path for source in tree.sources] == ["a.md"]
    assert [(note.path, note.reason) for note in tree.skipped] == [
        ("bad\\udcff.md", "Its name is not UTF-8.")
    ]


def test_file_in_many_folders(tmp_path):
    """A file that is nested too deeply is skipped."""
    for levels in (99, 100, 600):
        folder = tmp_path.joinpath(*["d"] * levels)
        folder.mkdir(parents=True)
        (folder / f"{levels}.md").write_text("# Page")

    tree = read_tree(tmp_path)

    assert [source.slug for source in tree.sources] == ["99"]
    assert {note.reason for note in tree.skipped} == {
        "It is in more than 99 folders within each other."
    }
    assert len(tree.skipped) == 2


@pytest.mark.parametrize(
    ("front", "summary", "has_lead"),
    [
        ("description: D", "D", False),
        ("description: D\nlead: true", "D", True),
        ("description: D\nlead: false", "D", False),
        ("lead: L", "L", True),
        ("title: T", None, False),
    ],
)
def test_lead(tmp_path, front, summary, has_lead):
    """The summary is shown on the page if the file says so, and a lead is one."""
    (tmp_path / "a.md").write_text(f"---\n{front}\n---\nWords.\n")

    [source] = read_tree(tmp_path).sources

    assert (source.summary, source.has_lead) == (summary, has_lead)
