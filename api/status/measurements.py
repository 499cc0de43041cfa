"""What probes may say."""

from api.operation import Call, operation
from models.status.measurements import measurements
from models.status.measurements.measurements import (
    RecordedMeasurements,
    StatusRecordMeasurements,
    repeats_the_present,
)


@operation(
    "POST /status/v1/admin/measurements/record",
    scope="status:admin:measurements:record",
    request=StatusRecordMeasurements,
    response=RecordedMeasurements,
    rebuilds="status",
)
def record_measurements(
    call: Call, request: StatusRecordMeasurements
) -> RecordedMeasurements:
    """
    Record 1 to 200 measurements of one source.

    A repeat counts as recorded and changes nothing, so a probe may send a batch
    again. Slugs that name no service come back in `unknown`; the rest is kept.
    A time in the future or older than raw measurements are kept refuses the
    whole batch and names the item.
    """
    settings = call.settings
    if repeats_the_present(request, call.now, freshness=settings.freshness):
        call.defer_rebuild()
    retention = settings.raw_retention
    recorded, changed = measurements.record_measurements(
        request, call.now, retention=retention
    )
    if not changed:
        call.mark_unchanged()
    return recorded
