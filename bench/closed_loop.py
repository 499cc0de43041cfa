"""Connect to a server, and tell when a response is complete."""

import socket


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), 10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def is_complete(response):
    head, end, body = response.partition(b"\r\n\r\n")
    length = head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0]
    return bool(end) and len(body) == int(length)
