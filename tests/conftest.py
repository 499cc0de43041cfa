"""Fixtures of every test: clock, settings, app, api, docs_project, audited, golden."""

import gc
import hashlib
import json
import os
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from tempfile import mkdtemp

import hypothesis
import pytest
from werkzeug.routing import Rule

from api.http.application import create_app
from api.http.problem_types import PROBLEM_TYPES
from api.operation import OPERATIONS, declare_operations
from models.audit import AuditRow
from models.changes import AREAS
from models.instance import create_instance_secrets
from models.platform.keys import CreateKey, issue_key
from models.platform.rate_limits import MemoryRateLimiter
from models.projects.projects.projects import ensure_docs_project
from models.settings import Settings
from models.storage.database import database, migrate, open_database, writing
from models.storage.engines.sqlite import PRAGMAS
from sitegen.builder.build import build
from sitegen.builder.preview import Preview
from sitegen.docs.body_cache import BodyCache
from sitegen.page import BuildContext, load_generators
from sitegen.theme import site_theme as site_theme_module
from sitegen.theme.card import make_card
from sitegen.theme.site_theme import site_theme
from tests.databases.changes_from_outside import OfFile, OfServer
from tests.databases.cluster import PROGRAMS
from tests.databases.databases import Files, databases
from tests.factories.docs_project import DocsProject

declare_operations()
load_generators()
ROUTES = {f"{each.method} {each.path}": each for each in OPERATIONS}
# Each process draws a card and compiles a route only once, because most tests have the
# same cards, and an application of their own.
site_theme_module.make_card = cache(make_card)
compile_builder, builders = Rule._compile_builder, {}


def compile_builder_once(rule, append_unknown=True):
    key = rule.rule, append_unknown
    if key not in builders:
        builders[key] = compile_builder(rule, append_unknown)
    return builders[key]


Rule._compile_builder = compile_builder_once
# Variables that the developer's shell exports must not reach the processes under test.
for name in list(os.environ):
    if name.startswith("MASTHEAD_") or name.lower().endswith("_proxy"):
        del os.environ[name]
# The duration of an example depends on the machine.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TESTS = Path(__file__).parent
GOLDEN = TESTS / "golden"
# The folders of tests that start commands and servers.
WAITING = ("commands", "crash", "deploy", "publishing", "servers")


def pytest_addoption(parser):
    parser.addoption(
        "--bless", action="store_true", help="rewrite the golden files; then look"
    )
    parser.addoption(
        "--engine",
        choices=("sqlite", "postgresql"),
        default="sqlite",
        help="what the database is",
    )
    parser.addoption(
        "--nightly", action="store_true", help="run all tests, on either engine"
    )


