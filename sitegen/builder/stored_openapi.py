"""Keep the OpenAPI document in the output folder, since creating it takes long."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from models.settings import Settings
from sitegen.output.stored_files import replace_file

STORED_OPENAPI = ".masthead.openapi"


def stored_openapi(
    settings: Settings, program: str, create: Callable[[], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """
    Return the document that an earlier process has stored, or else create and store it.

    `program` is the digest of the program that this process runs: the document of any
    other program is not used. It must have been computed when the process started, as
    the files of the program may have been replaced since.
    """
    path = Path(settings.output, STORED_OPENAPI)
    made_by = [program, settings.site_name]
    with suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads(path.read_bytes())
        if stored["madeBy"] == made_by:
            document: dict[str, Any] = stored["document"]
            return document
    created = create()
    # Without it, the next process creates the document, too.
    with suppress(OSError):
        replace_file(path, json.dumps({"madeBy": made_by, "document": created}))
    return created
