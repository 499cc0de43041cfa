"""
The navigation of each generator: order, sections and titles as on the author's site.
"""

import json

import pytest

from sitegen.sources.navigation.entries import MAX_DEPTH, FileIndex
from sitegen.sources.navigation.toctrees import ToctreeReader
from sitegen.sources.tree import Note, read_tree
from tests.processor import at_most

PAGE = "# {}\n\nWords.\n"


@pytest.fixture
def write(tmp_path):
    """Write files into a folder; one without text is a page with its name as title."""

    def writing(files, below="docs"):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(PAGE.format(f"Page {path.stem}") if text is None else text)
        return read_tree(tmp_path / below)

    return writing


def pages(tree):
    """Return section and label of each page, in reading order."""
    ordered = sorted(tree.sources, key=lambda source: source.position)
    assert len({source.position for source in ordered}) == len(ordered)
    return [(source.section, source.nav_title or source.title) for source in ordered]


def test_mdbook(write):
    """SUMMARY.md gives parts, chapters, subchapters, and every title."""
    summary = """# Summary

[Foreword](foreword.md)

- [Start](z.md)
  - [Install `it`](b/install.md)
  - [Draft]()
- [Single](a.md)

# Reference

- [Terms](terms.md)
"""
    names = ("foreword", "z", "b/install", "a", "terms", "unlisted")

    tree = write({"SUMMARY.md": summary} | {f"{name}.md": None for name in names}, "")

    assert pages(tree) == [
        (None, "Foreword"),
        ("Start", "Start"),
        ("Start", "Install it"),
        (None, "Single"),
        ("Reference", "Terms"),
        (None, "Page unlisted"),
    ]


def test_mdbook_page_outside_of_the_summary(write):
    """Like mdBook, an import publishes only pages that SUMMARY.md names."""
    book = {"book.toml": "[book]\n", "src/SUMMARY.md": "- [A](a.md)\n"}

    tree = write(book | {"src/a.md": None, "src/part.md": None}, "src")

    assert pages(tree) == [(None, "A")]
    reason = "SUMMARY.md does not name it, so mdBook does not publish it."
    assert tree.drafts == [Note("part.md", reason)]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("SUMMARY.md", "- [A](a.md)\n- [Old](sub/old.md)\n"),
        ("mkdocs.yml", "nav:\n  - A: a.md\n  - Old: sub/old.md\ndocs_dir: .\n"),
        ("sidebars.js", "module.exports = {s: ['a', 'sub/old', 'draft']};\n"),
        ("index.md", "# I\n```{toctree}\na\nsub/old\ndraft\n```\n"),
        ("toc.yml", "- name: A\n  href: a.md\n- name: Old\n  href: sub/old.md\n"),
    ],
)
def test_navigation_names_a_missing_page(write, file, text):
    """A renamed file loses its section, and the report says what to correct."""
    draft = "---\ndraft: true\n---\nWords.\n"
    files = {file: text, "a.md": None, "sub/new.md": None, "draft.md": draft}

    [note] = write(files, "").notes

    old = "sub/old" if file in ("sidebars.js", "index.md") else "sub/old.md"
    assert note == Note(file, f"It names {old}, which does not exist.")


def test_navigation_names_what_is_no_page(write):
    """Addresses and drafts in a navigation are no errors."""
    summary = "- [A](a.md)\n- [Web](https://x.example/b.md)\n- [Draft](draft.md)\n"
    menu = "- title: A\n  url: /a/\n- title: Shop\n  url: /shop/\n"
    draft = "---\ndraft: true\n---\nWords.\n"
    pages = {"a.md": None, "draft.md": draft}

    assert write({"SUMMARY.md": summary} | pages, "").notes == []
    assert write({"x/_data/navigation.yml": menu, "x/a.md": None}, "x").notes == []


