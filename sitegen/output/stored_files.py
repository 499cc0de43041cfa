"""Keep in the output folder what takes long to make, for the next process."""

import os
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Write the file, which another process may be writing, too; raise OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        draft.write_text(text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
