"""The ends of the audit chains, as the site tells them."""

import json

from models.audit import AuditRow, Target, append, newest_link
from models.database import writing


def told(output):
    return json.loads((output / "build.json").read_text())


def put_down(area, clock):
    target = Target("thing", "1", None)
    with writing():
        append(area, actor="ada", action="add", target=target, now=clock.now)


def test_no_chain(build_site, output):
    """An instance on which nothing was put down has no links to tell."""
    build_site()

    assert told(output) == {"audit": {}}


def test_newest_links(build_site, output, clock):
    """A build tells the newest link of each area, and of every record before it."""
    for area in ("status", "platform", "platform"):
        put_down(area, clock)

    build_site()

    links = {area: newest_link(area) for area in ("platform", "status")}
    assert told(output) == {"audit": links}
    assert AuditRow.select().count() == 3


def test_again(build_site, output, clock):
    """Only a new record changes the file."""
    put_down("status", clock)
    build_site()
    before = told(output)

    assert "build.json" not in build_site().written
    put_down("status", clock)
    assert "build.json" in build_site().written
    assert told(output) != before
