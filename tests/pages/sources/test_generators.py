"""Real-world trees: the import of each generator's format."""

import re

import pytest

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from sitegen.sources.report import drafts, remarks
from sitegen.sources.tree import read_tree
from tests.factories.projects import KEY
from tests.pages.crawl import lost_links
from tests.trees import HERE, PROMETHEUS

DOCUMENTS = {
    "mkdocs/docs": [
        ("guide/first.md", "first", "The guide", 30, "The first page"),
        ("guide/second.md", "second", "The guide", 20, "Second"),
        ("guide/third.md", "third", "The guide", 40, "Third"),
        ("index.md", "index", None, 10, "Welcome"),
    ],
    "docusaurus": [
        ("01-basics/01-intro.md", "introduction", "First things", 3, "Introduction"),
        ("01-basics/02-install.mdx", "setup", "First things", 7, "Installing"),
        ("02-advanced/2-factor.md", "2-factor", "Advanced", 10, "Two factors"),
        ("02-advanced/deep/deep.md", "deep", "Advanced / Deep", 20, "Deep"),
    ],
    "starlight": [
        ("guides/abc.md", "abc", "Guides", 10, "Unplaced"),
        ("guides/first.md", "first", "Guides", 1, "First"),
        ("guides/start.md", "start", "Guides", 2, "Start here"),
        ("index.mdx", "index", None, 0, "Sample docs"),
    ],
    "hugo": [
        ("guide/_index.md", "guide", "The guide", 3, "The guide"),
        ("guide/broken.md", "broken", "The guide", 30, "Broken"),
        ("guide/deploy/index.md", "deployment", "The guide", 20, "Deploy"),
        ("guide/start.md", "start", "The guide", 10, "Start"),
    ],
    "jekyll": [
        ("_docs/limits.md", "limits", "Docs", 1, "Limits"),
        ("_docs/start.md", "begin", "Docs", 2, "Start"),
    ],
}
DRAFT = "The front matter marks it as a draft."
REMARKS = {
    "mkdocs/docs": [
        "note: index.md: Images that are neither in the folder nor at an https URL were"
        " left out: img/logo.png."
    ],
    "docusaurus": [
        f"draft: 01-basics/03-later.md: {DRAFT}",
        "draft: 01-basics/_part.mdx: Its name begins with '_', so it is a partial of"
        " other pages.",
        "note: 02-advanced/_category_.yml: The file cannot be read, so its order and"
        " labels are ignored.",
    ],
    "starlight": [],
    "hugo": [
        f"draft: guide/later.md: {DRAFT}",
        "note: guide/start.md: Images that are neither in the folder nor at an https"
        " URL were left out: a.png.",
        "note: guide/broken.md: The front matter is not valid TOML: line 2, so the"
        " page has none.",
    ],
    "jekyll": [
        f"draft: _docs/hidden.md: {DRAFT}",
        "note: _docs/start.md: Tags of unknown components were removed, and what is"
        " between them stays: {% include (line 10).",
    ],
}

of_each = pytest.mark.parametrize("name", DOCUMENTS)


@pytest.fixture
def import_folder(store, clock):
    """Import a tree and publish it."""

    def run(folder):
        ensure_docs_project(clock.now, slug="docs", owner_id=NIL_UUID)
        tree = read_tree(folder)
        options = ImportOptions(
            "guides", clock.now, KEY, tree=folder.name, publish=True
        )
        return tree, import_documents(tree.sources, options)

    return run


@of_each
def test_documents(name):
    """Address, section, place and title are those of the generator's files."""
    tree = read_tree(HERE / name)

    found = [(s.path, s.slug, s.section, s.position, s.title) for s in tree.sources]
    assert found == DOCUMENTS[name]


@of_each
def test_remarks(import_folder, name):
    """Constructs that are not converted are reported, with the file."""
    tree, report = import_folder(HERE / name)

    assert [*drafts(tree), *remarks(tree, report)] == REMARKS[name]


@of_each
def test_links(import_folder, build_site, output, name):
    """Links, files and shortcodes lead to the pages; none is broken."""
    _, report = import_folder(HERE / name)

    built = build_site()

    assert len(report.published) == len(DOCUMENTS[name])
    assert (built.failed, built.warnings, lost_links(output)) == ([], [], [])


@of_each
def test_again(import_folder, name):
    """Converted text is converted to the same text the next time."""
    import_folder(HERE / name)

    _, again = import_folder(HERE / name)

    assert not again.changed


@pytest.mark.skipif(not PROMETHEUS.is_dir(), reason="The sample tree is not here.")
def test_real_tree(import_folder, build_site, output):
    """In real documentation every link and anchor works, or the build reports it."""
    tree, report = import_folder(PROMETHEUS)

    built = build_site()

    assert (len(report.published), tree.skipped, built.failed) == (72, [], [])
    lost = lost_links(output)
    assert len(lost) == 8
    for page, link in lost:
        # Every page exists; only headings may be missing, which is reported.
        anchor = link.partition("#")[2]
        result = rf"{page.strip('/')} \(.+\.md\): no heading is at .*{anchor}"
        assert [warning for warning in built.warnings if re.match(result, warning)]
