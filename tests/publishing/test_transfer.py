"""Publishing: which files are sent, in which order, and which are not touched."""

import os
import re
import stat
from dataclasses import replace

import pytest

from models.site_addresses import url_path
from sitegen.builder.build import build
from sitegen.output.folder import OutputFolder
from sitegen.output.publishing import source
from sitegen.output.publishing.lease import LEASE
from sitegen.output.publishing.publication import STATE, Publication
from sitegen.output.publishing.targets import PublishError, TargetBusy
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.publishing.published import dead_ends, files_of, with_headers
from tests.samples import pictures

TYPES = {
    "avif": "image/avif",
    "csv": "text/csv",
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "mp4": "video/mp4",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "webm": "video/webm",
    "webp": "image/webp",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "zip": "application/zip",
}


def run(settings, **more):
    return Publication(settings).run(**more)


def test_all_and_then_nothing(target, site, there, output):
    """The target has the built site; a second publication sends nothing."""
    first = run(target)

    assert there() == files_of(output)
    assert sorted(first.sent) == sorted(there())
    assert first.bytes == sum(map(len, there().values()))
    again = run(target)
    assert (again.sent, again.removed, again.changed) == ([], [], [])
    assert again.unchanged == len(there())


def test_site_below_a_path(target, docs_project, clock, there, output):
    """Files are stored where the target says; purged addresses are complete URLs."""
    docs_project.publish("first")
    below = replace(target, site_url="https://example.com/docs/v2")
    build(BuildContext(clock.now, below, site_theme(below)))

    report = run(below)

    assert there() == files_of(output)
    assert "guides/first/index.html" in there()
    assert "https://example.com/docs/v2/guides/first/" in report.changed


def test_headers(to_bucket, site, bucket, output):
    """A store has the type and the cache rule of each file."""
    run(to_bucket)

    assert bucket.site("a") == with_headers(files_of(output))


def test_page_that_has_moved(to_bucket, docs_project, bucket, build_site):
    """Only the page of an old address redirects, also for programs."""
    moved = docs_project.publish("limits", collection="support")
    docs_project.update(moved, collection="products")
    build_site()

    run(to_bucket)

    name = "x-amz-meta-masthead-location"
    found = {k: o.headers[name] for k, o in bucket.objects.items() if name in o.headers}
    assert found == {"a/support/limits/index.html": "/products/limits/"}


def test_types_of_files(to_bucket, docs_project, bucket, build_site, output):
    """Pictures and other files of pages arrive whole, with the type of each."""
    for name, content in pictures.FILES.items():
        docs_project.add(name, content)
    docs_project.publish("a", " ".join(f"[x]({name})" for name in pictures.FILES))
    build_site()

    run(to_bucket)

    shown = {
        path: stored
        for path, stored in bucket.site("a").items()
        if path.startswith("files/")
    }
    assert sorted(path.rpartition("/")[2] for path in shown) == sorted(pictures.FILES)
    for path, (content, type, cache) in shown.items():
        assert content == (output / path).read_bytes()
        assert type.partition(";")[0] == TYPES[path.rpartition(".")[2]]
        assert cache == "public, max-age=31536000, immutable"


def test_only_what_changed(to_bucket, site, bucket, docs_project, build_site, output):
    """
    Only changed files, and the files about the changes, are sent; nothing is listed.
    """
    run(to_bucket)
    before, bucket.requests = files_of(output), []
    docs_project.update(site, content="Other words.\n")
    docs_project.release(site)
    build_site()

    report = run(to_bucket)

    after = files_of(output)
    sent = {path for path in after if before.get(path) != after[path]}
    differing = sent | (before.keys() - after.keys())
    assert {key for _, key in bucket.changes()} == {f"a/{path}" for path in differing}
    assert (set(report.sent), set(report.removed)) == (sent, differing - sent)
    assert "" not in {key for _, key in bucket.requests}


def test_order(to_bucket, site, bucket, docs_project, build_site, clock):
    """At no moment does a reachable page have a broken link."""
    run(to_bucket)
    clock.pass_(minutes=1)
    docs_project.withdraw(site)
    docs_project.publish("third", "See [one](first.md).\n")
    build_site()
    lost = []

    def check(method, key):
        found = {path: content for path, (content, *_) in bucket.site("a").items()}
        lost.extend(dead_ends(found))

    bucket.after = check
    run(to_bucket)

    assert not lost


def test_leaves_before_lists(to_bucket, site, bucket):
    """Among new files, and among changed ones, deeper ones come first."""
    run(to_bucket)
    new = [key for method, key in bucket.changes() if "/builds/" not in key][:-2]
    changed = dict.fromkeys(("status/index.html", "index.html", "guides/index.html"))
    for path in changed:
        with_other_mark(bucket, f"a/{path}")
    bucket.requests = []

    run(to_bucket, verify=True)

    for keys in (new, [key for _, key in bucket.changes()]):
        depths = [key.count("/") for key in keys]
        assert depths == sorted(depths, reverse=True)
    assert len(keys) == len(changed)


