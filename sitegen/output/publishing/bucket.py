"""Publish to a bucket of an object store that speaks the S3 protocol."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from html import unescape
from typing import TYPE_CHECKING, TypeVar

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotModifiedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from models.settings import Settings
from sitegen.output.publishing.targets import (
    BeforeChange,
    PublishedFile,
    PublishError,
    ReadFile,
    StateFile,
    TargetBusy,
)

if TYPE_CHECKING:
    from obstore import GetOptions

MAX_PARALLEL_REQUESTS = 16
# The timeout of a request, and of its retries. When both are over, no request of a
# publisher that has stopped responding is in transit; see lease.py.
CONNECT_TIMEOUT, REQUEST_TIMEOUT = timedelta(seconds=5), timedelta(seconds=60)
MAX_RETRIES, RETRY_TIMEOUT = 4, timedelta(seconds=10)
# The metadata that identifies a file as ours, and its content and headers.
FINGERPRINT = "masthead-mark"
# The metadata of a page whose address another page has left: where that is now. A
# reverse proxy can redirect by it; the store shows the page, which leads there.
LOCATION = "masthead-location"
_REFRESH = re.compile(rb'<meta http-equiv="refresh" content="0; url=(/[^"]+)">')
AWS = "AWS"
NO_CREDENTIALS = (
    "There are no credentials for the object store. Set both AWS_ACCESS_KEY_ID and"
    " AWS_SECRET_ACCESS_KEY."
)
_ERROR_CODE = re.compile(r"<Code>(\w{1,60})</Code>")
_STATUS = re.compile(r"status code: (\d{3})")
# Where the library looks for credentials if the environment has none.
_METADATA_SERVICE = "http://169.254."

Item = TypeVar("Item")
Result = TypeVar("Result")


class BucketTarget:
    """
    A bucket, or the objects with a prefix in it.

    State files are written conditionally on their ETag, so that of two concurrent
    publishers one fails.
    """

    is_locked = False

    def __init__(self, store: S3Store, name: str, endpoint: str) -> None:
        self.name = name
        self._store = store
        self._bucket = name.removeprefix("s3://").partition("/")[0]
        self._endpoint = endpoint
        self._state_files: dict[str, StateFile] = {}

    @classmethod
    def from_settings(cls, settings: Settings) -> "BucketTarget":
        bucket, _, prefix = settings.publish.removeprefix("s3://").partition("/")
        endpoint = settings.publish_endpoint
        endpoint_option = {"endpoint": endpoint} if endpoint else {}
        try:
            store = S3Store(
                bucket,
                prefix=prefix.strip("/") or None,
                region=settings.publish_region,
                virtual_hosted_style_request=False,
                # Not every object store supports deleting several objects at once.
                disable_bulk_delete=True,
                client_options={
                    "allow_http": endpoint.startswith("http://"),
                    "connect_timeout": CONNECT_TIMEOUT,
                    "timeout": REQUEST_TIMEOUT,
                },
                retry_config={
                    "max_retries": MAX_RETRIES,
                    "retry_timeout": RETRY_TIMEOUT,
                },
                **endpoint_option,  # type: ignore[arg-type]
            )
        except BaseError as error:
            raise PublishError(NO_CREDENTIALS) from error
        except ValueError as error:
            raise PublishError(f"{endpoint or AWS} is not a valid endpoint.") from error
        return cls(store, settings.publish.rstrip("/"), endpoint or AWS)

    def exclusive(self) -> nullcontext[None]:
        return nullcontext()

    def read_state(self, name: str) -> StateFile | None:
        """Return a state file; it is not transferred again unless it has changed."""
        known = self._state_files.get(name)
        options: GetOptions = {"if_none_match": known.etag} if known else {}
        with self._publish_errors():
            try:
                response = obstore.get(self._store, name, options=options)
                etag = response.meta["e_tag"] or ""
                state = StateFile(bytes(response.bytes()), etag)
            except NotModifiedError:
                return known
            except FileNotFoundError as error:
                self._require_bucket(error)
                return None
        self._state_files[name] = state
        return state

    def write_state(
        self, name: str, content: bytes, previous: StateFile | None
    ) -> StateFile:
        mode = {"e_tag": previous.etag} if previous else "create"
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
        with self._publish_errors():
            try:
                result = obstore.put(
                    self._store,
                    name,
                    content,
                    attributes=headers,
                    mode=mode,  # type: ignore[arg-type]
                    use_multipart=False,
                )
            except (AlreadyExistsError, PreconditionError):
                # The retry of a request that succeeded fails, if only the response
                # was lost.
                state = self.read_state(name)
                if state and state.content == content:
                    return state
                raise TargetBusy(
                    f"Another process is publishing to {self.name}."
                ) from None
        self._state_files[name] = StateFile(content, result["e_tag"] or "")
        return self._state_files[name]

    def upload(
        self, files: Iterable[PublishedFile], read: ReadFile
    ) -> Iterator[PublishedFile]:
        def upload_file(file: PublishedFile) -> PublishedFile:
            content = read(file)
            attributes = {
                "Content-Type": file.type,
                "Cache-Control": file.cache_control,
                FINGERPRINT: file.fingerprint,
            }
            if file.path.endswith(".html") and (refresh := _REFRESH.search(content)):
                attributes[LOCATION] = unescape(refresh[1].decode())
            obstore.put(
                self._store,
                file.path,
                content,
                attributes=attributes,
                use_multipart=False,
            )
            return file

        yield from self._map_parallel(upload_file, files)

    def remove(
        self, paths: Iterable[str], before_change: BeforeChange
    ) -> Iterator[str]:
        def remove_object(path: str) -> str:
            before_change()
            obstore.delete(self._store, path)
            return path

        yield from self._map_parallel(remove_object, paths)

    def check(
        self, fingerprints: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, bool]]:
        def check_object(path: str) -> tuple[str, bool]:
            try:
                response = obstore.get(self._store, path, options={"head": True})
            except FileNotFoundError:
                return path, False
            return path, response.attributes.get(FINGERPRINT) in fingerprints[path]

        yield from self._map_parallel(check_object, fingerprints)

    def _map_parallel(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Call the function with many items at once; the first error ends it."""
        with self._publish_errors(), ThreadPoolExecutor(MAX_PARALLEL_REQUESTS) as pool:
            futures = [pool.submit(function, item) for item in items]
            try:
                for future in as_completed(futures):
                    yield future.result()
            finally:
                for future in futures:
                    future.cancel()

    @contextmanager
    def _publish_errors(self) -> Iterator[None]:
        """Raise errors with messages of our own: the library's quote the request."""
        try:
            yield
        except FileNotFoundError as error:
            self._require_bucket(error)
            raise PublishError(self._failure("404")) from error
        except (PermissionDeniedError, UnauthenticatedError) as error:
            code = _first_group(_ERROR_CODE, error) or "access denied"
            raise PublishError(
                f"The object store denies access to {self.name} ({code})."
                " Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and their permissions."
            ) from error
        except (BaseError, ValueError) as error:
            raise PublishError(self._message(error)) from error

    def _require_bucket(self, error: FileNotFoundError) -> None:
        if "<Code>NoSuchBucket</Code>" in str(error):
            raise PublishError(
                f"There is no bucket {self._bucket} at {self._endpoint}."
            ) from error

    def _message(self, error: Exception) -> str:
        if _METADATA_SERVICE in str(error):
            return NO_CREDENTIALS
        reason = _first_group(_ERROR_CODE, error) or _first_group(_STATUS, error)
        if not reason:
            return f"{self._endpoint} does not respond."
        return self._failure(reason)

    def _failure(self, reason: str) -> str:
        return f"The request for {self.name} at {self._endpoint} failed: {reason}."


def _first_group(pattern: re.Pattern[str], error: Exception) -> str:
    match = pattern.search(str(error))
    return match[1] if match else ""
