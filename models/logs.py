"""Format log records as lines of key=value that no value can break or forge."""

import json
import logging
import re
from datetime import UTC, datetime, timedelta
from typing import TextIO
from urllib.parse import quote

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Printable characters without those that have a meaning in a line: " = \\
_PLAIN = re.compile(r"[!#-<>-\[\]-~]+")

# Percent-encoded text, within a value.
_ENCODED = re.compile(r'(?<![^\s"=])[^\s"=%]*+%[^\s"=]*')
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


class LogLine:
    """The fields of a log line, formatted when it is written; None is left out."""

    __slots__ = ("fields",)

    def __init__(self, **fields: object) -> None:
        self.fields = fields

    def __str__(self) -> str:
        fields = self.fields.items()
        return " ".join([f"{n}={_quote(v)}" for n, v in fields if v is not None])


class LogfmtFormatter(logging.Formatter):
    """
    Formats each record as one line, including its stack trace.

    Free text of libraries becomes one value. Of each match of `redacted`, wherever it
    occurs, and however often it is percent-encoded, only the first group is shown.
    """

    def __init__(self, redacted: re.Pattern[str]) -> None:
        super().__init__()
        self._redacted = redacted
        self._second = (0, "")

    def format(self, record: logging.LogRecord) -> str:
        is_line = isinstance(record.msg, LogLine)
        text = str(record.msg if is_line else LogLine(message=record.getMessage()))
        if record.exc_info:
            text += f" {LogLine(stack=self.formatException(record.exc_info))}"
        text = (
            f"time={self._time(record)} level={record.levelname}"
            f" logger={record.name} {text}"
        )
        if "%" in text:
            text = _ENCODED.sub(self._redact_encoded, text)
        has_secret = self._redacted.search(text)
        return self._redacted.sub(r"\1_***", text) if has_secret else text

    def _redact_encoded(self, match: re.Match[str]) -> str:
        """Return the text without its secrets, decoded; unchanged if it has none."""
        encoded = match[0]
        text, count = self._redacted.subn(r"\1_***", _decode_fully(encoded))
        return quote(text, safe="/*", encoding="latin-1") if count else encoded

    def _time(self, record: logging.LogRecord) -> str:
        """Return the time to milliseconds; the text of a second is cached."""
        second = int(record.created)
        cached_second, text = self._second
        if cached_second != second:
            text = (_EPOCH + timedelta(seconds=second)).isoformat()[:19]
            self._second = (second, text)
        return f"{text}.{int(record.msecs):03}Z"


def _quote(value: object) -> str:
    if type(value) is int:
        return str(value)
    if isinstance(value, float):
        return f"{value:.1f}"
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    # ASCII JSON escapes every character that could end a line, except DEL.
    return json.dumps(text).replace("\x7f", "\\u007f")


def _decode_fully(text: str) -> str:
    """
    Return the text with all percent-encoding decoded, however often it was encoded.

    Each character is looked at once, so that no text takes long. Bytes are decoded as
    Latin-1.
    """
    decoded: list[str] = []
    for character in text:
        decoded.append(character)
        while decoded[-3:-2] == ["%"] and _HEX_DIGITS.issuperset(decoded[-2:]):
            decoded[-3:] = chr(int("".join(decoded[-2:]), 16))
    return "".join(decoded)


def configure_logging(stream: TextIO, level: str, redacted: re.Pattern[str]) -> None:
    """
    Write log records as single lines, and quieten the libraries' loggers.

    `redacted` is that of LogfmtFormatter.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LogfmtFormatter(redacted))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.captureWarnings(True)
    # No line shows the caller, the thread or the process, and finding them is costly.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    for library in ("peewee.migrations", "waitress"):
        logging.getLogger(library).setLevel(logging.WARNING)
    # It warns whenever a request waits for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
