"""The pictures and files of an imported tree."""

import inspect
import os
import sys

import pytest

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.fields import Actor
from models.projects.files.file_import import prepared_files
from models.projects.files.rows import FileRow
from sitegen.sources.source_file import walk
from sitegen.sources.tree import read_tree
from tests.conftest import NOON
from tests.processor import at_most
from tests.samples import pictures


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "Our docs"


@pytest.fixture
def write_files(folder):
    """Write files into the tree, by path."""

    def write(**files):
        for path, content in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            content = content.encode() if isinstance(content, str) else content
            file.write_bytes(content)

    return write


@pytest.fixture
def import_folder(folder, docs_project, settings):
    """Import the tree and publish it; return the tree, the report and the files."""

    def run(**options):
        tree = read_tree(folder)
        with prepared_files(docs_project.project, tree.files) as files:
            report = import_documents(
                tree.sources,
                ImportOptions(
                    collection="guides",
                    now=NOON,
                    actor=Actor("account", settings.docs_owner_id),
                    tree=folder.name,
                    publish=True,
                    **options,
                ),
                files=files,
            )
        return tree, report, files

    return run


@pytest.fixture
def sources(build_site, output):
    """Return the names of the pictures that a page shows, once it is built."""

    def shown(path):
        build_site()
        html = (output / "guides" / path / "index.html").read_text()
        prose = html.partition('<div class="prose">')[2].partition("<footer>")[0]
        parts = prose.split('<img src="/files/')[1:]
        return [part.partition('"')[0].partition("/")[2] for part in parts]

    return shown


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("guide/a.png", "a.png"),
        ("guide/a.png", "./a.png"),
        ("images/a.png", "../images/a.png"),
        # A generator that serves pages as folders.
        ("images/a.png", "../../images/a.png"),
        ("images/a.png", "/images/a.png"),
        ("static/images/a.png", "/images/a.png"),
        ("website/static/images/a.png", "/images/a.png"),
        ("public/a.png", "/a.png"),
        ("src/images/a.png", "/images/a.png"),
        ("assets/a.png", "/assets/a.png"),
        ("static/img/a.png", "/docs/v2/img/a.png"),
        ("static/img/a.png", "../img/a.png"),
        ("static/.hidden/a.png", "/.hidden/a.png"),
        ("static/img/a.png", "@site/static/img/a.png"),
        ("guide/.pictures/a.png", ".pictures/a.png"),
        (".assets/a.png", "../.assets/a.png"),
        ("guide/u\u0308.png", "%C3%BC.png"),
        ("guide/\xfc.png", "u\u0308.png"),
        ("guide/my a.png", "<my a.png>"),
        ("guide/my a.png", "my%20a.png"),
        ("guide/a_b.png", r"a\_b.png"),
        ("guide/é(1).png", "<é(1).png>"),
        ("guide/A.PNG", "A.PNG?raw=true"),
        ("static/my a.png", "</my a.png>"),
        ("static/a(1).png", "/a(1).png"),
        ("notes/deep/a.png", "a.png#part"),
        ("notes/deep/a.png", "deep/a.png"),
    ],
)
def test_place(write_files, import_folder, sources, path, target):
    """A picture is found beside the page and wherever generators store theirs."""
    write_files(
        **{"guide/setup.md": f"# Setup\n\n![A]({target})\n", path: pictures.png()}
    )

    tree, _, _ = import_folder()

    assert tree.notes == []
    assert len(sources("guide/setup")) == 1


def test_picture_in_a_folder_from_which_files_are_included(folder, tmp_path):
    """A picture beside the tree is read if its folder is named, and not otherwise."""
    folder.mkdir()
    (folder / "setup.md").write_text("![A](../media/a.png) ![B](../../b.png)\n")
    (tmp_path / "media").mkdir()
    (tmp_path / "media/a.png").write_bytes(pictures.png())
    (tmp_path.parent / "b.png").write_bytes(pictures.png())

    [alone] = read_tree(folder).sources
    tree = read_tree(folder, include_from=[tmp_path / "media"])

    assert alone.content == "A B\n"
    assert [file.path for file in tree.files] == [tmp_path / "media/a.png"]
    assert tree.sources[0].content == "![A](../media/a.png) B\n"


def test_many_references(write_files, folder):
    """A page with very many references to files is read in linear time."""
    text = "".join(f"![A](/a.png?{number})\n" for number in range(8_000))
    write_files(**{"guide/setup.md": text, "static/a.png": pictures.png()})

    with at_most(8):
        tree = read_tree(folder)

    assert tree.sources[0].content == text.replace("/a.png", "/static/a.png")


