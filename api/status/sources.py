"""The operations on the sources of measurements."""

from api.operation import Call, operation
from models.errors import KeyNotActive, KeyNotFound
from models.status.measurements import sources
from models.status.measurements.sources import (
    MeasuringKey,
    StatusListedSource,
    StatusListSources,
    StatusSource,
    StatusTransferSource,
)
from models.storage.write_locks import WriteLock


@operation("GET /status/v1/admin/sources/list", response=list[StatusListedSource])
def list_sources(call: Call, query: StatusListSources) -> list[StatusListedSource]:
    """
    List the sources of measurements, the keys that use them, and what they measure.

    With a slug, the list has only the sources of that service, and of their services
    only that one. Without one, it also has sources that have measured nothing yet.
    """
    return sources.list_sources(None if query.slug is None else [query.slug])


@operation(
    "POST /status/v1/admin/sources/transfer",
    # The key must stay active.
    locks=WriteLock.PLATFORM | WriteLock.MEASUREMENTS | WriteLock.STATUS,
    response=StatusSource,
    audit="source.transferred",
    errors=(KeyNotFound, KeyNotActive),
)
def transfer_source(call: Call, request: StatusTransferSource) -> StatusSource:
    """
    Transfer a source to a key, which is then the only one that is known to use it.

    With the source policy owned, only this key and its replacements can record
    measurements for the source. The source need not have been used before.
    """
    key = call.active_key(request.key_id)
    target = MeasuringKey(key.lineage, key.id, key.prefix)
    row, earlier, has_changed = sources.transfer_source(
        request.source, target, call.now
    )
    previous = ", ".join(earlier) or "none"
    call.audit_if(has_changed, row, detail=f"key: {previous} -> {key.prefix}")
    return sources.source_with_keys(request.source)
