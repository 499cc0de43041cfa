"""Moving everything from one engine to the other and back, unchanged."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from io import BytesIO

import pytest

from models.changes import mark, marks
from models.idempotency import StoredResponseRow
from models.platform.keys import KeyRow
from models.projects.documents.rendered_bodies import BodyRow
from models.projects.documents.rows import DocumentRow
from models.projects.files.contents import store_content
from models.projects.files.rows import FileChunkRow, FileRow, PinnedFileRow
from models.projects.files.uploads import Upload
from models.projects.projects.projects import ensure_docs_project
from models.projects.projects.rows import ProjectRow
from models.status.services.rows import ServiceRow
from models.storage.copy import copy_database
from models.storage.database import (
    database,
    engine_for,
    migrate,
    open_database,
    writing,
)
from models.storage.engines.engine import SearchTerm
from models.storage.integrity import integrity_problems
from models.storage.schema import tables_of
from tests import world
from tests.commands.conftest import ROOT, fetch, serving
from tests.conftest import NOON
from tests.factories.corrections import make_corrections
from tests.factories.full_project import make_full
from tests.factories.life import Life
from tests.factories.projects import OWNER

LIST = "GET /projects/v1/projects/list"
ADD = "POST /status/v1/admin/services/add"
# Characters with a meaning in the copy format.
ODD = "tab\t line\n\r back\\slash \\N \\. 'quote' \"double\" é 𝄞 \x01 \x7f %s ? $1"


@pytest.fixture
def rich(store, settings, clock):
    """All kinds of rows, with values at the limits."""
    ensure_docs_project(
        clock.now, slug=settings.docs_slug, owner_id=settings.docs_owner_id
    )
    people = world.people(clock.now)
    world.populate(clock.now, days=2)
    make_full(clock.now)
    with writing():
        make_corrections(clock.now)
        KeyRow.update(rate_capacity=2**53, rate_refill=0.1, issuer=ODD).execute()
        ServiceRow.update(enabled=False, description="", group=None).where(
            ServiceRow.number == 2
        ).execute()
        ProjectRow.update(description=ODD).execute()
        BodyRow.create(key="k", links="[]", headings="[]", html=bytes(range(256)))
        BodyRow.create(key="", links="", headings="", html=b"")
        edges = {"secret_offset": 2**63 - 1, "completed_at": -(2**63)}
        StoredResponseRow.create(id="", fingerprint="\\.", body=b"\\x00", **edges)
        _store_file()
        mark("docs")
    return people


def _store_file():
    """
    Store a file in two chunks with every byte, and a published version that shows it.
    """
    content = bytes(range(256)) * 1_500 + b"\\x00\\N\t\n"
    upload = Upload(BytesIO(content), len(content), "a" * 64, "b" * 64, (3, 2))
    store_content(upload)
    document = DocumentRow.select().order_by(DocumentRow.id).first()
    FileRow.create(
        id="file",
        project=document.project_id,
        name="images/a.png",
        content=upload.digest,
        source_digest=upload.source_digest,
        source_size=2**40,
        source_modified_ns=2**60,
        creator_id=OWNER,
        creator_type="account",
        created_at=NOON,
        updated_at=NOON,
    )
    PinnedFileRow.insert(
        document=document.id, version=1, name="images/a.png", content=upload.digest
    ).execute()
    assert FileChunkRow.select().count() == 2


@pytest.fixture
def move(settings, monkeypatch, command):
    """Move an instance; return the exit code, the output and the errors."""

    def moved(start, end, *more):
        database.close()
        monkeypatch.setenv("MASTHEAD_DATABASE", str(start))
        result = command("move", end, *more)
        database.close()
        return result

    return moved


def rows_in(path):
    """Return every row of a file, without what its engine generates."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    with closing(sqlite3.connect(path)) as read:
        names = [name for (name,) in read.execute(query)]
        return {
            name: sorted(map(repr, read.execute(f'SELECT * FROM "{name}"')))
            for name in names
            if name != "schema_migration" and not name.startswith("text_index")
        }


def all_rows(address):
    """Return every stored row of an instance of either engine."""
    engine = engine_for(address)
    engine.configure(address)
    engine.connect()
    with engine.snapshot():
        found = {each.name: list(engine.read_rows(each)) for each in tables_of(engine)}
    engine.close()
    return found


def test_there_and_back(rich, settings, served, tmp_path, move):
    """From one engine to the other, back and there again: every row is equal."""
    before = all_rows(settings.database)
    other = [str(tmp_path / "other.db"), served]
    if settings.database.startswith("postgresql"):
        other.reverse()

    assert move(settings.database, other[1])[0] == 0
    assert move(other[1], other[0])[0] == 0

    assert all_rows(other[1]) == before
    assert all_rows(other[0]) == before
    assert sum(map(len, before.values())) > 1000


