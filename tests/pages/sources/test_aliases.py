"""The addresses that redirect to pages, as each generator declares them."""

import json

from tests.pages.sources.test_generators_navigation import write  # noqa: F401


def aliases(tree):
    """Return the aliases of each page that has any."""
    return {source.path: source.aliases for source in tree.sources if source.aliases}


def notes(tree):
    return [(note.path, note.reason) for note in tree.notes]


def page(front_matter):
    return f"---\n{front_matter}\n---\n\nWords.\n"


def test_front_matter(write):  # noqa: F811
    """Hugo's aliases are relative to the folder, Jekyll's to the root."""
    tree = write(
        {
            "docs/a/new.md": page("aliases: [/x/, older, ../b/old.html]"),
            "docs/a/index.md": page("aliases: index-was"),
            "docs/b.md": page("redirect_from:\n  - /y/index.html\n  - z"),
            "docs/c.md": '+++\naliases = ["/t/"]\n+++\n\nWords.\n',
            "docs/d.md": page("aliases: 3\nredirect_from: [null, '']"),
        }
    )

    assert aliases(tree) == {
        "a/new.md": ["/x/", "/a/older/", "/b/old.html"],
        "a/index.md": ["/index-was/"],
        "b.md": ["/y/", "/z/"],
        "c.md": ["/t/"],
    }
    assert notes(tree) == []


def test_unusable(write):  # noqa: F811
    """An invalid alias is reported and left out; the page is imported."""
    tree = write({"docs/a/b.md": page("aliases: [../../x, /ok/, /status/x, 'A name']")})

    assert aliases(tree) == {"a/b.md": ["/ok/"]}
    assert notes(tree) == [
        ("a/b.md", "The alias ../../x contains '..', so it was left out."),
        (
            "a/b.md",
            "The alias /status/x lies below /status/, where other pages are, so it was"
            " left out.",
        ),
        (
            "a/b.md",
            "The alias A name contains characters other than letters, digits and"
            " ._~@+,=-, so it was left out.",
        ),
    ]


def test_redirects_file(write):  # noqa: F811
    """A file of lines, as hosts read it, gives addresses of gone pages a target."""
    lines = """# Gone in 3.0
/guides/old/  /guides/use/new/  301
/older.html   use/new.md # renamed

/guides/lost/ /guides/gone/
/a/*          /use/new/:splat
alone
"""

    tree = write({"docs/_redirects": lines, "docs/use/new.md": None})

    assert aliases(tree) == {"use/new.md": ["/guides/old/", "/older.html"]}
    assert notes(tree) == [
        (
            "_redirects",
            "The redirect from /guides/lost/ leads to /guides/gone/, which is no page"
            " of the tree.",
        ),
        (
            "_redirects",
            "The redirect from /a/* leads to /use/new/:splat, which is no page of the"
            " tree.",
        ),
    ]


def test_mdbook(write):  # noqa: F811
    """book.toml redirects pages to pages, relative to the old one or to the root."""
    book = """[output.html.redirect]
"/old/a.html" = "../b/c.html"
"/d.html" = "/b/c.html#part"
"/e.html" = "https://elsewhere.example/"
"/f.html" = "gone.html"
"""
    names = {"src/SUMMARY.md": "- [C](b/c.md)\n", "src/b/c.md": None}

    tree = write({"book.toml": book} | names, "src")

    assert aliases(tree) == {"b/c.md": ["/old/a.html", "/d.html", "/b/c.html"]}
    assert notes(tree) == [
        (
            "book.toml",
            "The redirect from /e.html leads to another site,"
            " https://elsewhere.example/.",
        ),
        (
            "book.toml",
            "The redirect from /f.html leads to /gone.html, which is no page of the"
            " tree.",
        ),
    ]


def test_mkdocs(write):  # noqa: F811
    """redirect_maps has files; the old address is the one at which the page was."""
    config = """plugins:
  - search
  - redirects:
      redirect_maps:
        old/index.md: new.md
        old/b.md: 'a/b.md#part'
"""
    files = {"docs/new.md": None, "docs/a/b.md": None}
    expected = {"new.md": ["/old/", "/new/"], "a/b.md": ["/old/b/", "/a/b/"]}

    assert aliases(write(files | {"mkdocs.yml": config})) == expected
    below = {f"docs/{path}": names for path, names in expected.items()}
    assert aliases(write({}, "")) == below
    flat = write({"mkdocs.yml": f"use_directory_urls: false\n{config}"})
    assert aliases(flat) == {
        "new.md": ["/old/", "/new.html"],
        "a/b.md": ["/old/b.html", "/a/b.html"],
    }


