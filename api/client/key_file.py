"""Read API keys from files that only their owner can read."""

import os
import stat
from pathlib import Path

from models.platform.secrets import is_well_formed
from models.runtime.commands import CommandError
from models.settings import SettingError

# Names the file with the key of commands that change another server.
KEY_SETTING = "MASTHEAD_KEY_FILE"
_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_client_key(key_file: str, needed_by: str) -> str:
    """Return the key in the file that MASTHEAD_KEY_FILE names."""
    if not key_file:
        raise CommandError(
            f"{needed_by} needs an API key: set {KEY_SETTING} to its file."
        )
    key = read_key_file(Path(key_file), KEY_SETTING)
    return require_key(key, f"The key in {KEY_SETTING}")


def read_key_file(path: Path, setting: str) -> str:
    """Return the key in a file; raise SettingError, which names the setting."""
    try:
        with path.open(encoding="ascii", errors="replace") as key_file:
            mode = os.fstat(key_file.fileno()).st_mode
            key = key_file.read(1000).strip()
    except OSError as error:
        raise SettingError(f"{setting} {path}: {error.strerror}.") from error
    if mode & _GROUP_AND_OTHERS:
        raise SettingError(
            f"{setting} {path} is accessible to others than its owner: run chmod 600"
            f" {path}, and rotate the key if others may have read it."
        )
    if not key:
        raise SettingError(f"{setting} {path} is empty: write the key into it.")
    return key


def require_key(key: str, name: str) -> str:
    """Return the key; raise SettingError if it is not one, without its text."""
    if not is_well_formed(key):
        raise SettingError(
            f"{name} is not a valid Masthead key: it is truncated or mistyped."
        )
    return key
