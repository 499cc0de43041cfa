"""Which release of Masthead this is."""

VERSION = "0.1.0"
