"""The OpenAPI document that the output folder keeps for the next process."""

from dataclasses import replace

import pytest

from models.settings import Settings
from sitegen.builder.stored_openapi import STORED_OPENAPI, stored_openapi

PROGRAM = "digest of this program"


@pytest.fixture
def settings(tmp_path):
    return Settings(output=str(tmp_path / "output"))


def refuse():
    raise AssertionError("The document was created again.")


def test_created_once(settings):
    """The document is created once for a program; its next process takes the same."""
    first = stored_openapi(settings, PROGRAM, lambda: {"openapi": "3.1.0"})

    second = stored_openapi(settings, PROGRAM, refuse)

    assert first == second == {"openapi": "3.1.0"}


@pytest.mark.parametrize(
    ("program", "changes"),
    [("digest of another program", {}), (PROGRAM, {"site_name": "Another site"})],
)
def test_another_program_or_name(settings, program, changes):
    """The document of another program, or with another name, is not used."""
    stored_openapi(settings, PROGRAM, lambda: {"info": "old"})
    settings = replace(settings, **changes)

    created = stored_openapi(settings, program, lambda: {"info": "new"})

    assert created == {"info": "new"}
    assert stored_openapi(settings, program, refuse) == {"info": "new"}


@pytest.mark.parametrize("content", [b"", b'{"madeBy"', b"[]", b"\xff", b"{}"])
def test_damaged(settings, tmp_path, content):
    """A damaged file is replaced."""
    stored_openapi(settings, PROGRAM, lambda: {"info": "old"})
    (tmp_path / "output" / STORED_OPENAPI).write_bytes(content)

    created = stored_openapi(settings, PROGRAM, lambda: {"info": "new"})

    assert created == {"info": "new"}
    assert stored_openapi(settings, PROGRAM, refuse) == {"info": "new"}
    assert [file.name for file in (tmp_path / "output").iterdir()] == [STORED_OPENAPI]


def test_folder_that_cannot_be_written(settings, tmp_path):
    """Where it cannot be stored, it is created; the build reports what is wrong."""
    (tmp_path / "output").write_text("This is a file.")

    created = stored_openapi(settings, PROGRAM, lambda: {"info": "new"})

    assert created == {"info": "new"}
