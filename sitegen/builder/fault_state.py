"""Name the fault that made a build fail."""

from models.errors import StorageBusy
from models.runtime.faults import output_state
from sitegen.output.folder import OutputError


def fault_state(error: Exception) -> str:
    if isinstance(error, OutputError):
        return error.state
    if isinstance(error, StorageBusy):
        return str(error.members.get("state", "database-locked"))
    return output_state(error) if isinstance(error, OSError) else "build-failed"
