"""The command line, as people, cron and scripts use it."""

import json
import re
import sqlite3

import pytest

from models.platform.keys import KeyRow
from models.projects.documents.publication import UnpublishDocument, unpublish_document
from models.projects.documents.rows import DocumentRow
from models.projects.fields import Actor
from models.settings import NIL_UUID
from models.storage.database import database, writing
from tests.ports import free_port


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "tree"
    (folder / "basics").mkdir(parents=True)
    (folder / "basics/first.md").write_text("# First\n\nSee [second](second.md).\n")
    (folder / "basics/second.md").write_text("---\ntitle: Second\n---\nBack.\n")
    return folder


def test_bootstrap(command):
    """Only the secret is on standard output, the rest on standard error."""
    code, out, err = command("keys", "bootstrap", "--email", "ada@example.com")

    assert code == 0
    assert re.fullmatch(r"mh_\w{8}_\w{49}\n", out)
    assert "ada@example.com" in err
    key = KeyRow.get()
    assert (key.scopes, key.issuer) == (["*"], "ada@example.com")


def test_bootstrap_again(command):
    """A second initial key requires --force."""
    command("keys", "bootstrap", "--email", "ada@example.com")

    refused = command("keys", "bootstrap", "--email", "eve@example.com")
    forced = command(
        *("keys", "bootstrap", "--email", "bob@example.com", "--force"),
        *("--scope", "status:*", "--scope", "platform:keys:list"),
    )

    assert refused[0] == 2
    assert "--force" in refused[2]
    assert forced[0] == 0
    newest = KeyRow.get(KeyRow.issuer == "bob@example.com")
    assert newest.scopes == ["status:*", "platform:keys:list"]


def test_bootstrap_with_a_wrong_scope(command):
    """An invalid scope is rejected with a sentence, and no key is created."""
    code, out, err = command(
        "keys", "bootstrap", "--email", "ada@example.com", "--scope", "Status:*"
    )

    assert (code, out) == (2, "")
    assert "--scope" in err
    assert KeyRow.select().count() == 0


def test_bootstrap_for_nobody(command):
    """The address is recorded in the audit log, so it must be valid."""
    code, out, err = command("keys", "bootstrap", "--email", "nonsense")

    assert (code, out) == (2, "")
    assert "--email" in err


def test_templates_that_are_nowhere(command, monkeypatch):
    """A mistyped folder would lose the templates, so it stops the build."""
    command("migrate")
    monkeypatch.setenv("MASTHEAD_TEMPLATES", "nowhere")

    code, _, err = command("build")

    assert code == 2
    assert "MASTHEAD_TEMPLATES: there is no folder nowhere." in err


def test_own_texts_that_cannot_be_used(command, monkeypatch, tmp_path):
    """An invalid text file stops the build, and is named."""
    command("migrate")
    file = tmp_path / "own/locales/console/README.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    monkeypatch.setenv("MASTHEAD_TEMPLATES", str(tmp_path / "own"))

    code, _, err = command("build")

    assert code == 2
    assert f"MASTHEAD_TEMPLATES: {file} must have the name of a language" in err


def test_build(command):
    """The second build writes nothing."""
    command("migrate")

    first, second = command("build"), command("build")

    assert re.match(r"written [1-9]\d*, unchanged 0, removed 0, seconds ", first[1])
    assert re.match(r"written 0, unchanged [1-9]\d*, removed 0, seconds ", second[1])


def test_demo_on_an_installation(command, address, engine):
    """
    An existing installation is not changed, and the message says how to have both.
    """
    command("keys", "bootstrap", "--email", "ada@example.com")
    database.close()
    before = engine.content(address)

    code, _, err = command("demo", "--port", free_port())

    assert code == 2
    assert "--into-existing" in err
    database.close()
    assert engine.content(address) == before


def test_build_without_a_database(command):
    """A wrong path is not taken for a new instance."""
    code, _, err = command("build")

    assert code == 2
    assert "There is no database" in err


