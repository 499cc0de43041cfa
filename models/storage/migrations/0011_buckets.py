"""Token buckets, where servers on several hosts share a database."""


def up(migrator, db):  # noqa: ARG001
    # In the memory of the one server otherwise. Not logged: after a crash of the
    # database all buckets are full, as they are after a start.
    if db.kind == "postgresql":
        db.execute_sql(
            'CREATE UNLOGGED TABLE bucket (name TEXT COLLATE "C" PRIMARY KEY,'
            " full_at BIGINT NOT NULL)"
        )
