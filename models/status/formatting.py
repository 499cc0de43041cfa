"""Format times for programs and terminals, whose language is English."""

from datetime import date, datetime

# Not strftime, which follows the locale of the process.
MONTHS = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)


def short_date(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def clock_time(moment: datetime) -> str:
    """Format a moment, which is in UTC, without its date."""
    return f"{moment.hour:02}:{moment.minute:02} UTC"


def date_time(moment: datetime) -> str:
    """Format a moment, which is in UTC, with its date."""
    return f"{short_date(moment)}, {clock_time(moment)}"