def test_import(command, tree, tmp_path):
    """A tree becomes pages with working links; a second import changes nothing."""
    words = ("docs", "import", tree, "--collection", "guides", "--publish")

    first, second = command(*words), command(*words)
    command("build")

    assert "created 2, updated 0, unchanged 0, published 2" in first[1]
    assert "created 0, updated 0, unchanged 2, published 0" in second[1]
    page = (tmp_path / "output/guides/basics/first/index.html").read_text()
    assert '<a href="/guides/basics/second/">second</a>' in page


def test_import_with_a_base(command, tree, tmp_path):
    """Links out of the tree lead to the URL where the tree is published."""
    (tmp_path / "tree/basics/first.md").write_text("See [this](/download).\n")
    words = ("docs", "import", tree, "--collection", "guides", "--publish")

    code, _, _ = command(*words, "--base", "https://old.example/docs")
    built = command("build")

    page = (tmp_path / "output/guides/basics/first/index.html").read_text()
    assert 'href="https://old.example/docs/download"' in page
    assert (code, "nothing is at" in built[2]) == (0, False)


def test_import_below_a_path(command, tree, tmp_path):
    """What of the former website's sitemap would not answer is named."""
    (tmp_path / "mkdocs.yml").write_text("site_url: https://old.example/handbook/")
    (tmp_path / "tree").rename(tmp_path / "docs")
    locations = ("handbook/basics/first/", "guides/cli/basics/second", "handbook/gone/")
    (tmp_path / "sitemap.xml").write_text(
        "".join(
            f"<url><loc>https://old.example/{path}</loc></url>" for path in locations
        )
    )
    words = ("docs", "import", "docs", "--collection", "guides", "--path", "cli")

    code, _, err = command(*words, "--publish", "--report-addresses", "sitemap.xml")
    command("build")

    assert (code, err) == (
        0,
        "note: sitemap.xml: 2 of its 3 addresses lead to pages.\n"
        "note: sitemap.xml: /handbook/gone/ leads nowhere.\n",
    )
    assert (tmp_path / "output/guides/cli/basics/first/index.html").is_file()
    rules = (tmp_path / "output/_redirects").read_text()
    assert "/handbook/basics/first/ /guides/cli/basics/first/ 301" in rules


def test_tree_of_drafts(command, tmp_path):
    """Each draft is named, and fails --strict as little as a partial does."""
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans/later.md").write_text("---\ndraft: true\n---\n# Later\n")
    (tmp_path / "plans/_part.mdx").write_text("A part of pages.\n")

    code, out, err = command(
        "docs", "import", "plans", "--collection", "guides", "--strict"
    )

    assert (code, out.endswith("left out 0, drafts 2\n")) == (0, True)
    assert [line.split(": ")[:2] for line in err.splitlines()] == [
        ["draft", "_part.mdx"],
        ["draft", "later.md"],
    ]


@pytest.mark.parametrize(("lost", "expected"), [("", 0), ("handbook/", 1)])
def test_strict_report_of_addresses(command, tree, tmp_path, lost, expected):
    """An address that leads nowhere fails --strict; that all lead to pages does not."""
    (tmp_path / "sitemap.xml").write_text(
        f"<loc>https://old.example/guides/basics/first/{lost}</loc>"
    )
    words = ("docs", "import", "tree", "--collection", "guides", "--strict")

    code, _, err = command(*words, "--report-addresses", "sitemap.xml")

    assert (code, f"{1 - expected} of its 1 addresses" in err) == (expected, True)


@pytest.mark.parametrize(
    ("words", "shown", "remark"),
    [
        (
            (),
            "<p>See 4.</p>",
            "were removed, and what is between them stays: <Sum> (line 1).",
        ),
        (
            ("--unknown", "show"),
            "<p>See &lt;Sum&gt;4&lt;/Sum&gt;.</p>",
            "are shown as text: <Sum>",
        ),
    ],
)
def test_import_of_an_unknown_component(command, tree, tmp_path, words, shown, remark):
    """Its tags are removed or shown, and either fails a strict import."""
    (tmp_path / "tree/basics/first.md").write_text("See <Sum>4</Sum>.\n")
    import_tree = ("docs", "import", tree, "--collection", "guides", "--publish")

    code, _, err = command(*import_tree, "--strict", *words)
    command("build")

    page = (tmp_path / "output/guides/basics/first/index.html").read_text()
    assert (code, remark in err, shown in page) == (1, True, True)


