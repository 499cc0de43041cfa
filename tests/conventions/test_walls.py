"""The allowed imports between the folders, checked on the parsed source."""

import ast
import contextlib
import sys

import pytest

from tests.conventions.source import ROOT, in_rooms, name_of, parsed

AREAS = ("platform", "projects", "status")
SHARED = {path.stem for path in (ROOT / "models").glob("*.py")} | {
    "notifications",
    "runtime",
    "storage",
}
PURE = (
    "models/display_text.py",
    "models/notifications/addresses/http_address.py",
    "models/notifications/event_types.py",
    "models/notifications/addresses/mail_address.py",
    "models/notifications/addresses/mail_relay.py",
    "models/notifications/deliveries/outcomes.py",
    "models/notifications/deliveries/schedule.py",
    "models/status/formatting.py",
    "models/status/state.py",
    "models/status/uptime/uptime.py",
    "models/platform/scopes.py",
    "models/projects/versioning/diff.py",
    "models/projects/documents/positions.py",
    "models/projects/roles.py",
)
STORAGE = {"models.storage", "peewee", "playhouse"}
SHAPES = {"pydantic", "pydantic_core"}
HTTP = {"flask", "jiter", "prometheus_client", "urllib3", "waitress", "werkzeug"}
PAGES = {
    "PIL",
    "emoji",
    "icalendar",
    "imagesize",
    "jinja2",
    "markupsafe",
    "markdown_it",
    "math_core",
    "mdit_py_plugins",
    "nh3",
    "pygments",
    "yaml",
}

# A client runs where there is no database: it uses our schemas, the log format, and how
# an import reads files.
CLIENT = {
    "api.client",
    "dns",
    "models.base",
    "models.errors",
    "models.projects.document_imports.manifest",
    "models.projects.document_imports.options",
    "models.projects.document_imports.sources",
    "models.projects.files.file_import",
    "models.projects.files.names",
    "models.projects.files.uploads",
    "models.runtime.commands",
    "models.runtime.server_locks",
    "models.logs",
    "models.platform.secrets",
    "models.settings",
    "models.status.measurements.measurements",
    "models.status.state",
    "models.fields",
    "urllib3",
}

# What a single file may import in addition to its folder.
ALONE = {
    # The driver of a server is loaded where there is one.
    "models/storage/engines/postgresql_driver.py": {"psycopg"},
    # Validating an email address involves several standards.
    "models/notifications/addresses/mail_address.py": {"email_validator"},
    # Letters of any script become those of slugs.
    "models/projects/documents/linking/tree_names.py": {"anyascii"},
    # Language data comes from CLDR.
    "models/locales.py": {"babel"},
    # Another version of CLDR changes pages.
    "sitegen/theme/theme.py": {"babel"},
    # Secrets in stored responses are sealed by a library.
    "models/sealing.py": {"cryptography"},
    # A server does what is due by time.
    # A site may be published to an object store.
    "sitegen/output/publishing/bucket.py": {"obstore"},
    # How far a long command is, is shown in the terminal.
    "api/commands/terminal.py": {"tqdm"},
    # The start prepares what all areas need, and no area depends on it.
    "models/runtime/startup.py": {
        "models.platform.keys",
        "models.projects.documents",
        "models.projects.projects",
        "models.status.services",
    },
    # How wide and high a picture is.
    "models/projects/files/uploads.py": {"imagesize"},
    # Files of users are in YAML, and are read by these.
    "models/front_matter.py": {"yaml"},
}

# Time and the environment are read only by app.py.
WORLD = {
    "datetime": {"now", "utcnow", "today", "fromtimestamp"},
    "date": {"today"},
    "time": {"time", "time_ns", "localtime", "gmtime"},
    "os": {"environ", "getenv", "environb"},
}


def imported(path):
    """Return the dotted names that a module imports, `from a import b` as a.b."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "Imports say the whole name."
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def allowed(path):
    """Return what the module may import besides the standard library, by its path."""
    return in_room(path) | ALONE.get(name_of(path), set())


def in_room(path):
    room, *inner = path.relative_to(ROOT).with_suffix("").parts
    if name_of(path) in PURE:
        return {name.removesuffix(".py").replace("/", ".") for name in PURE}
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
    """Return whether a.b.c, or a name that contains it, is among the names."""
    parts = name.split(".")
    return any(".".join(parts[: n + 1]) in names for n in range(len(parts)))


def test_imports_stay_within_the_walls():
    """A folder imports what the architecture allows, and no module imports app."""
    for path in in_rooms():
        names = {name for name in imported(path) if not name.startswith("__future__")}
        own = {n for n in names if n.split(".")[0] not in sys.stdlib_module_names}
        beyond = {name for name in own if not stands_in(name, allowed(path))}
        assert not beyond, name_of(path)


def test_commands_are_for_commands():
    """No module but app.py imports a command: its rules are elsewhere."""
    for path in in_rooms():
        commands = ("api.commands.", "sitegen.commands.")
        needed = {name for name in imported(path) if name.startswith(commands)}
        assert not needed or "commands" in path.parts, name_of(path)


def test_world_is_asked_in_app_only():
    """Only app.py reads the clock and the environment."""
    words = {f"{module}.{name}" for module, names in WORLD.items() for name in names}
    for path in in_rooms():
        used = [
            f"{node.value.id}.{node.attr}"
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.attr in WORLD.get(node.value.id, ())
        ]
        assert not used, name_of(path)
        assert not words.intersection(imported(path)), name_of(path)


@pytest.mark.parametrize("name", PURE)
def test_pure_files_are_where_they_are_said_to_be(name):
    """The listed pure files exist, because a moved one would not be checked."""
    assert (ROOT / name).is_file()


def test_models_neither_parse_nor_print():
    """What a command reads and prints is in the commands."""
    for path in (ROOT / "models").rglob("*.py"):
        calls = [
            node.func.id
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        assert "print" not in calls, name_of(path)
        assert not any(name.split(".")[0] == "argparse" for name in imported(path))


def test_imports_have_no_cycle():
    """No module imports itself, directly or through others."""
    modules = {module_of(path): path for path in in_rooms()}
    edges = {
        name: {module for module in loaded_with(path, modules) if module != name}
        for name, path in modules.items()
    }

    with contextlib.suppress(StopIteration):
        while edges:
            leaf = next(
                name for name, needed in edges.items() if not needed & edges.keys()
            )
            del edges[leaf]

    assert not edges


def module_of(path):
    dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return dotted.removesuffix(".__init__")


def loaded_with(path, modules):
    """Return the modules of the product that a module imports at its top level."""
    for node in parsed(path).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name in modules:
                    yield name
                elif node.module in modules:
                    yield node.module
