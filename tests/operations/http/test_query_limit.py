"""The processor time of a query."""

import pytest

from api.http import dispatch
from models.storage.engines import sqlite
from tests.factories.projects import make_item


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("GET /projects/v1/work-items/list", {"q": "thing"}),
        ("GET /projects/v1/search/list", {"q": "thing"}),
        ("GET /platform/v1/keys/list", {}),
    ],
)
def test_costly_query(api, refusal, sample_project, clock, monkeypatch, route, query):
    """
    A query that takes too long is rejected with advice, and the next one succeeds.
    """
    make_item(sample_project, clock.now, title="A thing")
    with monkeypatch.context() as patch:
        patch.setattr(dispatch, "QUERY_SECONDS", 0.0)
        patch.setattr(sqlite, "CHECK_INSTRUCTIONS", 1)
        response = api(route, query)

    assert response.status_code == 422
    assert "Narrow it" in refusal(response, "query-too-costly")["detail"]
    assert api(route, query).status_code == 200
