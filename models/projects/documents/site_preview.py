"""The protocol by which the API asks the site how it would render a text."""

from collections.abc import Callable
from typing import Protocol

from models.projects.documents.rendered_bodies import RenderedBody


class RenderInput(Protocol):
    """What a rendering depends on: the title, and the content by its digest."""

    @property
    def title(self) -> str: ...

    @property
    def digest(self) -> str: ...


class SitePreview(Protocol):
    """Implemented by the site generator; the composition root passes it to the API."""

    def is_built_here(self, address: str) -> bool:
        """Return whether this host builds what is there, so that its file is right."""
        ...

    def body_key(self, text: RenderInput) -> str:
        """Return the key under which the rendered body of a text is stored."""
        ...

    def render_body(self, text: RenderInput, content: str) -> RenderedBody:
        """Render a text."""
        ...

    def page_html(
        self, body: RenderedBody, resolve: Callable[[str], str | None]
    ) -> str:
        """Return the HTML of a body; links that resolve to None become text."""
        ...

    def has_file(self, address: str) -> bool:
        """Return whether the site has a file at an address."""
        ...
