"""Read the API key by which people act whom a proxy has signed in."""

from models.platform.secrets import is_well_formed
from models.settings import SettingError

MAX_CHARACTERS = 1000


def read_proxy_key(path: str) -> str:
    """Return the key in the file; raise SettingError if it has none."""
    try:
        with open(path, encoding="ascii") as file:
            key = file.read(MAX_CHARACTERS).strip()
    except OSError as error:
        raise _unreadable(error.strerror or "It is no file") from error
    except UnicodeError:
        raise _unreadable("It is not ASCII") from None
    if not is_well_formed(key):
        raise _unreadable("It has no API key, or one that is mistyped")
    return key


def _unreadable(reason: str) -> SettingError:
    return SettingError(
        f"The console's key file, MASTHEAD_CONSOLE_KEY_FILE, cannot be read: {reason}."
    )