def test_summary_as_markdown(write):
    """Labels and targets are Markdown; entries may be numbered, and headings groups."""
    summary = (
        '# Contents\n\n## First <a href="#first" id="first"></a>\n\n'
        "1. [An \\[array\\] & `b`](a\\_b.md)\n2. [*Sizes* (big)](<c (d).md>)\n"
        "   - [e](f(g).md)\n\n## Last\n\n* [3. Old](h%20i.md)\n* [j](k l.md)\n"
        "[^1]: [no](chapter)\n\n- [m]\n- [n](o.md) and [p](q.md)\n[]()\n"
    )
    names = ("a_b", "c (d)", "f(g)", "h i", "k l")

    tree = write({"SUMMARY.md": summary} | {f"{name}.md": None for name in names}, "")

    assert pages(tree) == [
        ("First", "An [array] & b"),
        ("First / Sizes (big)", "Sizes (big)"),
        ("First / Sizes (big)", "e"),
        ("Last", "3. Old"),
        ("Last", "j"),
    ]
    assert tree.notes == []


def test_gitbook(write):
    """
    .gitbook.yaml says where the summary is; titles of links are the labels.

    Its groups are headings, also before any other heading.
    """
    summary = (
        "## Basics\n\n* [The long story of setup](z.md 'Setup')\n"
        "  * [Tools](sub/a.md)\n\n## More\n\n* [Elsewhere](https://x.example)\n"
        "* [Home](hello.md)\n* [Old](old.md)\n"
    )
    config = "root: ./handbook/\nstructure:\n  summary: ./CONTENTS.md\n"
    files = {".gitbook.yaml": config, "handbook/CONTENTS.md": summary}
    names = ("z", "sub/a", "hello")
    order = [("Basics / Setup", "Setup"), ("Basics / Setup", "Tools"), ("More", "Home")]

    tree = write(files | {f"handbook/{name}.md": None for name in names}, "")
    inner = write({}, "handbook")

    assert pages(tree) == pages(inner) == order
    missing = "It names {}old.md, which does not exist."
    assert tree.notes == [Note("handbook/CONTENTS.md", missing.format("handbook/"))]
    assert inner.notes == [Note("CONTENTS.md", missing.format(""))]


@pytest.mark.parametrize(
    "config",
    [
        "root: ../..\n",
        "root: 7\nstructure: [a]\nredirects: 3\n",
        "structure: {summary: ../SUMMARY.md}\n",
        f"root: {'x' * 9000}\n",
        f"structure: {{summary: {'x' * 9000}}}\n",
        'root: "a\\0b"\n',
        'structure: {summary: "a\\0b"}\n',
        "{",
    ],
)
def test_gitbook_that_leads_nowhere(write, config):
    """Paths that cannot be right leave the order of the folders."""
    files = {"docs/.gitbook.yaml": config, "SUMMARY.md": "* [B](docs/b.md)\n"}

    tree = write(files | {"docs/b.md": None, "docs/a.md": None})

    assert pages(tree) == [(None, "Page a"), (None, "Page b")]


def test_mkdocs_folder_that_cannot_exist(write):
    """A name that no file system has is no folder of pages."""
    tree = write({"docs/mkdocs.yml": 'docs_dir: "a\\0b"\n', "docs/a.md": None})

    assert pages(tree) == [(None, "Page a")]


def test_heading_that_repeats_the_label(write):
    """A first heading of any level that equals the title is not repeated below it."""
    page = "## Use `it`\n\nWords.\n"

    tree = write({"SUMMARY.md": "- [Use `it`](a.md)\n", "a.md": page}, "")

    assert [(s.title, s.content) for s in tree.sources] == [("Use it", "Words.\n")]


FRONT = "---\n{}: Short\n---\n# The whole story\n\nWords.\n"


