"""The operation with which probes record measurements."""

from api.operation import Call, operation
from models.status.measurements import measurements
from models.status.measurements.measurements import (
    RecordedMeasurements,
    StatusRecordMeasurements,
)


@operation(
    "POST /status/v1/admin/measurements/record",
    scope="status:admin:measurements:record",
    request=StatusRecordMeasurements,
    response=RecordedMeasurements,
    rebuilds="status",
    is_polled=False,
)
def record_measurements(
    call: Call, request: StatusRecordMeasurements
) -> RecordedMeasurements:
    """
    Record 1 to 200 measurements of one source.

    Repeated measurements count as recorded and change nothing, so a probe can safely
    send a batch again. Slugs that match no service are returned in `unknown`, and
    the other measurements are recorded. If a time is in the future or before the
    retention of raw measurements, the whole batch is rejected, and the error names
    the item.
    """
    settings = call.settings
    if measurements.repeats_current_readings(
        request, call.now, freshness=settings.freshness
    ):
        call.defer_rebuild()
    recorded, has_changed = measurements.record_measurements(
        request, call.now, retention=settings.raw_retention
    )
    if not has_changed:
        call.mark_unchanged()
    return recorded
