"""State the limits of connections, requests and responses."""

KIB = 1024
MIB = KIB * KIB
# A client has this long, from the connection or the last response, to send a whole
# request, and as long again to read a response; bodies get more time, as long as they
# move at the minimum rate.
TIMEOUT_SECONDS = 60
MIN_BYTES_PER_SECOND = 16 * KIB
MAX_CONNECTIONS = 800
# Above this number, the connections that have waited longest are closed.
HIGH_WATER_CONNECTIONS = 600
MAX_HEADER_BYTES = 32 * KIB
# Of a larger body, the rest is only received for a valid API key, and as much of it as
# the operation allows.
KEYLESS_BODY_BYTES = 64 * KIB
# What all larger bodies of a process together may have, while their temporary files
# have room.
MAX_SPOOLED_BYTES = 256 * MIB
# One API key occupies at most this part of the threads, while others have sent requests
# in the last seconds, and after one of its own was costly: in processor time, or in
# time that a database elsewhere took.
CALLER_SHARE = 4
COMPANY_SECONDS = 10
COSTLY_SECONDS = 60
COSTLY_PROCESSOR_SECONDS = 0.02
COSTLY_WAITING_SECONDS = 0.5
# A request that has waited so long for the others of its key is refused.
QUEUE_SECONDS = 5
MAX_KNOWN_CALLERS = 10_000
# After a refusal, the server reads on for a while and discards what comes: a client
# that is still sending would not read the response from a closed connection.
LINGER_SECONDS = 5
LINGER_BYTES = 16 * MIB
# What all connections together have not read yet, which is in memory; above it, those
# that have waited longest are closed.
MAX_UNREAD_BYTES = 64 * MIB
# A request gives up the interpreter at each statement. With Python's 5 ms, it waits
# ten times longer to get it back from one that computes: while a console session
# asked for costly pages, the p99 of others was 720 and 830 ms instead of 130.
SWITCH_INTERVAL_SECONDS = 0.0005
# The open files that threads and the database need besides the connections.
OTHER_FILES = 1024