def test_import_with_own_components(command, tree, tmp_path, monkeypatch):
    """What a template prints is cleaned as the text of the page is."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/Sum.html").write_text(
        "<script>alert(1)</script>[{{ body }}](javascript:a) <kbd onclick='a'>"
        "{{ attributes.of }}</kbd>"
    )
    (tmp_path / "tree/basics/first.md").write_text("A <Sum of='<i>1</i>'>*4*</Sum>.\n")
    monkeypatch.setenv("MASTHEAD_COMPONENTS", "own")

    imported = command("docs", "import", tree, "--collection", "guides", "--publish")
    command("build")

    page = (tmp_path / "output/guides/basics/first/index.html").read_text()
    assert imported[0] == 0
    assert "<em>4</em>" in page
    assert "<kbd>&lt;i&gt;1&lt;/i&gt;</kbd>" in page
    assert not any(
        text in page for text in ("<script>alert", "javascript:a", "onclick")
    )


def test_import_with_a_template_that_loops(command, tree, tmp_path, monkeypatch):
    """The import is refused as a whole, and the sentence names the template."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/Sum.html").write_text(
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    )
    (tmp_path / "tree/basics/second.md").write_text("<Sum/>\n")
    monkeypatch.setenv("MASTHEAD_COMPONENTS", "own")
    import_tree = ("docs", "import", tree, "--collection", "guides", "--publish")

    refused = command(*import_tree)
    monkeypatch.delenv("MASTHEAD_COMPONENTS")
    imported = command(*import_tree)

    assert refused == (
        2,
        "",
        "masthead: MASTHEAD_COMPONENTS: own/Sum.html for basics/second.md: it takes"
        " more than 2 seconds or 512 MB.\n",
    )
    assert "created 2," in imported[1]


def test_import_of_two_trees_at_one_address(command, tmp_path):
    """The second is refused as a whole, and can be imported below another path."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# {name}")
    command("docs", "import", "one", "--collection", "guides")

    refused = command("docs", "import", "two", "--collection", "guides")
    below = command("docs", "import", "two", "--collection", "guides", "--path", "two")

    assert refused[0] == 2
    assert "a.md would have the address /guides/a/, which is that of" in refused[2]
    assert "with --path" in refused[2]
    assert (below[0], "created 1" in below[1]) == (0, True)


def test_import_of_an_unusable_picture_beside_the_tree(command, tmp_path):
    """
    The report names the picture by its path in the folder, and the rest is imported.
    """
    for name in ("docs", "static"):
        (tmp_path / "site" / name).mkdir(parents=True)
    (tmp_path / "site/docusaurus.config.js").touch()
    (tmp_path / "site/docs/a.md").write_text("# A\n\n![A](/a.png)\n")
    (tmp_path / "site/static/a.png").write_text("<html>")

    code, out, err = command("docs", "import", "site/docs", "--collection", "guides")

    assert (code, "created 1" in out) == (1, True)
    assert err.startswith("left out: ../static/a.png: The file is named .png, but its")


def test_import_of_what_a_person_unpublished(command, tree, clock):
    """
    The report names skipped documents, and the exit code is 1 until they are taken
    over.
    """
    words = ("docs", "import", tree, "--collection", "guides", "--publish")
    command(*words)
    with writing():
        document = DocumentRow.get(DocumentRow.slug == "first")
        actor = Actor("account", NIL_UUID)
        unpublish_document(UnpublishDocument(id=document.id), clock.now, actor)

    skipped, as_json = command(*words), command(*words, "--json")
    taken_over = command(*words, "--take-over")

    reason = "It was unpublished after the last import."
    assert skipped == (
        1,
        "created 0, updated 0, unchanged 1, published 0, pruned 0, held 1,"
        " left out 0, drafts 0\n",
        f"held: basics/first.md: {reason} --take-over imports it again.\n",
    )
    assert as_json[0] == 1
    assert json.loads(as_json[1])["held"] == [
        {"path": "basics/first.md", "slug": "first", "reason": reason}
    ]
    assert (taken_over[0], "published 1" in taken_over[1], taken_over[2]) == (
        0,
        True,
        "",
    )


@pytest.mark.parametrize("name", ["empty", "missing"])
def test_import_of_nothing(command, tmp_path, name):
    """A folder without Markdown, or a missing one, is named."""
    (tmp_path / "empty").mkdir()

    code, _, err = command("docs", "import", name, "--collection", "guides")

    assert code == 2
    assert name in err


def test_check(command, tmp_path):
    """An intact site is reported as such; a modified page is named."""
    command("migrate")
    command("build")

    whole = command("check")
    (tmp_path / "output/index.html").write_text("defaced")
    broken = command("check")

    assert whole[0] == 0
    assert broken[0] == 1
    assert "index.html in the output was changed after it was written." in broken[1]


def test_check_of_a_page_that_failed(command, tmp_path, monkeypatch):
    """A page that could not be rendered is outdated, so the check fails."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/404.html").write_text("{{ no.such }")
    monkeypatch.setenv("MASTHEAD_TEMPLATES", str(tmp_path / "own"))
    command("migrate")

    assert command("build")[0] == 1
    code, out, _ = command("check")

    assert code == 1
    assert "404.html could not be rendered." in out


