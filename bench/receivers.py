"""Receive webhooks and emails in a separate process; some receivers behave badly."""

import asyncio
import json
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

ROOT = Path(__file__).parents[1]
# Longer than a delivery may take.
HANG_SECONDS, SLOW_SECONDS = 60, 5


@contextmanager
def receivers(folder):
    """Yield the ports for HTTP and SMTP, and the file with what has arrived."""
    log, ports = folder / "arrivals.jsonl", [free_port(), free_port()]
    log.touch()
    command = [sys.executable, "-m", "bench.receivers", str(log), *map(str, ports)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        try:
            yield *ports, log
        finally:
            process.kill()


def arrivals(log):
    """Return when each address first received something, and the total number."""
    first, total = {}, 0
    for line in log.read_text().splitlines():
        address, at = json.loads(line)
        first.setdefault(address, at)
        total += 1
    return first, total


async def main(log, http_port, smtp_port):
    with open(log, "a", buffering=1) as file:

        def note(address):
            file.write(json.dumps([address, time.time()]) + "\n")

        async def http(reader, writer):
            await _receive_webhook(reader, writer, note)

        async def smtp(reader, writer):
            await _receive_mails(reader, writer, note)

        await asyncio.start_server(http, "127.0.0.1", http_port, backlog=512)
        server = await asyncio.start_server(smtp, "127.0.0.1", smtp_port)
        print("listening", flush=True)
        await server.serve_forever()


async def _receive_webhook(reader, writer, note):
    head = await reader.readuntil(b"\r\n\r\n")
    path = head.split(b" ", 2)[1].decode()
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    await reader.readexactly(int(length[1]))
    if path.startswith("/hang"):
        await asyncio.sleep(HANG_SECONDS)
    if path.startswith("/slow"):
        await asyncio.sleep(SLOW_SECONDS)
    note(path)
    writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    await writer.drain()
    writer.close()


async def _receive_mails(reader, writer, note):
    """Receive emails like a mail relay that has nothing else to do."""

    def answer(line):
        writer.write(line + b"\r\n")

    answer(b"220 relay")
    recipients = []
    while line := (await reader.readline()).strip():
        word = line[:4].upper()
        if word == b"EHLO":
            answer(b"250-relay\r\n250 8BITMIME")
        elif word == b"RCPT":
            recipients.append(line.partition(b"<")[2].partition(b">")[0].decode())
            answer(b"250 OK")
        elif word == b"DATA":
            answer(b"354 Go on")
            await reader.readuntil(b"\r\n.\r\n")
            for address in recipients:
                note(address)
            answer(b"250 OK")
        elif word == b"QUIT":
            answer(b"221 Bye")
            break
        else:
            if word in (b"MAIL", b"RSET"):
                recipients = []
            answer(b"250 OK")
    writer.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
