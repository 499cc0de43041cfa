"""An attack: a weak key tries to act under the name of a stronger key's issuer."""

import pytest

from models.audit import AuditRow
from models.platform.keys import CreateKey, KeyRow, issue_key
from models.storage.database import writing

LIST = "GET /platform/v1/keys/list"
UPDATE = "POST /platform/v1/keys/update"
ROTATE = "POST /platform/v1/keys/rotate"
ADD_SERVICE = "POST /status/v1/admin/services/add"
ACCOUNT = "0190b6a0-0000-7000-8000-000000000001"
WEAK = ("platform:keys:*", "status:admin:services:add")


@pytest.fixture
def weak(issue):
    """A key that manages keys and has one more scope."""
    return issue(*WEAK, issuer="mallory@example.com")


@pytest.fixture
def take_over(api, weak):
    """
    Take a key over step by step; return the secret, or None at the first rejection.

    The key is reduced to one public read, then rotated, then given the weak key's
    scopes.
    """

    def succeeded(route, body):
        response = api(route, body, key=weak)
        return response.json["data"] if response.status_code == 200 else None

    def attempt(target):
        listed = succeeded(LIST, {"limit": 100})
        assert target.id in [key["id"] for key in listed]
        public = {"id": target.id, "scopes": ["status:services:list"]}
        succeeded(UPDATE, public)
        stolen = succeeded(ROTATE, {"id": target.id})
        if stolen is None:
            return None
        succeeded(UPDATE, {"id": stolen["id"], "scopes": list(WEAK)})
        return stolen["secret"]

    return attempt


@pytest.mark.parametrize(
    ("scopes", "account"),
    [
        (["*"], None),
        (["projects:*"], ACCOUNT),
        (["status:services:list"], ACCOUNT),
    ],
)
def test_takeover(scopes, account, take_over, clock, audited):
    """A weaker key takes over neither an admin's key nor a developer's."""
    request = CreateKey(name="strong", scopes=scopes)
    with writing():
        target, _ = issue_key(
            request, clock.now, issuer="ada@example.com", account_id=account
        )

    stolen = take_over(target)

    assert stolen is None
    assert KeyRow.get_by_id(target.id).scopes == scopes
    assert audited() == []


def test_actor_of_a_replacement(api, weak, clock):
    """The issuer of a replacement is the issuer of the key that rotated it."""
    request = CreateKey(name="equal", scopes=list(WEAK))
    with writing():
        target, _ = issue_key(request, clock.now, issuer="ada@example.com")

    replacement = api(ROTATE, {"id": target.id}, key=weak).json["data"]
    api(ADD_SERVICE, {"slug": "api", "name": "API"}, key=replacement["secret"])

    newest = AuditRow.select().order_by(AuditRow.number.desc()).first()
    assert (newest.action, newest.actor) == ("service.added", "mallory@example.com")