@pytest.mark.parametrize(
    "field",
    [
        *("sidebar_label", "sidebarTitle", "linkTitle", "menuTitle", "nav_title"),
        *("short_title", "shortTitle", "sidebar: {label"),
    ],
)
def test_label_in_the_front_matter(write, field):
    """The menu has the label, and the page its own heading."""
    text = FRONT.format(field).replace("Short", "Short}" if "{" in field else "Short")

    [source] = write({"a.md": text}, "").sources

    assert (source.title, source.nav_title) == ("The whole story", "Short")
    assert source.content == "Words.\n"


def test_label_in_the_navigation(write):
    """It is more than that of the page; one that is the title is none."""
    config = "nav:\n  - Setup: a.md\n  - The whole story: b.md\n  - Only: c.md\n"
    words = "Words.\n"

    tree = write(
        {
            "mkdocs.yml": config,
            "docs/a.md": FRONT.format("nav_title"),
            "docs/b.md": FRONT.format("x"),
            "docs/c.md": words,
        }
    )

    assert [(s.title, s.nav_title, s.content) for s in tree.sources] == [
        ("The whole story", "Setup", words),
        ("The whole story", None, words),
        ("Only", None, words),
    ]


def test_label_that_is_too_long(write):
    """It is shortened like a section, and the page is imported."""
    tree = write({"SUMMARY.md": f"- [{'a' * 201}](b.md)\n", "b.md": None}, "")

    assert [source.nav_title for source in tree.sources] == ["a" * 199 + "…"]


def test_mkdocs(write):
    """Nested lists of nav are nested sections; a label is that of the page."""
    config = (
        "nav:\n  - a.md\n  - Use:\n      - Deep:\n          - The Z: z.md\n"
        "      - b.md\n"
    )

    tree = write(
        {"mkdocs.yml": config, "docs/a.md": None, "docs/z.md": None, "docs/b.md": None}
    )

    assert pages(tree) == [
        (None, "Page a"),
        ("Use / Deep", "The Z"),
        ("Use", "Page b"),
    ]


def test_mkdocs_sections_without_a_name(write):
    """They are called after their index page, and have none without it."""
    config = (
        "nav:\n  - - use/index.md\n    - use/a.md\n    - - Deep: use/in/README.md\n"
        "      - use/in/b.md\n  - - c.md\n  - {'': [d/index.md, d/e.md]}\n"
    )
    index = "---\ntitle: Use `it`\n---\nWords.\n"
    names = ("use/a", "use/in/README", "use/in/b", "c", "d/index", "d/e")

    tree = write(
        {"mkdocs.yml": config, "docs/use/index.md": index}
        | {f"docs/{name}.md": None for name in names}
    )

    assert pages(tree) == [
        ("Use it", "Use it"),
        ("Use it", "Page a"),
        ("Use it / Deep", "Deep"),
        ("Use it / Deep", "Page b"),
        (None, "Page c"),
        ("Page index", "Page index"),
        ("Page index", "Page e"),
    ]


def test_docusaurus_sidebars(write):
    """Sidebars are read as data: categories, links, ids, folders, not their code."""
    sidebars = """
    // @ts-check
    const version = require('./version') /* run by nobody */
    module.exports = {
      docs: [
        'intro',
        {type: 'category', label: "How it's done", link: {type: 'doc', id: 'guide/top'},
         items: [{type: 'doc', id: 'guide/the-id', label: 'Short'}, ...more(1, [2])],},
        {'Old form': [`last`]},
        {type: 'autogenerated', dirName: 'api'},
        {type: 'link', label: 'Elsewhere', href: 'https://example.org'},
      ],
      made: items.filter((item) => { return item }),
    }
    """
    files = {
        "website/sidebars.js": sidebars,
        "docs/guide/other.md": "---\nid: the-id\n---\n# Long\n",
        "docs/api/_category_.json": '{"label": "The API"}',
    }
    names = ("intro", "guide/top", "last", "api/02-b", "api/01-z", "api/deep/x")

    tree = write(files | {f"docs/{name}.md": None for name in names})

    assert pages(tree) == [
        (None, "Page intro"),
        ("How it's done", "Page top"),
        ("How it's done", "Short"),
        ("Old form", "Page last"),
        (None, "Page 01-z"),
        (None, "Page 02-b"),
        ("Deep", "Page x"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "module.exports = makeSidebars()",
        "module.exports = {docs: [",
        "module.exports = " + "[" * 3000,
        "module.exports = {a: 'x" + "'" * 3000,
    ],
)
def test_sidebars_that_are_no_data(write, text):
    """
    Sidebars that are code are reported, and pages are in the order of their folders.
    """
    tree = write({"sidebars.js": text, "docs/b.md": None, "docs/a.md": None})

    assert pages(tree) == [(None, "Page a"), (None, "Page b")]
    assert [note.path for note in tree.notes] == ["sidebars.js"]


