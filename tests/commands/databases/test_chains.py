"""The check of the audit chains, and what the site publishes of them."""

import pytest

from models.audit import AuditTarget, append
from models.storage.database import writing
from tests.conftest import NOON

AREAS = ("platform", "projects", "status")


@pytest.fixture
def chains(command):
    """Three records in each area's chain, written alternately."""
    command("migrate")
    for number in range(3):
        for area in AREAS:
            with writing():
                append(
                    area,
                    actor="ada@example.com",
                    action="add",
                    target=AuditTarget("thing", f"{area} {number}", None),
                    now=NOON,
                )
    command("build")


@pytest.fixture
def tampered(engine, address):
    """
    Tamper with the second record of an area, as someone with access to the storage
    could.
    """

    def done(area, statement):
        with engine.tampering(address) as other:
            ids = f"SELECT id FROM audit WHERE area = '{area}' ORDER BY number"
            second, third = [id for (id,) in other.execute(ids)][1:]
            other.execute(statement, (second,))
        return second, third

    return done


def test_whole(command, chains):
    """Chains that were written alternately are intact."""
    assert command("check")[0] == 0


@pytest.mark.parametrize("area", AREAS)
def test_altered(area, command, chains, tampered):
    """A modified record is named, in either chain."""
    id, _ = tampered(area, "UPDATE audit SET actor = 'eve' WHERE id = ?")

    code, out, _ = command("check")

    assert code == 1
    assert f"The audit chain of {area} breaks at record {id}." in out
    assert out.count("breaks at") == 1


@pytest.mark.parametrize("area", AREAS)
def test_taken_out(area, command, chains, tampered):
    """The record after a deleted one is named."""
    _, after = tampered(area, "DELETE FROM audit WHERE id = ?")

    code, out, _ = command("check")

    assert code == 1
    assert f"The audit chain of {area} breaks at record {after}." in out