def test_docusaurus(write):  # noqa: F811
    """The plugin's redirects are read as data, and no code is run."""
    config = """module.exports = {
  plugins: [['@docusaurus/plugin-client-redirects', {
    // moved in 2.0
    redirects: [
      {from: '/old', to: '/docs/a/start'},
      {from: ['/one', '/two'], to: '/docs/slugged'},
      {from: make(), to: '/docs/a/start'},
    ],
    createRedirects(path) { return [path]; },
  }]],
};
"""
    files = {"docs/a/start.md": None, "docs/b.md": page("slug: /slugged")}

    tree = write(files | {"docusaurus.config.js": config})

    assert aliases(tree) == {
        "a/start.md": ["/old/", "/docs/a/start/"],
        "b.md": ["/one/", "/two/", "/docs/slugged/"],
    }


def test_starlight(write):  # noqa: F811
    """Astro's redirects, with a status or without one; patterns are reported."""
    config = """export default defineConfig({
  redirects: {
    '/old': '/guides/start/',
    '/older': {status: 301, destination: '/guides/start'},
    '/blog/[...slug]': '/guides/start',
  },
  integrations: [starlight({title: 'Docs'})],
});
"""
    files = {"src/content/docs/guides/start.mdx": None, "astro.config.mjs": config}

    tree = write(files, "src/content/docs")

    assert aliases(tree) == {"guides/start.mdx": ["/old/", "/older/", "/guides/start/"]}
    remark = "The alias /blog/[...slug] contains characters other than letters, digits"
    note = ("astro.config.mjs", f"{remark} and ._~@+,=-, so it was left out.")
    assert note in notes(tree)


def test_gitbook(write):  # noqa: F811
    """.gitbook.yaml redirects paths to files of its root."""
    redirects = "redirects:\n  help/start: ./use/tour.md\n  faq: gone.md\n"
    config = {".gitbook.yaml": f"root: ./docs\n{redirects}"}

    tree = write(config | {"docs/use/tour.md": None})
    whole = write({}, "")

    assert aliases(tree) == {"use/tour.md": ["/help/start/", "/use/tour/"]}
    assert aliases(whole)["docs/use/tour.md"][0] == "/help/start/"
    remark = "The redirect from /faq leads to gone.md, which is no page of the tree."
    assert notes(tree) == notes(whole) == [(".gitbook.yaml", remark)]


def test_mintlify(write):  # noqa: F811
    """docs.json lists redirects; patterns are reported."""
    redirects = [
        {"source": "/old/tour", "destination": "/use/tour"},
        {"source": "/beta/:slug*", "destination": "/use/tour"},
        {"source": "/blog", "destination": "https://blog.example"},
        {"source": 3},
    ]
    config = json.dumps({"redirects": redirects})

    tree = write({"docs.json": config, "use/tour.mdx": None}, "")

    assert aliases(tree) == {"use/tour.mdx": ["/old/tour/", "/use/tour/"]}
    assert [path for path, _ in notes(tree)] == ["docs.json", "docs.json"]


def test_chains_and_circles(write):  # noqa: F811
    """A chain of redirects leads to the last page; a circle is dropped."""
    maps = {"a.md": "b.md", "b.md": "new.md", "x.md": "y.md", "y.md": "x.md"}
    config = json.dumps({"plugins": [{"redirects": {"redirect_maps": maps}}]})

    tree = write({"docs/new.md": None, "mkdocs.yml": config})

    assert aliases(tree) == {"new.md": ["/a/", "/b/", "/new/"]}
    assert notes(tree) == [
        ("mkdocs.yml", f"The redirect from /{name}/ leads in a circle.")
        for name in ("x", "y")
    ]


def test_many_lost_redirects(write):  # noqa: F811
    """Of thousands of broken redirects, the first are named and the others counted."""
    maps = {f"{n}.md": "gone.md" for n in range(10_000)}
    config = json.dumps({"plugins": {"redirects": {"redirect_maps": maps}}})

    tree = write({"docs/new.md": None, "mkdocs.yml": config})

    assert len(tree.notes) == 21
    assert tree.notes[-1].reason == "9980 more redirects were left out."


def test_unreadable_configuration(write):  # noqa: F811
    """An unreadable configuration gives no redirects, and does not stop the import."""
    tree = write({"docs/a.md": None, "book.toml": "[", "docusaurus.config.js": "("})

    assert [source.path for source in tree.sources] == ["a.md"]
    assert aliases(tree) == {"a.md": ["/docs/a/"]}