def test_starlight(write):
    """The sidebar of astro.config.mjs: slugs, groups, and folders."""
    config = """export default defineConfig({ integrations: [starlight({
      title: 'Docs',
      sidebar: [
        { label: 'Begin', slug: 'start' },
        { label: 'Guides', items: ['guides/two',
          { autogenerate: { directory: 'more' } }] },
      ],
    })] })"""
    names = ("start", "guides/two", "more/b", "more/a")
    docs = "src/content/docs"

    tree = write(
        {"astro.config.mjs": config} | {f"{docs}/{name}.md": None for name in names},
        docs,
    )

    assert pages(tree) == [
        (None, "Begin"),
        ("Guides", "Page two"),
        ("Guides", "Page a"),
        ("Guides", "Page b"),
    ]


def test_starlight_without_a_sidebar(write):
    """The pages are in the order of their folders, and nothing is remarked."""
    docs = "src/content/docs"
    config = "export default defineConfig({integrations: [starlight({title: 'T'})]})"

    tree = write(
        {"astro.config.ts": config, f"{docs}/b.md": None, f"{docs}/a.md": None}, docs
    )

    assert pages(tree) == [(None, "Page a"), (None, "Page b")]
    assert tree.notes == []


def test_mintlify(write):
    """docs.json gives tabs, menus and groups; titles are those of the pages."""
    config = {
        "navigation": {
            "global": {"anchors": [{"anchor": "Blog", "href": "https://x.example"}]},
            "tabs": [
                {
                    "tab": "Handbook",
                    "groups": [
                        {"group": "First days", "root": "z", "pages": ["b/setup"]},
                        {"group": "", "pages": [{"group": "In", "pages": ["/a"]}]},
                    ],
                },
                {"tab": "API", "pages": ["ops/overview", "GET /keys", "gone"]},
            ],
            "anchors": [{"anchor": "Help", "icon": "life-ring", "pages": ["faq"]}],
        }
    }
    names = ("z", "b/setup", "a", "ops/overview", "faq", "other")

    tree = write(
        {"docs.json": json.dumps(config)} | {f"{name}.mdx": None for name in names}, ""
    )

    assert pages(tree) == [
        ("Handbook / First days", "Page z"),
        ("Handbook / First days", "Page setup"),
        ("Handbook / In", "Page a"),
        ("API", "Page overview"),
        ("Help", "Page faq"),
        (None, "Page other"),
    ]
    assert tree.notes == [Note("docs.json", "It names gone, which does not exist.")]


def test_mintlify_as_a_list(write):
    """mint.json lists groups, and groups inside groups."""
    groups = [{"group": "Use", "pages": ["z", {"group": "More", "pages": ["a"]}]}]

    tree = write(
        {
            "mint.json": json.dumps({"navigation": groups}),
            "z.mdx": None,
            "a.mdx": None,
        },
        "",
    )

    assert pages(tree) == [("Use", "Page z"), ("Use / More", "Page a")]


