"""Values that no database can store: as a text, as a number, or in one statement."""

# As they stand in a query: NUL, no text of UTF-8, and more than 64 bits.
QUERIES = (
    "%00",
    "a%00b",
    "%ED%A0%80",
    "%FF",
    "-1",
    f"{2**63}",
    f"{-(2**63) - 1}",
    "9" * 40,
)
# As members of a body.
MEMBERS = (2**31, 2**63, -(2**63) - 1, 10**40, 1e308, "\x00", "a\x00b", ["\x00"])
