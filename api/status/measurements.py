"""The operation with which probes record measurements."""

from api.operation import Call, operation
from models.errors import LimitExceeded, SourceTaken
from models.status.measurements import measurements
from models.status.measurements.measurements import (
    RecordedMeasurements,
    StatusRecordMeasurements,
)
from models.status.measurements.sources import MeasuringKey, admit_batch
from models.storage.write_locks import WriteLock


@operation(
    "POST /status/v1/admin/measurements/record",
    response=RecordedMeasurements,
    rebuilds="status",
    locks=WriteLock.MEASUREMENTS,
    is_polled=False,
    errors=(SourceTaken, LimitExceeded),
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
    the item. The same applies if the source belongs to another key, or would be one
    source too many for a service.
    """
    settings, caller = call.settings, call.caller
    statuses, numbers = measurements.fresh_statuses(
        request.source, call.now, freshness=settings.freshness
    )
    key = MeasuringKey(caller.lineage, caller.key_id, caller.prefix)
    is_owned = settings.source_policy == "owned"
    admit_batch(request, statuses, key, call.now, is_owned=is_owned)
    if measurements.repeats_current_readings(request, statuses):
        call.defer_rebuild()
    return call.result_of(
        measurements.record_measurements(
            request, call.now, retention=settings.raw_retention, numbers=numbers
        )
    )
