"""A list whose items stay in a file, for lists that are too large for memory."""

import hashlib
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Annotated, Any, BinaryIO, Generic, TypeAlias, TypeVar, get_args

from pydantic import GetCoreSchemaHandler, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, core_schema

from models.base import canonical_json

T = TypeVar("T")
# Of all lists of a body together: their ids are in memory while they are imported.
MAX_ITEMS = 150_000
# Where each item begins, and where one after the last would; one byte separates two.
Starts: TypeAlias = "array[int]"


class LazyList(Generic[T]):
    """
    The items of a list in a file of JSON, each read when it is needed.

    `parse` takes the index and the JSON of an item and returns its value, from which
    `validate` makes the item.
    """

    validate: Callable[[Any], T]

    def __init__(
        self, file: BinaryIO, starts: Starts, parse: Callable[[int, bytes], Any]
    ) -> None:
        self._file, self._starts, self._parse = file, starts, parse

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, index: int) -> T:
        return self.validate(self._value(range(len(self))[index]))

    def _value(self, index: int) -> Any:
        start, end = self._starts[index : index + 2]
        self._file.seek(start)
        return self._parse(index, self._file.read(end - 1 - start))

    @cached_property
    def digest(self) -> str:
        """The same digest for the same values, however their JSON is written."""
        digest = hashlib.sha256()
        for index in range(len(self)):
            digest.update(canonical_json(self._value(index)) + b"\n")
        return digest.hexdigest()


class _LazyItems:
    """
    Lets a field take a LazyList, whose items are validated whenever they are read.

    It is serialized as its digest, which is what a repeated request is recognized by.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        (item,) = get_args(source)

        def validate(value: Any, validate_list: ValidatorFunctionWrapHandler) -> Any:
            if not isinstance(value, LazyList):
                return validate_list(value)
            value.validate = lambda part: item.model_validate(
                part, by_alias=True, by_name=False
            )
            return value

        def serialize(value: Any, serialize_list: Callable[[Any], Any]) -> Any:
            is_lazy = isinstance(value, LazyList)
            return value.digest if is_lazy else serialize_list(value)

        items = handler.generate_schema(list[item])  # type: ignore[valid-type]
        return core_schema.no_info_wrap_validator_function(
            validate,
            items,
            serialization=core_schema.wrap_serializer_function_ser_schema(
                serialize, schema=items
            ),
        )


# The items are schemas.
Lazy = Annotated[Sequence[T], _LazyItems()]
