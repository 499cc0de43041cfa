"""Answer the API's questions about the site: how a text renders, what exists."""

from collections.abc import Callable
from os.path import isfile
from pathlib import Path

from models.projects.documents.preview import Text
from models.projects.documents.rendered_bodies import Body
from models.response_headers import paths_at
from sitegen.docs.body_cache import body_key, render_body


class Preview:
    """Reads the output folder and changes nothing in it."""

    def __init__(
        self, output: str, is_output_current: Callable[[], bool] = lambda: True
    ) -> None:
        self._output = Path(output)
        self._is_output_current = is_output_current

    @property
    def is_built_here(self) -> bool:
        return self._is_output_current()

    def key(self, text: Text) -> str:
        return body_key(text)

    def body(self, text: Text, content: str) -> Body:
        return render_body(text, content)

    def holds(self, address: str) -> bool:
        # The output of another server is unknown here: no link is called broken.
        return not self.is_built_here or any(
            self._has_file(path) for path in paths_at(address)
        )

    def _has_file(self, path: str) -> bool:
        # The file system ignores empty and dot segments; a web server does not.
        if not {"", ".", ".."}.isdisjoint(path.split("/")):
            return False
        # `isfile` accepts any name, even one that no file system allows.
        return isfile(self._output / path)
