"""Verifying one of 100,000 keys beside a bare Flask hello; what a caller costs."""

import hashlib
import socket
import time

from peewee import chunked

from api.http.authentication import authenticate
from api.http.messages import RequestHeaders
from bench.server import HELLO, empty_database, now, served
from models.base import epoch_ms, new_id
from models.platform.keys import KeyRow
from models.platform.rate_limits import MemoryRateLimiter
from models.platform.scopes import any_covers
from models.settings import Settings
from models.storage.database import database, writing

KEYS, TURNS, CALLERS = 100_000, 3_000, 5_000
HEADERS = "Host: 127.0.0.1\r\nConnection: keep-alive\r\n"


def run():
    with empty_database() as (path, secret):
        hashes = fill()
        with served(path) as (port, _), served(HELLO) as (hello, _):
            verify = (verification(secret, each) for each in hashes)
            bare, full = medians(hello, port, verify)
        caller = caller_microseconds(secret)
    yield "Flask hello, requests/s on one connection", f"{1 / bare:.0f}", ""
    yield f"keys/verify among {KEYS} keys, requests/s", f"{1 / full:.0f}", ""
    yield "share of the hello", f"{bare / full:.2f}", ">= 0.65"
    yield "checksum, key, rate and scope, µs a request", f"{caller:.0f}", "< 100"


def fill():
    """Make the keys without their secrets, and return the hashes of some."""
    at = now()
    hashes = [hashlib.sha256(str(n).encode()).hexdigest() for n in range(KEYS)]
    rows = (
        {
            "id": (id := new_id(at)),
            "lineage": id,
            "prefix": f"mh_{number:08}",
            "hash": hash,
            "name": f"Key {number}",
            "scopes": ["status:services:list", "status:incidents:list"],
            "created_at": at,
            "issuer": "bench@example.com",
        }
        for number, hash in enumerate(hashes)
    )
    with writing():
        for some in chunked(rows, 1_000):
            KeyRow.insert_many(some).execute()
    # Keys come one by one, not 100,000 in a log that was never put away.
    database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return hashes[:: KEYS // TURNS]


def verification(secret, hash):
    return posted(secret, "/platform/v1/keys/verify", f'{{"hash":"{hash}"}}')


def posted(secret, path, body):
    return (
        f"POST {path} HTTP/1.1\r\n{HEADERS}"
        f"Authorization: Bearer {secret}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


def got(secret, path):
    return (
        f"GET {path} HTTP/1.1\r\n{HEADERS}Authorization: Bearer {secret}\r\n\r\n"
    ).encode()


def medians(hello, port, verifications):
    """
    Return the median seconds of a hello and of a verification.

    They take turns of a hundred: each server is warm, as it is under load, and
    whatever else the machine does meets both alike.
    """
    greeting = got("", "/")
    greeted, verified = [], []
    with connected(hello) as bare, connected(port) as full:
        for turn in chunked(verifications, 100):
            greeted += [asked(bare, greeting) for _ in turn]
            verified += [asked(full, each) for each in turn]
    return [sorted(each)[len(each) // 2] for each in (greeted, verified)]


def connected(port):
    connection = socket.create_connection(("127.0.0.1", port), 10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def asked(connection, request):
    """Send the request and return the seconds until its whole answer is there."""
    started = time.perf_counter()
    connection.sendall(request)
    answer = connection.recv(65536)
    while not is_whole(answer):
        answer += connection.recv(65536)
    taken = time.perf_counter() - started
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(answer)
    return taken


def is_whole(answer):
    head, end, body = answer.partition(b"\r\n\r\n")
    length = head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0]
    return bool(end) and len(body) == int(length)


def caller_microseconds(secret):
    """What stands before every question: who asks, how often, and may they."""
    headers, settings = (
        RequestHeaders({"HTTP_AUTHORIZATION": f"Bearer {secret}"}),
        Settings(),
    )
    buckets, scope = MemoryRateLimiter(), "platform:keys:verify"
    times = []
    for _ in range(CALLERS):
        at = now()
        started = time.perf_counter()
        caller, rate = authenticate(headers, settings, at)
        buckets.take_token(caller.lineage, epoch_ms(at) * 1_000_000, rate)
        any_covers(caller.scopes, scope)
        times.append(time.perf_counter() - started)
    return sorted(times)[CALLERS // 2] * 1_000_000
