"""What the tests of the way in may ask for beside the fixtures of every test."""

import pytest


@pytest.fixture
def send(app):
    """Send a request as it is: nothing is added, not even a key."""
    client = app.test_client()

    def sent(operation, key=None, **request):
        headers = dict(request.pop("headers", {}))
        if key is not None:
            headers.setdefault("Authorization", f"Bearer {key}")
        request.setdefault("path", operation.path)
        return client.open(method=operation.method, headers=headers, **request)

    return sent


@pytest.fixture
def refusal():
    """Hold an answer to be a problem of this kind, and return it."""

    def held(response, kind):
        problem = response.json
        assert response.content_type == "application/problem+json"
        assert problem["type"] == f"http://127.0.0.1:8000/problems/{kind}/"
        assert problem["status"] == response.status_code
        assert problem["requestId"] == response.headers["X-Request-Id"]
        return problem

    return held
