"""The addresses that pages had on the website of their generator."""

from pathlib import Path

import pytest

from sitegen.sources.addresses.old_addresses import find_old_site, unanswered
from sitegen.sources.source_file import read_file
from sitegen.sources.tree import read_tree

STARLIGHT = "src/content/docs/"
HUGO = "baseURL = 'https://a.example/h/'\n"
DATED = "title: A Big Step!\ndate: 2024-03-07"
HUGO_URL = "/h/2024/a-big-step/"
# The configuration and its text; the folder, a file in it with its front matter, and
# where its page was.
SITES = [
    ("mkdocs.yml", "site_url: https://a.example/b/", "docs/c/d.md", "", "/b/c/d/"),
    ("mkdocs.yml", "site_url: https://a.example", "docs/01-c/README.md", "", "/01-c/"),
    ("mkdocs.yml", "use_directory_urls: false", "docs/c.md", "", "/c.html"),
    ("mkdocs.yml", "docs_dir: d", "d/c.md", "id: x\nslug: y", "/c/"),
    ("book.toml", '[output.html]\nsite-url = "/b/"', "src/c.md", "", "/b/c.html"),
    ("book.toml", '[book]\nsrc = "text"', "text/02-c.md", "", "/02-c.html"),
    ("docs.json", "{}", "c/d.mdx", "", "/c/d/"),
    (".gitbook.yaml", "", "c/README.md", "", "/c/"),
    (".gitbook.yaml", "root: ./handbook/", "handbook/use/c.md", "", "/use/c/"),
    # Docusaurus
    ("docusaurus.config.ts", "export default {}", "docs/c.md", "", "/docs/c"),
    ("docusaurus.config.js", "{baseUrl: '/x/'}", "docs/1-c/02-d.md", "", "/x/docs/c/d"),
    ("docusaurus.config.js", "{routeBasePath: '/'}", "docs/c/c.md", "", "/c"),
    ("docusaurus.config.js", "{routeBasePath: 'a'}", "docs/c/d.md", "id: e", "/a/c/e"),
    ("docusaurus.config.js", "", "docs/c/d.md", "slug: ../e", "/docs/e"),
    ("docusaurus.config.js", "", "docs/c/d.md", "slug: /e\nid: f", "/docs/e"),
    # Sphinx, Obsidian Publish
    ("conf.py", "", "c/d.md", "", "/c/d.html"),
    ("site-options.json", "{}", "C c/D d.md", "", "/C+c/D+d"),
    ("site-options.json", "{}", "c/d.md", "permalink: e", "/e"),
    # VitePress
    (".vitepress/config.mts", "{base: '/v/'}", "c.md", "", "/v/c.html"),
    (".vitepress/config.ts", "{cleanUrls: true}", "c/index.md", "", "/c/"),
    (
        ".vitepress/config.js",
        "{srcDir: './s', cleanUrls: true, rewrites: {'c/src/d.md': 'e/d.md'}}",
        "s/c/src/d.md",
        "",
        "/e/d/",
    ),
    (
        ".vitepress/config.js",
        "{rewrites: {'packages/:name/src/:page*': ':name/:page'}}",
        "packages/c/src/d/e.md",
        "",
        "/c/d/e.html",
    ),
    (
        ".vitepress/config.js",
        "{rewrites: {'packages/:name/src/d.md': ':name.md'}}",
        "packages/c/src/e.md",
        "",
        "/packages/c/src/e.html",
    ),
    (
        ".vitepress/config.js",
        "{rewrites: {'c/:page': 'd/:page'}}",
        "c/e/f.md",
        "",
        "/c/e/f.html",
    ),
    # Starlight
    ("astro.config.mjs", "{base: '/s'}", f"{STARLIGHT}C/v1.0 B.md", "", "/s/c/v10-b/"),
    ("astro.config.mjs", "", f"{STARLIGHT}c/d.md", "slug: e", "/e"),
    # Hugo, as version 0.168 makes them.
    ("hugo.toml", HUGO, "content/C d/Ä (e) f.md", "", "/h/c-d/ä-e-f/"),
    ("hugo.toml", HUGO, "content/c/d.md", "slug: The End", "/h/c/the-end/"),
    ("hugo.toml", HUGO, "content/c/d.md", "url: /e/f.html", "/h/e/f.html"),
    ("hugo.toml", HUGO, "content/c/d.md", f"url: /:year/:slug\n{DATED}", HUGO_URL),
    ("hugo.toml", "contentDir = 'texts'", "texts/c/d/index.md", "", "/c/d/"),
    ("hugo.toml", "uglyURLs = true", "content/c/d/index.md", "", "/c/d.html"),
    ("hugo.toml", "uglyURLs = true", "content/c/_index.md", "", "/c/"),
    ("config.yaml", "uglyURLs:\n  c: true", "content/c/d.md", "", "/c/d.html"),
    ("config.yaml", "uglyURLs:\n  c: true", "content/e/d.md", "", "/e/d/"),
    (
        "hugo.yaml",
        "permalinks:\n  c: /b/:year/:month/:day/:title/",
        "content/c/e/d.md",
        DATED,
        "/b/2024/03/07/a-big-step/",
    ),
    (
        "hugo.yaml",
        "permalinks:\n  page:\n    c: /:sections[1:]/:slugorcontentbasename",
        "content/c/e/f/d.md",
        "slug: g",
        "/e/f/g/",
    ),
    (
        "hugo.yaml",
        "permalinks:\n  section:\n    c: /b/:section/",
        "content/c/_index.md",
        "",
        "/b/c/",
    ),
    (
        "hugo.yaml",
        "uglyURLs: true\npermalinks:\n  page:\n    /: /b/:filename/",
        "content/d.md",
        "",
        "/b/d.html",
    ),
    ("hugo.yaml", "permalinks:\n  c: /:unknown/", "content/c/d.md", "", None),
    # Jekyll
    ("_config.yml", "title: A", "c/d.md", "", "/c/d.html"),
    ("_config.yml", "baseurl: /j\npermalink: pretty", "c/d.md", "", "/j/c/d/"),
    ("_config.yml", "permalink: /:title/", "d.md", "", "/d/"),
    ("_config.yml", "permalink: /:categories/:title", "d.md", "", "/d"),
    ("_config.yml", "", "c/d.md", "permalink: /:path/e/:basename", "/c/e/d"),
    ("_config.yml", "", "c/d.md", "permalink: /:year/", None),
    ("_config.yml", "collections: [c]", "_c/d/e.md", "", "/c/d/e.html"),
    (
        "_config.yml",
        "collections:\n  c:\n    permalink: /b/:collection/:name:output_ext",
        "_c/d/E f.md",
        "",
        "/b/c/e-f.html",
    ),
    (
        "_config.yml",
        "collections: [c]\npermalink: none",
        "_c/2024-05-06-d e.md",
        "permalink: /:year/:i_month/:title/",
        "/2024/5/d-e/",
    ),
    (
        "_config.yml",
        "collections: [posts]\npermalink: pretty",
        "_posts/2024-05-06-d.md",
        "categories: [X, y]",
        "/x/y/2024/05/06/d/",
    ),
    (
        "_config.yml",
        "defaults:\n- {scope: {path: c}, values: {permalink: '/b/:basename/'}}",
        "c/d.md",
        "",
        "/b/d/",
    ),
]