@pytest.mark.parametrize(
    "text", ["[" * 3000, "{", "[]", '{"navigation": {"tabs": 3, "pages": [null, 7]}}']
)
def test_mintlify_that_is_no_navigation(write, text):
    """What is no navigation leaves the order of the folders, and never stops."""
    tree = write({"docs.json": text, "b.md": None, "a.md": None}, "")

    assert pages(tree) == [(None, "Page a"), (None, "Page b")]


def test_vitepress(write):
    """
    Sidebars by prefix, with bases, names and functions that return items, are data.
    """
    config = """import { defineConfig, type DefaultTheme } from 'vitepress'
    const more: DefaultTheme.SidebarItem[] = [{ text: 'Last', link: 'z' }]
    export default defineConfig({
      title: 'T', cleanUrls: true,
      themeConfig: {
        nav: [{ text: 'Unused', link: '/hidden' }],
        sidebar: {
          '/use/': { base: '/use/', items: sidebarUse() },
          '/api/': [
            { text: 'API', collapsed: true, link: '/api/', items: [
              { text: 'Deep', items: [{ text: 'Keys', link: '/api/keys' }] },
              ...more, { text: 'Web', link: 'https://x.example/' } ] },
          ],
        },
      },
    })
    function sidebarUse(): DefaultTheme.SidebarItem[] {
      return [{ text: 'Begin `it`', items: [{ text: 'Setup', link: 'b' },
        { text: 'Lost', link: 'lost' }] }, { link: 'a' }]
    }
    """
    names = ("use/a", "use/b", "api/index", "api/keys", "z", "hidden")

    tree = write(
        {"docs/.vitepress/config.mts": config}
        | {f"docs/{name}.md": None for name in names}
    )

    assert pages(tree) == [
        ("Begin it", "Setup"),
        (None, "Page a"),
        ("API", "API"),
        ("API / Deep", "Keys"),
        ("API", "Last"),
        (None, "Page hidden"),
    ]
    missing = "It names lost, which does not exist."
    assert tree.notes == [Note(".vitepress/config.mts", missing)]


@pytest.mark.parametrize("folder", ["", "pages"])
def test_vitepress_folder_of_pages(write, folder):
    """srcDir has the pages, whether it is imported or the folder around it."""
    config = "export default { srcDir: './pages', themeConfig: { sidebar } }\n"
    sidebar = "const sidebar = [{ text: 'Z', link: '/z' }, { text: 'A', link: 'a' }]\n"

    tree = write(
        {
            ".vitepress/config/index.ts": sidebar + config,
            "pages/a.md": None,
            "pages/z.md": None,
        },
        folder,
    )

    assert pages(tree) == [(None, "Z"), (None, "A")]


def test_vuepress(write):
    """Links alone, links with labels, and children; by prefix, they are relative."""
    config = """module.exports = { themeConfig: { sidebar: {
      '/use/': ['', ['b', 'Label'],
        { title: 'Group', collapsable: false, children: ['/use/c', 'a.md'] }],
      '/': ['/faq'] } } }"""
    names = ("use/README", "use/a", "use/b", "use/c", "faq")

    tree = write(
        {".vuepress/config.js": config} | {f"{name}.md": None for name in names}, ""
    )

    assert pages(tree) == [
        (None, "Page README"),
        (None, "Label"),
        ("Group", "Page c"),
        ("Group", "Page a"),
        (None, "Page faq"),
    ]


@pytest.mark.parametrize("place", ["docs/config.ts", "docs/de/config.mts"])
def test_vitepress_sidebar_of_a_folder(write, place):
    """The sidebar of a folder's own configuration counts, where the main has none."""
    sidebar = (
        "export default x({ sidebar: [{ text: 'Z', link: '/z' }, { link: 'a' }] })"
    )

    tree = write(
        {
            "docs/.vitepress/config.ts": "export default { cleanUrls: true }",
            place: sidebar,
            "docs/de/a.md": None,
            "docs/de/z.md": None,
        },
        "docs/de",
    )

    assert pages(tree) == [(None, "Z"), (None, "Page a")]


