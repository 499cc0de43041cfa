"""Use the folder for temporary files, and say what to do when it is full."""

import os
import tempfile
from errno import EDQUOT, EFBIG, EINVAL, ENOSPC, EOPNOTSUPP
from typing import IO

from models.errors import StorageBusy
from models.runtime.faults import Fault

STATE = "temporary-full"
# The disk is full, or there is a limit for this user or this process.
NO_SPACE = {ENOSPC, EDQUOT, EFBIG}
# Twice the largest file that may be uploaded.
MIN_FREE_BYTES = 20_000_000
_ADVICE = "Free space in the folder that TMPDIR names, or set TMPDIR to a larger one"


def choose_folder(wanted: str | None) -> None:
    """
    Have all processes of a server use the wanted folder if it exists, even a full one.

    Python tries to write, so a process that is started while the folder is full would
    use another one, such as the current folder.
    """
    for folder in (wanted, "/tmp", "/var/tmp"):  # noqa: S108
        if folder and os.access(folder, os.W_OK | os.X_OK):
            tempfile.tempdir = os.path.abspath(folder)
            return


def reserved_file(size: int) -> IO[bytes]:
    """
    Return an unbuffered file without a name, for which so many bytes are reserved.

    The operating system reserves them, so that they are this file's whatever the other
    processes of the server write, and frees them when the file is closed or its process
    dies. As much must be left free as the file takes: many files cannot fill the disk,
    which may be that of the database. Raise StorageBusy otherwise.
    """
    _require_free(size, 2 * size)
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  closed by the caller
    try:
        _reserve(file, size)
        # Other processes may have reserved space at the same time.
        _require_free(size, size)
    except BaseException:
        file.close()
        raise
    return file


def _reserve(file: IO[bytes], size: int) -> None:
    try:
        os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        # Not every file system can reserve space: then a write may fail.
        if error.errno not in (EINVAL, EOPNOTSUPP):
            raise


def _require_free(size: int, required: int) -> None:
    if _free_bytes() < required:
        raise StorageBusy(
            f"The server has no room for a body of {size} bytes, which needs twice as"
            f" much free space for temporary files. Nothing was saved. {_ADVICE}, and"
            " try again.",
            state=STATE,
        )


def full_folder_refusal(error: BaseException) -> StorageBusy | None:
    """Return the refusal if the error means that there is no room for a file."""
    if not isinstance(error, OSError) or error.errno not in NO_SPACE:
        return None
    return StorageBusy(
        f"The server has no room for temporary files. Nothing was saved. {_ADVICE}, and"
        " try again.",
        state=STATE,
    )


def temporary_faults() -> list[Fault]:
    """Return the fault if there is too little room for large bodies and files."""
    if _free_bytes() >= MIN_FREE_BYTES:
        return []
    return [
        Fault(
            STATE,
            f"The folder for temporary files, {tempfile.gettempdir()}, has less than"
            f" {MIN_FREE_BYTES} bytes of free space.",
        )
    ]


def _free_bytes() -> float:
    """Return the free bytes of the folder; a file system may have no limit."""
    try:
        status = os.statvfs(tempfile.gettempdir())
    except OSError:
        return 0
    return status.f_bavail * status.f_frsize if status.f_blocks else float("inf")