def test_many_links_to_missing_files(write_files, folder, monkeypatch):
    """Each target is looked up a few times, however many possible folders there are."""
    long = "/".join(f"p{number}" for number in range(100))
    links = "".join(f"![A](/{number}/{long}/a.png)\n" for number in range(300))
    write_files(**{"guide/setup.md": links})
    write_files(**{f"{number}/static/a.png": pictures.png() for number in range(60)})
    write_files(**{"../docusaurus.config.js": "", "../static/b.png": pictures.png()})
    looked_up = []
    for name in ("stat", "lstat"):
        original = getattr(os, name)
        monkeypatch.setattr(os, name, counting(original, looked_up))

    with at_most(5):
        tree = read_tree(folder)

    (note,) = tree.notes
    assert "and 290 more" in note.reason
    assert len(looked_up) < 5_000


def counting(look_up, looked_up):
    def counted(path, *arguments, **options):
        looked_up.append(path)
        return look_up(path, *arguments, **options)

    return counted


def test_folders_within_folders(tmp_path):
    """A tree is read completely, however deep its folders are."""
    levels = 200
    tmp_path.joinpath(*["d"] * levels).mkdir(parents=True)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + levels // 2)
    try:
        found = [path for path, _, _ in walk(tmp_path, lambda *_: True)]
    finally:
        sys.setrecursionlimit(limit)

    assert len(found) == levels + 1


@pytest.mark.parametrize(
    ("settings_file", "path", "target"),
    [
        ("website/docusaurus.config.ts", "website/static/img/a.png", "/img/a.png"),
        ("docusaurus.config.js", "static/img/a.png", "@site/static/img/a.png"),
        ("hugo.toml", "static/a.png", "/a.png"),
        ("_config.yml", "assets/a.png", "/assets/a.png"),
        ("astro.config.mjs", "src/assets/a.png", "../../src/assets/a.png"),
        ("astro.config.mjs", "public/a.png", "/a.png"),
        (".vitepress/config.ts", "public/a.png", "/a.png"),
    ],
)
def test_place_beside_the_tree(
    write_files, import_folder, sources, settings_file, path, target
):
    """A picture is found where the tree's generator stores the files of its site."""
    write_files(**{"guide/setup.md": f"# Setup\n\n![A]({target})\n"})
    write_files(**{f"../{path}": pictures.png(), f"../{settings_file}": ""})

    tree, _, _ = import_folder()

    assert not [note for note in tree.notes if "Images" in note.reason]
    assert sources("guide/setup") == ["a.png"]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        # No generator has its settings there.
        ("other/static/a.png", "/a.png"),
        ("secret/a.png", "../../secret/a.png"),
        ("secret/a.png", "/../secret/a.png"),
        ("website/static/a.png", "../../website/static/../../secret/a.png"),
    ],
)
def test_nothing_else_beside_the_tree(write_files, import_folder, path, target):
    """A tree cannot include files of the folders around it."""
    write_files(
        **{"guide/setup.md": f"# Setup\n\n![A]({target})\n", "../secret/a.png": "S"}
    )
    write_files(**{f"../{path}": pictures.png(), "../website/docusaurus.config.ts": ""})

    tree, _, _ = import_folder()

    assert len(tree.notes) == 1
    assert tree.files == []


@pytest.mark.parametrize("target", [".", "secret"])
def test_static_folder_that_is_a_link(write_files, import_folder, tmp_path, target):
    """A tree cannot use a symbolic link as a static folder."""
    write_files(
        **{"guide/setup.md": "# Setup\n\n[A](/secret.json) [B](/secret/secret.json)\n"}
    )
    write_files(**{"../secret/secret.json": "{}", "../secret.json": "{}"})
    write_files(**{"../docusaurus.config.js": ""})
    (tmp_path / "static").symlink_to(tmp_path / target)

    tree, _, _ = import_folder()

    assert tree.files == []


def test_reference_definition(write_files, import_folder, sources):
    """A picture may be in a reference definition at the end of the page."""
    write_files(
        **{"setup.md": '![A][a]\n\n[a]: <my a.png> "T"\n', "my a.png": pictures.png()}
    )

    import_folder()

    assert sources("setup") == ["my-a.png"]


def test_linked_file(write_files, import_folder, build_site, output):
    """A file that a page links to is imported as well."""
    write_files(
        **{"setup.md": "[Limits](data/limits.csv)\n", "data/limits.csv": "a,b\n"}
    )

    import_folder()
    build_site()

    html = (output / "guides/setup/index.html").read_text()
    assert '/limits.csv">Limits</a>' in html


