"""Send requests over many connections from one thread, each after the last response."""

import selectors
import socket
import time
from contextlib import ExitStack


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), 10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def is_complete(response):
    head, end, body = response.partition(b"\r\n\r\n")
    length = head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0]
    return bool(end) and len(body) == int(length)


def requests_per_second(port, requests, connections, seconds):
    """
    Return the rate at which so many connections together get responses.

    `requests` is an iterator. The thread does as little as possible, since it shares
    the cores with the server.
    """
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.EpollSelector())
        for _ in range(connections):
            connection = stack.enter_context(connect(port))
            selector.register(connection, selectors.EVENT_READ, bytearray())
            connection.sendall(next(requests))
        count, started = 0, time.perf_counter()
        while (now := time.perf_counter()) < started + seconds:
            for key, _ in selector.select(1):
                count += _receive(key.fileobj, key.data, requests)
        return count / (now - started)


def _receive(connection, response, requests):
    """Receive a part of a response; after the last, send the next request."""
    response += connection.recv(65536)
    if not is_complete(response):
        return 0
    if not response.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(bytes(response))
    response.clear()
    connection.sendall(next(requests))
    return 1
