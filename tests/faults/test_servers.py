"""Two servers at once, as at the change of a release or by mistake."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from models.runtime.server_locks import LOCK_FILE, FileLock, ServerLocks, lock_owner
from tests.faults.conftest import ADD, SERVICE
from tests.pages.builder.test_builder import eventually


@pytest.fixture
def tenures(store, settings):
    Path(settings.output).mkdir()
    return [ServerLocks(settings.database, settings.output) for _ in range(2)]


@pytest.mark.sqlite
def test_second_server(tenures, settings):
    """The second is told so, which does no harm, and is the first when that goes."""
    first, second = tenures
    with ExitStack() as servers:
        with first:
            servers.enter_context(second)
            (fault,) = second.troubles()
            assert fault.state == "second-server"
            assert fault.is_harmless
            assert first.troubles() == []

        second.acquire()

        assert second.troubles() == []
        assert lock_owner(Path(settings.output) / LOCK_FILE)
    assert lock_owner(Path(settings.output) / LOCK_FILE) is None


@pytest.mark.postgresql
def test_many_servers(tenures, settings):
    """A database that a server has is for many; the folder is held by the first."""
    first, second = tenures
    with first, second:
        assert first.troubles() == second.troubles() == []
        assert lock_owner(Path(settings.output) / LOCK_FILE)

    assert lock_owner(Path(settings.output) / LOCK_FILE) is None


def test_lease_on_a_full_disk(tmp_path):
    """Who holds it and could not write who it is does so when there is room."""
    path, lease = tmp_path / "lease", FileLock(tmp_path / "lease")
    assert lease.acquire("one")
    path.write_bytes(b"")
    assert lock_owner(path) is None

    assert lease.acquire("one")

    assert lock_owner(path) == "one"
    assert not FileLock(path).acquire("two")
    lease.release()


@pytest.fixture
def both(builders, settings, tmp_path):
    """Two builders of one database, each into a folder of its own."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        builders(replace(settings, output=str(folder)))
    return folders


def test_two_folders_of_one_database(api, both):
    """What one builder has noted as built the other has still to build."""
    api(ADD, SERVICE)

    for each in both:
        assert eventually((each / "status/services/api.json").exists)
