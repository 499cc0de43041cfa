"""Create every table of the first release, with its indexes and triggers."""

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CompositeKey,
    FloatField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class AreaRow(Model):
    name = TextField(primary_key=True)
    marked = IntegerField(default=0)
    built = IntegerField(default=0)

    class Meta:
        table_name = "area"


class FailedPageRow(Model):
    path = TextField(primary_key=True)
    area = TextField()
    reason = TextField()
    at = BigIntegerField()

    class Meta:
        table_name = "failed_page"


class InstanceRow(Model):
    name = TextField(primary_key=True)
    value = TextField()

    class Meta:
        table_name = "instance"


class AuditRow(Model):
    number = AutoField()
    area = TextField()
    id = TextField(unique=True)
    actor = TextField()
    action = TextField()
    target_type = TextField()
    target_id = TextField()
    target_label = TextField(null=True)
    target_prefix = TextField(null=True)
    at = BigIntegerField()
    detail = TextField(null=True)
    link = TextField()

    class Meta:
        table_name = "audit"
        indexes = ((("area", "number"), True),)


class StoredResponseRow(Model):
    id = TextField(primary_key=True)
    fingerprint = TextField()
    body = BlobField()
    secret_offset = IntegerField(null=True)
    sealed_secret = BlobField(null=True)
    completed_at = BigIntegerField(index=True)
    sealed_by = TextField(null=True)

    class Meta:
        table_name = "stored_response"


class StoredResponseSubjectRow(Model):
    number = AutoField()
    response = ForeignKeyField(StoredResponseRow, on_delete="CASCADE", index=False)
    subject = TextField(index=True)

    class Meta:
        table_name = "stored_response_subject"
        indexes = ((("response", "subject"), True),)


class KeyRow(Model):
    id = TextField(primary_key=True)
    prefix = TextField(unique=True)
    hash = TextField(unique=True)
    name = TextField()
    scopes = TextField()
    created_at = BigIntegerField()
    expires_at = BigIntegerField(null=True)
    revoked_at = BigIntegerField(null=True)
    last_used_at = BigIntegerField(null=True)
    rate_capacity = IntegerField(null=True)
    rate_refill = FloatField(null=True)
    account_id = TextField(index=True, null=True)
    lifetime_days = IntegerField(null=True)
    issuer = TextField()
    lineage = TextField()
    replaced_at = BigIntegerField(null=True)

    class Meta:
        table_name = "key"
        indexes = ((("created_at", "id"), False),)


class ServiceRow(Model):
    number = AutoField()
    id = TextField(unique=True)
    slug = TextField(unique=True)
    name = TextField()
    description = TextField(null=True)
    hostname = TextField(null=True)
    group = TextField(null=True)
    display_order = IntegerField()
    enabled = BooleanField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "service"


class MeasurementRow(Model):
    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    observed_at = BigIntegerField()
    source = TextField()
    status = TextField()
    response_time_ms = IntegerField(null=True)

    class Meta:
        table_name = "measurement"
        without_rowid = True
        primary_key = CompositeKey("service", "observed_at", "source")


class ReadingRow(Model):
    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    source = TextField()
    observed_at = BigIntegerField()
    status = TextField()
    response_time_ms = IntegerField(null=True)

    class Meta:
        table_name = "reading"
        without_rowid = True
        primary_key = CompositeKey("service", "source")


class SourceKeyRow(Model):
    source = TextField()
    lineage = TextField()
    key_id = TextField()
    key_prefix = TextField()
    first_used_at = BigIntegerField()
    last_used_at = BigIntegerField(null=True)

    class Meta:
        table_name = "source_key"
        primary_key = CompositeKey("source", "lineage")


class HourRow(Model):
    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    starts_at = BigIntegerField()
    operational = IntegerField()
    degraded = IntegerField()
    down = IntegerField()
    time_sum = BigIntegerField()
    time_count = IntegerField()

    class Meta:
        table_name = "hour"
        without_rowid = True
        primary_key = CompositeKey("service", "starts_at")