def test_missing_picture(write_files, import_folder, sources):
    """The import names the missing picture, and the page has its alternative text."""
    write_files(**{"setup.md": "![A](a.png) ![B](b.png)\n", "b.png": pictures.png()})

    tree, _, _ = import_folder()

    (note,) = tree.notes
    assert (note.path, "a.png" in note.reason) == ("setup.md", True)
    assert sources("setup") == ["b.png"]


def test_unusable_picture(write_files, import_folder, sources):
    """An unusable picture is reported with the reason, and the rest is imported."""
    write_files(**{"setup.md": "![A](a.png) ![B](b.png)\n", "b.png": pictures.png()})
    write_files(**{"a.png": pictures.HTML})

    _, _, files = import_folder()

    ((source, reason),) = files.refused
    assert source.path.name == "a.png"
    assert "its content is not PNG" in reason
    assert sources("setup") == ["b.png"]


def test_first_of_two_folders(write_files, import_folder):
    """If two folders have a file for an address, the outer one is used."""
    write_files(**{"guide/setup.md": "# Setup\n\n![A](/a.png)\n"})
    write_files(
        **{"a/static/a.png": pictures.png(1, 1), "static/a.png": pictures.png(2, 2)}
    )

    tree, _, _ = import_folder()

    assert [file.name for file in tree.files] == ["Our-docs/static/a.png"]


@pytest.mark.parametrize("target", ["../secret.png", "/../secret.png", "link.png"])
def test_picture_outside(write_files, import_folder, folder, sources, target):
    """Neither a path nor a symbolic link leads out of the folder."""
    write_files(**{"setup.md": f"![A]({target})\n"})
    (folder.parent / "secret.png").write_bytes(pictures.png())
    (folder / "link.png").symlink_to(folder.parent / "secret.png")

    tree, _, _ = import_folder()

    assert tree.files == []
    assert sources("setup") == []


def test_second_import(write_files, import_folder, folder, sources):
    """A second import reads no file again, and changes nothing."""
    write_files(**{"setup.md": "![A](a.png)\n", "a.png": pictures.png()})
    import_folder()
    status = (folder / "a.png").stat()
    # It has its size and its time, but could not be read as a picture.
    (folder / "a.png").write_bytes(b"x" * status.st_size)
    os.utime(folder / "a.png", ns=(status.st_mtime_ns, status.st_mtime_ns))

    _, report, files = import_folder()

    assert (files.files, files.refused) == ([], [])
    assert report.files.unchanged == ["Our-docs/a.png"]
    assert not report.changed


def test_same_file_with_another_time(write_files, import_folder, folder):
    """A file with only another time is read, and changes nothing."""
    write_files(**{"setup.md": "![A](a.png)\n", "a.png": pictures.png()})
    import_folder()
    os.utime(folder / "a.png", ns=(1, 1))

    _, report, files = import_folder()

    assert len(files.files) == 1
    assert not report.changed


def test_changed_picture(write_files, import_folder, sources):
    """A page with unchanged text is published again, to show the new picture."""
    write_files(
        **{"setup.md": "![A](a.png)\n", "other.md": "Words.\n", "a.png": pictures.png()}
    )
    import_folder()
    write_files(**{"a.png": pictures.png(5, 5)})

    _, report, _ = import_folder()

    assert report.files.updated == ["Our-docs/a.png"]
    assert report.published == ["setup"]
    assert report.updated == []
    assert sources("setup") == ["a.png"]


def test_prune(write_files, import_folder):
    """With --prune, files that the tree no longer uses are removed."""
    write_files(**{"setup.md": "![A](a.png)\n", "a.png": pictures.png()})
    import_folder()
    write_files(**{"setup.md": "Words.\n"})

    import_folder()
    assert FileRow.select().count() == 1
    _, report, _ = import_folder(prune=True)

    assert report.files.removed == ["Our-docs/a.png"]
    assert FileRow.select().count() == 0


def test_dry_run(write_files, import_folder):
    """A dry run lists what it would add, and adds nothing."""
    write_files(**{"setup.md": "![A](a.png)\n", "a.png": pictures.png()})

    _, report, _ = import_folder(is_dry_run=True)

    assert report.files.added == ["Our-docs/a.png"]
    assert FileRow.select().count() == 0


def test_names_that_differ_in_one_character(write_files, import_folder, sources):
    """Two files whose names differ in one character have different names."""
    write_files(**{"setup.md": "![A](<a b.png>) ![B](<a+b.png>)\n"})
    write_files(**{"a b.png": pictures.png(1, 1), "a+b.png": pictures.png(2, 2)})

    import_folder()

    assert sources("setup") == ["a-b.png", "a-b-2.png"]
