"""The writer is killed at any moment: acknowledged writes are stored exactly once."""

import json
import os
import random
import signal
import time
from itertools import count

import pytest

from api.http.application import create_app
from models.audit import AuditRow
from models.status.services.rows import ServiceRow
from models.storage.database import open_database, reading
from models.storage.integrity import integrity_problems
from tests.crash.child import forked

# The processes that are killed wait for the disk as in service.
pytestmark = [pytest.mark.usefixtures("durable"), pytest.mark.both_engines]

ADD = "/status/v1/admin/services/add"
# A life ends after so many answers, at a random moment of the next write.
ANSWERS_OF_LIVES = (0, 1, 2, 3) * 3
LONGEST_PAUSE = 0.05
# A writer that hangs is ended by a signal, which the test then reports.
GIVE_UP_SECONDS = 60


def slug_of(number):
    return f"service-{number}"


def add_service(client, key, number):
    """Add the service of this number; its Idempotency-Key is its name."""
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": slug_of(number)}
    body = {"slug": slug_of(number), "name": f"Service {number}"}
    return client.post(ADD, json=body, headers=headers)


def write_until_killed(app, key, first, answers):
    """Add one service after the other, and report each response once it is received."""
    signal.alarm(GIVE_UP_SECONDS)
    client = app.test_client()
    for number in count(first):
        response = add_service(client, key, number)
        assert response.status_code == 200, response.text
        result = {"number": number, "answer": response.get_data(as_text=True)}
        os.write(answers, (json.dumps(result) + "\n").encode())


def live(app, settings, key, first, response_count, pause):
    """
    Let a child write until it has reported this number of responses, and kill it after
    a pause.

    Return the reported responses.
    """
    ours, theirs = os.pipe()
    child = forked(
        lambda: write_until_killed(app, key, first, theirs), settings.database
    )
    os.close(theirs)
    with os.fdopen(ours) as answers:
        lines = [answers.readline() for _ in range(response_count)]
        time.sleep(pause)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        lines += answers
    assert os.WIFSIGNALED(status), "the writer failed before it was killed"
    assert os.WTERMSIG(status) == signal.SIGKILL, "the writer hung"
    # A truncated line was never reported.
    return [json.loads(line) for line in lines if line.endswith("\n")]


@pytest.fixture
def killed_service(store, settings, clock, issue):
    """
    Run one service several times, each time ended by a kill; return all responses.
    """
    key, seed = issue("*", rateCapacity=100_000), random.randrange(10**9)
    print(f"seed {seed}")
    moments, answers = random.Random(seed), {}
    app = create_app(settings, clock=clock)
    for response_count in ANSWERS_OF_LIVES:
        first, pause = len(answers), moments.uniform(0, LONGEST_PAUSE)
        for each in live(app, settings, key, first, response_count, pause):
            answers[each["number"]] = each["answer"]
    open_database(settings.database)
    return app.test_client(), key, answers


def test_answered_is_kept(killed_service):
    """
    After every kill each acknowledged write is stored once, and the database is intact.
    """
    _, _, answers = killed_service

    with reading():
        stored = [row.slug for row in ServiceRow.select()]
        records = [row.target_label for row in AuditRow.select()]
        assert integrity_problems() == []
    assert len(answers) >= sum(ANSWERS_OF_LIVES)
    assert len(stored) == len(set(stored))
    assert set(stored) >= {slug_of(number) for number in answers}
    # At most the last write was stored without a response: the kill came in between.
    assert len(stored) - len(answers) in (0, 1)
    assert len(records) == len(stored)


def test_repeat_after_a_death(killed_service):
    """
    A repeat with the Idempotency-Key gets the first response, whether it arrived or
    not.
    """
    client, key, answers = killed_service
    last = len(answers)

    for number, answer in answers.items():
        repeated = add_service(client, key, number)
        assert repeated.get_data(as_text=True) == answer
        assert repeated.headers["Idempotent-Replayed"] == "true"

    # The write in progress at the last kill may be stored or not: now it is, once.
    assert add_service(client, key, last).status_code == 200
    assert ServiceRow.select().where(ServiceRow.slug == slug_of(last)).count() == 1
