"""A work tree of Git, with commits at given times."""

import os
import subprocess

_PERSON = {
    f"GIT_{role}_{name}": value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com"))
}


def commit(folder, at, **files):
    """Write the files into the folder, a new work tree at first, and commit them."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    environment = os.environ | _PERSON | {"GIT_AUTHOR_DATE": at.isoformat()}
    for words in (
        ("init", "--quiet"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "Words"),
    ):
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True)
