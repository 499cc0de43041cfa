"""Open the database of an instance and prepare the instance for use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from peewee import PeeweeException

from models import instance
from models.errors import StorageBusy
from models.instance import create_instance_secrets, last_site_url
from models.platform.keys import add_bootstrap_key
from models.projects.documents.published import published_count
from models.projects.projects.projects import DocsSlugTaken, ensure_docs_project
from models.runtime.commands import CommandError
from models.settings import Settings
from models.status.services.catalogue import services_in_display_order
from models.storage.database import (
    database,
    database_exists,
    migrate,
    open_database,
    reading,
    without_password,
    writing,
)
from models.storage.schema import NewerSchema

# Those of the builder, the process of documents, a worker of each, the publisher, the
# election and the jobs.
BUILDER_CONNECTIONS = 12


def open_instance(settings: Settings, now: datetime) -> list[str]:
    """
    Open the database, create it if necessary, and migrate it to the current schema.

    Also create the instance's secrets, the bootstrap key and the docs project if they
    do not exist yet. Return the names of the migrations that were applied.
    """
    with _database_errors(settings):
        open_database(settings.database)
        _require_sessions(settings)
        applied = migrate()
        with writing():
            create_instance_secrets()
            if settings.bootstrap_key_sha256:
                add_bootstrap_key(settings.bootstrap_key_sha256, now)
        ensure_docs_project(
            now, slug=settings.docs_slug, owner_id=settings.docs_owner_id
        )
    return applied


def _require_sessions(settings: Settings) -> None:
    if not database.has_own_sessions():
        raise CommandError(
            f"A pooler at {without_password(settings.database)} lends a session of the"
            " database for each transaction or statement, as PgBouncer does with"
            " pool_mode = transaction. Writes would be lost or refused: set pool_mode ="
            " session, or connect to PostgreSQL directly."
        )


@contextmanager
def _database_errors(settings: Settings) -> Iterator[None]:
    """Raise CommandError for what is wrong with the database."""
    try:
        yield
    except (OSError, PeeweeException, StorageBusy, *database.errors) as error:
        # Drivers append hints and questions on further lines.
        cause = error.__cause__ or error
        text = getattr(cause, "strerror", None) or str(cause)
        reason = text.partition("\n")[0].rstrip("?.")
        raise CommandError(
            f"The database {without_password(settings.database)} cannot be used:"
            f" {reason}."
        ) from error
    except (DocsSlugTaken, NewerSchema) as error:
        raise CommandError(str(error)) from error


def is_new_or(settings: Settings, accept: Callable[[], bool]) -> bool:
    """
    Return whether there is no instance yet, or else what `accept` returns.

    Nothing is migrated: the database may be that of another release.
    """
    if not database_exists(settings.database):
        return True
    with _database_errors(settings):
        open_database(settings.database)
        with reading():
            return not database.table_exists("audit") or accept()


def record_site_url(settings: Settings) -> None:
    """Record the URL at which the site is served, for commands that make pages."""
    with _database_errors(settings):
        with reading():
            is_recorded = last_site_url() == settings.site_url
        # Without a need nothing is written: a server starts on a full disk too.
        if not is_recorded:
            with writing():
                instance.record_site_url(settings.site_url)


def require_connections(settings: Settings, processes: int) -> None:
    """
    Raise CommandError if the database allows fewer connections than a server needs.

    Each thread of the API has a connection of its own, and each process two more for
    the leader election and its jobs; the builder's process has a few.
    """
    limit = database.max_connections()
    required = processes * (settings.threads + 2) + BUILDER_CONNECTIONS
    if limit is not None and required > limit:
        raise CommandError(
            f"{processes} processes of {settings.threads} threads may need {required}"
            f" connections to the database, which allows {limit}. Lower"
            " MASTHEAD_PROCESSES or MASTHEAD_THREADS, or raise its max_connections."
        )


def open_existing_instance(settings: Settings, now: datetime) -> None:
    """Open the instance; raise CommandError if its database does not exist."""
    if not database_exists(settings.database):
        raise CommandError(
            f"There is no database at {without_password(settings.database)}."
            " Start the server once, or run migrate."
        )
    open_instance(settings, now)


@contextmanager
def dry_run_settings(settings: Settings, is_dry_run: bool) -> Iterator[Settings]:
    """Replace a database that does not exist by a temporary one during a dry run."""
    if not is_dry_run or database_exists(settings.database):
        yield settings
        return
    with TemporaryDirectory() as folder:
        try:
            yield replace(settings, database=str(Path(folder) / "dry-run.db"))
        finally:
            database.close()


def empty_site_hints() -> list[str]:
    """Return how to fill a site that is empty; its pages are for the public."""
    hints = []
    with reading():
        if not published_count():
            hints.append(
                "no documents are published; to import Markdown files, run"
                " app.py docs import FOLDER --collection guides --publish"
            )
        if not services_in_display_order():
            hints.append(
                "no services are listed; to add one, call"
                " POST /status/v1/admin/services/add"
            )
    return hints
