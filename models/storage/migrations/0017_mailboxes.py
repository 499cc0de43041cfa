"""Keep the mailbox of each e-mail address, which strangers can have sent few mails."""

from peewee import TextField


def up(migrator, db):
    migrator.migrate(
        migrator.add_column("subscription", "mailbox", TextField(null=True)),
        migrator.add_index("subscription", ("mailbox",)),
    )
    # What follows a plus sign counts from the next request on.
    db.execute_sql(
        "UPDATE subscription SET mailbox ="
        " COALESCE(substr(live_key, length('email ') + 1), lower(address))"
        " WHERE channel = 'email'"
    )
