"""Give documents paths, which are their addresses, and more that files say."""

from peewee import BigIntegerField, BooleanField, TextField


def up(migrator, db):
    migrator.migrate(
        migrator.add_column("document", "path", TextField(default="")),
        migrator.add_column("document", "is_listed", BooleanField(default=True)),
        migrator.add_column("document", "changed_at", BigIntegerField(null=True)),
        migrator.add_column("document", "nav_title", TextField(null=True)),
    )
    db.execute_sql(
        "UPDATE document SET path = slug WHERE slug NOT IN ('index', 'readme')"
    )
    db.execute_sql(
        "INSERT INTO document_alias (document_id, address, is_declared)"
        " SELECT id, '/' || collection || '/' || slug || '/', false FROM document"
        " WHERE slug IN ('index', 'readme') AND collection IS NOT NULL"
    )
    migrator.migrate(
        migrator.drop_index("document", "documentrow_project_id_collection"),
        migrator.add_index("document", ("project_id", "collection", "path")),
    )
