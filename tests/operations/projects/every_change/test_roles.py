"""Who may change what in a project: the table of roles, cell by cell."""

import pytest

from api.operation import OPERATIONS
from models.projects.roles import REQUIRED_ROLES, ROLES, role_allows
from tests.factories.projects import CONTRIBUTOR, MAINTAINER, OWNER, READER, STRANGER
from tests.operations.projects.every_change.world import CASES

ACCOUNTS = {
    "owner": OWNER,
    "maintainer": MAINTAINER,
    "contributor": CONTRIBUTOR,
    "reader": READER,
    None: STRANGER,
}
# A member cannot be added again, whatever the permissions.
MEMBER = {role for role in ROLES if role != "reader"}
everyone = pytest.mark.parametrize("role", ACCOUNTS, ids=str)


def test_every_change_is_in_the_table():
    """A change without a required role would be open to all."""
    named = {case.partition(" ")[0] for case in REQUIRED_ROLES}
    changes = {
        operation.scope.removeprefix("projects:")
        for operation in OPERATIONS
        if operation.is_mutation
        and operation.area == "projects"
        and ":admin:" not in operation.scope
    }

    assert changes | {"projects:export"} == named
    assert CASES.keys() == REQUIRED_ROLES.keys()


@everyone
@pytest.mark.parametrize("case", REQUIRED_ROLES)
def test_cell(case, role, try_case, refusal):
    """An account with the role may; one with a weaker role is told the required one."""
    if case == "members:add of oneself as reader" and role in MEMBER:
        pytest.skip("A member of another role is told so instead.")
    if case == "members:remove of oneself" and role in ("owner", None):
        pytest.skip("The account that answers stays; nobody cannot leave.")

    response = try_case(case, ACCOUNTS[role])

    if role_allows(role, case):
        assert response.status_code == 200, response.text
    else:
        assert response.status_code == 403, response.text
        assert (
            refusal(response, "role-required")["requiredRole"] == REQUIRED_ROLES[case]
        )


@pytest.mark.both_engines
@pytest.mark.parametrize(
    "case", [case for case in REQUIRED_ROLES if "oneself" not in case]
)
def test_key_that_acts_for_nobody(case, try_case, refusal):
    """A key that acts for no account has every role, but is the author of nothing."""
    response = try_case(case)

    if case == "comments:update":
        assert refusal(response, "not-author")["status"] == 403
    else:
        assert response.status_code == 200, response.text
