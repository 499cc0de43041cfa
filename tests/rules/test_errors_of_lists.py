"""The maximum number of errors for the items of a list."""

from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from models.base import MAX_ERRORS, ErrorCount, Schema


class Part(Schema):
    first: str
    second: str


class Whole(Schema):
    bounded: Annotated[list[Part], Field(max_length=10_000)] = []
    unbounded: list[Part] = []
    nested: Annotated[list[Annotated[list[int], Field(max_length=9)]], Field()] = []


def places(sent):
    with pytest.raises(ValidationError) as refused:
        Whole.model_validate(sent, context=ErrorCount())
    return [error["loc"] for error in refused.value.errors()]


def test_bounded_list():
    """The rest of a list is not validated once there are enough errors."""
    found = places({"bounded": [{}] * 10_000})

    assert len(found) == MAX_ERRORS
    assert found[-1] == ("bounded", 9, "second")


def test_list_that_is_too_long():
    """An overlong list is detected before its items are validated."""
    assert places({"bounded": [{}] * 10_001}) == [("bounded",)]


def test_unbounded_list():
    """The validation of an unbounded list ends at its first invalid item."""
    found = places({"unbounded": [{}] * 10_000})

    assert found == [("unbounded", 0, "first"), ("unbounded", 0, "second")]


def test_list_in_a_list():
    """The limits apply at any depth."""
    assert places({"nested": [["a"] * 9] * 10_000}) == [
        ("nested", 0, number) for number in range(9)
    ]


def test_response():
    """The errors of a response are not counted; it is validated unchanged."""
    part = {"first": "a", "second": "b"}

    whole = Whole.model_validate({"bounded": [part] * 3})

    assert len(whole.bounded) == 3
