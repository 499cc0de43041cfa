"""Several publishers: one at a time, and the next continues where the last one died."""

import json
from dataclasses import replace

import pytest

from sitegen.output.publishing import lease
from sitegen.output.publishing.lease import LEASE, PublishLease
from sitegen.output.publishing.publication import STATE, Publication, PublicationStopped
from sitegen.output.publishing.targets import TargetBusy
from tests.publishing.published import files_of, with_headers


def run(settings, **more):
    return Publication(settings).run(**more)


def test_two_publishers(to_bucket, site, bucket, output, settings, monkeypatch):
    """Of two hosts one publishes, and the other sees that it is active."""
    monkeypatch.setattr(lease, "POLL_SECONDS", 0.01)
    run(to_bucket)
    other = PublishLease(Publication(to_bucket)._target, "another host")
    other.acquire({})
    bucket.before = lambda method, key: None
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0)

    def lives(seconds):
        other.renew()

    monkeypatch.setattr(Publication, "_pause", lambda self, seconds: lives(seconds))

    with pytest.raises(TargetBusy, match="Another process is publishing"):
        run(to_bucket)


def test_two_on_one_host(target, site, there):
    """Of two processes one publishes a folder, and one to a folder."""
    first = Publication(target)

    with (
        first._source.exclusive(),
        pytest.raises(TargetBusy, match="Another process is publishing"),
    ):
        run(target)
    if first._target.is_locked:
        with (
            first._target.exclusive(),
            pytest.raises(TargetBusy, match="Another process is publishing"),
        ):
            run(target)

    assert there() == {}
    assert run(target).sent


def test_dead_publisher(to_bucket, site, bucket, monkeypatch, output):
    """
    A host that has long been silent is given up, and the files it touched are checked.
    """
    monkeypatch.setattr(lease, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(lease, "EXPIRY_SECONDS", 0.05)
    run(to_bucket)
    target = Publication(to_bucket)._target
    dead = PublishLease(target, "another host")
    dead.acquire({"index.html": ["mark"], "going.html": ["mark"]})
    bucket.objects["a/index.html"] = bucket.objects["a/404.html"]
    marked = bucket.objects["a/404.html"].headers | {"x-amz-meta-masthead-mark": "mark"}
    bucket.objects["a/going.html"] = replace(
        bucket.objects["a/404.html"], headers=marked
    )

    report = run(to_bucket)

    assert (report.sent, report.removed) == (["index.html"], ["going.html"])
    assert bucket.site("a") == with_headers(files_of(output))
    with pytest.raises(TargetBusy):
        dead.release({})


def test_overtaken(to_bucket, site, bucket, monkeypatch):
    """A publisher that was given up sends nothing more."""
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0)

    def overtake(method, key):
        if key == "a/index.html":
            with bucket.lock:
                bucket.objects[f"a/{LEASE}"] = bucket.objects["a/404.html"]

    bucket.before = overtake

    with pytest.raises(TargetBusy):
        run(to_bucket)
    assert f"a/{STATE}" not in bucket.objects


def test_stopped(target, site, there, output):
    """
    A publisher that is told to stop does so between two files; the next one continues.
    """
    answers = iter([False] * 20)
    publication = Publication(target, lambda: next(answers, True))

    with pytest.raises(PublicationStopped):
        publication.run()

    sent = set(there())
    assert len(sent) < len(files_of(output))
    assert sent.isdisjoint(run(target).sent)
    assert there() == files_of(output)


def test_note_that_nobody_can_read(target, site, there, bucket, tmp_path, output):
    """A damaged note means that all is sent again."""
    run(target)
    if target.publishes_to_bucket:
        damaged = replace(bucket.objects[f"a/{STATE}"], content=b"[")
        bucket.objects[f"a/{STATE}"] = damaged
    else:
        (tmp_path / "web" / STATE).write_text(json.dumps({"files": 3}))

    report = run(target)

    assert sorted(report.sent) == sorted(files_of(output))
    assert run(target).sent == []
