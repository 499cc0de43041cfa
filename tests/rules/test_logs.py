"""The content of log lines, and what none may reveal."""

import json
import logging
import re
from urllib.parse import unquote

import pytest

from models.logs import LogfmtFormatter, LogLine
from models.platform.secrets import REDACTED_PATTERN, generate_secret

HOSTILE = [
    "two words",
    "a\nlevel=ERROR logger=masthead",
    "a\r\nb",
    'quoted " and \\',
    "x status=200",
    "\x1b[2J\x00\x7f\x85",
    "\u2028\u2029é",
    "",
]


@pytest.fixture
def logged():
    """Return one record as it is logged."""
    form = LogfmtFormatter(REDACTED_PATTERN)

    def line(message, *values, error=None):
        about = (type(error), error, error.__traceback__) if error else None
        record = logging.LogRecord("masthead.x", 20, "", 1, message, values, about)
        record.created, record.msecs = 1_772_366_400.25, 250.0
        return form.format(record)

    return line


def raised(error):
    try:
        raise error
    except Exception as caught:
        return caught


def test_line(logged):
    """Time, level and logger come first; null values are left out."""
    line = logged(LogLine(build="done", ms=1.26, failed=0, page=None, areas="docs"))

    assert line == (
        "time=2026-03-01T12:00:00.250Z level=INFO logger=masthead.x"
        " build=done ms=1.3 failed=0 areas=docs"
    )


@pytest.mark.parametrize("value", HOSTILE)
def test_value_cannot_forge(logged, value):
    """A value that could end a line or start another is quoted, and stays readable."""
    line = logged(LogLine(page=value, failed=1))

    assert re.fullmatch("[ -~]+", line)
    quoted = re.search(r' page=(".*") failed=1$', line)[1]
    assert json.loads(quoted) == value


@pytest.mark.parametrize("value", HOSTILE)
def test_text_of_others_is_one_value(logged, value):
    """A message of a library is one value, whatever it contains."""
    line = logged("It said %s", value)

    assert re.fullmatch("[ -~]+", line)
    assert json.loads(line.split(" message=")[1]) == f"It said {value}"


def test_stack_is_in_the_line(logged):
    """An error and its stack trace are in one line."""
    line = logged(LogLine(build="failed"), error=raised(ValueError("a\nb=c")))

    assert re.fullmatch("[ -~]+", line)
    stack = json.loads(line.split(" build=failed stack=")[1])
    assert stack.startswith("Traceback")
    assert stack.endswith("ValueError: a\nb=c")


@pytest.mark.parametrize("form", ["{}", "Bearer {}", "x{}y", "{{'key': '{}'}}"])
def test_secret_is_hidden(logged, form):
    """A secret is cut to its prefix in every value, text and error."""
    secret = generate_secret()
    text = form.format(secret.text)

    for line in (
        logged(LogLine(reason=text)),
        logged("%s", text),
        logged(LogLine(build="failed"), error=raised(KeyError(text))),
    ):
        assert f"{secret.prefix}_***" in line
        assert secret.text[12:20] not in line


def test_beginning_of_a_secret_is_hidden(logged):
    """A truncated secret is hidden like a complete one."""
    secret = generate_secret()

    assert secret.text[12:15] not in logged(LogLine(path="/" + secret.text[:20]))


def encode(text, times):
    """Percent-encode every character, this number of times."""
    for _ in range(times):
        text = "".join(f"%{ord(character):02x}" for character in text)
    return text


@pytest.mark.parametrize(
    "encoded",
    [
        lambda secret: encode(secret, 1),
        lambda secret: encode(secret, 2),
        lambda secret: encode(secret, 4),
        lambda secret: secret.replace("_", "%5F"),
        lambda secret: secret.replace("_", "%255F"),
        lambda secret: secret.replace("m", "%%36%64"),
        lambda secret: secret[:20] + encode(secret[20:], 2),
        lambda secret: f"100%&key={encode(secret, 2)}%22 level%3DERROR",
    ],
)
def test_encoded_secret(encoded, logged):
    """A secret is masked however often it is encoded, and the rest stays readable."""
    secret = generate_secret().text

    line = logged(LogLine(path=f"/a%20b/{encoded(secret)}", status=404))

    for _ in range(5):
        assert secret[12:20] not in line
        line = unquote(line)
    assert f"{secret[:11]}_***" in line
    assert "/a b/" in line
    assert line.endswith("status=404")


def test_encoded_text_without_a_secret(logged):
    """Any other encoded text is logged unchanged."""
    line = logged(LogLine(path="/a%2520b/%256dh"))

    assert line.endswith(" path=/a%2520b/%256dh")


@pytest.mark.parametrize("page", ["confirm", "manage", "end"])
@pytest.mark.parametrize("encode", [str, lambda path: path.replace("s", "%73")])
def test_tokens_of_readers(logged, page, encode):
    """The token in a link to a subscription is not logged, not even partly."""
    path = f"/subscribe/{page}/" + "aB3_-" * 8

    line = logged(LogLine(path=encode(path), status=404))

    assert "aB3" not in line
    assert f"/subscribe/{page}_***" in line
    assert line.endswith(" status=404")
