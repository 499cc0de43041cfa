"""The files of an export: how they are written, and the paths of documents."""

import tracemalloc

from models.projects.documents.rows import DocumentRow
from sitegen.export.documents import DocumentPaths
from sitegen.export.writer import ExportFolder, ExportOptions, write_export
from tests.samples import pictures


def test_memory(tmp_path):
    """A file of any length is written with little memory."""
    samples, out = 200_000, ExportFolder(tmp_path / "long")
    tracemalloc.start()

    out.write("a.jsonl", (f"{number:0100}\n" for number in range(samples)))

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert out.files[0].bytes == samples * 101
    assert most < 1024 * 1024


def test_paths():
    """Two documents never share a file, and none is outside its folder."""
    paths, found = DocumentPaths(), {}
    documents = [("a", "x/y.md"), ("b", "x/Y.md"), ("c", "../c.md"), ("d", "/d.md")]
    documents += [("e", ".git/e.md"), ("f", "b.md"), ("g", None), ("readme", None)]
    documents += [("h", "_part.md"), ("i", "x.md/i.md"), ("j", "j.txt")]
    for slug, path in documents:
        head = DocumentRow(id=slug, slug=slug, source_path=path, position=0)
        found[slug] = paths.path_of(head).as_posix()

    assert len(set(found.values())) == len(documents)
    assert (found["a"], found["b"], found["readme"]) == (
        "x/y.md",
        "b.md",
        "readme-page.md",
    )
    assert found["f"] == "f.md"
    for slug in "cdghij":
        assert found[slug] == f"{slug}.md"


def test_front_matter(tmp_path, docs_project, clock):
    """An exported file declares what its document does not have from its text."""
    docs_project.publish("start", summary="In short.")
    row = {"language": "pt-BR", "nav_title": "Label", "is_listed": False}
    DocumentRow.update(row).execute()
    options = ExportOptions(now=clock.now, release="1", site="https://example.org")

    write_export(tmp_path / "out", options)

    [file] = (tmp_path / "out").rglob("published/**/start.md")
    text = file.read_text()
    assert "\nlang: pt-BR\nnav_title: Label\nlead: true\nunlisted: true\n" in text


def test_files_of_projects(tmp_path, docs_project, clock):
    """The files of a project are written unchanged, under their names."""
    docs_project.add("images/a.png", pictures.png())
    options = ExportOptions(now=clock.now, release="1", site="https://example.org")

    files = write_export(tmp_path / "out", options)

    path = "projects/docs/files/images/a.png"
    assert (tmp_path / "out" / path).read_bytes() == pictures.png()
    assert path in [file.path for file in files]
