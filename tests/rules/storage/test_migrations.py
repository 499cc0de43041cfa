"""The migrations, and the rows they are for."""

import shutil
from importlib import import_module
from pkgutil import walk_packages
from runpy import run_path

import pytest
from peewee import IntegrityError
from playhouse.schema_diff import diff_models

import models
from models import audit
from models.audit import AuditTarget
from models.base import Row, epoch_ms
from models.notifications.rows import EventRow, FormerSecretRow, SubscriptionRow
from models.platform.keys import KeyRow
from models.projects.documents.rows import DocumentAliasRow, DocumentRow
from models.projects.members.members import MemberRow
from models.projects.projects.rows import ProjectRow
from models.projects.search.search import ListHits, search_hits
from models.status.incidents.incidents import IncidentRow, severity_spans
from models.status.maintenance.windows import MaintenanceRow
from models.status.services.notified_states import NotifiedStateRow
from models.status.services.rows import ServiceRow
from models.storage import schema
from models.storage.database import database, migrate, open_database
from tests.conftest import NOON
from tests.worlds.full_project import Maker
from tests.worlds.projects import make_project

PROJECT = {
    "id": "p",
    "slug": "atlas",
    "name": "Atlas",
    "status": "active",
    "owner_id": "o",
    "builtin": False,
    "created_at": NOON,
    "updated_at": NOON,
}
CREATED = {"created_at": NOON, "updated_at": NOON}

pytestmark = pytest.mark.both_engines


def rows(of=Row):
    for each in of.__subclasses__():
        yield each
        yield from rows(each)


def of_words(change):
    """On a server the index of words is a column that no row has, and its index."""
    table, name, *_ = change
    is_words = (table, name.removeprefix("indexed_text_")) == ("indexed_text", "words")
    return is_words and database.kind == "postgresql"


def test_schema_of_a_new_database(store):
    """The migrations make exactly the tables that the rows describe."""
    for each in walk_packages(models.__path__, "models."):
        if "migrations" not in each.name:
            import_module(each.name)

    kinds = diff_models(store, sorted(rows(), key=lambda row: row.__name__))

    found = [change for kind in kinds for change in kind]
    assert [each for each in found if not of_words(each)] == []


def migration(folder, name, body):
    """Add a migration to those of the release, as a later release would."""
    lines = "\n".join(f"    {line}" for line in body)
    (folder / f"{name}.py").write_text(f"def up(migrator, db):\n{lines}\n")


@pytest.fixture
def fresh(settings):
    """A database that was migrated and holds nothing yet, for this test alone."""
    open_database(settings.database)
    migrate()
    yield database
    database.close()


@pytest.fixture
def migrations(tmp_path, monkeypatch):
    """A copy of the folder of migrations, to which a test may add some."""
    folder = tmp_path / "migrations"
    shutil.copytree(schema.MIGRATIONS, folder)
    monkeypatch.setattr(schema, "MIGRATIONS", folder)
    return folder


def applied_names(fresh):
    rows = fresh.execute_sql("SELECT name FROM schema_migration ORDER BY id")
    return [name for (name,) in rows.fetchall()]


def test_earlier_rotations(settings, migrations):
    """A key that was rotated before the release that records it counts as replaced."""
    (step,) = migrations.glob("*_key_replaced_at.py")
    step.rename(later := migrations.parent / step.name)
    open_database(settings.database)
    migrate()
    for id in ("rotated", "other"):
        key = {"id": id, "prefix": id, "hash": id, "name": id, "scopes": ["a"]}
        KeyRow.insert(**key, created_at=NOON, issuer="x", lineage=id).execute()
    target = AuditTarget("key", "rotated", None)
    audit.append("platform", actor="x", action="rotate", target=target, now=NOON)

    later.rename(step)
    migrate()

    replaced = {key.id: key.replaced_at for key in KeyRow}
    database.close()
    assert replaced == {"rotated": NOON, "other": None}


