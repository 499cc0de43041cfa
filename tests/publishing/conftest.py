"""A built site, and publication targets of both kinds."""

from dataclasses import replace

import pytest

from tests.publishing.published import files_of
from tests.publishing.store import BUCKET, KEY, REGION, SECRET, stored


@pytest.fixture
def bucket(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with stored() as found:
        yield found


@pytest.fixture
def to_bucket(settings, bucket):
    there = {"publish": f"s3://{BUCKET}/a", "publish_region": REGION}
    return replace(settings, publish_endpoint=bucket.address, **there)


@pytest.fixture
def to_folder(settings, tmp_path):
    return replace(settings, publish=str(tmp_path / "web"))


@pytest.fixture(params=["bucket", "folder"])
def target(request):
    """Settings with a publication target: a bucket, then a folder."""
    return request.getfixturevalue(f"to_{request.param}")


@pytest.fixture
def there(bucket, tmp_path):
    """Return the files of the target, of whichever kind."""

    def found():
        result = {path: content for path, (content, *_) in bucket.site("a").items()}
        return result or files_of(tmp_path / "web")

    return found


@pytest.fixture
def site(docs_project, build_site):
    """A built site with two documents, one of which links to the other."""
    docs_project.publish("first", "See [two](second.md).\n")
    second = docs_project.publish("second")
    build_site()
    return second
