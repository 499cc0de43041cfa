"""The header rules for hosts, equal for every kind of host."""

import pytest

from models.response_headers import content_type, path_rule
from tests.pages.status.test_status import sample_status  # noqa: F401  (a fixture)
from tests.pages.test_links import site  # noqa: F401  (a fixture)

HOSTS_ONLY = {"_headers", "_redirects"}


def rules_in(text):
    """Return the rules of a _headers file: patterns, and the headers of each."""
    rules = {}
    for block in text.strip().split("\n\n"):
        place, *lines = block.splitlines()
        rules[place] = dict(line.strip().split(": ", 1) for line in lines)
    return rules


def matches(place, at):
    """Match a pattern as hosts do: one star stands for any text."""
    before, star, after = place.partition("*")
    if not star:
        return at == place
    long = len(at) >= len(before) + len(after)
    return long and at.startswith(before) and at.endswith(after)


@pytest.fixture
def rules(site, output):  # noqa: F811
    return rules_in((output / "_headers").read_text())


def test_golden(build_site, golden):
    """The header files equal the golden files, byte for byte."""
    build_site()

    golden("_headers")
    golden("robots.txt")


def test_every_file_has_a_place(site):  # noqa: F811
    """Every file matches a rule, because hosts have different defaults."""
    paths = {at[1:] + ("index.html" if at[-1] == "/" else "") for at in site}

    unplaced = {path for path in paths if path_rule(path) is None}
    assert {path for path in unplaced if not path.startswith("_moved/")} == HOSTS_ONLY


def test_no_header_is_set_twice(site, rules):  # noqa: F811
    """Hosts merge matching rules, so no header is set twice for a file."""
    for at in site:
        names = [
            name
            for place, result in rules.items()
            if matches(place, at)
            for name in result
        ]
        assert len(names) == len(set(names)), at


def test_hosts_say_what_we_say(site, rules, app):  # noqa: F811
    """Each file has the same headers from the service and from a host with rules."""
    client = app.test_client()

    moved = {"/support/limits/"}

    for at in {at for at in site if not at.startswith("/_")} - moved:
        result = {}
        for place, headers in rules.items():
            result |= headers if matches(place, at) else {}
        answer = client.get(at, buffered=True)
        assert answer.status_code == 200, at
        assert result.items() <= dict(answer.headers).items(), at
        assert answer.headers["Content-Type"] == content_type(str(site[at])), at