def with_other_mark(bucket, key):
    headers = bucket.objects[key].headers | {"x-amz-meta-masthead-mark": "other"}
    bucket.objects[key] = replace(bucket.objects[key], headers=headers)


def test_last_is_told(to_bucket, site, bucket, docs_project, build_site):
    """Removals follow all pages, then the reports of generations, then the note."""
    run(to_bucket)
    bucket.requests = []
    docs_project.withdraw(site)
    build_site()

    run(to_bucket)

    changes = [each for each in bucket.requests if each[0] in ("PUT", "DELETE")]
    removals = [n for n, (method, _) in enumerate(changes) if method == "DELETE"]
    assert changes[0] == ("PUT", f"a/{LEASE}")
    rest = [key.removeprefix("a/") for _, key in changes[removals[-1] + 1 :]]
    assert re.fullmatch(r"builds/\d+\.json", rest[0])
    assert rest[-4:] == ["manifest.json", "build.json", STATE, LEASE]
    assert all(method == "DELETE" for method, _ in changes[removals[0] : -len(rest)])


def test_strangers(target, site, there, bucket, tmp_path, docs_project, build_site):
    """Files of others stay, even in place of a deleted file of ours."""
    run(target)
    path, own = "guides/second/index.html", b"by hand"
    if target.publishes_to_bucket:
        plain = {"content-type": "text/html", "cache-control": "no-store"}
        made = type(bucket.objects[f"a/{path}"])(own, plain)
        bucket.objects["a/own.txt"] = bucket.objects[f"a/{path}"] = made
    else:
        for each in ("own.txt", path):
            (tmp_path / "web" / each).write_bytes(own)
    docs_project.withdraw(site)
    build_site()

    report = run(target)

    assert there()["own.txt"] == there()[path] == own
    assert path not in report.removed
    assert "guides/second.json" in report.removed


def test_verified(target, site, there, bucket, tmp_path, output):
    """
    Files that others modified or deleted are sent again when the target is verified.
    """
    run(target)
    if target.publishes_to_bucket:
        del bucket.objects["a/index.html"]
        plain = {"content-type": "text/html", "cache-control": "no-store"}
        bucket.objects["a/404.html"] = type(bucket.objects["a/robots.txt"])(b"", plain)
    else:
        (tmp_path / "web/index.html").unlink()
        (tmp_path / "web/404.html").write_text("other")
    assert run(target).sent == []

    report = run(target, verify=True)

    assert sorted(report.sent) == ["404.html", "index.html"]
    assert there() == files_of(output)
    assert {target.site_url + url_path(path) for path in report.sent} <= {
        *report.changed
    }


def test_trial(target, site, there, bucket):
    """A dry run has the same report, and changes nothing."""
    trial = Publication(target).dry_run()

    assert there() == {}
    assert not bucket.objects
    assert trial == run(target)


def test_changed_while_published(
    to_bucket, site, bucket, docs_project, build_site, output
):
    """A build during a publication does not affect it, and is sent next time."""
    expected = files_of(output)

    def build(method, key):
        bucket.before = lambda method, key: None
        docs_project.update(site, content="Other words.\n")
        docs_project.release(site)
        build_site()

    bucket.before = build
    run(to_bucket)

    assert {path: it[0] for path, it in bucket.site("a").items()} == expected
    assert not [*(output / source.SNAPSHOT).iterdir()]
    run(to_bucket)
    assert bucket.site("a") == with_headers(files_of(output))


def test_built_while_planned(
    target, site, there, docs_project, build_site, output, monkeypatch
):
    """A build between reading the manifest and linking the files is detected."""
    listed, builds = source.PublishSource._listed_files, [1]

    def built_meanwhile(self, known):
        if builds and builds.pop():
            docs_project.update(site, content="Other words.\n")
            docs_project.release(site)
            build_site()
        return listed(self, known)

    monkeypatch.setattr(source.PublishSource, "_listed_files", built_meanwhile)

    run(target)

    assert b"Other words" in there()["guides/second/index.html"]
    assert there() == files_of(output)


def test_file_systems_without_second_names(to_folder, site, output, monkeypatch):
    """Where hard links are not supported, files are copied."""

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(os, "link", refused)

    run(to_folder)

    assert len(files_of(output)) > 100


def test_rights(to_folder, site, tmp_path):
    """Files that are published into a folder are readable by a web server."""
    run(to_folder)

    mask = os.umask(0)
    os.umask(mask)
    mode = stat.S_IMODE((tmp_path / "web/index.html").stat().st_mode)
    assert mode == 0o666 & ~mask


def test_damage_is_not_published(target, site, output):
    """A file that does not match the manifest is not sent."""
    (output / "index.html").write_text("cut sh")

    with pytest.raises(PublishError, match=r"index\.html .* not as it was written"):
        run(target)


def test_broken_build(target, site, output):
    """The remains of an interrupted build are not published, and a server waits."""
    with OutputFolder(str(output)).locked():
        OutputFolder(str(output)).mark_unfinished()

    with pytest.raises(TargetBusy, match="a build was interrupted"):
        run(target)
