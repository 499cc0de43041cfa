"""
Name the advisory locks of PostgreSQL: the write lock, and the lock of the leader.

The write lock serialises the writers of all hosts, as the lock on the file does in
SQLite, so that a rule may rely on what it read in its write transaction.
"""

from models.storage.engines.engine import BUSY_SECONDS

# Held until the end of a write transaction, and released with its connection.
WRITE_LOCK = 0x6D617374
# Held by the connection of the server that builds the site, until it closes.
LEADER_LOCK = 0x6275696C

# A writer that is idle for so long within its transaction is disconnected, so that
# others can write.
IDLE_SECONDS = 30

BEGIN_WRITE = (
    f"BEGIN; SET LOCAL lock_timeout = '{BUSY_SECONDS}s';"
    f" SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s';"
    f" SELECT pg_advisory_xact_lock({WRITE_LOCK}); SET LOCAL lock_timeout = 0"
)
TRY_LEADER_LOCK = f"SELECT pg_try_advisory_lock({LEADER_LOCK})"