def test_earlier_summaries(settings, migrations, clock):
    """A document from before the release that indexes summaries is found by its own."""
    (step,) = migrations.glob("*_searched_summaries.py")
    step.rename(later := migrations.parent / step.name)
    open_database(settings.database)
    migrate()
    make = Maker(make_project("atlas", clock.now), clock.now, "plain")
    ids = [make.document(slug).id for slug in ("a", "b")]
    DocumentRow.update(summary="quillfeather").where(DocumentRow.id == ids[0]).execute()

    later.rename(step)
    migrate()

    hits = search_hits(ListHits(q="quillfeather plain")).items
    database.close()
    assert [hit.entity_id for hit in hits] == ids[:1]


def test_earlier_former_addresses(settings, migrations, clock):
    """A document that moved before aliases were whole addresses still redirects."""
    (step,) = migrations.glob("*_document_aliases.py")
    step.rename(later := migrations.parent / step.name)
    open_database(settings.database)
    migrate()
    make = Maker(make_project("docs", clock.now), clock.now, "plain")
    ids = [make.document(slug).id for slug in ("a", "b")]
    statement = "INSERT INTO former_address (document_id, collection) VALUES (?, ?)"
    for number, collection in ((0, "guides"), (1, "guides"), (0, "support")):
        database.execute_sql(statement, (ids[number], collection))

    later.rename(step)
    migrate()

    aliases = [(row.document_id, row.address) for row in DocumentAliasRow]
    tables = database.get_tables()
    database.close()
    assert aliases == [
        (ids[0], "/guides/a/"),
        (ids[1], "/guides/b/"),
        (ids[0], "/support/a/"),
    ]
    assert "former_address" not in tables


def test_earlier_notifications(settings, migrations):
    """What subscribers were told, and a former secret that still signs, are kept."""
    (step,) = migrations.glob("*_notified.py")
    step.rename(later := migrations.parent / step.name)
    open_database(settings.database)
    migrate()
    keep_earlier_notifications()

    later.rename(step)
    migrate()

    events = EventRow.select().order_by(EventRow.number)
    told = [(row.id, row.notified_up_to, row.notified_at) for row in events]
    windows = {row.id: row.is_notified for row in MaintenanceRow}
    states = [(row.state, row.changed_to, row.changed_at) for row in NotifiedStateRow]
    hooks = {row.id: bytes(row.sealed_secret) for row in SubscriptionRow}
    former = [
        (row.subscription_id, bytes(row.sealed_secret), row.expires_at)
        for row in FormerSecretRow
    ]
    database.close()
    assert told == [("told", "rotated", NOON), ("waiting", None, None)]
    assert windows == {"loud": True, "quiet": False}
    assert states == [("degraded", "operational", NOON)]
    assert hooks == {"rotated": b"new", "other": b"new"}
    assert former == [("rotated", b"old", NOON)]


def keep_earlier_notifications():
    """Write rows as the release before the names of now did."""
    tables = run_path(str(schema.MIGRATIONS / "0011_notifications.py"))
    at, text = epoch_ms(NOON), {"events": "[]", "services": "[]", "source": "operator"}
    number = ServiceRow.insert(
        id="api", slug="api", name="API", display_order=1, enabled=True, **CREATED
    ).execute()
    statement = (
        "INSERT INTO maintenance (id, title, starts_at, ends_at, written, is_told,"
        " created_at, updated_at) VALUES (?, 'Move', ?, ?, 'scheduled', ?, ?, ?)"
    )
    for id, is_told in (("loud", True), ("quiet", False)):
        database.execute_sql(statement, (id, at, at, is_told, at, at))
    with database.obj.bind_ctx(tables["TABLES"]):
        for id, former in (("rotated", b"old"), ("other", None)):
            tables["SubscriptionRow"].create(
                **text | {"id": id, "channel": "webhook", "address": id},
                **{"state": "active", "sealed_secret": b"new", "former_secret": former},
                former_secret_until=at if former else None,
                created_at=at,
                updated_at=at,
            )
        for id, told in (
            ("told", {"told_to": "rotated", "told_at": at}),
            ("waiting", {}),
        ):
            tables["EventRow"].create(
                **{"id": id, "type": "incident.opened", "subject_id": id, "phase": ""},
                **{"area": "status", "services": "[]", "path": "/", "data": "{}"},
                **told | {"at": at},
            )
        tables["ToldStateRow"].create(
            service=number, state="degraded", changed_to="operational", changed_at=at
        )


