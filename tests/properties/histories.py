"""A small site on which any operation may happen, through the API, in any order."""

from datetime import timedelta

from hypothesis import strategies as st

from api.http.application import create_app
from models.changes import AREAS, behind
from models.platform.keys import CreateKey, issue_key
from models.projects.documents.rendered_bodies import delete_unused_bodies
from models.projects.projects.projects import ensure_docs_project
from models.status.snapshot.last_change import next_page_change
from models.storage.database import reading, writing
from sitegen.builder.build import build
from sitegen.docs.body_cache import BodyCache
from sitegen.docs.outline import stored_outline
from sitegen.output.folder import OutputFolder, OutputFolders
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme

STATUS, DOCUMENTS = "/status/v1/admin", "/projects/v1/documents"
SERVICES = ("api", "mail", "web")
SLUGS = ("first", "second", "index")
TEXTS = (
    "# First\n\nSee [two](second.md) and [one](/guides/first/#a).\n\n## A\n",
    "See [the index](../products/index.md).\n",
    "Plain words.\n\n## B\n\n## C {#fixed}\n",
)


class Quick(OutputFolder):
    """A folder without syncs, because no test cuts the power."""

    def _sync(self, descriptor):
        pass


class World:
    """One database and the folder that follows it, change by change."""

    def __init__(self, settings, clock):
        self.settings, self.clock = settings, clock
        self.client = create_app(settings, clock=clock).test_client()
        with writing():
            request = CreateKey(name="world", scopes=["*"])
            _, secret = issue_key(request, clock.now, issuer="ada@example.com")
        self.headers = {"Authorization": f"Bearer {secret.text}"}
        self.project = ensure_docs_project(
            clock.now, slug=settings.docs_slug, owner_id=settings.docs_owner_id
        ).id
        self.theme, self.bodies = site_theme(settings), BodyCache()
        # What one builder remembers from build to build.
        self.memory, self.folders = {}, OutputFolders(settings.output, Quick)
        self.ids = {"incidents": [], "maintenance": [], "updates": []}
        self.documents, self.calls, self.due = {}, 0, clock.now

    def api(self, path, **values):
        """Call an operation; a 4xx response changes nothing and is expected."""
        self.calls += 1
        headers = self.headers | {"Idempotency-Key": f"call-{self.calls}"}
        response = self.client.post(path, json=values, headers=headers)
        assert response.status_code < 500, response.text
        # A path that does not exist is a fault of the test.
        assert not response.json.get("type", "").endswith("/not-found/"), path
        return response.json.get("data", {})

    def build(self, output=None):
        """Build unbuilt or due areas; into another folder, everything."""
        is_new = not self.memory
        areas = set(AREAS) if is_new else behind()
        areas |= {"status"} if self.clock.now >= self.due else set()
        shared = (self.clock.now, self.settings, self.theme)
        if output is not None:
            folders = OutputFolders(str(output), Quick)
            return build(BuildContext(*shared), folders=folders)
        made = BuildContext(*shared, self.bodies, process_cache=self.memory)
        with reading():
            self.due = (
                next_page_change(made.now, made.settings.freshness)
                if areas
                else self.due
            )
        outline = stored_outline(self.folders.path)
        report = build(made, sorted(areas), folders=self.folders)
        if stored_outline(self.folders.path) != outline:
            # All pages lead to the documents, also those built before them.
            build(made.renewed(), ["status"], folders=self.folders)
        return report

    def moment(self, minutes):
        return (self.clock.now + timedelta(minutes=minutes)).isoformat()

    def one_of(self, noun, number):
        found = self.ids[noun] or ["00000000-0000-7000-8000-000000000000"]
        return found[number % len(found)]


def add_service(world, slug, number):
    world.api(
        f"{STATUS}/services/add", slug=slug, name=f"<{slug}>", displayOrder=number
    )


def update_service(world, slug, number):
    names = {"name": f"Name {number}", "group": "Core" if number else None}
    world.api(f"{STATUS}/services/update", slug=slug, enabled=number != 2, **names)


def remove_service(world, slug, number):
    world.api(f"{STATUS}/services/remove", slug=slug, purge=number == 0)


def measure(world, slug, number):
    """Now, late, long ago, or by a clock that is ahead."""
    at = world.moment((0, -3, -3000, 0.5)[number])
    status = ("operational", "down", "degraded", "operational")[number]
    sample = {"slug": slug, "status": status, "observedAt": at, "responseTimeMs": 9}
    world.api(f"{STATUS}/measurements/record", source="probe", measurements=[sample])


def measure_twice(world, slug, number):
    """Record a sample for now, and another of the same source for a moment earlier."""
    for minutes in (0, -0.1):
        result = {"slug": slug, "status": "down", "observedAt": world.moment(minutes)}
        world.api(
            f"{STATUS}/measurements/record", source="probe", measurements=[result]
        )
        world.build()


