"""Two servers at once, as during an upgrade or by mistake."""

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
    """
    The second server reports the first, which is harmless, and takes over when that
    ends.
    """
    first, second = tenures
    with ExitStack() as servers:
        with first:
            servers.enter_context(second)
            (fault,) = second.faults()
            assert fault.state == "second-server"
            assert fault.is_harmless
            assert first.faults() == []

        second.acquire()

        assert second.faults() == []
        assert lock_owner(Path(settings.output) / LOCK_FILE)
    assert lock_owner(Path(settings.output) / LOCK_FILE) is None


@pytest.mark.postgresql
def test_many_servers(tenures, settings):
    """
    A PostgreSQL database is for several servers; the folder is locked by the first.
    """
    first, second = tenures
    with first, second:
        assert first.faults() == second.faults() == []
        assert lock_owner(Path(settings.output) / LOCK_FILE)

    assert lock_owner(Path(settings.output) / LOCK_FILE) is None


def test_lease_on_a_full_disk(tmp_path):
    """
    A lock owner that could not write its name because of a full disk does so later.
    """
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
    """Two builders of one database, each with its own folder."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        builders(replace(settings, output=str(folder)))
    return folders


def test_two_folders_of_one_database(api, both):
    """What one builder has recorded as built, the other still has to build."""
    api(ADD, SERVICE)

    for each in both:
        assert eventually((each / "status/services/api.json").exists)
