"""Remember of each imported document its collection and what the import has seen."""

from peewee import IntegerField, TextField
from playhouse.migrate import migrate

# An import acts as the owner of the docs project: what others did later, people did.
RECORD_LAST_IMPORT = (
    "UPDATE document SET source_collection = collection, imported_activity ="
    " (SELECT MAX(activity.number) FROM activity"
    " JOIN project ON project.id = activity.project_id"
    " WHERE activity.entity_id = document.id"
    " AND activity.actor_id = project.owner_id)"
    " WHERE source_path IS NOT NULL"
)


def up(migrator, db):
    migrate(
        migrator.add_column("document", "source_collection", TextField(null=True)),
        migrator.add_column("document", "imported_activity", IntegerField(null=True)),
    )
    db.execute_sql(RECORD_LAST_IMPORT)
