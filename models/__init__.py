"""What the service is about; it knows nobody."""

import sys

# Peewee loads each driver that it finds, and every process would hold 15 MB of one
# that it never asks for. engines/driver.py takes this back where there is a server.
sys.modules.setdefault("psycopg", None)  # type: ignore[arg-type]