def test_backup(command, tmp_path):
    """The backup is a complete database."""
    command("keys", "bootstrap", "--email", "ada@example.com")

    assert command("backup", tmp_path / "copy.db")[0] == 0

    copy = sqlite3.connect(tmp_path / "copy.db")
    assert copy.execute("SELECT issuer FROM key").fetchall() == [("ada@example.com",)]
    assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    copy.close()
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == 0


def test_newer_schema(command, engine, address):
    """A database of a later release is not changed, and the message says what to do."""
    command("migrate")
    database.close()
    with engine.elsewhere(address) as later:
        add = "INSERT INTO schema_migration (name, applied) VALUES (?, ?)"
        later.execute(add, ("9000_later", "2030-01-01"))
    before = engine.content(address)

    for words in (["migrate"], ["build"], ["check"], ["keys", "list"]):
        code, out, err = command(*words)
        assert (code, out) == (2, "")
        assert "a migration that this release lacks (9000_later)" in err
        assert "that of a newer release" in err
        assert "restore a backup" in err

    assert engine.content(address) == before


def test_openapi(command):
    """The OpenAPI document is printed on standard output."""
    code, out, _ = command("openapi")

    assert code == 0
    assert json.loads(out)["openapi"] == "3.1.0"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("MASTHEAD_PORT", "80000", "from 1 to 65535"),
        ("MASTHEAD_FRESHNESS_SECONDS", "soon", "whole number"),
        ("MASTHEAD_OUTPT", "x", "not a setting"),
    ],
)
def test_wrong_setting(command, monkeypatch, name, value, words):
    """A wrong setting stops the start with a sentence that names it."""
    monkeypatch.setenv(name, value)

    code, out, err = command("build")

    assert (code, out) == (2, "")
    assert err.startswith(f"masthead: {name} ")
    assert words in err


@pytest.mark.parametrize(
    ("name", "path"),
    [("MASTHEAD_DATABASE", "folder"), ("MASTHEAD_DATABASE", "file/a.db")],
)
def test_unusable_database(command, monkeypatch, tmp_path, name, path):
    """A path that cannot be a database is named, without a traceback."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(name, str(tmp_path / path))

    code, _, err = command("migrate")

    assert code == 2
    assert path in err


def test_unusable_output(command, monkeypatch, tmp_path):
    """An output folder that cannot be written is named."""
    command("migrate")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MASTHEAD_OUTPUT", str(tmp_path / "file/output"))

    code, _, err = command("build")

    assert code == 2
    assert "cannot be written" in err