def test_vitepress_link_to_another_sidebar(write):
    """
    A page is in the sidebar of its prefix, though another has a link to it first.

    A base may be the beginning of the names of files.
    """
    config = """export default { sidebar: {
      '/use/': [{ text: 'Fields', link: '/api/fields' }, { link: '/use/a' }],
      '/api/': [{ text: 'API', items: [
        { text: 'All', base: '/api/all-', items: [{ link: 'keys' }] },
        { link: '/api/fields' }] }],
    } }"""
    names = ("use/a", "api/fields", "api/all-keys")

    tree = write(
        {".vitepress/config.js": config} | {f"{name}.md": None for name in names}, ""
    )

    assert pages(tree) == [
        (None, "Page a"),
        ("API / All", "Page all-keys"),
        ("API", "Page fields"),
    ]


def test_obsidian_publish(write):
    """
    Files and folders are in the order of site-options.json, and others follow by name.

    Names with spaces keep their hyphens.
    """
    order = ["Use it", "Use it/Last one.md", "Use it/Check-in desk.md", "Home.md", 1]
    names = ("Extras/b", "Home", "Use it/Check-in desk", "Use it/a", "Use it/Last one")
    options = {"site-options.json": json.dumps({"navigationOrdering": order})}

    tree = write(options | {f"{name}.md": "Words.\n" for name in names}, "")

    assert pages(tree) == [
        ("Use it", "Last one"),
        ("Use it", "Check-in desk"),
        ("Use it", "A"),
        (None, "Home"),
        ("Extras", "B"),
    ]


@pytest.mark.parametrize("options", ["[]", '{"navigationOrdering": {}}', "{}", "{"])
def test_obsidian_publish_without_an_order(write, options):
    """Without one that can be read, the pages are in the order of their names."""
    tree = write({"site-options.json": options, "b.md": None, "a.md": None}, "")

    assert [label for _, label in pages(tree)] == ["Page a", "Page b"]


def test_vitepress_without_a_sidebar(write):
    """The menu at the top gives the order then."""
    config = """export default { themeConfig: { sidebar: 'auto', nav: [
      { text: 'Zero', link: '/z' },
      { text: 'More', items: [{ text: 'A', link: '/a' }] },
    ] } }"""

    tree = write({".vitepress/config.js": config, "a.md": None, "z.md": None}, "")

    assert pages(tree) == [(None, "Zero"), ("More", "A")]


@pytest.mark.parametrize(
    "config",
    [
        "export default { themeConfig: { sidebar: made() } }",
        "const sidebar = [sidebar, a]; const a = [b, b]; const b = [a, sidebar, x",
        "export default { themeConfig: { sidebar: [" + "{items:[" * 3000,
    ],
)
def test_vitepress_that_is_no_data(write, config):
    """A sidebar that is code is reported, and the folders give the order."""
    tree = write({".vitepress/config.js": config, "b.md": None, "a.md": None}, "")

    assert pages(tree) == [(None, "Page a"), (None, "Page b")]
    assert [note.path for note in tree.notes] == [".vitepress/config.js"]


def test_vitepress_names_that_contain_each_other(write):
    """Names in a circle end."""
    config = (
        "const sidebar = [...a, sidebar, 'b']\nconst a = [{items: a}, ...sidebar]\n"
    )

    tree = write({".vitepress/config.js": config, "b.md": None, "a.md": None}, "")

    assert pages(tree) == [(None, "Page b"), (None, "Page a")]


