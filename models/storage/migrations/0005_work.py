"""Work items, labels, milestones, specifications, comments and references."""

from peewee import *

# In SQLite the index of words follows the texts by itself, whoever writes them.
WORDS = {
    "sqlite": (
        "CREATE VIRTUAL TABLE text_index USING fts5(title, body,"
        " content='indexed_text', content_rowid='number',"
        " tokenize='unicode61 remove_diacritics 2')",
        "CREATE TRIGGER indexed_text_added AFTER INSERT ON indexed_text BEGIN"
        " INSERT INTO text_index(rowid, title, body)"
        " VALUES (new.number, new.title, new.body); END",
        "CREATE TRIGGER indexed_text_removed AFTER DELETE ON indexed_text BEGIN"
        " INSERT INTO text_index(text_index, rowid, title, body)"
        " VALUES ('delete', old.number, old.title, old.body); END",
        "CREATE TRIGGER indexed_text_changed AFTER UPDATE ON indexed_text BEGIN"
        " INSERT INTO text_index(text_index, rowid, title, body)"
        " VALUES ('delete', old.number, old.title, old.body);"
        " INSERT INTO text_index(rowid, title, body)"
        " VALUES (new.number, new.title, new.body); END",
    ),
    "postgresql": (
        "ALTER TABLE indexed_text ADD COLUMN words tsvector",
        "CREATE INDEX indexed_text_words ON indexed_text USING gin (words)",
    ),
}

DOCUMENTS = (
    "INSERT INTO indexed_text (project_id, entity_type, entity_id, title, body)"
    " SELECT d.project_id, 'document', d.id, d.title, r.content FROM document d"
    " JOIN document_revision r ON r.document_id = d.id AND r.version = d.version"
)