def write(folder, **files):
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.mark.parametrize(("name", "text", "path", "fields", "address"), SITES)
def test_address(tmp_path, name, text, path, fields, address):
    """The configuration and the front matter tell where the page was."""
    write(tmp_path, **{name: text, path: f"---\n{fields}\n---\nWords.\n"})

    site = find_old_site(tmp_path)

    assert site.address(read_file(tmp_path, Path(path))) == address


@pytest.mark.parametrize("code", ["rewrites(id) { return id }", "rewrites: move"])
def test_rewrites_by_a_function(tmp_path, code):
    """Code is not run, so the report says that the addresses are unknown."""
    config = f"export default {{{code}}}"
    write(tmp_path, **{".vitepress/config.ts": config, "a.md": "A", "b.md": "B"})

    [note] = read_tree(tmp_path).notes

    assert note.reason == (
        "The configuration of the former website does not tell at which address these"
        " pages were: a.md, b.md."
    )


def test_site_beside_the_pages(tmp_path):
    """Docusaurus may be in a folder beside that of the pages."""
    config = "export default {baseUrl: '/x/', docs: {path: '../docs'}}"
    write(tmp_path, **{"website/docusaurus.config.js": config, "docs/c.md": "C"})

    [source] = read_tree(tmp_path / "docs").sources

    assert source.aliases == ["/x/docs/c/"]


