"""What is logged: lines of key=value, which no value can break or forge."""

import json
import logging
import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Visible and without what means something in a line: quotes, equals, backslashes.
_PLAIN = re.compile(r"[!#-<>-\[\]-~]+")


class Line:
    """Facts for the log, told when they are written; null ones are left out."""

    __slots__ = ("facts",)

    def __init__(self, **facts: object) -> None:
        self.facts = facts

    def __str__(self) -> str:
        facts = self.facts.items()
        return " ".join([f"{n}={_told(v)}" for n, v in facts if v is not None])


class OneLine(logging.Formatter):
    """
    Tells each record in one line, its stack too.

    What others log is free text, and becomes one value. `hidden` finds secrets,
    wherever they come from; of each only its first group is told.
    """

    def __init__(self, hidden: re.Pattern[str]) -> None:
        super().__init__()
        self._hidden = hidden
        self._second = (0, "")

    def format(self, record: logging.LogRecord) -> str:
        is_line = isinstance(record.msg, Line)
        told = str(record.msg if is_line else Line(message=record.getMessage()))
        if record.exc_info:
            told += f" {Line(stack=self.formatException(record.exc_info))}"
        told = (
            f"time={self._time(record)} level={record.levelname}"
            f" logger={record.name} {told}"
        )
        is_open = self._hidden.search(told)
        return self._hidden.sub(r"\1_***", told) if is_open else told

    def _time(self, record: logging.LogRecord) -> str:
        """Return the time to milliseconds; a second is spelt out once."""
        whole = int(record.created)
        second, told = self._second
        if second != whole:
            told = (_EPOCH + timedelta(seconds=whole)).isoformat()[:19]
            self._second = (whole, told)
        return f"{told}.{int(record.msecs):03}Z"


def _told(value: object) -> str:
    if type(value) is int:
        return str(value)
    if isinstance(value, float):
        return f"{value:.1f}"
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    # JSON in ASCII escapes all that could end a line, but for one character.
    return json.dumps(text).replace("\x7f", "\\u007f")
