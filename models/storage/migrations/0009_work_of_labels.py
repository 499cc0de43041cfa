"""The work of a label and of an account, told by an index alone."""

from peewee import *


def up(migrator, db):  # noqa: ARG001
    migrator.migrate(
        migrator.drop_index("work_label", "worklabelrow_label_id"),
        migrator.add_index("work_label", ("label_id", "work_id")),
        migrator.drop_index("work_assignee", "workassigneerow_account_id"),
        migrator.add_index("work_assignee", ("account_id", "work_id")),
    )