class DayRow(Model):
    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    starts_at = BigIntegerField()
    operational = IntegerField()
    degraded = IntegerField()
    down = IntegerField()
    time_sum = BigIntegerField()
    time_count = IntegerField()
    excluded = IntegerField()

    class Meta:
        table_name = "day"
        without_rowid = True
        primary_key = CompositeKey("service", "starts_at")


class IncidentRow(Model):
    id = TextField(primary_key=True)
    title = TextField()
    status = TextField()
    severity = TextField()
    started_at = BigIntegerField()
    resolved_at = BigIntegerField(null=True)
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    removed_at = BigIntegerField(null=True)

    class Meta:
        table_name = "incident"
        indexes = ((("started_at", "id"), False),)


class EntryRow(Model):
    number = AutoField()
    id = TextField(unique=True)
    incident = ForeignKeyField(IncidentRow, on_delete="CASCADE")
    status = TextField()
    body = TextField()
    created_at = BigIntegerField()
    edited_at = BigIntegerField(null=True)
    removed_at = BigIntegerField(null=True)

    class Meta:
        table_name = "entry"


class IncidentUpdateVersionRow(Model):
    number = AutoField()
    incident_update = ForeignKeyField(EntryRow, on_delete="CASCADE")
    status = TextField()
    body = TextField()
    written_at = BigIntegerField()
    replaced_at = BigIntegerField()

    class Meta:
        table_name = "incident_update_version"


class IncidentTemplateRow(Model):
    id = TextField(primary_key=True)
    name = TextField(unique=True)
    title = TextField()
    severity = TextField()
    body = TextField()
    version = IntegerField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "incident_template"


class IncidentSeverityRow(Model):
    number = AutoField()
    incident = ForeignKeyField(IncidentRow, on_delete="CASCADE")
    severity = TextField()
    starts_at = BigIntegerField()

    class Meta:
        table_name = "incident_severity"


class MaintenanceRow(Model):
    id = TextField(primary_key=True)
    title = TextField()
    description = TextField(null=True)
    starts_at = BigIntegerField()
    ends_at = BigIntegerField()
    written = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    is_notified = BooleanField(default=True)
    removed_at = BigIntegerField(null=True)

    class Meta:
        table_name = "maintenance"
        indexes = ((("starts_at", "id"), False),)


class AffectedRow(Model):
    number = AutoField()
    subject = TextField(index=True)
    service = ForeignKeyField(ServiceRow, null=True, on_delete="SET NULL")
    slug = TextField()
    kept_name = TextField()

    class Meta:
        table_name = "affected"
        indexes = ((("slug", "subject"), False),)


class MovedRow(Model):
    source = TextField()
    type = TextField()
    old = TextField()
    subject = TextField()
    address = TextField(null=True)

    class Meta:
        table_name = "moved"
        primary_key = CompositeKey("source", "type", "old")


class ProjectRow(Model):
    id = TextField(primary_key=True)
    slug = TextField(unique=True)
    name = TextField()
    description = TextField(null=True)
    status = TextField()
    owner_id = TextField()
    builtin = BooleanField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    archived_at = BigIntegerField(null=True)
    last_number = IntegerField()

    class Meta:
        table_name = "project"


class MemberRow(Model):
    number = AutoField()
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    account_id = TextField(index=True)
    role = TextField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "member"
        indexes = ((("project", "account_id"), True),)


