"""The digest of each revision's text, and rendered Markdown by what it was made of."""

from hashlib import sha256

from peewee import *

COLUMNS = "id, document_id, version, title, summary, note, author_id, author_type, created_at, size"


def _copy_rows(db):
    db.connection().create_function(
        "digest_of", 1, lambda text: sha256(text.encode()).hexdigest()
    )
    db.execute_sql(
        f"INSERT INTO document_revision_now ({COLUMNS}, digest, content)"  # noqa: S608
        f" SELECT {COLUMNS}, digest_of(content), content FROM document_revision"
    )


def up(migrator, db):
    class DocumentRow(Model):
        id = TextField(primary_key=True)

        class Meta:
            database = db
            table_name = "document"

    class DocumentRevisionRow(Model):
        id = TextField(primary_key=True)
        document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
        version = IntegerField()
        title = TextField()
        summary = TextField(null=True)
        note = TextField(null=True)
        author_id = TextField()
        author_type = TextField()
        created_at = BigIntegerField()
        size = IntegerField()
        digest = TextField()
        content = TextField()

        class Meta:
            database = db
            table_name = "document_revision_now"

    # A column added to a table stands last, behind the text, where reading it would
    # cost as much as reading the text. So the table is made anew.
    db.create_tables([DocumentRevisionRow])
    # No server was asked to keep anything by an earlier release.
    if db.kind == "sqlite":
        _copy_rows(db)
    db.execute_sql("DROP TABLE document_revision")
    migrator.migrate(
        migrator.rename_table("document_revision_now", "document_revision")
    )
    db.execute_sql(
        'CREATE UNIQUE INDEX "documentrevisionrow_document_id_version"'
        ' ON "document_revision" ("document_id", "version")'
    )

    class BodyRow(Model):
        key = TextField(primary_key=True)
        links = TextField()
        headings = TextField()
        html = BlobField()

        class Meta:
            database = db
            table_name = "body"

    db.create_tables([BodyRow])
