"""The memory that an export uses."""

import tracemalloc

from api.http.response import MAX_BYTES_IN_MEMORY
from tests.factories.full_project import make_full

DOCUMENTS, LENGTH = 24, 400_000


def test_export_is_not_held_in_memory(app, api, issue, clock, store):
    """
    An export of twenty megabytes uses only a few of memory, for every kind of content.
    """
    project = make_full(clock.now, "quillfeather").project
    for number in range(DOCUMENTS):
        document = {"projectId": project.id, "type": "note", "title": "Long"}
        document |= {"slug": f"d{number}", "content": "word " * (LENGTH // 5)}
        api("POST /projects/v1/documents/create", document, key=issue("*"))
    headers = {"Authorization": f"Bearer {issue('*')}"}
    client = app.test_client()

    tracemalloc.start()
    path = f"/projects/v1/projects/export?id={project.id}"
    response = client.get(path, headers=headers, buffered=False)
    size = sum(map(len, response.iter_encoded()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert size > 2 * DOCUMENTS * LENGTH
    assert peak < MAX_BYTES_IN_MEMORY + 20 * LENGTH