def pytest_collection_modifyitems(config, items):
    """Deselect the tests of the other engine, and the nightly ones in other runs."""
    engine, is_nightly = config.getoption("--engine"), config.getoption("--nightly")
    (other,) = {"sqlite", "postgresql"} - {engine}
    chosen = [item for item in items if is_chosen(item, engine, is_nightly)]
    config.hook.pytest_deselected(items=list(set(items) - set(chosen)))
    items[:] = in_turns(chosen)
    for item in items:
        if item.get_closest_marker(other):
            item.add_marker(pytest.mark.skip(reason=f"This is about {other} alone."))
        if engine == "postgresql" and not PROGRAMS:
            assert not os.environ.get("CI"), "CI needs postgresql: see the Makefile."
            item.add_marker(pytest.mark.skip(reason="PostgreSQL is not installed."))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One more than there are cores, since many tests wait for other processes."""
    return len(os.sched_getaffinity(0)) + 1


def in_turns(items):
    """
    Alternate files whose tests wait for processes with files whose tests compute.

    This keeps all cores busy. The browser tests stay together, so that one process of
    xdist starts the browser, and builds its sites, once.
    """
    files = [list(file) for _, file in groupby(items, key=lambda item: item.path)]
    browsing, waiting, computing = [], [], []
    for file in files:
        folder = file[0].path.relative_to(TESTS).parts[0]
        kind = waiting if folder in WAITING else computing
        (browsing if folder == "browser" else kind).append(file)
    turns = [
        ((number + 0.5) / len(kind), file)
        for kind in (waiting, computing)
        for number, file in enumerate(kind)
    ]
    mixed = [file for _, file in sorted(turns, key=lambda turn: turn[0])]
    return [item for file in [*browsing, *mixed] for item in file]


def is_chosen(item, engine, is_nightly):
    """
    Return whether this run includes the test.

    A PostgreSQL run repeats the tests that use a database; except at night, only those
    marked `postgresql` or `both_engines`.
    """
    if item.get_closest_marker("nightly") and not is_nightly:
        return False
    if engine == "sqlite":
        return True
    if "engine" not in item.fixturenames:
        return False
    markers = ("postgresql", "both_engines")
    return is_nightly or any(item.get_closest_marker(name) for name in markers)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Freeze the collected items, and collect garbage as rarely as the service does."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(5_000)
        gc.enable()


def skip_fsync(patch):
    """Disable fsync from here on."""
    patch.setattr(os, "fsync", lambda _: None)
    patch.setattr(os, "sync", lambda: None)
    patch.setitem(PRAGMAS, "synchronous", "off")


@pytest.fixture(scope="session", autouse=True)
def no_fsync():
    """Skip fsync: no test cuts the power, so written data is never lost."""
    with pytest.MonkeyPatch.context() as patch:
        skip_fsync(patch)
        yield patch


@pytest.fixture
def durable(no_fsync):
    """Enable fsync, as in the service; request it before the database."""
    no_fsync.undo()
    yield
    skip_fsync(no_fsync)


class Clock:
    """A clock that moves only when the test moves it."""

    def __init__(self, now=NOON):
        self.now = now
        self._steady_ns = 1

    def limiter(self):
        """Return the rate limiter of a server that has this clock."""
        return MemoryRateLimiter(lambda: self._steady_ns)

    def __call__(self):
        return self.now

    def pass_(self, **time):
        time = timedelta(**time)
        self.now += time
        # A steady clock is never set back.
        self._steady_ns += max(0, time // timedelta(microseconds=1)) * 1000


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="session")
def engine(request, tmp_path_factory):
    """The database engine of this run; it creates empty and populated databases."""
    if request.config.getoption("--engine") == "sqlite":
        yield Files(tmp_path_factory.mktemp("databases"))
        return
    # Not in a folder of pytest: only its own account may enter that, and its name is
    # too long for a socket.
    with databases(Path(mkdtemp(prefix="cluster"))) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def stride(request):
    """
    The step width with which a run goes through the points at which a process can die.
    """
    return 1 if request.config.getoption("--nightly") else 5


@pytest.fixture(scope="session")
def empty_database(engine):
    """A migrated database, created once and copied for each test."""
    open_database(address := engine.empty())
    migrate()
    with writing():
        create_instance_secrets()
    engine.at_rest()
    return address


@pytest.fixture
def home(tmp_path):
    """The folder that contains all files of the settings."""
    return tmp_path


@pytest.fixture
def settings(request, home, engine):
    is_made = "store" in request.fixturenames
    with engine.place(home / "masthead.db", is_made) as address:
        yield Settings(database=address, output=str(home / "output"))


@pytest.fixture
def beside(tmp_path, engine):
    """Return the address of another, empty database of this test."""
    yield lambda name: engine.at(tmp_path / name)
    engine.leave(tmp_path)


@pytest.fixture
def store(settings, empty_database, engine):
    """The database of this test, open."""
    engine.copy(empty_database, settings.database)
    open_database(settings.database)
    yield database
    database.close()


@pytest.fixture
def raw_database(request, store, settings):
    """Read or change the database of this test past the application."""
    kinds = {"sqlite": OfFile, "postgresql": OfServer}
    return kinds[request.config.getoption("--engine")](settings.database)


@pytest.fixture
def woken():
    """The areas that the builder was woken for, and which of these builds may wait."""
    return []


@pytest.fixture
def make_app(store, settings, clock, woken):
    """Make the application, with more arguments of `create_app`."""

    def wake_builder(area, is_deferrable):
        woken.append(f"{area}, deferrable" if is_deferrable else area)

    return partial(
        create_app,
        settings,
        clock=clock,
        wake_builder=wake_builder,
        preview=Preview(settings.output),
        rate_limiter=clock.limiter(),
        client_limiter=clock.limiter(),
    )


@pytest.fixture
def app(make_app):
    return make_app()


@pytest.fixture
def issue(store, clock):
    """Issue a key with these scopes and return its secret."""

    def issued(*scopes, issuer="ada@example.com", name="test", **more):
        request = CreateKey(name=name, scopes=list(scopes), **more)
        with writing():
            _, secret = issue_key(request, clock.now, issuer=issuer)
        return secret.text

    return issued


@pytest.fixture
def api(app, issue):
    """
    Call an operation: `api("POST /status/v1/…", {…})`.

    The key has the scope of the operation, one key for each scope. A required
    Idempotency-Key is derived from the body, so that the same call is a repeat. A
    `file` is sent as the body, with its parameters in the query.
    """
    client, keys = app.test_client(), {}

    def call(route, body=None, *, key=None, headers=None, file=None):
        operation = ROUTES[route]
        scope = operation.scope
        if key is None:
            key = keys[scope] = keys.get(scope) or issue(scope)
        sent = {"Authorization": f"Bearer {key}"}
        if operation.idempotent == "required":
            text = json.dumps(body, sort_keys=True, default=str).encode()
            sent["Idempotency-Key"] = hashlib.sha256(text).hexdigest()
        sent |= headers or {}
        if operation.method == "GET":
            return client.get(operation.path, query_string=body, headers=sent)
        if file is not None:
            return client.post(
                operation.path, query_string=body, data=file, headers=sent
            )
        if isinstance(body, bytes):
            return client.post(operation.path, data=body, headers=sent)
        return client.post(operation.path, json=body or {}, headers=sent)

    return call


@pytest.fixture
def docs_project(api, clock, settings):
    project = ensure_docs_project(
        clock.now, slug=settings.docs_slug, owner_id=settings.docs_owner_id
    )
    return DocsProject(api, project)


@pytest.fixture
def audited(store):
    """The actions in the audit log, oldest first."""

    def actions():
        rows = AuditRow.select(AuditRow.action).order_by(AuditRow.number)
        return [row.action for row in rows]

    return actions


@pytest.fixture
def build_site(store, settings, clock):
    """Build the site as it should be now, and return the report."""
    theme, bodies = site_theme(settings), BodyCache()
    result = {kind: asdict(problem) for kind, problem in PROBLEM_TYPES.items()}

    def built(
        areas=AREAS,
        *,
        settings=settings,
        output=None,
        openapi=None,
        problems=result,
        bodies=bodies,
        **more,
    ):
        into = replace(settings, output=str(output)) if output else settings
        shared = {"theme": theme, "bodies": bodies, "problems": problems}
        shared |= {"openapi": openapi or {}}
        return build(
            BuildContext(now=clock.now, settings=into, **shared), areas, **more
        )

    return built


@pytest.fixture
def output(settings):
    return Path(settings.output)


@pytest.fixture
def golden(request, settings):
    """Compare a file of the output, or a text, with its golden file."""
    bless = request.config.getoption("--bless")

    def assert_golden(name, text=None):
        found = text
        if found is None:
            found = (Path(settings.output) / name).read_text(encoding="utf-8")
        expected = GOLDEN / name
        if bless:
            expected.parent.mkdir(parents=True, exist_ok=True)
            expected.write_text(found, encoding="utf-8")
        assert found == expected.read_text(encoding="utf-8")

    return assert_golden
