"""Two writers of files, one of them stopped before each of its statements."""

import pytest

from models.projects.files.contents import read_content
from models.projects.files.rows import FileContentRow, FileRow
from tests.conftest import NOON
from tests.factories.projects import make_project
from tests.servers.stepwise import interleaved

pytestmark = pytest.mark.postgresql

# More than a removal has statements.
ROUNDS = 60


def content(at):
    return b"file %d" % at


@pytest.fixture
def add(post):
    def add(host, project, at):
        address = f"/projects/v1/files/add?projectId={project.id}&name=f{at}.txt"
        return post(host, address, content(at))

    return add


@pytest.mark.parametrize("is_removal_first", [True, False])
def test_removal_of_bytes_that_another_project_begins_to_use(
    post, add, settings, is_removal_first
):
    """
    A file keeps its bytes, also if another project removes the same ones at that
    moment.
    """
    sample_project, borea = (make_project(slug, NOON) for slug in ("atlas", "borea"))
    added = [add(0, sample_project, at)[1]["data"]["id"] for at in range(1, ROUNDS)]
    remove = "/projects/v1/files/remove"
    writers = [
        lambda at: post(0, remove, {"id": added[at - 1]}),
        lambda at: add(1, borea, at),
    ]
    if not is_removal_first:
        writers.reverse()

    rounds = list(interleaved(settings.database, *writers))

    assert {status for _, results, _ in rounds for status, _ in results} == {200}
    assert any(did_wait for *_, did_wait in rounds)
    files = FileRow.select().where(FileRow.project == borea)
    assert sorted(b"".join(read_content(row.content_id)) for row in files) == sorted(
        content(at) for at in range(1, len(rounds) + 1)
    )
    used = {row.content_id for row in FileRow.select()}
    assert {row.digest for row in FileContentRow.select()} == used
