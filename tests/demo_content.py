"""The content of `app.py demo`: the sample world, the manual and live measurements."""

from datetime import datetime
from pathlib import Path

from api.commands.keys import issue_admin_key
from models import changes
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.fields import Actor
from models.runtime.commands import CommandError, Progress
from models.runtime.startup import is_new_or
from models.settings import Settings
from models.status.measurements.measurements import record_measurements
from models.storage.database import without_password, writing
from sitegen.sources.tree import read_tree
from tests import world


def require_demo(settings: Settings, *, is_forced: bool) -> None:
    """Raise CommandError if the database has other content than the demo's."""
    if not (is_forced or is_new_or(settings, world.is_demo)):
        raise CommandError(
            f"The database {without_password(settings.database)} has content that"
            " is not the demo's. The demo would add its documents and an admin key"
            " to it and, if it has no services, sample services, incidents and"
            " measurements. Set MASTHEAD_DATABASE to a new file, or use"
            " --into-existing."
        )


def load(settings: Settings, now: datetime, progress: Progress) -> list[str]:
    """Load the content, and return the lines that show its addresses."""
    world.populate(now)
    _import_manual(settings, now, progress)
    key = issue_admin_key(world.DEMO_EMAIL, ["*"], "Demo key", now)
    host, site = settings.server_url, settings.server_url + settings.site_path
    left_out = "no sample services were added: the database has other services"
    return [
        *([] if world.has_sample_services() else [left_out]),
        f"site     {site}/",
        f"status   {site}/status/",
        f"API      {host}/openapi.json",
        *([f"console  {host}/console/"] if settings.console == "on" else []),
        f"key      {key}",
    ]


def measure(settings: Settings, now: datetime) -> None:
    """Record measurements of the sample services, so that they stay fresh."""
    with writing():
        for batch in (batches := world.sample_measurements(now)):
            record_measurements(batch, now, retention=settings.raw_retention)
        if batches:
            changes.mark("status")


def _import_manual(settings: Settings, now: datetime, progress: Progress) -> None:
    folder = Path(__file__).parents[1] / "manual"
    actor = Actor("account", settings.docs_owner_id)
    options = ImportOptions("guides", now, actor, tree=folder.name, publish=True)
    import_documents(read_tree(folder).sources, options, progress)
