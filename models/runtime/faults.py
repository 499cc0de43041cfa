"""What can be wrong while the service runs: each a state with a name."""

import errno
from dataclasses import dataclass

# The manual tells of each what it means, what Masthead does and what to do.
STATES = (
    "database-full",
    "database-read-only",
    "database-locked",
    "database-failing",
    "database-damaged",
    "database-gone",
    "database-unreachable",
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
    "second-server",
)
# Worth knowing, and no reason to send requests elsewhere.
HARMLESS = {"publish-failed", "hook-failed", "second-server"}
# What the system says where a folder takes no files.
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
    """A state, and in a sentence what is so."""

    state: str
    detail: str

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise ValueError(f"{self.state} is no state that the manual knows.")

    @property
    def is_harmless(self) -> bool:
        return self.state in HARMLESS


def output_state(error: OSError) -> str:
    """Name what an error of the output folder means."""
    return _OUTPUT.get(error.errno or 0, "output-failing")
