"""Opening an instance: made where there is none, one that must be there, on trial."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from peewee import PeeweeException

from models.commands.ending import CommandError
from models.errors import StorageBusy
from models.instance import create_instance_secrets
from models.platform.keys import add_bootstrap_key
from models.projects.projects.projects import DocsSlugTaken, ensure_docs_project
from models.settings import Settings
from models.storage.database import (
    database,
    database_exists,
    migrate,
    open_database,
    without_password,
    writing,
)
from models.storage.schema import NewerSchema


def open_instance(settings: Settings, now: datetime) -> list[str]:
    """
    Open the database, bring its tables up to date, make what must be there.

    Return the names of the migrations that were applied.
    """
    try:
        open_database(settings.database)
        applied = migrate()
        with writing():
            create_instance_secrets()
            if settings.bootstrap_key_sha256:
                add_bootstrap_key(settings.bootstrap_key_sha256, now)
        ensure_docs_project(
            now, slug=settings.docs_slug, owner_id=settings.docs_owner_id
        )
    except (OSError, PeeweeException, StorageBusy) as error:
        # In one line, without the question that a driver adds.
        reason = f"{error.__cause__ or error}".partition("\n")[0].rstrip("?.")
        raise CommandError(
            f"The database {without_password(settings.database)} cannot be used:"
            f" {reason}."
        ) from error
    except (DocsSlugTaken, NewerSchema) as error:
        raise CommandError(str(error)) from error
    return applied


def open_existing(settings: Settings, now: datetime) -> None:
    """Open a database that must be there: a wrong path is not a new instance."""
    if not database_exists(settings.database):
        raise CommandError(
            f"There is no database at {without_password(settings.database)}."
            " Start the server once, or run migrate."
        )
    open_instance(settings, now)


@contextmanager
def on_trial(settings: Settings, is_trial: bool) -> Iterator[Settings]:
    """Where there is no instance yet, a trial makes none."""
    if not is_trial or database_exists(settings.database):
        yield settings
        return
    with TemporaryDirectory() as folder:
        try:
            yield replace(settings, database=str(Path(folder) / "trial.db"))
        finally:
            database.close()
