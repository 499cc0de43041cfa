"""Give each document a path, which is its address, and let it be unlisted."""

from peewee import BooleanField, TextField


def up(migrator, db):
    migrator.migrate(
        migrator.add_column("document", "path", TextField(default="")),
        migrator.add_column("document", "is_listed", BooleanField(default=True)),
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
