"""A PostgreSQL for tests, which runs as long as they do."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from select import select

# Debian's folders, the newest version last.
PROGRAMS = sorted(
    Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name)
)
# No test cuts the power, so nothing waits for the disk.
SWITCHES = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "200",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "1h",
    "max_wal_size": "4GB",
}
# It lives until the other end of its input is closed, for whatever reason.
GUARD = """
bin=$1 folder=$2 switches=$3
trap '"$bin/pg_ctl" -D "$folder/data" -m immediate stop >&2; rm -rf "$folder"' EXIT
trap "" INT TERM HUP
"$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
    --no-sync >&2 || exit
echo "$switches" >>"$folder/data/postgresql.conf"
"$bin/pg_ctl" -D "$folder/data" -w -t 60 -l "$folder/log" start >&2 ||
    { cat "$folder/log" >&2; exit; }
echo started
cat
"""
START_SECONDS = 120


def as_account(*words):
    """
    Return a command prefix for an account that may run PostgreSQL, which root may not.
    """
    prefix = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    return [*prefix, *map(str, words)]


@contextmanager
def cluster(folder: Path, switches: Mapping[str, str] = SWITCHES) -> Iterator[Path]:
    """Start a separate PostgreSQL under the system's account for it."""
    own = dict(switches) | {"unix_socket_directories": str(folder)}
    result = "\n".join(f"{name} = '{value}'" for name, value in own.items())
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    # The account needs access to the folder.
    folder.chmod(0o755)
    with (folder / "guard").open("w+") as output:
        guard = subprocess.Popen(
            as_account("sh", "-c", GUARD, "sh", PROGRAMS[-1], folder, result),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            cwd="/",
            # Ctrl-C is for the tests, which are still at their end then.
            start_new_session=True,
        )
        try:
            is_there = select([guard.stdout], [], [], START_SECONDS)[0]
            if not is_there or guard.stdout.readline() != b"started\n":
                output.seek(0)
                raise RuntimeError(f"PostgreSQL does not start: {output.read()}")
            yield folder
        finally:
            guard.stdin.close()
            guard.wait(START_SECONDS)
            guard.stdout.close()
