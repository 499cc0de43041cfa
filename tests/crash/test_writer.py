"""The writer is killed at any moment: what was answered is kept, exactly once."""

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

# Whoever dies here waits for the disk as in service.
pytestmark = [pytest.mark.usefixtures("durable"), pytest.mark.both_engines]

ADD = "/status/v1/admin/services/add"
# A life ends after so many answers, at a random moment of the next write.
ANSWERS_OF_LIVES = (0, 1, 2, 3) * 3
LONGEST_PAUSE = 0.05
# A writer that hangs is ended by a signal, which the test then reports.
GIVE_UP_SECONDS = 60


def slug_of(number):
    return f"service-{number}"


def asked(client, key, number):
    """Add the service of this number; its Idempotency-Key is its name."""
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": slug_of(number)}
    body = {"slug": slug_of(number), "name": f"Service {number}"}
    return client.post(ADD, json=body, headers=headers)


def write_until_killed(app, key, first, answers):
    """Write one service after the other, telling each answer once it is had."""
    signal.alarm(GIVE_UP_SECONDS)
    client = app.test_client()
    for number in count(first):
        response = asked(client, key, number)
        assert response.status_code == 200, response.text
        result = {"number": number, "answer": response.get_data(as_text=True)}
        os.write(answers, (json.dumps(result) + "\n").encode())


def live(app, settings, key, first, wanted, pause):
    """
    Let a child write until it has told so many answers, and kill it after a pause.

    Return the answers that it told.
    """
    ours, theirs = os.pipe()
    child = forked(
        lambda: write_until_killed(app, key, first, theirs), settings.database
    )
    os.close(theirs)
    with os.fdopen(ours) as answers:
        lines = [answers.readline() for _ in range(wanted)]
        time.sleep(pause)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        lines += answers
    assert os.WIFSIGNALED(status), "the writer failed before it was killed"
    assert os.WTERMSIG(status) == signal.SIGKILL, "the writer hung"
    # A line cut short was never told.
    return [json.loads(line) for line in lines if line.endswith("\n")]


@pytest.fixture
def lived(store, settings, clock, issue):
    """Several lives of one service, each ended by a kill; the answers of all."""
    key, seed = issue("*", rateCapacity=100_000), random.randrange(10**9)
    print(f"seed {seed}")
    moments, answers = random.Random(seed), {}
    app = create_app(settings, clock=clock)
    for wanted in ANSWERS_OF_LIVES:
        first, pause = len(answers), moments.uniform(0, LONGEST_PAUSE)
        for each in live(app, settings, key, first, wanted, pause):
            answers[each["number"]] = each["answer"]
    open_database(settings.database)
    return app.test_client(), key, answers


def test_answered_is_kept(lived):
    """After every kill each answered write is there once; the database is whole."""
    _, _, answers = lived

    with reading():
        kept = [row.slug for row in ServiceRow.select()]
        records = [row.target_label for row in AuditRow.select()]
        assert integrity_problems() == []
    assert len(answers) >= sum(ANSWERS_OF_LIVES)
    assert len(kept) == len(set(kept))
    assert set(kept) >= {slug_of(number) for number in answers}
    # At most the last write was kept without an answer: the kill came between.
    assert len(kept) - len(answers) in (0, 1)
    assert len(records) == len(kept)


def test_repeat_after_a_death(lived):
    """The same Idempotency-Key gets the first answer, answered or not."""
    client, key, answers = lived
    last = len(answers)

    for number, answer in answers.items():
        repeated = asked(client, key, number)
        assert repeated.get_data(as_text=True) == answer
        assert repeated.headers["Idempotent-Replayed"] == "true"

    # The write under way at the last kill may be kept or not: now it is, once.
    assert asked(client, key, last).status_code == 200
    assert ServiceRow.select().where(ServiceRow.slug == slug_of(last)).count() == 1