def up(migrator, db):
    migrator.migrate(
        migrator.add_column("project", "last_number", IntegerField(default=0)),
    )

    class ProjectRow(Model):
        id = TextField(primary_key=True)

        class Meta:
            database = db
            table_name = "project"

    class LabelRow(Model):
        id = TextField(primary_key=True)
        project = ForeignKeyField(
            ProjectRow, on_delete="CASCADE", null=True, index=False
        )
        name = TextField(index=True)
        created_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "label"
            indexes = ((("project", "name"), True),)

    db.create_tables([LabelRow])

    class MilestoneRow(Model):
        id = TextField(primary_key=True)
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
        name = TextField()
        description = TextField(null=True)
        status = TextField()
        bucket = TextField()
        target_at = BigIntegerField(null=True)
        created_at = BigIntegerField()
        updated_at = BigIntegerField()
        archived_at = BigIntegerField(null=True)

        class Meta:
            database = db
            table_name = "milestone"

    db.create_tables([MilestoneRow])

    class SpecificationRow(Model):
        id = TextField(primary_key=True)
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
        title = TextField()
        slug = TextField()
        status = TextField()
        version = IntegerField()
        creator_id = TextField()
        creator_type = TextField()
        created_at = BigIntegerField()
        updated_at = BigIntegerField()
        superseded_at = BigIntegerField(null=True)
        superseded_by = TextField(null=True, index=True)
        archived_at = BigIntegerField(null=True)

        class Meta:
            database = db
            table_name = "specification"
            indexes = (
                (("project", "slug"), True),
                (("updated_at", "id"), False),
            )

    db.create_tables([SpecificationRow])

    class SpecificationRevisionRow(Model):
        id = TextField(primary_key=True)
        specification = ForeignKeyField(
            SpecificationRow, on_delete="CASCADE", index=False
        )
        version = IntegerField()
        title = TextField()
        status = TextField()
        summary = TextField(null=True)
        author_id = TextField()
        author_type = TextField()
        created_at = BigIntegerField()
        size = IntegerField()
        content = TextField()

        class Meta:
            database = db
            table_name = "specification_revision"
            indexes = ((("specification", "version"), True),)

    db.create_tables([SpecificationRevisionRow])

    class WorkItemRow(Model):
        id = TextField(primary_key=True)
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
        number = IntegerField()
        type = TextField()
        title = TextField()
        description = TextField(null=True)
        status = TextField()
        priority = IntegerField()
        bucket = IntegerField()
        creator_id = TextField()
        creator_type = TextField()
        milestone = ForeignKeyField(MilestoneRow, on_delete="SET NULL", null=True)
        due_at = BigIntegerField(null=True)
        created_at = BigIntegerField()
        updated_at = BigIntegerField()
        completed_at = BigIntegerField(null=True)
        archived_at = BigIntegerField(null=True)

        class Meta:
            database = db
            table_name = "work_item"
            indexes = (
                (("project", "number"), True),
                (("project", "updated_at", "id"), False),
                (("project", "created_at", "id"), False),
                (("project", "due_at", "id"), False),
                (("project", "priority", "id"), False),
                (("project", "bucket", "id"), False),
                (("updated_at", "id"), False),
                (("created_at", "id"), False),
                (("due_at", "id"), False),
                (("priority", "id"), False),
                (("bucket", "id"), False),
                (("number", "id"), False),
                (("status",), False),
                (("creator_id",), False),
                (("completed_at",), False),
            )

    db.create_tables([WorkItemRow])

    class WorkAssigneeRow(Model):
        number = AutoField()
        work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
        account_id = TextField(index=True)

        class Meta:
            database = db
            table_name = "work_assignee"
            indexes = ((("work", "account_id"), True),)

    db.create_tables([WorkAssigneeRow])

    class WorkLabelRow(Model):
        number = AutoField()
        work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
        label = ForeignKeyField(LabelRow, on_delete="CASCADE")

        class Meta:
            database = db
            table_name = "work_label"
            indexes = ((("work", "label"), True),)

    db.create_tables([WorkLabelRow])

    class WorkSpecificationRow(Model):
        number = AutoField()
        work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
        specification = ForeignKeyField(SpecificationRow, on_delete="CASCADE")
        relationship = TextField()

        class Meta:
            database = db
            table_name = "work_specification"
            indexes = ((("work", "specification", "relationship"), True),)

    db.create_tables([WorkSpecificationRow])

    class WorkRelationshipRow(Model):
        number = AutoField()
        source = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
        target = ForeignKeyField(WorkItemRow, on_delete="CASCADE")
        relationship = TextField()
        created_by = TextField()
        created_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "work_relationship"
            indexes = ((("source", "target", "relationship"), True),)

    db.create_tables([WorkRelationshipRow])

    class CommentRow(Model):
        id = TextField(primary_key=True)
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
        entity_type = TextField()
        entity_id = TextField(index=True)
        author_id = TextField()
        author_type = TextField()
        content = TextField()
        created_at = BigIntegerField()
        updated_at = BigIntegerField()
        deleted_at = BigIntegerField(null=True)

        class Meta:
            database = db
            table_name = "comment"
            indexes = ((("project", "created_at", "id"), False),)

    db.create_tables([CommentRow])

    class ExternalReferenceRow(Model):
        id = TextField(primary_key=True)
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
        entity_type = TextField()
        entity_id = TextField(index=True)
        system = TextField()
        kind = TextField()
        url = TextField(null=True, index=True)
        external_id = TextField(null=True)
        title = TextField(null=True)
        state = TextField(null=True)
        metadata = TextField(null=True)
        creator_id = TextField()
        creator_type = TextField()
        created_at = BigIntegerField()
        updated_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "external_reference"
            indexes = ((("system", "external_id"), False),)

    db.create_tables([ExternalReferenceRow])

    class IndexedTextRow(Model):
        number = AutoField()
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
        entity_type = TextField()
        entity_id = TextField(unique=True)
        title = TextField()
        body = TextField()

        class Meta:
            database = db
            table_name = "indexed_text"

    db.create_tables([IndexedTextRow])

    for each in (*WORDS[db.kind], DOCUMENTS):
        db.execute_sql(each)
