"""The walls between the rooms, over the parsed imports."""

import ast
import sys

import pytest

from tests.house.source import ROOT, in_rooms, name_of, parsed

AREAS = ("platform", "projects", "status")
SHARED = {path.stem for path in (ROOT / "models").glob("*.py")} | {"storage", "runtime"}
PURE = (
    "models/status/state.py",
    "models/status/uptime/uptime.py",
    "models/platform/scopes.py",
    "models/platform/rate_limits.py",
    "models/projects/versioning/diff.py",
    "models/projects/roles.py",
)
STORAGE = {"models.storage", "peewee", "playhouse"}
SHAPES = {"pydantic", "pydantic_core"}
HTTP = {"flask", "prometheus_client", "urllib3", "waitress", "werkzeug"}
PAGES = {
    "icalendar",
    "jinja2",
    "markupsafe",
    "markdown_it",
    "mdit_py_plugins",
    "pygments",
    "yaml",
}

# The probe runs where no database is: of ours it takes shapes and how lines are logged.
CLIENT = {
    "api.client",
    "dns",
    "models.base",
    "models.errors",
    "models.runtime.server_locks",
    "models.logs",
    "models.platform.secrets",
    "models.settings",
    "models.status.measurements.measurements",
    "models.status.state",
    "models.fields",
    "urllib3",
}

# What one file alone may import beside what its room may.
ALONE = {
    # The driver of a server is loaded where there is one.
    "models/storage/engines/postgresql_driver.py": {"psycopg"},
    # What time makes due is done by a server.
    "api/scheduler.py": {"apscheduler"},
    # Where a site is published to may be an object store.
    "sitegen/output/publishing/bucket.py": {"obstore"},
    # How far a long command is, is shown in the terminal.
    "api/commands/terminal.py": {"tqdm"},
    # A start prepares what all areas need; and no area knows of it.
    "models/runtime/startup.py": {"models.platform.keys", "models.projects.projects"},
    # What people keep in files is YAML, and comes in through these.
    "models/front_matter.py": {"yaml"},
    "models/status/importers/cstate.py": {"yaml"},
    "models/status/importers/upptime.py": {"yaml"},
}

# Time and the environment come in through app.py alone.
WORLD = {
    "datetime": {"now", "utcnow", "today", "fromtimestamp"},
    "date": {"today"},
    "time": {"time", "time_ns", "localtime", "gmtime"},
    "os": {"environ", "getenv", "environb"},
}

rooms = pytest.mark.parametrize("path", in_rooms(), ids=name_of)


def imported(path):
    """The dotted names that a module imports, `from a import b` as a.b."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "Imports say the whole name."
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def allowed(path):
    """What the module may import beside the standard library, by its address."""
    return in_room(path) | ALONE.get(name_of(path), set())


def in_room(path):
    room, *inner = path.relative_to(ROOT).with_suffix("").parts
    if name_of(path) in PURE:
        return set()
    if room == "sitegen":
        return PAGES | {"models", "sitegen"}
    shared = {f"models.{name}" for name in SHARED}
    if (room, inner[0]) == ("api", "client"):
        return CLIENT | SHAPES
    area = {f"{room}.{inner[0]}"} if inner[0] in AREAS else set()
    if room == "models":
        return STORAGE | SHAPES | shared | area
    if area:
        return {"api.operation", f"models.{inner[0]}"} | shared | area
    return HTTP | SHAPES | {"api", "models"}


def stands_in(name, names):
    """Tell whether a.b.c, or a name that it lies under, is among the names."""
    parts = name.split(".")
    return any(".".join(parts[: n + 1]) in names for n in range(len(parts)))


@rooms
def test_imports_stay_within_the_walls(path):
    """A room imports what house and README say it may, and nobody imports app."""
    names = {each for each in imported(path) if not each.startswith("__future__")}
    own = {each for each in names if each.split(".")[0] not in sys.stdlib_module_names}

    beyond = {each for each in own if not stands_in(each, allowed(path))}

    assert not beyond


@rooms
def test_commands_are_for_commands(path):
    """Nobody needs a command but app.py: what it does is a rule, with its own home."""
    needed = {each for each in imported(path) if ".commands." in each}

    assert not needed or "commands" in path.parts


@rooms
def test_world_is_asked_in_app_only(path):
    """Nothing but app.py asks what time it is or what the environment says."""
    asked = [
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr in WORLD.get(node.value.id, ())
    ]
    taken = {f"{module}.{word}" for module, words in WORLD.items() for word in words}

    assert not asked
    assert not taken.intersection(imported(path))


@pytest.mark.parametrize("name", PURE)
def test_pure_files_are_where_they_are_said_to_be(name):
    """A pure file that moved would be held to nothing."""
    assert (ROOT / name).is_file()
