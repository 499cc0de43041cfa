"""What the site makes of texts, for those who ask before anything is published."""

from typing import Protocol

from models.projects.documents.rendered_bodies import Body


class Text(Protocol):
    """The words of a document at one version, but for its content."""

    @property
    def title(self) -> str: ...

    @property
    def digest(self) -> str: ...


class PagePreview(Protocol):
    """Handed to the application by whoever makes the pages."""

    @property
    def is_built_here(self) -> bool:
        """Tell whether what stands here is what readers get."""
        ...

    def key(self, text: Text) -> str:
        """Name the body of a text, under which it is kept."""
        ...

    def body(self, text: Text, content: str) -> Body:
        """Render a text."""
        ...

    def holds(self, address: str) -> bool:
        """Tell whether a page or a file stands at an address of the site."""
        ...
