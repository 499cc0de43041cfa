"""Read how long a server asks its clients to wait."""

from datetime import datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(header: str, now: datetime, max_seconds: float) -> float:
    """Parse a Retry-After header: seconds or a date, and 0 for anything else."""
    if header.isascii() and header.isdigit():
        return min(float(header), max_seconds)
    try:
        seconds = (parsedate_to_datetime(header) - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return 0
    return min(max(seconds, 0), max_seconds)
