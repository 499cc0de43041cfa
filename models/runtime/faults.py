"""Define the fault states that /readyz and the logs report."""

import errno
from dataclasses import dataclass

from models.storage.database import FAULT_STATES as DATABASE_STATES

# The manual explains what each means, what Masthead does, and what to do.
STATES = (
    *DATABASE_STATES,
    "output-full",
    "output-read-only",
    "output-failing",
    "output-foreign",
    "output-taken",
    "output-damaged",
    "manifest-damaged",
    "pages-failed",
    "build-failed",
    "site-behind",
    "publish-failed",
    "hook-failed",
    "mail-failing",
    "subscriptions-limited",
    "second-server",
    "clock-apart",
    "source-shared",
    "temporary-full",
    "process-down",
)
# Faults with which a server is still ready for requests.
HARMLESS_STATES = {
    "publish-failed",
    "hook-failed",
    "mail-failing",
    "subscriptions-limited",
    "second-server",
    "source-shared",
    "temporary-full",
    "process-down",
}
# The states of errors of the operating system in the output folder.
_OUTPUT = {
    errno.ENOSPC: "output-full",
    errno.EDQUOT: "output-full",
    errno.EFBIG: "output-full",
    errno.EROFS: "output-read-only",
    errno.EACCES: "output-read-only",
    errno.EPERM: "output-read-only",
}


@dataclass(frozen=True)
class Fault:
    """A fault state, and a sentence that describes the fault."""

    state: str
    detail: str

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise ValueError(f"{self.state} is not a known fault state.")

    @property
    def is_harmless(self) -> bool:
        return self.state in HARMLESS_STATES


def output_state(error: OSError) -> str:
    """Return the fault state of an error in the output folder."""
    return _OUTPUT.get(error.errno or 0, "output-failing")