@pytest.mark.parametrize(
    ("name", "text", "alias"),
    [
        ("docs.json", "{}", "/guide/c/"),
        ("conf.py", "", "/guide/c.html"),
        ("other.txt", "", "/guide/c/"),
        ("../.gitbook.yaml", "", "/guide/c/"),
        ("mkdocs.yml", "{site_url: 'https://a.example/m/', docs_dir: .}", "/m/c/"),
    ],
)
def test_url_of_the_site(tmp_path, name, text, alias):
    """The path of --base is that of the website, if no configuration has one."""
    folder = tmp_path / "parts"
    write(folder, **{"c.md": "C", name: text})

    [source] = read_tree(folder, base="https://a.example/guide/").sources

    assert source.aliases == [alias]


def test_page_of_no_site(tmp_path):
    """A file outside of the folder of pages was not on the website."""
    write(tmp_path, **{"mkdocs.yml": "", "README.md": "A", "docs/b.md": "B"})

    tree = read_tree(tmp_path)

    assert {source.path: source.aliases for source in tree.sources} == {
        "README.md": [],
        "docs/b.md": ["/b/"],
    }


def test_part_of_a_tree(tmp_path):
    """The pages of a folder inside the tree were below its path."""
    files = {"mkdocs.yml": "site_url: https://a.example/h/", "docs/cli/v2/a.md": "A"}
    write(tmp_path, **files)

    site = find_old_site(tmp_path / "docs/cli")

    assert site.address(read_file(tmp_path / "docs/cli", Path("v2/a.md"))) == (
        "/h/cli/v2/a/"
    )


@pytest.mark.parametrize(
    ("name", "text"), [("mkdocs.yml", "site_url: [unclosed"), ("package.json", "{}")]
)
def test_no_site(tmp_path, name, text):
    """Without a configuration that can be read, nothing is known of a website."""
    write(tmp_path, **{name: text})

    assert find_old_site(tmp_path) is None


@pytest.mark.parametrize(
    "name",
    ["mkdocs.yml", "docusaurus.config.js", "hugo.toml", "_config.yml", "_redirects"],
)
def test_configuration_that_is_too_large(tmp_path, name):
    """It is not read, and the report says so once."""
    write(tmp_path, **{name: "# \n" * 200_000, "a.md": "A"})

    [note] = read_tree(tmp_path).notes

    assert (note.path, note.reason) == (
        name,
        "The file has more than 500000 characters.",
    )


def test_configuration_of_something_else(tmp_path):
    """A configuration above the folder counts only if the folder is of its pages."""
    write(tmp_path, **{"mkdocs.yml": ""})
    (tmp_path / "other").mkdir()

    assert find_old_site(tmp_path / "other") is None


def test_addresses(tmp_path):
    """Each page redirects from its former address, as it declared or got it."""
    write(
        tmp_path,
        **{
            "hugo.toml": 'baseURL = "https://a.example/h/"',
            "content/_index.md": "# Home",
            "content/Use It/First Steps.md": "# First",
            "content/b.md": "---\nurl: /else/where/\n---\n# B",
        },
    )

    tree = read_tree(tmp_path / "content")

    assert {source.path: source.aliases for source in tree.sources} == {
        "_index.md": ["/h/"],
        "Use It/First Steps.md": ["/h/use-it/first-steps/"],
        "b.md": ["/h/else/where/"],
    }


def test_addresses_that_this_site_uses(tmp_path):
    """They cannot redirect; the report counts them and names the first."""
    write(tmp_path, **{"docs.json": "{}", "status/a.md": "A", "status/b.md": "B"})

    [note] = read_tree(tmp_path).notes

    assert note.reason == (
        "2 addresses of the former website cannot redirect: /status/a/ lies below"
        " /status/, where other pages are."
    )


SITEMAP = """<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://a.example/docs/a%C3%A4</loc></url>
<url><loc> https://a.example/docs/b/index.html </loc></url>
<url><loc>https://a.example/docs/a%C3%A4</loc></url>
<url><loc>https://a.example/blog/x&amp;y/</loc></url>
</urlset>
"""


def test_sitemap():
    """Addresses answer with and without the final slash."""
    count, lost = unanswered(SITEMAP, ["/docs/aä/", "/docs/b/"])

    assert (count, lost) == (3, ["/blog/x&y/"])
