"""The database engines: SQLite and PostgreSQL."""