def open_incident(world, slug, number):
    severity = ("degraded", "partial-outage", "major-outage", "degraded")[number]
    started = {"startedAt": world.moment((-2000, -5, 0, 0)[number])}
    result = {"title": "Slow", "body": "Looking.", "severity": severity} | started
    data = world.api(f"{STATUS}/incidents/add", services=[slug], **result)
    world.ids["incidents"] += [data["id"]] if data else []


def tell_of_incident(world, slug, number):
    status = ("identified", "monitoring", "resolved", "resolved")[number]
    result = {"incidentId": world.one_of("incidents", number), "status": status}
    data = world.api(f"{STATUS}/incident-updates/add", body=f"Now {status}.", **result)
    world.ids["updates"] += [data["id"]] if data else []


def correct_update(world, slug, number):
    """Correct the text of an update, its status, or both, or remove the update."""
    id = world.one_of("updates", number)
    words, status = {"body": f"Better {slug}."}, {"status": "monitoring"}
    request = (words, status, words | status, None)[number]
    if request is None:
        world.api(f"{STATUS}/incident-updates/remove", id=id)
    else:
        world.api(f"{STATUS}/incident-updates/update", id=id, **request)


def schedule(world, slug, number):
    starts, ends = ((-5, 5), (4, 60), (600, 900), (-90, -30))[number]
    times = {"startsAt": world.moment(starts), "endsAt": world.moment(ends)}
    result = {"title": "Disks", "services": [slug]} | times
    data = world.api(f"{STATUS}/maintenance/add", **result)
    world.ids["maintenance"] += [data["id"]] if data else []


def change_severity(world, slug, number):
    """Set another severity, which may be the current one, or other services."""
    id = world.one_of("incidents", number)
    severity = ("degraded", "partial-outage", "major-outage", None)[number]
    request = {"severity": severity} if severity else {"services": [slug, "api"]}
    world.api(f"{STATUS}/incidents/update", id=id, **request)


def remove_subject(world, slug, number):
    noun = ("incidents", "maintenance")[number % 2]
    world.api(f"{STATUS}/{noun}/remove", id=world.one_of(noun, number))


def change_window(world, slug, number):
    status = ("cancelled", "completed", "scheduled", "scheduled")[number]
    id = world.one_of("maintenance", number)
    world.api(f"{STATUS}/maintenance/update", id=id, status=status)


def write_document(world, slug, number):
    """Write it and publish it, or write it again."""
    slug, text = SLUGS[SERVICES.index(slug)], TEXTS[number % 3]
    if slug not in world.documents:
        result = {"projectId": world.project, "title": "First", "type": "note"}
        result |= {"slug": slug, "content": text, "collection": "guides"}
        world.documents[slug] = world.api(f"{DOCUMENTS}/create", **result)["id"]
    else:
        result = {"title": f"Title {number}", "content": text}
        world.api(f"{DOCUMENTS}/update", id=world.documents[slug], **result)
    if number:
        world.api(f"{DOCUMENTS}/publish", id=world.documents[slug])


def place_document(world, slug, number):
    id = world.documents.get(SLUGS[SERVICES.index(slug)])
    collection = ("guides", "products", "support", "guides")[number]
    section = (None, "A & B", "A, B", "A & B")[number]
    result = {"collection": collection, "section": section, "position": number}
    if id:
        world.api(f"{DOCUMENTS}/update", id=id, **result)


def withdraw_document(world, slug, number):
    id = world.documents.get(SLUGS[SERVICES.index(slug)])
    if id:
        world.api(f"{DOCUMENTS}/{'publish' if number else 'unpublish'}", id=id)


def rename_section(world, slug, number):
    """Move every document of one section to another."""
    wanted = ("A & B", "A, B", "Other", None)[number]
    for id in world.documents.values():
        world.api(f"{DOCUMENTS}/update", id=id, section=wanted)


def take_back(world, slug, number):
    """An earlier version becomes the public one again."""
    id = world.documents.get(SLUGS[SERVICES.index(slug)])
    if id:
        world.api(f"{DOCUMENTS}/publish", id=id, version=number + 1)


def restart(world, slug, number):
    """Continue in a new process without memory, or without stored bodies."""
    world.memory = {}
    world.folders = OutputFolders(world.settings.output, Quick)
    world.bodies = BodyCache()
    if number == 0:
        delete_unused_bodies([])


def wait_for_months(world, slug, number):
    """Wait until nothing is within the period that pages of services cover."""
    world.clock.now += timedelta(days=(45, 89, 90, 400)[number])


def wait(world, slug, number):
    minutes = (0.6, 5, 61, 60 * 24)[number]
    world.clock.now += timedelta(minutes=minutes)


EVENTS = (
    *(add_service, update_service, remove_service, measure, measure),
    *(open_incident, tell_of_incident, correct_update, schedule, change_window),
    *(remove_subject, change_severity, measure_twice, wait_for_months),
    *(write_document, write_document, place_document, withdraw_document, wait, wait),
    *(write_document, rename_section, take_back, restart),
)
events = st.tuples(
    st.sampled_from(EVENTS), st.sampled_from(SERVICES), st.integers(0, 3)
)
histories = st.lists(events, min_size=3, max_size=16)
