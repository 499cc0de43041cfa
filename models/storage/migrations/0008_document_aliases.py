"""Store whole addresses that redirect to documents, instead of former collections."""

from peewee import AutoField, BooleanField, ForeignKeyField, Model, TextField


class DocumentRow(Model):
    id = TextField(primary_key=True)

    class Meta:
        table_name = "document"


class DocumentAliasRow(Model):
    number = AutoField()
    document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
    address = TextField()
    is_declared = BooleanField()

    class Meta:
        table_name = "document_alias"
        indexes = ((("document", "address"), True),)


FORMER_ADDRESSES = (
    "INSERT INTO document_alias (document_id, address, is_declared)"
    " SELECT document.id,"
    " '/' || former_address.collection || '/' || document.slug || '/', FALSE"
    " FROM former_address JOIN document ON document.id = former_address.document_id"
    " ORDER BY former_address.number"
)


def up(_migrator, db):
    with db.bind_ctx([DocumentAliasRow], bind_refs=False, bind_backrefs=False):
        db.create_tables([DocumentAliasRow])
    db.execute_sql(FORMER_ADDRESSES)
    db.execute_sql("DROP TABLE former_address")
