"""What the site would make of a text, and what stands on it: asked by the API."""

from collections.abc import Callable
from os.path import isfile
from pathlib import Path

from models.projects.documents.rendered_bodies import RenderedBody
from models.projects.documents.site_preview import RenderInput
from models.response_headers import candidate_files
from sitegen.docs.body_cache import body_key, body_of


class Preview:
    """Looks at the output folder, and changes nothing in it."""

    def __init__(
        self, output: str, is_shown: Callable[[], bool] = lambda: True
    ) -> None:
        self._output = Path(output)
        self._is_shown = is_shown

    @property
    def is_built_here(self) -> bool:
        return self._is_shown()

    def body_key(self, text: RenderInput) -> str:
        return body_key(text)

    def render_body(self, text: RenderInput, content: str) -> RenderedBody:
        return body_of(text, content)

    def has_file(self, address: str) -> bool:
        # What another server builds is not known here: no link is called broken.
        return not self.is_built_here or any(
            self._has(path) for path in candidate_files(address)
        )

    def _has(self, path: str) -> bool:
        # A path of the system forgives steps that go nowhere; an address does not.
        if not {"", ".", ".."}.isdisjoint(path.split("/")):
            return False
        # It takes every name, also one that no file system would have.
        return isfile(self._output / path)
