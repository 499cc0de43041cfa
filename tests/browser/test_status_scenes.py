"""Every state of the decision table, and harmful content, in a real browser."""

from pathlib import Path

import pytest

from models.status.incidents.incidents import (
    StatusAddIncidentUpdate,
    StatusUpdateIncident,
    add_incident_update,
    update_incident,
)
from models.storage.database import writing
from tests.browser.status_site import seconds
from tests.nightly import every_nth
from tests.samples.vectors import VECTORS

FINDINGS = Path(__file__).with_name("findings.js").read_text(encoding="utf-8")
LOOKS = (
    {"color_scheme": "light", "forced_colors": "none"},
    {"color_scheme": "dark", "forced_colors": "none"},
    {"color_scheme": "light", "forced_colors": "active"},
)
SCRIPT = "<script>document.title='taken'</script><img src=x onerror=alert(1)>"
MARKDOWN = "**bold** [here](javascript:alert(1)) `code`\n\n- one\n- two\n\n# Head"
ARABIC = "تعطل خدمة البريد \u202e(mail)\u202c منذ ساعة"
LONG = "Donaudampfschifffahrt" * 5
HOSTILE = (SCRIPT, MARKDOWN.replace("\n", " ")[:150], ARABIC, LONG)
SIDEWAYS = "document.documentElement.scrollWidth"


def play(world, vector):
    """Create the data of a vector, for the service api."""
    world.service("api", group="Core", description="What programs ask.")
    for severity, started, is_resolved in vector.incidents:
        id = world.incident("api", severity=severity, started=started)
        if is_resolved:
            with writing():
                update_incident(
                    StatusUpdateIncident(id=id, status="resolved"), seconds(0)
                )
    for starts, ends in vector.windows:
        world.window("api", starts=starts, ends=ends)
    for source, status, at in vector.samples:
        world.sample("api", status, at, source)
    world.build()


@pytest.mark.parametrize("vector", every_nth(VECTORS, 3), ids=lambda each: each.name)
def test_vector(world, visit, vector):
    """No state has a finding, in light, dark or forced colours, fresh or old."""
    play(world, vector)

    for path in ("/status/", "/status/services/api/"):
        page = visit(path)
        for at in (0, 3600):
            for look in LOOKS:
                page.emulate_media(**look)
                assert page.evaluate(FINDINGS) == [], (path, at, look)
            page.clock.fast_forward(3600 * 1000)


@pytest.fixture
def hostile(world):
    """Services, incidents, updates and windows with hostile texts."""
    for number, words in enumerate(HOSTILE):
        slug = f"s{number}"
        world.service(slug, name=words[:120], group=words[:64], description=words)
        world.sample(slug)
        id = world.incident(slug, title=words[:150], body=f"{words}\n\n{MARKDOWN}")
        entry = StatusAddIncidentUpdate(incident_id=id, body=words, status="identified")
        with writing():
            add_incident_update(entry, seconds(0))
        world.window(
            slug,
            starts=-60,
            ends=60,
            title=words[:150],
            description=f"{words}\n{words}",
        )
    world.build()
    return world


def links_of(page):
    found = page.locator("main a[href^='/status/']")
    hrefs = found.evaluate_all("all => all.map((each) => each.getAttribute('href'))")
    return [each for each in dict.fromkeys(hrefs) if each.endswith("/")]


def test_hostile_words(hostile, visit):
    """Markup is text, scripts do not run, and no word makes a page too wide."""
    overview = visit("/status/", viewport={"width": 360, "height": 800})
    paths = ["/status/", *links_of(overview)]
    assert len(paths) > 12

    for path in paths:
        page = visit(path, viewport={"width": 320, "height": 800})
        assert "taken" not in page.title().replace(SCRIPT, "")
        assert page.locator("main img, main script").count() == 0
        assert page.locator("main a[href^='javascript']").count() == 0
        assert page.evaluate(SIDEWAYS) <= 320, path
        assert page.evaluate(FINDINGS) == [], path
        page.context.close()


def test_right_to_left(hostile, visit):
    """Right-to-left text is aligned right, and the page's layout stays."""
    page = visit("/status/services/s2/")

    lead = page.locator(".lead > bdi")
    assert lead.evaluate("each => each.matches(':dir(rtl)')")
    assert page.evaluate("getComputedStyle(document.body).direction") == "ltr"


def test_crowd(world, visit):
    """Two hundred services in one group, one never measured, fit on one page."""
    for number in range(200):
        world.service(f"s{number:03}", group="Everything")
        if number:
            world.sample(f"s{number:03}")
    world.build()

    page = visit("/status/", viewport={"width": 360, "height": 800})

    assert page.locator(".services > li").count() == 200
    assert page.locator(".row").first.inner_text().split()[-1] == "Unknown"
    assert page.evaluate(SIDEWAYS) <= 360
    assert page.locator("h1").inner_text() == "Status data unavailable"
    never = visit("/status/services/s000/")
    assert never.get_by_text("Never measured").is_visible()
    assert never.evaluate(FINDINGS) == []


def test_thousand_incidents_in_a_month(world, visit):
    """The overview shows the newest and links to the others; the month has all."""
    world.service("api")
    world.sample("api")
    for number in range(1000):
        world.incident(
            "api",
            title=f"Trouble {number}",
            status="resolved",
            started=-600 - number,
            at=-number / 10 - 300,
        )
    world.build()

    overview = visit("/status/")
    assert 0 < overview.locator("article.past").count() <= 20
    months = visit("/status/history/")
    link = months.locator("main a[href*='/status/history/2026-']").first
    link.click()
    months.wait_for_url("**/status/history/2026-*/")

    assert months.locator("main").inner_text().count("Trouble") == 1000


def test_windows_that_overlap(world, visit):
    """
    Each window is shown separately, and the state lasts until the last one is over.
    """
    world.service("api")
    world.sample("api")
    for starts, ends in ((-60, 60), (-30, 90), (30, 120)):
        world.window("api", starts=starts, ends=ends, title=f"Move {ends}")
    world.build()
    page = visit("/status/")

    seen = []
    for _ in range(5):
        running = page.locator("#running h3:visible").all_inner_texts()
        seen.append([each.strip() for each in running])
        page.clock.run_for(30_000)

    assert [sorted(each) for each in seen] == [
        ["Move 60", "Move 90"],
        ["Move 120", "Move 60", "Move 90"],
        ["Move 120", "Move 90"],
        ["Move 120"],
        [],
    ]


def test_midnight(world, visit):
    """At midnight UTC the day bars move on by one, wherever the reader is."""
    world.service("api")
    world.sample("api", "down", at=43_170)
    world.build(at=43_199)
    last = visit("/status/services/api/", timezone_id="Pacific/Auckland")
    days = "all => all.map((each) => each.ariaLabel)"
    before = last.locator(".bars > input").evaluate_all(days)
    world.build(at=43_200)

    page = visit("/status/services/api/")
    after = page.locator(".bars > input").evaluate_all(days)

    assert before[-1].startswith("1 Mar 2026: Major outage")
    assert after[-2:] == [before[-1], "2 Mar 2026: No data"]
    assert after[:-1] == before[1:]
