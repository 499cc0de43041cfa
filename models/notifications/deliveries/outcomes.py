"""
Describe what became of one attempt to deliver.

The module is pure: it reads no rows, no clock and no settings.
"""

import re
from dataclasses import dataclass

# How much of a receiver's answer is kept, in characters.
MAX_ANSWER = 1024
# The reason for a failure if the receiver sent nothing but a status.
_NOTHING_BUT = "The receiver answered {}."
_STATUS = re.compile(_NOTHING_BUT.replace(".", r"\.").format("([0-9]+)"))


@dataclass(frozen=True)
class Outcome:
    """
    What a receiver answered, or why there is no answer.

    The status code is of HTTP or SMTP. The answer is its text, or a sentence that
    describes the error. `retry_after` is in seconds. After a permanent failure there
    is no further attempt, and the subscription is quarantined. An attempt is
    unconfirmed if the receiver may have the message but gave no answer. An internal
    failure is a bug of ours, and says nothing about the receiver.
    """

    is_delivered: bool
    status_code: int | None = None
    answer: str | None = None
    duration_ms: int = 0
    retry_after: float | None = None
    is_permanent: bool = False
    is_unconfirmed: bool = False
    is_internal: bool = False

    @property
    def reason(self) -> str:
        """Why it failed, also if the receiver sent nothing but a status."""
        return self.answer or _NOTHING_BUT.format(self.status_code)


def status_code_in(reason: str) -> str | None:
    """Return the status of a reason that says nothing else, None for another one."""
    match = _STATUS.fullmatch(reason)
    return match and match[1]