class ActivityRow(Model):
    number = AutoField()
    id = TextField(unique=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    actor_id = TextField()
    actor_type = TextField()
    entity_type = TextField()
    entity_id = TextField(index=True)
    action = TextField()
    metadata = TextField(null=True)
    created_at = BigIntegerField()

    class Meta:
        table_name = "activity"


class LabelRow(Model):
    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", null=True, index=False)
    name = TextField(index=True)
    created_at = BigIntegerField()

    class Meta:
        table_name = "label"
        indexes = ((("project", "name"), True),)


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
        table_name = "milestone"


class DocumentRow(Model):
    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    title = TextField()
    slug = TextField()
    type = TextField()
    summary = TextField(null=True)
    version = IntegerField()
    collection = TextField(null=True)
    section = TextField(null=True)
    position = IntegerField()
    published_version = IntegerField(null=True)
    published_at = BigIntegerField(null=True)
    creator_id = TextField()
    creator_type = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    archived_at = BigIntegerField(null=True)
    source_path = TextField(null=True)
    source_tree = TextField(null=True)
    source_collection = TextField(null=True)
    source_address = TextField(null=True)
    source_base = TextField(null=True)
    imported_activity = IntegerField(null=True)
    language = TextField(null=True)

    class Meta:
        table_name = "document"
        indexes = (
            (("project", "slug"), True),
            (("project", "collection"), False),
            (("updated_at", "id"), False),
        )


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
        table_name = "document_revision"
        indexes = ((("document", "version"), True),)


class DocumentAliasRow(Model):
    number = AutoField()
    document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
    address = TextField()
    is_declared = BooleanField()

    class Meta:
        table_name = "document_alias"
        indexes = ((("document", "address"), True),)


class BodyRow(Model):
    key = TextField(primary_key=True)
    links = TextField()
    headings = TextField()
    html = BlobField()

    class Meta:
        table_name = "body"


class FileContentRow(Model):
    digest = TextField(primary_key=True)
    size = IntegerField()
    width = IntegerField(null=True)
    height = IntegerField(null=True)

    class Meta:
        table_name = "file_content"


class FileChunkRow(Model):
    content = ForeignKeyField(
        FileContentRow, column_name="digest", on_delete="CASCADE", index=False
    )
    number = IntegerField()
    bytes = BlobField()

    class Meta:
        table_name = "file_chunk"
        primary_key = CompositeKey("content", "number")


class FileRow(Model):
    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    name = TextField()
    content = ForeignKeyField(FileContentRow, column_name="digest")
    source_digest = TextField()
    source_size = BigIntegerField(null=True)
    source_modified_ns = BigIntegerField(null=True)
    creator_id = TextField()
    creator_type = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "file"
        indexes = (
            (("project", "name"), True),
            (("updated_at", "id"), False),
        )


class PinnedFileRow(Model):
    document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
    version = IntegerField()
    name = TextField()
    content = ForeignKeyField(FileContentRow, column_name="digest")

    class Meta:
        table_name = "pinned_file"
        primary_key = CompositeKey("document", "version", "name")


class DocumentImportRow(Model):
    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    tree = TextField()
    collection = TextField()
    manifest = TextField()
    updated_at = BigIntegerField(index=True)

    class Meta:
        table_name = "document_import"
        indexes = ((("project", "tree", "collection"), False),)


class ImportTextRow(Model):
    document_import = ForeignKeyField(
        DocumentImportRow, column_name="import", on_delete="CASCADE", index=False
    )
    sha256 = TextField()
    size = IntegerField(null=True)
    content = TextField(null=True)

    class Meta:
        table_name = "import_text"
        primary_key = CompositeKey("document_import", "sha256")


class ImportFileRow(Model):
    document_import = ForeignKeyField(
        DocumentImportRow, column_name="import", on_delete="CASCADE", index=False
    )
    name = TextField()
    source_digest = TextField()
    content = ForeignKeyField(FileContentRow, column_name="digest", null=True)

    class Meta:
        table_name = "import_file"
        primary_key = CompositeKey("document_import", "name")


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
        table_name = "specification"
        indexes = (
            (("project", "slug"), True),
            (("updated_at", "id"), False),
        )


class SpecificationRevisionRow(Model):
    id = TextField(primary_key=True)
    specification = ForeignKeyField(SpecificationRow, on_delete="CASCADE", index=False)
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
        table_name = "specification_revision"
        indexes = ((("specification", "version"), True),)


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


class WorkAssigneeRow(Model):
    number = AutoField()
    work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
    account_id = TextField()

    class Meta:
        table_name = "work_assignee"
        indexes = ((("work", "account_id"), True),)


class WorkLabelRow(Model):
    number = AutoField()
    work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
    label = ForeignKeyField(LabelRow, on_delete="CASCADE", index=False)

    class Meta:
        table_name = "work_label"
        indexes = ((("work", "label"), True),)


class WorkSpecificationRow(Model):
    number = AutoField()
    work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
    specification = ForeignKeyField(SpecificationRow, on_delete="CASCADE")
    relationship = TextField()

    class Meta:
        table_name = "work_specification"
        indexes = ((("work", "specification", "relationship"), True),)


class WorkRelationshipRow(Model):
    number = AutoField()
    source = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
    target = ForeignKeyField(WorkItemRow, on_delete="CASCADE")
    relationship = TextField()
    created_by = TextField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "work_relationship"
        indexes = ((("source", "target", "relationship"), True),)


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
        table_name = "comment"
        indexes = ((("project", "created_at", "id"), False),)


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
        table_name = "external_reference"
        indexes = ((("system", "external_id"), False),)


class IndexedTextRow(Model):
    number = AutoField()
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    entity_type = TextField()
    entity_id = TextField(unique=True)
    title = TextField()
    body = TextField()

    class Meta:
        table_name = "indexed_text"


class SubscriptionRow(Model):
    id = TextField(primary_key=True)
    channel = TextField()
    address = TextField()
    live_key = TextField(null=True, unique=True)
    mailbox = TextField(null=True, index=True)
    state = TextField()
    events = TextField()
    services = TextField()
    language = TextField(null=True)
    source = TextField()
    sealed_secret = BlobField(null=True)
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    confirmed_at = BigIntegerField(null=True)
    quarantined_at = BigIntegerField(null=True)
    ended_at = BigIntegerField(null=True)
    failing_since = BigIntegerField(null=True)
    last_delivery_at = BigIntegerField(null=True)
    reason = TextField(null=True)

    class Meta:
        table_name = "subscription"
        indexes = ((("state", "id"), False),)


class FormerSecretRow(Model):
    number = AutoField()
    subscription = ForeignKeyField(SubscriptionRow, on_delete="CASCADE")
    sealed_secret = BlobField()
    expires_at = BigIntegerField(index=True)

    class Meta:
        table_name = "former_secret"


class EventRow(Model):
    number = AutoField()
    id = TextField(unique=True)
    type = TextField()
    subject_id = TextField()
    phase = TextField()
    area = TextField()
    generation = IntegerField(null=True)
    services = TextField()
    path = TextField()
    data = TextField()
    at = BigIntegerField(index=True)
    notified_up_to = TextField(null=True)
    notified_at = BigIntegerField(null=True, index=True)
    withdrawn_at = BigIntegerField(null=True)

    class Meta:
        table_name = "event"
        indexes = ((("type", "subject_id", "phase"), True),)


class DeliveryRow(Model):
    number = AutoField()
    id = TextField(unique=True)
    subscription = ForeignKeyField(SubscriptionRow, on_delete="CASCADE", index=False)
    event = ForeignKeyField(EventRow, on_delete="CASCADE", index=False, null=True)
    type = TextField()
    subject_id = TextField()
    status = TextField()
    attempts = IntegerField()
    status_code = IntegerField(null=True)
    duration_ms = IntegerField(null=True)
    answer = TextField(null=True)
    possibly_repeated = BooleanField()
    due_at = BigIntegerField()
    created_at = BigIntegerField(index=True)
    sending_at = BigIntegerField(null=True)
    delivered_at = BigIntegerField(null=True)
    next_attempt_at = BigIntegerField(null=True)

    class Meta:
        table_name = "delivery"
        indexes = (
            (("event", "subscription"), True),
            (("subscription", "subject_id", "number"), False),
            (("status", "next_attempt_at"), False),
            (("status", "created_at"), False),
            (("subscription", "created_at"), False),
        )


class NotifiedStateRow(Model):
    service = ForeignKeyField(ServiceRow, primary_key=True, on_delete="CASCADE")
    state = TextField()
    changed_to = TextField(null=True)
    changed_at = BigIntegerField(null=True)

    class Meta:
        table_name = "notified_state"


class ConsoleSessionRow(Model):
    hash = TextField(primary_key=True)
    key_id = TextField(index=True)
    person = TextField(null=True)
    created_at = BigIntegerField()
    used_at = BigIntegerField()
    expires_at = BigIntegerField(index=True)

    class Meta:
        table_name = "console_session"


TABLES = (
    AreaRow,
    FailedPageRow,
    InstanceRow,
    AuditRow,
    StoredResponseRow,
    StoredResponseSubjectRow,
    KeyRow,
    ServiceRow,
    MeasurementRow,
    ReadingRow,
    SourceKeyRow,
    HourRow,
    DayRow,
    IncidentRow,
    EntryRow,
    IncidentUpdateVersionRow,
    IncidentTemplateRow,
    IncidentSeverityRow,
    MaintenanceRow,
    AffectedRow,
    MovedRow,
    ProjectRow,
    MemberRow,
    ActivityRow,
    LabelRow,
    MilestoneRow,
    DocumentRow,
    DocumentRevisionRow,
    DocumentAliasRow,
    BodyRow,
    FileContentRow,
    FileChunkRow,
    FileRow,
    PinnedFileRow,
    DocumentImportRow,
    ImportTextRow,
    ImportFileRow,
    SpecificationRow,
    SpecificationRevisionRow,
    WorkItemRow,
    WorkAssigneeRow,
    WorkLabelRow,
    WorkSpecificationRow,
    WorkRelationshipRow,
    CommentRow,
    ExternalReferenceRow,
    IndexedTextRow,
    SubscriptionRow,
    FormerSecretRow,
    EventRow,
    DeliveryRow,
    NotifiedStateRow,
    ConsoleSessionRow,
)

# Deleting a label or listing an account's work reads these indexes alone.
COVERING_INDEXES = (
    'CREATE INDEX "work_label_label_id_work_id"'
    ' ON "work_label" ("label_id", "work_id")',
    'CREATE INDEX "work_assignee_account_id_work_id"'
    ' ON "work_assignee" ("account_id", "work_id")',
)

AUDIT_IS_APPEND_ONLY = {
    "sqlite": tuple(
        f"CREATE TRIGGER audit_refuses_{change.lower()} BEFORE {change} ON audit"
        " BEGIN SELECT RAISE(ABORT, 'The audit is append-only.'); END"
        for change in ("UPDATE", "DELETE")
    ),
    "postgresql": (
        "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE EXCEPTION 'The audit is append-only.'"
        " USING ERRCODE = 'integrity_constraint_violation'; END$$",
        "CREATE TRIGGER audit_refuses_change BEFORE UPDATE OR DELETE OR TRUNCATE"
        " ON audit EXECUTE FUNCTION refuse_change()",
    ),
}

# In SQLite, triggers keep the full-text index in step with the texts.
FULL_TEXT_INDEX = {
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

# Servers on several hosts share their token buckets; a single server has them in
# memory. Unlogged: after a crash of the database all buckets are full, as they are
# after a start.
TOKEN_BUCKETS = {
    "sqlite": (),
    "postgresql": (
        'CREATE UNLOGGED TABLE rate_limit (name TEXT COLLATE "C" PRIMARY KEY,'
        " full_at BIGINT NOT NULL)",
    ),
}


def up(_migrator, db):
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        db.create_tables(TABLES)
    for statement in (
        *COVERING_INDEXES,
        *AUDIT_IS_APPEND_ONLY[db.kind],
        *FULL_TEXT_INDEX[db.kind],
        *TOKEN_BUCKETS[db.kind],
    ):
        db.execute_sql(statement)
