"""The operation that returns the uptime of a service."""

from api.operation import Call, operation
from models.errors import ServiceNotFound
from models.status.services.catalogue import enabled_service
from models.status.uptime.summary import GetUptime, StatusUptimeSummary, uptime_summary


@operation(
    "GET /status/v1/uptime/get",
    response=StatusUptimeSummary,
    errors=(ServiceNotFound,),
)
def get_uptime(call: Call, query: GetUptime) -> StatusUptimeSummary:
    """Get the uptime of a service over a rolling period, by default 24h."""
    return uptime_summary(
        enabled_service(query.slug),
        query.period,
        call.now,
        interval_seconds=call.settings.probe_interval_seconds,
    )