def test_toc(write):
    """toc.yml of learn.microsoft.com, and files it includes, but none outside."""
    tree = write(
        {
            "docs/toc.yml": "items:\n- name: Overview\n  href: over.md\n"
            "- name: Modules\n  items:\n  - name: First\n    href: m/first.md\n"
            "- name: Reference\n  href: ref/toc.yml\n"
            "- name: Outside\n  href: ../toc.yml\n",
            "docs/ref/toc.yml": "- name: Types\n  href: types.md\n"
            "- name: Again\n  href: ../toc.yml\n",
            "toc.yml": "- name: Secret\n  href: docs/over.md\n",
            "docs/over.md": None,
            "docs/m/first.md": None,
            "docs/ref/types.md": None,
        }
    )

    assert pages(tree) == [
        (None, "Overview"),
        ("Modules", "First"),
        ("Reference", "Types"),
    ]


def test_jekyll_menu(write):
    """_data/navigation.yml names pages by their addresses."""
    menu = "docs:\n- title: Start\n  children:\n  - title: Install\n    url: /get/it/\n"
    page = "---\npermalink: /get/it/\n---\nWords.\n"

    tree = write({"_data/navigation.yml": menu, "z.md": page, "a.md": None}, "")

    assert pages(tree) == [("Start", "Install"), (None, "Page a")]


def test_just_the_docs(write):
    """A parent is named by its title; of several, the one above or the nearest."""
    tree = write(
        {
            "x/top.md": "---\ntitle: Use\nnav_order: 2\n---\nWords.\n",
            "y/top.md": "---\ntitle: Use\nparent: Other\n---\nWords.\n",
            "y/other.md": "---\ntitle: Other\nnav_order: 1\n---\nO.\n",
            "y/leaf.md": "---\ntitle: Leaf\nparent: Use\n---\nWords.\n",
            "x/leaf.md": (
                "---\ntitle: Above\nparent: Use\ngrand_parent: Other\n---\nWords.\n"
            ),
            "x/off.md": "---\ntitle: Off\nnav_exclude: true\n---\nWords.\n",
        },
        "",
    )

    assert pages(tree)[:4] == [
        ("Other", "Other"),
        ("Other / Use", "Use"),
        ("Other / Use", "Above"),
        ("Other / Use", "Leaf"),
    ]


def test_hugo(write):
    """The weight of _index places its section, and its title or label names it."""
    tree = write(
        {
            "a/_index.md": "---\ntitle: Last\nweight: 20\n---\nWords.\n",
            "b/_index.md": "---\ntitle: First\nlinkTitle: 1st\nweight: 10\n---\n",
            "b/x.md": "---\ntitle: Zebra\n---\nWords.\n",
            "b/z.md": "---\ntitle: Ant\n---\nWords.\n",
        },
        "",
    )

    assert pages(tree) == [
        ("1st", "1st"),
        ("1st", "Ant"),
        ("1st", "Zebra"),
        ("Last", "Last"),
    ]


def test_hugo_sections(write):
    """
    Pages and sections of one weight are in the order of their titles.

    A folder without an index is no section, and a page that is a folder is a page.
    """
    index = "---\ntitle: {}\n---\n"
    tree = write(
        {
            "d/_index.md": index.format("Docs"),
            "d/m/_index.md": index.format("Mixed"),
            "d/m/p.md": None,
            "d/parts/x.md": "---\ntitle: Zoo\nlinkTitle: Aviary\n---\nWords.\n",
            "d/tree/index.md": "---\ntitle: Tree\n---\nWords.\n",
        },
        "",
    )

    assert pages(tree) == [
        ("Docs", "Docs"),
        ("Docs", "Aviary"),
        ("Docs / Mixed", "Mixed"),
        ("Docs / Mixed", "Page p"),
        ("Docs", "Tree"),
    ]


def test_files_that_are_no_pages(write):
    """Folders that begin with '_' have no pages, except collections of Jekyll."""
    names = ("_drafts/a", "_guides/b", "404", "c")
    config = {"_config.yml": "collections: [guides]\n"}

    tree = write(config | {f"{name}.md": None for name in names}, "")

    assert pages(tree) == [(None, "Page c"), ("Guides", "Page b")]
    assert [note.path for note in tree.drafts] == ["404.md"]


