"""What each stored answer is about."""

from peewee import *


def up(migrator, db):  # noqa: ARG001
    class StoredAnswerRow(Model):
        id = TextField(primary_key=True)

        class Meta:
            database = db
            table_name = "stored_answer"

    class AnswerSubjectRow(Model):
        number = AutoField()
        answer = ForeignKeyField(StoredAnswerRow, on_delete="CASCADE", index=False)
        subject = TextField(index=True)

        class Meta:
            database = db
            table_name = "answer_subject"
            indexes = ((("answer", "subject"), True),)

    db.create_tables([AnswerSubjectRow])
