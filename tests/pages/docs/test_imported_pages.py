"""Pages of imported files: the targets of their links, and their edit links."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.fields import Actor
from sitegen.builder.build import build
from sitegen.docs.body_cache import BodyCache
from sitegen.docs.document_source import DocumentSource
from sitegen.docs.published_files import PublishedFiles
from sitegen.page import BuildContext
from sitegen.sources.tree import read_tree
from sitegen.theme.site_theme import site_theme
from tests.factories.work_tree import commit
from tests.pages.html import Reader

NEW = SimpleNamespace(id="new")
GITHUB = "https://github.com/acme/app/edit/main/{tree}/{path}"


@pytest.fixture
def settings(settings):
    return replace(settings, edit_url=GITHUB)


@pytest.fixture
def import_files(tmp_path, docs_project, settings, clock):
    """Import files, given by path, as the tree 'docs', and publish them."""

    def imported(base=None, **files):
        for path, text in files.items():
            file = tmp_path / "docs" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        options = ImportOptions(
            collection="guides",
            now=clock.now,
            actor=Actor("account", settings.docs_owner_id),
            tree="docs",
            base=base,
            publish=True,
        )
        return import_documents(read_tree(tmp_path / "docs").sources, options)

    return imported


def document_id(slug):
    return DocumentRow.get(DocumentRow.slug == slug).id


def changed_at(html):
    return html.partition('Last updated <time datetime="')[2].partition('"')[0]


@pytest.fixture
def page(output):
    return lambda slug: (output / "guides" / slug / "index.html").read_text()


def test_links(import_files, build_site, page):
    """Links lead into the tree, to its website or to its repository; none is broken."""
    text = (
        "[Near](sub/near.md), [old](/old/near/), [far](/download), [issues]"
        '(../../../../issues "All"), ![P](/p.png), <a href="/x&y">x</a>.\n'
    )
    near = "---\npermalink: /old/near/\n---\n\nNear.\n"

    import_files("https://old.example", **{"a/here.md": text, "a/sub/near.md": near})
    report = build_site()

    web = 'class="external" rel="noopener" href'
    html = page("a/here")
    near = '<a href="/guides/a/sub/near/">'
    assert f"{near}Near</a>, {near}old</a>" in html
    assert f'<a {web}="https://old.example/download">far</a>' in html
    issues = "https://github.com/acme/app/issues"
    assert f'<a {web}="{issues}" title="All">issues</a>' in html
    assert f'<a {web}="https://old.example/x&amp;y">x</a>' in html
    assert report.warnings == []


def test_link_to_a_renamed_file(import_files, build_site, page, tmp_path):
    """A link with the former name of a renamed file leads to the page."""
    text = "Words that are long enough to know the page by them. " * 3
    import_files(**{"here.md": "[Old](sub/old.md)\n", "sub/old.md": text})
    (tmp_path / "docs/sub/old.md").unlink()

    report = import_files(**{"sub/new.md": text})

    assert report.renamed == ["old"]
    assert build_site().warnings == []
    assert '<a href="/guides/sub/new/">Old</a>' in page("here")


def test_link_in_another_form_of_unicode(import_files, build_site, page):
    """A link leads to a file, composed and decomposed letters alike."""
    decomposed, composed = "U\u0308bung.md", "%C3%9Cbung.md#fu%C3%9F"
    text = f"[A]({composed}) [B](./{decomposed})\n"

    import_files(**{"here.md": text, decomposed: "Words.\n\n## Fuß\n"})

    assert build_site().warnings == []
    assert "<title>Übung" in page("Übung")
    href = "/guides/%C3%9Cbung/"
    assert f'<a href="{href}#fu%C3%9F">A</a> <a href="{href}">B</a>' in page("here")


@pytest.mark.parametrize("base", ["http://old.example", "https://old.example"])
def test_image_of_the_website(import_files, docs_project, build_site, page, base):
    """Images from the website of a tree are loaded over https only."""
    import_files(base, **{"here.md": "Text.\n"})
    here = {"id": document_id("here")}
    docs_project.update(here, content="![Picture](/img/p)\n")
    docs_project.release(here)

    build_site()

    assert ("<img" in page("here")) == base.startswith("https:")
    assert ("https://old.example/img/p" in page("here")) == base.startswith("https:")


def test_new_base(import_files, build_site, page):
    """An import with another URL changes link targets, and makes no version."""
    import_files(**{"here.md": "[far](/download)\n"})
    build_site()
    is_text = "<p>far</p>" in page("here")

    changed = import_files("https://old.example", **{"here.md": "[far](/download)\n"})
    build_site(["docs"])

    assert is_text
    assert 'href="https://old.example/download"' in page("here")
    assert (changed.updated, changed.published) == (["here"], [])
    assert DocumentRevisionRow.select().count() == 1
    assert not import_files(
        "https://old.example", **{"here.md": "[far](/download)\n"}
    ).changed


def test_link_to_an_alias(import_files, api, build_site, page):
    """
    A link to a redirecting address leads directly to the page, as long as it redirects.
    """
    text = "[old](/docs/2.0/setup/#start)\n"
    setup = "---\naliases: [/docs/2.0/setup/]\n---\n\n## Start\n"
    import_files(**{"here.md": text, "new/setup.md": setup})
    before = build_site()
    html = page("here")
    links = api("GET /projects/v1/documents/links", {"id": document_id("here")})

    import_files(**{"new/setup.md": "## Start\n"})
    after = build_site(["docs"])

    assert '<a href="/guides/new/setup/#start">old</a>' in html
    assert [link["slug"] for link in links.json["data"]["outgoing"]] == ["setup"]
    assert before.warnings == []
    assert after.warnings == [
        "guides/here (here.md): nothing is at /docs/2.0/setup/#start"
    ]


def test_links_are_resolved_again(store):
    """A long-running builder resolves links again when only an alias changes."""
    source, bodies, files = DocumentSource(), BodyCache(), PublishedFiles({})

    found = [
        source.open([], bodies, files, redirects)
        for redirects in ([], [], [("/old/", NEW)], [("/old/", NEW)], [("/new/", NEW)])
    ]

    assert found == [True, False, True, False, True]


def test_edit_link(import_files, docs_project, build_site, page):
    """The page of a file has a link to edit it; other documents have none."""
    docs_project.publish("plain")

    import_files(**{"a b/c+d.md": "Text.\n"})
    build_site()

    href = GITHUB.format(tree="docs", path="a%20b/c%2Bd.md")
    assert f'href="{href}">Edit this page</a>' in page("a-b/c+d")
    assert "Edit this page" not in page("plain")


def test_language(import_files, build_site, page):
    """A document has its language and direction, and our own parts have theirs."""
    import_files(**{"a.md": "---\nlang: ar\n---\n> [!NOTE]\n> A", "b.md": "B"})

    build_site()

    arabic, plain = Reader(page("a")), Reader(page("b"))
    assert arabic.all("html") == [{"lang": "ar", "dir": "rtl"}]
    site = {"lang": "en", "dir": "ltr"}
    header, *_, colophon = arabic.all("header") + arabic.all("footer")
    _, pages, crumbs, *_ = arabic.all("nav")
    for part in (header, pages, crumbs, colophon):
        assert part.items() >= site.items()
    assert plain.all("html") == [{"lang": "en"}]
    assert not [value for name, value in plain.attributes() if name == "dir"]


def test_direction_of_a_document_without_a_language(import_files, build_site, page):
    """A page has the direction of its title; our own text keeps that of the site."""
    alert = "> [!NOTE]\n> A note."
    import_files(
        **{"a.md": f"---\ntitle: 1. ملاحظات\n---\n{alert}", "b.md": "# B\n\nملاحظات"}
    )

    build_site()

    arabic, plain = Reader(page("a")), Reader(page("b"))
    assert arabic.all("html") == [{"lang": "en", "dir": "rtl"}]
    header, *_ = arabic.all("header")
    assert header.items() >= {"lang": "en", "dir": "ltr"}.items()
    assert plain.all("html") == [{"lang": "en"}]


def test_words_in_the_language_of_a_document(
    import_files, clock, settings, tmp_path, page
):
    """Our text within a document is in the language of the document."""
    own = tmp_path / "own"
    (own / "locales").mkdir(parents=True)
    (own / "locales" / "eo.json").write_text('{"docs.admonition-note": "Noto"}')
    import_files(**{"a.md": "---\nlang: eo\n---\n> [!NOTE]\n> A"})
    result = replace(settings, templates=str(own))

    build(BuildContext(clock.now, result, site_theme(result)))

    assert '<p class="admonition-title">Noto</p>' in page("a")
    assert "Last updated" in page("a")


def test_time_of_the_last_change(import_files, build_site, page, clock):
    """
    It is the time at which the shown text was written, whatever is imported or built
    later.
    """
    import_files(**{"here.md": "Text.\n"})
    build_site()
    before = changed_at(page("here"))

    clock.pass_(days=1)
    import_files("https://old.example", **{"here.md": "Text.\n"})
    build_site()
    after_import = changed_at(page("here"))
    import_files("https://old.example", **{"here.md": "Text!\n"})
    build_site()

    assert before.startswith("2026-03-01T12:00:00")
    assert after_import == before
    assert changed_at(page("here")).startswith("2026-03-02T12:00:00")


def test_check_of_links(import_files, api, build_site):
    """The API reports the same broken links as readers find."""
    text = "[far](/download) [issues](../../../issues) [gone](gone.md)\n"
    import_files("https://old.example", **{"here.md": text})
    build_site()

    document = {"id": document_id("here")}
    links = api("GET /projects/v1/documents/links", document).json["data"]

    hrefs = ["https://old.example/download", "https://github.com/acme/app/issues"]
    assert [link["href"] for link in links["outgoing"]] == hrefs
    assert [link["target"] for link in links["broken"]] == ["gone.md"]


def test_address_that_is_not_ascii(import_files, api, build_site, page, output, app):
    """Letters stay as they are; links, the sitemap and the search have them encoded."""
    folder = "Führung/सेटअप"
    import_files(
        **{
            f"{folder}/Erste Schritte.md": "# Start\n\nWords.\n",
            "here.md": f"[In](<{folder}/Erste Schritte.md>), [ab](/guides/{folder}/x).",
        }
    )

    report = build_site()

    path = f"{folder}/Erste-Schritte"
    href = "/guides/F%C3%BChrung/%E0%A4%B8%E0%A5%87%E0%A4%9F%E0%A4%85%E0%A4%AA/"
    assert f'<a href="{href}Erste-Schritte/">In</a>' in page("here")
    assert report.warnings == [
        f"guides/here (here.md): nothing is at /guides/{folder}/x"
    ]
    assert f'href="{href}Erste-Schritte.json"' in page(path)
    assert f"{href}Erste-Schritte/</loc>" in (
        output / "sitemaps/guides-1.xml"
    ).read_text(encoding="utf-8")
    client = app.test_client()
    for end in ("/", ".md", ".json"):
        answer = client.get(f"{href}Erste-Schritte{end}", buffered=True)
        assert answer.status_code == 200
    found = api(
        "GET /projects/v1/documents/address", {"id": document_id("erste-schritte")}
    )
    assert found.json["data"]["address"] == f"{href}Erste-Schritte/"


def test_first_page_of_a_collection(import_files, build_site, page, output):
    """It is at the address of the collection, and lists the others as that does."""
    import_files(**{"README.md": "# Welcome\n\nHi.\n", "use/a.md": "A", "b.md": "B"})

    build_site()

    html = page("")
    assert "<p>Hi.</p>" in html
    assert '<h2 id="use"><bdi>Use</bdi></h2>' in html
    assert '<a href="/guides/use/a/"><bdi>A</bdi></a>' in html
    assert html.count('href="/guides/index/index.json"') > 0
    listed = json.loads((output / "guides/index.json").read_text())["data"]
    assert len(listed) == 3
    text = (output / "guides/index/index.md").read_text()
    assert text.strip().endswith("Hi.")

    import_files(**{"use/new.md": "New"})
    build_site()

    assert '<a href="/guides/use/new/">' in page("")


def test_unlisted_page(import_files, build_site, page, output):
    """It has a page that links reach, and is in no navigation, search or sitemap."""
    secret = "---\nunlisted: true\n---\n# Wombats\n\nNumbats.\n"
    import_files(
        **{
            "use/wombats.md": secret,
            "a.md": "[In](use/wombats.md#wombats)\n",
            "alone/b.md": secret,
        }
    )

    report = build_site()

    assert report.warnings == []
    assert '<a href="/guides/use/wombats/#wombats">In</a>' in page("a")
    for path in ("use/wombats", "alone/b"):
        assert "Numbats." in page(path)
        assert page(path).count('<meta name="robots" content="noindex">') == 1
    assert 'name="robots"' not in page("a")
    for file in output.rglob("*"):
        name = file.relative_to(output).as_posix()
        own = ("guides/use/", "guides/alone/", "builds/", ".")
        if file.is_file() and not name.startswith(own):
            text = file.read_text(encoding="utf-8", errors="ignore")
            assert "Wombats" not in text, name
            assert "Numbats" not in text, name
            if name.startswith(("sitemaps/", "search/", "guides/index", "llms.txt")):
                assert "use/wombats" not in text, name


def test_date_of_the_file(import_files, docs_project, build_site, page, tmp_path):
    """A page has the date of its file's history until a person changes it."""
    commit(tmp_path, datetime(2024, 2, 3, tzinfo=UTC), **{"docs/a.md": "A"})
    import_files(**{"b.md": "B"})
    build_site()
    before = changed_at(page("a")), changed_at(page("b"))
    here = {"id": document_id("a")}

    docs_project.update(here, content="A2")
    docs_project.release(here)
    build_site()

    assert before[0] == "2024-02-03T00:00:00.000Z"
    assert before[1].startswith("2026-03-01T")
    assert changed_at(page("a")).startswith("2026-03-01T")


