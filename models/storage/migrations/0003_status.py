"""Counters of measurements, by the hour and by the day."""

from peewee import *


def up(migrator, db):  # noqa: ARG001
    class ServiceRow(Model):
        number = AutoField()

        class Meta:
            database = db
            table_name = "service"

    class HourRow(Model):
        service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
        starts_at = BigIntegerField()
        operational = IntegerField()
        degraded = IntegerField()
        down = IntegerField()
        time_sum = BigIntegerField()
        time_count = IntegerField()

        class Meta:
            database = db
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
            database = db
            table_name = "day"
            without_rowid = True
            primary_key = CompositeKey("service", "starts_at")

    db.create_tables([HourRow, DayRow])
