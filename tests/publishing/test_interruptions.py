"""A publisher may be killed at any moment, and the next one completes its work."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from models.response_headers import cache_class, path_rule
from models.site_addresses import url_path
from sitegen.output.publishing.lease import LEASE
from tests.commands.conftest import ROOT
from tests.conftest import Clock
from tests.properties.histories import EVENTS, SERVICES, World, add_service
from tests.publishing.published import files_of, with_headers

ROUNDS, ROUNDS_AT_NIGHT = 5, 14
MOST_STEPS = 60
OURS = b"a file of somebody else"


@pytest.fixture
def world(store, settings, tmp_path):
    return World(replace(settings, output=str(tmp_path / "site")), Clock())


@pytest.fixture
def chance():
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def rounds(request):
    return ROUNDS_AT_NIGHT if request.config.getoption("--nightly") else ROUNDS


def environment_of(world, target):
    result = {"MASTHEAD_DATABASE": "nowhere", "MASTHEAD_OUTPUT": world.settings.output}
    return os.environ | result | target


def begun(environment):
    words = [sys.executable, "app.py", "publish"]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(words, cwd=ROOT, env=environment, **pipes)


def ended(process):
    _, result = process.communicate(timeout=60)
    return SimpleNamespace(code=process.returncode, output=result)


def killed_at(bucket, environment, step, moment):
    """Publish, and die before or after this change of the bucket, if it comes."""
    left = [step]

    def die(method, key):
        left[0] -= 1
        if left[0] == 0:
            process.kill()

    setattr(bucket, moment, die)
    process = begun(environment)
    found = ended(process)
    setattr(bucket, moment, lambda method, key: None)
    return found


def happens(world, chance):
    for _ in range(chance.randint(1, 3)):
        event = chance.choice(EVENTS)
        event(world, chance.choice(SERVICES), chance.randrange(4))
    world.build()


def test_bucket(world, bucket, chance, rounds):
    """After any history of changes and kills the bucket equals the output."""
    environment = environment_of(world, bucket.environment("a/site"))
    bucket.objects["a/site/own.txt"] = bucket.objects["a/own.txt"] = own = object()
    add_service(world, "api", 1)
    deaths = 0

    for _ in range(rounds):
        happens(world, chance)
        moment, step = chance.choice(("before", "after")), chance.randint(1, MOST_STEPS)
        found = killed_at(bucket, environment, step, moment)
        deaths += found.code == -signal.SIGKILL
        assert found.code in (0, -signal.SIGKILL), found.output
    assert ended(begun(environment)).code == 0

    assert (
        bucket.objects.pop("a/site/own.txt") is bucket.objects.pop("a/own.txt") is own
    )
    assert bucket.site("a/site") == with_headers(files_of(world.folders.path))
    assert deaths > 0


def test_folder(world, tmp_path, chance, rounds):
    """The same holds for a folder, at any moment; files of others stay."""
    target = tmp_path / "web"
    environment = environment_of(world, {"MASTHEAD_PUBLISH": str(target)})
    target.mkdir()
    (target / "own.txt").write_bytes(OURS)
    add_service(world, "api", 1)
    deaths = 0

    for _ in range(rounds):
        happens(world, chance)
        before = stamp(target)
        process = begun(environment)
        while stamp(target) == before and process.poll() is None:
            time.sleep(0.001)
        time.sleep(chance.random() * 0.03)
        process.kill()
        found = ended(process)
        deaths += found.code == -signal.SIGKILL
        assert found.code in (0, -signal.SIGKILL), found.output
    assert ended(begun(environment)).code == 0

    assert files_of(target) == files_of(world.folders.path) | {"own.txt": OURS}
    assert not [*target.rglob("*.draft")]
    assert deaths > 0


def stamp(target):
    """Return what distinguishes a claim from the previous one."""
    try:
        return (target / LEASE).stat().st_ino
    except FileNotFoundError:
        return 0


class CachingCdn:
    """Caches every page that it has seen, until it is purged."""

    def __init__(self, bucket, purge_file):
        self.bucket, self.purge_file, self.cached = bucket, purge_file, {}

    def update(self, url):
        """
        Purge what the hook was given, and cache the current pages, or their absence.
        """
        if self.purge_file.exists():
            for each in self.purge_file.read_text().splitlines():
                self.cached.pop(each.removeprefix(url), None)
            self.purge_file.unlink()
        served = self.served()
        for at in {*served, *self.cached, "/guides/first/", "/guides/second/"}:
            self.cached.setdefault(at, served.get(at))

    def served(self):
        return {
            url_path(path): content
            for path, (content, *_) in self.bucket.site("").items()
            if cache_class(path) in ("page", "volatile") and path_rule(path)
        }


def test_nothing_is_left_unpurged(world, bucket, tmp_path, chance, rounds):
    """
    A CDN that purges what the hook is given serves the current pages, after any kills.
    """
    result, fails = tmp_path / "told", tmp_path / "fails"
    hook = f"sh -c 'test ! -e {fails} && cat >> {result}'"
    environment = environment_of(world, bucket.environment(MASTHEAD_PUBLISH_HOOK=hook))
    add_service(world, "api", 1)
    cdn = CachingCdn(bucket, result)

    for _ in range(rounds):
        happens(world, chance)
        fails.touch() if chance.random() < 0.3 else fails.unlink(missing_ok=True)
        found = killed_at(bucket, environment, chance.randint(1, MOST_STEPS), "after")
        cdn.update(world.settings.site_url)
        assert found.code in (0, 1, -signal.SIGKILL), found.output
    fails.unlink(missing_ok=True)
    assert ended(begun(environment)).code == 0
    cdn.update(world.settings.site_url)

    served = cdn.served()
    assert {at for at, it in cdn.cached.items() if it != served.get(at)} == set()
