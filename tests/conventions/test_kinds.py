"""Every class of problem has a problem type, and every type a class."""

from api.http.problem_types import PROBLEM_TYPES
from api.openapi.errors import COMMON, COMMON_GET, COMMON_MUTATION, COMMON_POST
from api.operation import OPERATIONS
from models import errors

STATUSES = {400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 431, 500, 501, 503}


def refusals(of=errors.Refusal):
    """Return every class of problem that the models may raise."""
    found = {each for each in of.__subclasses__() if each.__module__ == errors.__name__}
    return found.union(*(refusals(each) for each in found))


def test_every_refusal_has_its_kind():
    """The problems that the rules raise are those that problems.py describes."""
    kinds = {each.kind for each in refusals()}

    assert kinds == PROBLEM_TYPES.keys() - {"internal-error"}


def test_no_kind_is_told_by_two_refusals():
    """Each problem type has one class, so that programs know what happened."""
    kinds = [each.kind for each in refusals()]

    assert len(kinds) == len(set(kinds))


def test_every_kind_is_told_in_full():
    """A problem type has a valid status, a title, a description and a remedy."""
    for kind, problem in PROBLEM_TYPES.items():
        assert problem.status in STATUSES, kind
        assert problem.title.strip(), kind
        assert problem.meaning.endswith("."), kind
        assert problem.remedy.endswith("."), kind


def test_described_kinds_exist():
    """OpenAPI lists only existing problem types."""
    result = {*COMMON, *COMMON_GET, *COMMON_POST, *COMMON_MUTATION}
    refused = {each.kind for op in OPERATIONS for each in op.errors}

    assert result | refused <= PROBLEM_TYPES.keys()
