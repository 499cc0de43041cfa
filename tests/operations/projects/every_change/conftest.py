"""A project in which every change of Area A is possible, created once and copied."""

import pytest

from api.operation import OPERATIONS
from models.projects.discussion.rows import CommentRow
from models.storage.database import database, open_database, writing
from tests.conftest import NOON
from tests.factories.projects import OWNER
from tests.operations.projects.every_change.world import CASES, populate

OWN = "00000000-0000-7000-8000-0000000000aa"
UNKNOWN_ACCOUNT = "00000000-0000-7000-8000-0000000000ff"


@pytest.fixture(scope="session")
def world(empty_database, engine, tmp_path_factory):
    """
    A database that contains the project, created once, and the ids of its contents.
    """
    with engine.place(tmp_path_factory.mktemp("world") / "world.db", False) as address:
        engine.copy(empty_database, address)
        open_database(address)
        ids = populate(NOON)
        engine.at_rest()
        yield address, ids


@pytest.fixture
def store(settings, world, engine):
    """The database of this test: a copy of the world."""
    engine.copy(world[0], settings.database)
    open_database(settings.database)
    yield database
    database.close()


@pytest.fixture
def ids(world, store):
    return world[1]


@pytest.fixture
def try_case(api, issue, ids, clock):
    """Call the operation of a case as an account, or without acting for any account."""
    keys = {}

    def response(case, account=None, **headers):
        caller = account or UNKNOWN_ACCOUNT
        _own_comment(ids["$item"], ids["$project"], caller, clock.now)
        ids_by_name = ids | {"$self": caller, "$own-comment": OWN}
        body = filled(CASES[case], ids_by_name)
        if case == "projects:create" and account is None:
            body["ownerId"] = OWNER
        name = case.partition(" ")[0]
        scope = f"projects:{name}"
        (operation,) = [
            operation for operation in OPERATIONS if operation.scope == scope
        ]
        route = f"{operation.method} {operation.path}"
        headers |= {"Act-As-Account": account} if account else {}
        keys[scope] = keys.get(scope) or issue(scope, "platform:actors:assert")
        file = b"New." if operation.read_upload else None
        return api(route, body, key=keys[scope], headers=headers, file=file)

    return response


def _own_comment(item, project, account, now):
    with writing():
        CommentRow.get_or_create(
            id=OWN,
            defaults={
                "project": project,
                "entity_type": "work",
                "entity_id": item,
                "author_id": account,
                "author_type": "account",
                "content": "Mine.",
                "created_at": now,
                "updated_at": now,
            },
        )


def filled(value, ids):
    if isinstance(value, dict):
        return {name: filled(element, ids) for name, element in value.items()}
    if isinstance(value, list):
        return [filled(element, ids) for element in value]
    return ids.get(value, value) if isinstance(value, str) else value
