"""Where data is kept: a file of SQLite, or a server that speaks PostgreSQL."""
