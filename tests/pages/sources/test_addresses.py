"""The address of a page of a tree on the website of its authors."""

import pytest

from sitegen.sources.tree import read_tree


@pytest.fixture
def addresses(tmp_path):
    """Return the addresses of the files of a tree, given with their front matter."""

    def read(**files):
        for name, fields in files.items():
            path = tmp_path / "tree" / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix:
                path.write_text(fields)
            else:
                text = f"---\n{fields}\n---\n\nWords.\n"
                path.with_suffix(".md").write_text(text)
        sources = read_tree(tmp_path / "tree").sources
        return {source.path: source.address for source in sources}

    return read


@pytest.mark.parametrize(
    ("fields", "address"),
    [
        ("title: A", None),
        ("permalink: /setup/", "/setup"),
        ("permalink: /setup.html", "/setup"),
        ("permalink: /setup/index.html", "/setup"),
        ("permalink: /", "/"),
        ("url: setup/quick", "/setup/quick"),
        ("slug: quick", "/guide/quick"),
        ("slug: ./quick", "/guide/quick"),
        ("slug: /quick", "/quick"),
        ("slug: other/quick", "/other/quick"),
        ("id: quick", "/guide/quick"),
        ("id: quick\nslug: slow", "/guide/slow"),
        ("slug: quick\nurl: /whole/", "/whole"),
        ("slug: page", None),
        ("permalink: /:year/:title/", None),
        ("permalink: https://example.org/x", None),
        ("permalink: /../../etc/passwd", "/etc/passwd"),
        ("permalink: '/" + "x" * 400 + "'", None),
        ('permalink: "/a\\u202eb"', None),
        ("permalink: [a]", None),
    ],
)
def test_front_matter(addresses, fields, address):
    """The front matter sets the whole address, or its last part."""
    assert addresses(guide__page=fields) == {"guide/page.md": address}


def test_numbers_and_collections(addresses):
    """Order numbers of files and folders, and Jekyll's underscores, are removed."""
    found = addresses(
        **{"01-basics__01-first": "a: b", "01-basics__02-next": "a: b"},
        **{"02-more__index": "a: b", "_config_dot_yml": "collections: [docs]"},
        **{"_docs__start": "a: b"},
    )

    assert found == {
        "01-basics/01-first.md": "/basics/first",
        "01-basics/02-next.md": "/basics/next",
        "02-more/index.md": "/more",
        "_docs/start.md": "/docs/start",
    }


@pytest.mark.parametrize(
    ("config", "folder"),
    [
        ("book_dot_toml", "src"),
        ("hugo_dot_toml", "content"),
        ("astro_dot_config.mjs", "src/content/docs"),
    ],
)
def test_folder_of_pages(addresses, config, folder):
    """The generator's own folder of pages is not part of an address."""
    name = f"{folder}/a/b".replace("/", "__")

    found = addresses(**{config: "", name: "a: b", "other__c": "a: b"})

    assert found == {f"{folder}/a/b.md": "/a/b", "other/c.md": None}
