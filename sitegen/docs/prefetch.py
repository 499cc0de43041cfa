"""What is kept of documents, read ahead for who asks for it about in their order."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from models.projects.documents.published import PublishedPage

# As many documents are read at once in a build of all of them.
MOST = 128

T = TypeVar("T")


class Ahead(Generic[T]):
    """
    Reads the further ahead the longer it is asked in order.

    One publication reads one text; a build of the whole site does not read them one
    by one.
    """

    def __init__(
        self,
        documents: Sequence[PublishedPage],
        load: Callable[[Sequence[PublishedPage]], Mapping[str, T]],
    ) -> None:
        self._documents = documents
        self._load = load
        self._places = {each.id: place for place, each in enumerate(documents)}
        self._held: Mapping[str, T] = {}
        self._start, self._end = 0, 0

    def of(self, document: PublishedPage) -> T | None:
        """Return what is kept of the document, None where nothing is."""
        place = self._places[document.id]
        if not self._start <= place < self._end:
            self._move_to(place)
        return self._held.get(document.id)

    def _move_to(self, place: int) -> None:
        in_order = place == self._end
        length = min(MOST, 2 * (self._end - self._start) or 1) if in_order else 1
        self._start, self._end = place, place + length
        self._held = self._load(self._documents[place : self._end])
