"""Compare key verification among 100,000 keys with a minimal Flask application."""

import hashlib
import time

from peewee import chunked
from werkzeug.datastructures import EnvironHeaders

from api.http.authentication import authenticate, bearer_credentials
from bench.closed_loop import connect, is_complete
from bench.server import MINIMAL_FLASK, empty_database, now, server_process
from models.base import new_id
from models.platform.keys import KeyRow
from models.platform.rate_limits import MemoryRateLimiter
from models.platform.scopes import any_covers
from models.settings import Settings
from models.storage.database import database, writing

KEYS, VERIFICATIONS, CALLER_CHECKS = 100_000, 3_000, 5_000
HEADERS = "Host: 127.0.0.1\r\nConnection: keep-alive\r\n"


def run():
    with empty_database() as (path, secret):
        hashes = fill()
        with (
            server_process(path) as (port, _),
            server_process(MINIMAL_FLASK) as (minimal_port, _),
        ):
            requests = (verify_request(secret, hash) for hash in hashes)
            minimal, verify = median_seconds(minimal_port, port, requests)
        caller = caller_check_microseconds(secret)
    yield "minimal Flask, one connection, requests/s", f"{1 / minimal:.0f}", ""
    label = f"keys/verify among {KEYS:,} keys, one connection, requests/s"
    yield label, f"{1 / verify:.0f}", ""
    yield "ratio to minimal Flask", f"{minimal / verify:.2f}", ">= 0.65"
    yield "checking a caller, µs per request", f"{caller:.0f}", "< 100"


def fill(count=KEYS):
    """Insert the keys, and return the hashes of those to verify."""
    created_at = now()
    hashes = [hashlib.sha256(str(n).encode()).hexdigest() for n in range(count)]
    rows = (
        {
            "id": (id := new_id(created_at)),
            "lineage": id,
            "prefix": f"mh_{number:08}",
            "hash": hash,
            "name": f"Key {number}",
            "scopes": ["status:services:list", "status:incidents:list"],
            "created_at": created_at,
            "issuer": "bench@example.com",
        }
        for number, hash in enumerate(hashes)
    )
    with writing():
        for batch in chunked(rows, 1_000):
            KeyRow.insert_many(batch).execute()
    # In service, keys are created one at a time, so the log is never this large.
    database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return hashes[:: max(1, count // VERIFICATIONS)]


def verify_request(secret, hash):
    return post_request(secret, "/platform/v1/keys/verify", f'{{"hash":"{hash}"}}')


def post_request(secret, path, body):
    return (
        f"POST {path} HTTP/1.1\r\n{HEADERS}"
        f"Authorization: Bearer {secret}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


def get_request(secret, path):
    return (
        f"GET {path} HTTP/1.1\r\n{HEADERS}Authorization: Bearer {secret}\r\n\r\n"
    ).encode()


def median_seconds(minimal_port, port, verify_requests):
    """
    Return the median seconds of a minimal request and of a verification.

    They alternate in batches of a hundred, so that both servers are warm, as they are
    under load, and other work on the machine affects both equally.
    """
    minimal_request = get_request("", "/")
    minimal_times, verify_times = [], []
    with connect(minimal_port) as minimal, connect(port) as masthead:
        for batch in chunked(verify_requests, 100):
            minimal_times += [request_seconds(minimal, minimal_request) for _ in batch]
            verify_times += [request_seconds(masthead, request) for request in batch]
    return [sorted(times)[len(times) // 2] for times in (minimal_times, verify_times)]


def request_seconds(connection, request):
    """Send the request, and return the seconds until the response is complete."""
    started = time.perf_counter()
    connection.sendall(request)
    response = connection.recv(65536)
    while not is_complete(response):
        response += connection.recv(65536)
    seconds = time.perf_counter() - started
    if not response.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(response)
    return seconds


def caller_check_microseconds(secret):
    """Return the median time to check the caller's key, rate limit and scope."""
    headers = EnvironHeaders({"HTTP_AUTHORIZATION": f"Bearer {secret}"})
    settings, rate_limiter = Settings(), MemoryRateLimiter()
    times = []
    for _ in range(CALLER_CHECKS):
        checked_at = now()
        started = time.perf_counter()
        credentials = bearer_credentials(headers)
        caller = authenticate(credentials, settings, checked_at)
        rate_limiter.take_token(caller.lineage, caller.rate)
        any_covers(caller.scopes, "platform:keys:verify")
        times.append(time.perf_counter() - started)
    return sorted(times)[CALLER_CHECKS // 2] * 1_000_000
