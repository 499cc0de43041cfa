"""Format times and percentages as the status page shows them."""

from datetime import date, datetime, timedelta

# Not strftime, which follows the locale of the process.
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)

LESS_THAN_A_MINUTE = "less than a minute"


def long_date(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def short_date(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1][:3]} {day.year}"


def clock_time(moment: datetime) -> str:
    """Format a moment, which is in UTC, without its date."""
    return f"{moment.hour:02}:{moment.minute:02} UTC"


def date_time(moment: datetime) -> str:
    """Format a moment, which is in UTC, with its date."""
    return f"{short_date(moment)}, {clock_time(moment)}"


def rough_duration(duration: timedelta) -> str:
    """Format a duration in whole days, hours or minutes, rounded down."""
    minutes = duration // timedelta(minutes=1)
    for unit, length in (("day", 1440), ("hour", 60), ("minute", 1)):
        if count := minutes // length:
            return f"{count} {unit}" + ("s" if count > 1 else "")
    return LESS_THAN_A_MINUTE


def percent(value: float) -> str:
    """
    Format a percentage without zeros at the end of its decimals.

    It is never rounded: the figures have at most three decimals, which are truncated
    where they are computed.
    """
    return f"{value:g} %"
