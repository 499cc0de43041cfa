"""Index the summaries of documents, which search did not find before."""

_DOCUMENTS = (
    "SELECT indexed_text.entity_id, indexed_text.title,"
    " document.summary || '\n\n' || indexed_text.body"
    " FROM indexed_text JOIN document ON document.id = indexed_text.entity_id"
    " WHERE document.summary <> '' AND indexed_text.entity_id > ?"
    " ORDER BY indexed_text.entity_id LIMIT 100"
)


def up(_migrator, db):
    last_id = ""
    while rows := db.execute_sql(_DOCUMENTS, (last_id,)).fetchall():
        for last_id, title, body in rows:
            statement = "UPDATE indexed_text SET body = ? WHERE entity_id = ?"
            db.execute_sql(statement, (body, last_id))
            db.index_text(last_id, title, body)