def test_label_in_navigation(import_files, docs_project, build_site, page, output):
    """The menu and its neighbours show the label; the page has its own title."""
    long = "---\ntitle: Configure the wombat at home\nsidebarTitle: Wombat\n---\nA.\n"
    import_files(**{"a.md": long, "b.md": "# B\n\n[A](a.md)\n"})
    build_site()

    label = '<a href="/guides/a/"><bdi>Wombat</bdi></a>'
    current = '<a href="/guides/a/" aria-current="page"><bdi>Wombat</bdi></a>'
    assert label in page("b")
    assert current in page("a")
    assert '<a rel="prev" href="/guides/a/">' in page("b")
    assert "<bdi>Wombat</bdi>" in page("b").partition('rel="prev"')[2]
    assert '<h1 id="configure-the-wombat-at-home"><bdi>Configure' in page("a")
    assert "<title>Configure the wombat at home" in page("a")
    listing = (output / "guides/index.html").read_text()
    assert "Configure the wombat at home" in listing

    docs_project.release(docs_project.update({"id": document_id("a")}, title="Quokka"))
    build_site()

    assert label.replace("Wombat", "Quokka") in page("b")


def test_label_that_changes(import_files, build_site, page):
    """An import that only changes a label shows it on the other pages."""
    front = "---\ntitle: A\nlinkTitle: {}\n---\nA.\n"
    import_files(**{"a.md": front.format("Old"), "b.md": "B", "c.md": "C"})
    build_site()

    report = import_files(**{"a.md": front.format("New")})
    build_site()

    assert report.changed
    assert '<a href="/guides/a/"><bdi>New</bdi></a>' in page("c")


