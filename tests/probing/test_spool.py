"""The spool loses no measurement, and has a maximum size."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from api.client.spool import BATCH_SIZE, Sample, Spool
from models.settings import SettingError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def sample(number, source="here", slug="api"):
    at = NOON + timedelta(seconds=number)
    return Sample(slug=slug, status="down", observed_at=at, source=source)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "spool.jsonl"


@pytest.fixture
def opened(path):
    """Open the spool; the previous one is left as by a killed process."""
    made = []

    def again(most=1000, days=30):
        if made:
            made.pop().close()
        made.append(Spool(path, max_samples=most, max_age=timedelta(days=days)))
        return made[0]

    yield again
    made[0].close()


def waiting(spool, now=NOON):
    """Return the samples that the spool would send, without deleting them."""
    batch = spool.next_batch(now)
    return [each.observed_at for each in batch.samples] if batch else []


def moments(*numbers):
    return [NOON + timedelta(seconds=each) for each in numbers]


def test_what_was_added_is_there_again(opened):
    """A sample that was added outlives the process, in its order."""
    first = opened()
    for number in range(3):
        first.add(sample(number))

    assert waiting(opened()) == moments(0, 1, 2)


def test_each_sample_is_synced(opened, monkeypatch):
    """A sample counts once it is on the disk, not when the system has it."""
    spool, synced = opened(), []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(sync(file)))

    spool.add(sample(0))
    spool.add(sample(1))

    assert len(synced) == 2


def test_what_was_told_is_forgotten(opened, path):
    """Samples that the API has accepted are not sent again, and the file is empty."""
    spool = opened()
    spool.add(sample(0))

    spool.remove(spool.next_batch(NOON))

    assert waiting(spool) == []
    assert path.read_bytes() == b""
    spool.add(sample(1))
    assert waiting(opened()) == moments(1)


def test_batches(opened):
    """A batch has 200 samples at most, the oldest, and of one source."""
    spool = opened()
    for number in range(BATCH_SIZE + 5):
        spool.add(sample(number))
    spool.add(sample(999, "there"))

    sizes = []
    while batch := spool.next_batch(NOON):
        sizes.append((batch.samples[0].source, len(batch.samples)))
        spool.remove(batch)

    assert sizes == [("here", 200), ("here", 5), ("there", 1)]


@pytest.mark.parametrize(
    "torn", [b'{"slug": "api", "st', b"\x00\x00\x00", b"{}\n", sample(7).line[:-1]]
)
def test_torn_line(opened, path, torn):
    """A truncated line is ignored; the lines before it are kept."""
    opened().add(sample(0))
    with path.open("ab") as file:
        file.write(torn)

    spool = opened()
    spool.add(sample(1))

    assert waiting(spool) == waiting(opened()) == moments(0, 1)


def test_full(opened, path, caplog, monkeypatch):
    """
    Over the size limit the oldest samples are dropped and reported; the file does not
    grow.
    """
    monkeypatch.setattr(os, "fsync", lambda file: None)
    spool = opened(most=200)
    for number in range(1000):
        spool.add(sample(number))

    assert waiting(spool) == moments(*range(800, 1000))
    assert spool.dropped == 800
    assert len(path.read_bytes().splitlines()) <= 2 * 200 + BATCH_SIZE + 1
    assert "event=dropped samples=1 why=spool-full" in caplog.text


def test_dropped_while_on_its_way(opened):
    """If part of a batch is dropped while it is sent, no other sample is deleted."""
    spool = opened(most=200)
    for number in range(200):
        spool.add(sample(number))
    batch = spool.next_batch(NOON)
    for number in range(200, 350):
        spool.add(sample(number))

    spool.remove(batch)

    assert waiting(spool) == moments(*range(200, 350))


@pytest.mark.parametrize(("later", "left"), [(0, 2), (1, 1), (2, 0)])
def test_old(opened, later, left):
    """Samples older than spool_max_days are dropped; exactly that age is kept."""
    spool = opened(days=1)
    spool.add(sample(0))
    spool.add(sample(1))

    found = waiting(spool, NOON + timedelta(days=1, seconds=later))

    assert len(found) == left
    assert spool.dropped == 2 - left


def test_full_disk(opened, path, monkeypatch, caplog):
    """On a full disk samples stay in memory; later all of them are written."""
    spool = opened()
    spool.add(sample(0))
    with monkeypatch.context() as full:
        full.setattr(
            "os.fsync", lambda file: (_ for _ in ()).throw(OSError(28, "full"))
        )
        spool.add(sample(1))
        spool.add(sample(2))
    spool.add(sample(3))

    assert "event=spool-failed" in caplog.text
    assert waiting(spool) == waiting(opened()) == moments(0, 1, 2, 3)


def test_two_probes(opened, path):
    """Two probes on one spool would forget each other's samples."""
    opened()

    with pytest.raises(SettingError, match="in use by another probe"):
        Spool(path, max_samples=200, max_age=timedelta(days=1))


def test_nowhere(tmp_path):
    """A missing folder is reported before anything is measured."""
    with pytest.raises(SettingError, match="No such file or directory"):
        Spool(tmp_path / "no/spool", max_samples=200, max_age=timedelta(days=1))


def test_permissions(opened, path):
    """Only the probe's account can read the file."""
    opened().add(sample(0))

    assert path.stat().st_mode & 0o077 == 0
