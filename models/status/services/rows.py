"""Define the rows of services, and of what affects them."""

from peewee import AutoField, BooleanField, ForeignKeyField, IntegerField, TextField

from models.audit import AuditTarget
from models.base import MomentField, Row


class ServiceRow(Row):
    # Measurements refer to the short number, everything else to the id.
    number = AutoField()
    id = TextField(unique=True)
    slug = TextField(unique=True)
    name = TextField()
    description = TextField(null=True)
    hostname = TextField(null=True)
    group = TextField(null=True)
    display_order = IntegerField()
    enabled = BooleanField()
    created_at = MomentField()
    updated_at = MomentField()

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("service", self.id, self.slug)


class AffectedRow(Row):
    """
    A service affected by a subject: an incident or a maintenance window, by its id.

    `slug` and `kept_name` still name the service after it was purged. Until then the
    service's current name is shown.
    """

    service_id: int | None

    number = AutoField()
    subject = TextField(index=True)
    service = ForeignKeyField(ServiceRow, null=True, on_delete="SET NULL")
    slug = TextField()
    kept_name = TextField()

    class Meta:
        indexes = ((("slug", "subject"), False),)

    @property
    def name(self) -> str:
        return self.service.name if self.service else self.kept_name
