"""The domain: schemas, rows and rules. It imports neither api nor sitegen."""

import sys

# Peewee imports each driver that is installed, and psycopg takes 15 MB per process.
# engines/postgresql_driver.py undoes this if there is a server.
sys.modules.setdefault("psycopg", None)  # type: ignore[arg-type]