def test_description(import_files, build_site, page, output):
    """
    A description is for search engines and lists, and the page begins with it only if
    the file asks for it; the next import changes that.
    """
    files = {"a.md": "---\ndescription: In short.{}\n---\nWords.\n"}

    import_files(**{name: text.format("") for name, text in files.items()})
    build_site()

    meta, lead = '<meta name="description" content="In short.">', '<p class="lead">'
    assert meta in page("a")
    assert lead not in page("a")
    assert "In short." in (output / "guides/index.html").read_text()

    import_files(**{n: text.format("\nlead: true") for n, text in files.items()})
    build_site()

    assert meta in page("a")
    assert f"{lead}In short.</p>" in page("a")


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("## A\n\nIt says `so` &amp; more. Then.", "It says so &amp; more. Then."),
        (
            "It is a *long* sentence, v1.2 of it. Then.",
            "It is a long sentence, v1.2 of it.",
        ),
        (
            "![](https://a.example/b.png)\n\n非常に便利なツールですので、ぜひ使ってください。次。",
            "非常に便利なツールですので、ぜひ使ってください。",
        ),
        ("word " * 90, f"{'word ' * 31}word…"),
        ("> [!NOTE]\n> A note of some words.", "A note of some words."),
        ("```\ncode\n```", "a"),
    ],
)
def test_description_of_a_page_without_one(
    import_files, build_site, page, text, description
):
    """It is the first sentence, or else the title."""
    import_files(**{"a.md": f"---\ntitle: a\n---\n{text}\n"})

    build_site()

    for name in ('name="description"', 'property="og:description"'):
        assert f'<meta {name} content="{description}">' in page("a")
