"""An object store that speaks the part of S3 that publishing needs, and signs."""

import hashlib
import hmac
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

BUCKET, KEY, SECRET, REGION = "site-bucket", "AKIDEXAMPLE", "a-secret", "eu-test-1"
STORED_HEADERS = ("content-type", "cache-control")
META = "x-amz-meta-"


@dataclass(frozen=True)
class Object:
    content: bytes
    headers: dict

    @property
    def tag(self):
        return f'"{hashlib.md5(self.content).hexdigest()}"'


class Store:
    """
    Its objects by their keys, and the requests to it, as method and key.

    `before` and `after` are called with each request that would change something; what
    they raise becomes a 500.
    """

    def __init__(self):
        self.objects, self.requests = {}, []
        self.before = self.after = lambda method, key: None
        self.lock = threading.RLock()
        self.address = ""

    def environment(self, prefix="", **more):
        """The environment of a publisher."""
        return {
            "MASTHEAD_PUBLISH": f"s3://{BUCKET}{prefix and '/' + prefix}",
            "MASTHEAD_PUBLISH_ENDPOINT": self.address,
            "MASTHEAD_PUBLISH_REGION": REGION,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
        } | more

    def site(self, prefix=""):
        """Return what readers get: content, type and cache rule of each file."""
        start = f"{prefix}/" if prefix else ""
        return {
            key.removeprefix(start): (
                each.content,
                each.headers["content-type"],
                each.headers["cache-control"],
            )
            # The store receives files meanwhile.
            for key, each in list(self.objects.items())
            if key.startswith(start) and not key.startswith(f"{start}.")
        }

    def changes(self):
        """
        Return the requests that changed something, without the notes of publishers.
        """
        return [
            (method, key)
            for method, key in self.requests
            if method in ("PUT", "DELETE") and "/." not in f"/{key}"
        ]


def signature(handler, body):
    """Return the expected signature of a request; None if it has another body."""
    scheme, _, result = handler.headers["Authorization"].partition(" ")
    parts = dict(each.strip().split("=", 1) for each in result.split(","))
    key, *scope = parts["Credential"].split("/")
    names = parts["SignedHeaders"].split(";")
    digest = handler.headers["x-amz-content-sha256"]
    if key != KEY or scope[1] != REGION or digest != hashlib.sha256(body).hexdigest():
        return None, parts["Signature"]
    path, _, query = handler.path.partition("?")
    lines = [f"{each}:{' '.join(handler.headers[each].split())}\n" for each in names]
    lines_to_sign = (
        handler.command,
        path,
        query,
        "".join(lines),
        ";".join(names),
        digest,
    )
    canonical = hashlib.sha256("\n".join(lines_to_sign).encode()).hexdigest()
    text = "\n".join(
        (scheme, handler.headers["x-amz-date"], "/".join(scope), canonical)
    )
    made = f"AWS4{SECRET}".encode()
    for each in (*scope, text):
        made = hmac.new(made, each.encode(), hashlib.sha256).digest()
    return made.hex(), parts["Signature"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        bucket, _, key = unquote(self.path.partition("?")[0])[1:].partition("/")
        expected, found = signature(self, body)
        if expected != found:
            return self.refuse(403, "SignatureDoesNotMatch")
        if bucket != BUCKET:
            return self.refuse(404, "NoSuchBucket")
        store = self.server.store
        store.requests.append((self.command, key))
        try:
            if self.command in ("PUT", "DELETE"):
                store.before(self.command, key)
            with store.lock:
                getattr(self, self.command.lower())(store, key, body)
        except OSError:
            return self.refuse(500, "InternalError")
        return None

    do_GET = do_HEAD = do_PUT = do_DELETE = serve

    def get(self, store, key, body):
        found = store.objects.get(key)
        if found is None:
            return self.refuse(404, "NoSuchKey")
        headers = found.headers | {"ETag": found.tag}
        headers["Last-Modified"] = "Sun, 01 Mar 2026 12:00:00 GMT"
        if self.headers.get("If-None-Match") == found.tag:
            return self.answer(304, headers)
        return self.answer(200, headers, found.content)

    head = get

    def put(self, store, key, body):
        existing = store.objects.get(key)
        match, none = self.headers.get("If-Match"), self.headers.get("If-None-Match")
        if (match and not (existing and existing.tag == match)) or (none and existing):
            return self.refuse(412, "PreconditionFailed")
        names = {each.lower() for each in self.headers}
        stored = {
            n: self.headers[n]
            for n in names
            if n in STORED_HEADERS or n.startswith(META)
        }
        store.objects[key] = Object(body, stored)
        store.after("PUT", key)
        return self.answer(200, {"ETag": store.objects[key].tag})

    def delete(self, store, key, body):
        store.objects.pop(key, None)
        store.after("DELETE", key)
        return self.answer(204, {})

    def refuse(self, status, code):
        result = f"<Error><Code>{code}</Code><Message>No.</Message></Error>".encode()
        self.answer(status, {"Content-Type": "application/xml"}, result)

    def answer(self, status, headers, content=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Ignore errors, because a client may be killed before the response."""


@contextmanager
def stored():
    """Serve a store of one empty bucket."""
    with Server(("127.0.0.1", 0), Handler) as server:
        server.store = store = Store()
        store.address = f"http://127.0.0.1:{server.server_port}"
        loop = threading.Thread(target=server.serve_forever, args=(0.01,))
        loop.start()
        try:
            yield store
        finally:
            server.shutdown()
            loop.join()
