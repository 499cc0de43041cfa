"""An output folder that is not writable, or was modified by others."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from models.runtime.server_locks import LOCK_FILE, FileLock
from sitegen.output.folder import OutputError, OutputFolder
from sitegen.output.inspection import differences
from tests.faults.conftest import ADD, SERVICE
from tests.pages.builder.test_build import files_in
from tests.pages.builder.test_builder import eventually, text_of


def eventually_states(states, builder, expected):
    assert eventually(lambda: states(builder) == expected), states(builder)


def test_read_only(api, build_site, as_user, builder, output, states, caplog):
    """Writes are accepted meanwhile; the site follows when it is writable."""
    as_user()
    output.chmod(0o555)
    assert api(ADD, SERVICE).status_code == 200
    builder.wake()

    eventually_states(states, builder, ["output-read-only"])
    assert "state=output-read-only " in caplog.text

    output.chmod(0o755)
    assert eventually((output / "status/services/api.json").exists)
    eventually_states(states, builder, [])


def write_files(folder, files):
    with folder.locked():
        for path, content in files.items():
            folder.write(path, content)


def test_write_taken_in_part(tmp_path, little_space):
    """
    A partially written file is never renamed into place, and leaves no temporary file.
    """
    folder = OutputFolder(str(tmp_path / "site"))
    write_files(folder, {"a.html": b"old"})

    little_space(4096)
    with pytest.raises(OutputError, match="File too large") as caught:
        write_files(folder, {"b.html": b"new", "a.html": b"x" * 10_000})

    assert caught.value.state == "output-full"
    assert (tmp_path / "site/a.html").read_bytes() == b"old"
    assert [*(tmp_path / "site").rglob("*.draft")] == []


def test_half_a_file(builder, output, states, caplog):
    """A truncated or modified file is found without a write, and restored."""
    before = files_in(output)
    (output / "status/index.html").write_bytes(b"<html>half")
    (output / "problems/index.html").unlink()
    same_size = before["status/index.json"].replace(b"unavailable", b"operational")
    (output / "status/index.json").write_bytes(same_size)

    assert eventually(lambda: files_in(output) == before)
    eventually_states(states, builder, [])
    assert "state=output-damaged path=status/index.json" in caplog.text


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"version": 1, "files": {"a": {}}}', b"\xff\xfe"]
)
def test_manifest_damaged(builder, output, states, caplog, content):
    """All files are checked and listed again; the manifest is restored."""
    before = files_in(output)
    (output / "manifest.json").write_bytes(content)

    assert eventually(lambda: files_in(output) == before)
    eventually_states(states, builder, [])
    assert "state=manifest-damaged " in caplog.text


def test_check_names_a_damaged_manifest(build_site, output):
    """`check` does not report a site as intact without a valid manifest."""
    build_site()
    assert differences(output) == []
    (output / "manifest.json").write_text("{")

    (found,) = differences(output)

    assert "manifest" in found


def test_check_while_a_build_is_broken_off(build_site, output):
    """`check` removes nothing, not even the remains of an interrupted build."""
    build_site()
    (output / ".masthead.docs.unfinished").touch()
    draft = output / ".masthead.docs.drafts/1"
    draft.parent.mkdir(exist_ok=True)
    draft.touch()

    (found,) = differences(output)

    assert "interrupted" in found
    assert draft.exists()


def test_folder_of_somebody(store, settings, build_site):
    """Files that are not ours stop the build, and stay."""
    foreign = Path(settings.output) / "letter.txt"
    foreign.parent.mkdir()
    foreign.write_text("Dear")

    with pytest.raises(OutputError) as caught:
        build_site()

    assert caught.value.state == "output-foreign"
    assert foreign.read_text() == "Dear"


def test_folder_of_another_server(api, build_site, output, builder, states):
    """
    The folder of another server with another database is not changed; when that ends,
    we build.
    """
    before, other = files_in(output), FileLock(output / LOCK_FILE)
    assert other.acquire("another database")
    api(ADD, SERVICE)
    builder.wake()

    eventually_states(states, builder, ["output-taken"])
    assert files_in(output) == before

    other.release()
    assert eventually((output / "status/services/api.json").exists)
    eventually_states(states, builder, [])
    assert json.loads((output / "build.json").read_text())["generation"] == 1


@pytest.fixture
def template(settings, tmp_path):
    """A template of the owner's own, which raises."""
    file = tmp_path / "templates/status/index.html"
    file.parent.mkdir(parents=True)
    file.write_text("{{ nothing.of_the_kind }}")
    return file


@pytest.fixture
def builder_of_template(settings, template, builders):
    return builders(replace(settings, templates=str(template.parents[1])))


def test_template_that_raises(template, builder_of_template, output, states):
    """
    All other pages are built; once the template is corrected its page is, without a
    restart.
    """
    assert (output / "status/history/index.html").exists()
    eventually_states(states, builder_of_template, ["pages-failed"])
    assert not (output / "status/index.html").exists()

    template.write_text("mended")

    assert eventually(lambda: text_of(output / "status/index.html") == "mended")
    eventually_states(states, builder_of_template, [])
