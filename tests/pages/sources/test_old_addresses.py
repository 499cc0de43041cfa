"""The addresses that pages had on the website of their generator."""

import pytest

from sitegen.sources.old_addresses import OldSite, find_old_site, unanswered
from sitegen.sources.tree import read_tree

SITES = [
    (
        "mkdocs.yml",
        "site_url: https://a.example/handbook/",
        "docs",
        OldSite("handbook"),
    ),
    ("mkdocs.yml", "use_directory_urls: false", "docs", OldSite("", True)),
    (
        "mkdocs.yml",
        "site_url: https://a.example/x\ndocs_dir: d",
        "d/in",
        OldSite("x/in"),
    ),
    ("book.toml", '[output.html]\nsite-url = "/book/"', "src", OldSite("book", True)),
    (
        "docusaurus.config.js",
        "module.exports = {baseUrl: '/x/', presets: [{docs: {routeBasePath: '/'}}]}",
        "docs",
        OldSite("x"),
    ),
    ("docusaurus.config.ts", "export default {}", "docs", OldSite("docs")),
    (".vitepress/config.mts", "export default {base: '/v/'}", "", OldSite("v", True)),
    (".vitepress/config.ts", "export default {cleanUrls: true}", "", OldSite("")),
    (
        "astro.config.mjs",
        "export default defineConfig({ base: '/s' })",
        "src/content/docs",
        OldSite("s", is_lower_case=True),
    ),
    ("docs.json", "{}", "", OldSite()),
    (".gitbook.yaml", "", "", OldSite()),
    (".gitbook.yaml", "root: ./handbook/", "handbook/use", OldSite("use")),
    (
        "hugo.toml",
        'baseURL = "https://a.example/h/"',
        "content",
        OldSite("h", is_lower_case=True),
    ),
    (
        "config.yaml",
        "baseURL: https://a.example/\nuglyURLs: true",
        "content",
        OldSite("", True, True),
    ),
    ("_config.yml", "baseurl: /j\npermalink: pretty", "", OldSite("j")),
    ("_config.yml", "title: A", "", OldSite("", True)),
]


def write(folder, **files):
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.mark.parametrize(("name", "text", "folder", "site"), SITES)
def test_site(tmp_path, name, text, folder, site):
    """The configuration tells its path and the form of its addresses."""
    write(tmp_path, **{name: text})
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)

    assert find_old_site(tmp_path / folder) == site


def test_part_of_a_tree(tmp_path):
    """The pages of a folder inside the tree were below its path."""
    write(tmp_path, **{"mkdocs.yml": "site_url: https://a.example/h/"})
    (tmp_path / "docs/cli/v2").mkdir(parents=True)

    assert find_old_site(tmp_path / "docs/cli/v2") == OldSite("h/cli/v2")


@pytest.mark.parametrize(
    ("name", "text"), [("mkdocs.yml", "site_url: [unclosed"), ("package.json", "{}")]
)
def test_no_site(tmp_path, name, text):
    """Without a configuration that can be read, nothing is known of a website."""
    write(tmp_path, **{name: text})

    assert find_old_site(tmp_path) is None


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
