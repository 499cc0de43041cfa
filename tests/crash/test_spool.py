"""A probe that is killed at each step of its spool loses no measurement."""

import os
from datetime import timedelta

from api.client import spool as spooling
from api.client.spool import Spool
from tests.probing.test_spool import NOON, sample


class Killed(BaseException):
    """Raised at the kill; no code of ours runs after it."""


class Life:
    """
    Samples that are added and sent, until the step of the disk at which it is killed.
    """

    def __init__(self, path, steps):
        self.added, self.sent = set(), set()
        self.left = steps
        self.spool = Spool(path, max_samples=1000, max_age=timedelta(days=1))

    def step(self, real):
        def counted(*arguments):
            self.left -= 1
            if self.left < 0:
                raise Killed
            return real(*arguments)

        return counted

    def live(self):
        for number in range(12):
            one = sample(number)
            self.spool.add(one)
            self.added.add(one.observed_at)
            if number in (3, 8, 11):
                batch = self.spool.next_batch(NOON)
                self.sent |= {each.observed_at for each in batch.samples}
                self.spool.remove(batch)

    def end(self):
        os.close(self.spool._file)
        self.spool._file_lock.release()


def found_in(path):
    spool = Spool(path, max_samples=1000, max_age=timedelta(days=1))
    found = set()
    while batch := spool.next_batch(NOON):
        found |= {each.observed_at for each in batch.samples}
        spool.remove(batch)
    spool.close()
    return found


def test_killed_at_each_step(tmp_path, monkeypatch):
    """
    Samples that were added and not sent are found again, whichever step was the last.
    """
    monkeypatch.setattr(spooling, "BATCH_SIZE", 3)
    steps = 0
    while True:
        life = Life(tmp_path / f"spool-{steps}", steps)
        with monkeypatch.context() as disk:
            for name in ("write", "fsync", "replace", "ftruncate"):
                disk.setattr(os, name, life.step(getattr(os, name)))
            try:
                life.live()
                break
            except Killed:
                life.end()
        found = found_in(tmp_path / f"spool-{steps}")
        assert life.added - life.sent <= found, steps
        steps += 1
    life.end()
    # Two for each sample, and some that put a new file in the place of the old.
    assert steps > 24