def test_earlier_incidents(settings, migrations):
    """An incident from before the history of severities had its severity all along."""
    (step,) = migrations.glob("*_incident_severities.py")
    step.rename(later := migrations.parent / step.name)
    open_database(settings.database)
    migrate()
    values = {"title": "Errors", "status": "investigating", "severity": "degraded"}
    IncidentRow.insert(id="i", started_at=NOON, **values, **CREATED).execute()

    later.rename(step)
    migrate()

    spans = severity_spans(IncidentRow.select())
    database.close()
    assert spans == {"i": [("degraded", NOON, None)]}


def test_earlier_mailboxes(settings, migrations):
    """The limits of a mailbox hold for the subscriptions from before them."""
    (step,) = migrations.glob("*_mailboxes.py")
    step.rename(later := migrations.parent / step.name)
    open_database(settings.database)
    migrate()
    at = epoch_ms(NOON)
    for id, channel, address, live_key in (
        ("live", "email", "Ada@Bücher.example", "email ada@xn--bcher-kva.example"),
        ("ended", "email", "Ada@example.com", None),
        ("hook", "webhook", "https://a.example/", "webhook https://a.example:443/"),
    ):
        database.execute_sql(
            "INSERT INTO subscription (id, channel, address, live_key, state, events,"
            " services, source, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, 'active', '[]', '[]', 'self', ?, ?)",
            (id, channel, address, live_key, at, at),
        )

    later.rename(step)
    migrate()

    mailboxes = {row.id: row.mailbox for row in SubscriptionRow}
    database.close()
    assert mailboxes == {
        "live": "ada@xn--bcher-kva.example",
        "ended": "ada@example.com",
        "hook": None,
    }


def test_migrations_run_once(store):
    """A database that is up to date stays as it is."""
    assert migrate() == []


def test_unknown_migration(fresh):
    """A database with a migration that is not here is refused, and left alone."""
    fresh.execute_sql("UPDATE schema_migration SET name = '0011_buckets' WHERE id = 1")
    before = applied_names(fresh)

    with pytest.raises(schema.NewerSchema, match="0011_buckets"):
        migrate()

    assert applied_names(fresh) == before


def test_migration_that_fails(fresh, migrations):
    """All pending migrations are one transaction: if one fails, none is applied."""
    before = applied_names(fresh)
    migration(migrations, "9998_fine", ["db.execute_sql('CREATE TABLE fine (a INT)')"])
    migration(
        migrations,
        "9999_broken",
        ["db.execute_sql('CREATE TABLE broken (a INT)')", "raise ValueError('broken')"],
    )

    with pytest.raises(ValueError, match="broken"):
        migrate()

    assert not {"fine", "broken"} & set(fresh.get_tables())
    assert applied_names(fresh) == before


@pytest.mark.sqlite
def test_remade_table_keeps_the_rows_that_refer_to_it(store, migrations):
    """SQLite alters most things by making a table anew: its children stay."""
    project = ProjectRow.create(**PROJECT)
    MemberRow.create(project=project, account_id="a", role="owner", created_at=NOON)
    migration(
        migrations,
        "9999_remade",
        [
            "db.execute_sql('CREATE TABLE remade AS SELECT * FROM project')",
            "db.execute_sql('DROP TABLE project')",
            "db.execute_sql('ALTER TABLE remade RENAME TO project')",
            "db.execute_sql('CREATE UNIQUE INDEX project_id ON project (id)')",
        ],
    )

    assert migrate() == ["9999_remade"]

    assert [row.account_id for row in MemberRow] == ["a"]
    assert store.pragma("foreign_keys") == 1


@pytest.mark.sqlite
def test_migration_that_loses_rows(store, migrations):
    """A migration after which a row refers to nothing is rolled back."""
    project = ProjectRow.create(**PROJECT)
    MemberRow.create(project=project, account_id="a", role="owner", created_at=NOON)
    migration(migrations, "9999_loses", ["db.execute_sql('DELETE FROM project')"])

    with pytest.raises(IntegrityError, match="member"):
        migrate()

    assert ProjectRow.select().count() == 1