def toctree(*lines, fence="```"):
    return "\n".join([f"{fence}{{toctree}}", *lines, fence, ""])


def test_sphinx(write):
    """
    The toctrees of the first page give captions, titles and order, page after page.

    A page that lists others is the first of a group; patterns are in alphabetical
    order, without the pages that the tree has named before.
    """
    grid = "::::{grid}\n:::{card} A\n```{note}\nA.\n```\n:::\n::::\n\n"
    index = f"# Manual\n\n{grid}" + toctree(
        *(":caption: Start here", ":hidden:", "", "z", "Set `it` up <setup/index.md>"),
        *("https://web.example", "self", "genindex"),
    )
    files = {
        "index.md": index + toctree("---", "glob:", "---", "/ref/*", fence="::::"),
        "setup/index.md": "# Setup\n\n" + toctree("b", "a", "/z", "../index"),
        "ref/c.md": "# Terms\n\n" + toctree(":caption: Inner", "sub/e"),
        **dict.fromkeys(
            ("setup/a.md", "setup/b.md", "ref/d.md", "ref/sub/e.md", "z.md")
        ),
    }

    tree = write(files, "")

    assert pages(tree) == [
        (None, "Manual"),
        ("Start here", "Page z"),
        ("Start here / Set it up", "Set it up"),
        ("Start here / Set it up", "Page b"),
        ("Start here / Set it up", "Page a"),
        ("Terms", "Terms"),
        ("Terms / Inner", "Page e"),
        (None, "Page d"),
    ]
    assert tree.notes == []
    assert all("toctree" not in source.content for source in tree.sources)


def test_sphinx_in_restructuredtext(write):
    """
    Lists in reStructuredText count too, of pages and of files that are no pages.

    The configuration says where the first page is, and what it is called.
    """
    start = (
        "Manual\n======\n\n.. toctree::\n   :caption: Use\n\n   part\n   a\n\nEnd.\n"
    )
    part = "All parts\n=========\n\n.. toctree::\n    :reversed:\n\n    b\n    c\n"
    page = "# A\n\n```{eval-rst}\n.. toctree::\n   :titlesonly:\n\n   d\n```\n"

    tree = write(
        {
            "docs/source/conf.py": "project = 'x'\nmaster_doc = 'start'\n",
            "docs/source/start.rst": start,
            "docs/source/part.rst": part,
            "docs/source/a.md": page,
            **{f"docs/source/{name}.md": None for name in "dcb"},
        },
        "",
    )

    assert pages(tree) == [
        ("Use / All parts", "Page c"),
        ("Use / All parts", "Page b"),
        ("Use / A", "A"),
        ("Use / A", "Page d"),
    ]
    assert "toctree" not in next(s for s in tree.sources if s.title == "A").content
    assert sorted(note.path for note in tree.notes) == [
        "docs/source/part.rst",
        "docs/source/start.rst",
    ]


def test_sphinx_without_lists(write):
    """A toctree in code is not one, and without any, folders give the order."""
    code = "````md\n" + toctree("b", "a") + "````\n"

    tree = write({"index.md": f"# Lists\n\n{code}", "a.md": None, "b.md": None}, "")

    assert pages(tree) == [(None, "Lists"), (None, "Page a"), (None, "Page b")]


def test_toctrees_that_never_end():
    """Lists may form a chain as long as a tree, or a circle, with many patterns."""
    texts = {f"p{n}.md": toctree(f"p{n + 1}", "p0", "index") for n in range(3_000)}
    texts["index.md"] = toctree(":glob:", "p0", *["*"] * 20_000)
    index = FileIndex(texts, title_of=lambda path: path)

    with at_most(4):
        entries = list(ToctreeReader(index, "", texts.get).entries("index.md"))

    assert [entry.path for entry in entries[:3]] == ["index.md", "p0.md", "p1.md"]
    assert max(len(entry.groups) for entry in entries) == MAX_DEPTH
    assert len(entries) == len(texts)