def test_file_to_file(rich, settings, served, tmp_path, move):
    """A file that was moved to PostgreSQL and back has the bytes of all rows."""
    first, second = tmp_path / "first.db", tmp_path / "second.db"

    code, out, _ = move(settings.database, first)
    assert move(first, served)[0] == move(served, second)[0] == 0

    found = rows_in(first)
    assert code == 0
    assert rows_in(second) == found
    assert f"{len(found['entry']):>12,} entry\n" in out
    assert f"{sum(map(len, found.values())):,} rows of {len(found)} tables" in out
    assert f"Set MASTHEAD_DATABASE to {first} and run build" in out


def found(word):
    match = database.match_query([SearchTerm(word)])
    return sorted(
        number for (number,) in database.execute(database.matching_texts(match))
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_lives(seed, api, store, settings, served, tmp_path, move):
    """After any history, search results and responses are the same."""
    life = Life(api, seed)
    for _ in range(120):
        life.step()
    result = [found(word) for word in ("lock", "cafe door")]
    back = str(tmp_path / "back.db")

    assert move(settings.database, served)[0] == move(served, back)[0] == 0

    for address in (served, back):
        open_database(address)
        assert [found(word) for word in ("lock", "cafe door")] == result
        assert integrity_problems() == []
    assert all(result)


def test_promises_hold(api, issue, settings, clock, served, move):
    """Keys, cursors and stored responses are valid on the other engine."""
    key, once = issue("*"), {"Idempotency-Key": "once"}
    first = api(ADD, {"slug": "api", "name": "API"}, key=key, headers=once)
    api(ADD, {"slug": "mail", "name": "Mail"}, key=key)
    for slug in ("one", "two"):
        made = {"slug": slug, "name": slug, "ownerId": OWNER}
        api("POST /projects/v1/projects/create", made, key=key)
    page = api(LIST, {"limit": 1}, key=key).json
    cursor = {"limit": 1, "cursor": page["meta"]["cursor"]}
    result, marked = api(LIST, cursor, key=key).json, marks()

    assert move(settings.database, served)[0] == 0
    open_database(served)

    again = api(ADD, {"slug": "api", "name": "API"}, key=key, headers=once)
    assert again.json == first.json
    assert api(LIST, cursor, key=key).json == result
    assert marks() == marked
    assert api(ADD, {"slug": "web", "name": "Web"}, key=key).status_code == 200
    numbers = [row.number for row in ServiceRow.select().order_by(ServiceRow.number)]
    assert numbers == [1, 2, 3]
    assert integrity_problems() == []


def test_site_is_the_same(rich, settings, build_site, served, tmp_path, move):
    """A build of the copy writes nothing, because its pages are the same."""
    build_site()

    assert move(settings.database, served)[0] == 0
    open_database(served)

    report = build_site()
    assert not report.written
    assert not report.removed


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_table_is_copied_or_derived(kind, served, tmp_path):
    """Tables and columns of later migrations are not forgotten."""
    engine = engine_for(address := served if kind == "postgresql" else "")
    with engine.create_empty(address or str(tmp_path / "new.db")):
        with copy_database(_empty(tmp_path), engine) as counts:
            named = {each for each in engine.derived if "." not in each}
            assert set(counts) | named == set(engine.get_tables())
            for table in tables_of(engine):
                found = {each.name for each in engine.get_columns(table.name)}
                derived = {
                    each.partition(".")[2]
                    for each in engine.derived
                    if each.startswith(f"{table.name}.")
                }
                assert set(table.columns) | derived == found
                assert table.key


def _empty(folder):
    """An empty instance, open."""
    open_database(str(folder / "empty.db"))
    migrate()
    return database.obj


def test_json(store, settings, served, move):
    """With --json, the copied rows are counted by table."""
    code, out, err = move(settings.database, served, "--json")

    copy_database = json.loads(out)["copied"]
    assert (code, err) == (0, "")
    assert copy_database == {name: len(rows) for name, rows in all_rows(served).items()}


def test_backup_of_a_server(rich, settings, environment, served, tmp_path, move):
    """A backup of PostgreSQL is a file that can be served; a later one replaces it."""
    assert move(settings.database, served)[0] == 0
    before, copy = all_rows(served), tmp_path / "copy.db"
    environment |= {"MASTHEAD_DATABASE": served}

    for _ in range(2):
        assert run("backup", copy, environment).returncode == 0
        assert run("backup", tmp_path, environment).returncode == 2

        found = all_rows(str(copy))
        rows = [row for row in found["instance"] if row[0] != "backed-up"]
        assert found | {"instance": rows} == before
    assert copy.stat().st_mode & 0o777 == 0o600
    with serving(environment | {"MASTHEAD_DATABASE": str(copy)}) as (_, address, _):
        services = fetch(f"{address}/status/v1/admin/services/list", rich.operator)
    assert len(json.loads(services)["data"]) == len(before["service"])


def run(command, path, environment):
    words = [sys.executable, "app.py", command, str(path)]
    return subprocess.run(words, cwd=ROOT, env=environment, capture_output=True)
