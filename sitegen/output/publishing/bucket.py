"""A bucket of an object store as a target, over whatever speaks S3."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from datetime import timedelta
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
    Busy,
    File,
    PublishError,
    Read,
    Ready,
    Said,
)

if TYPE_CHECKING:
    from obstore import GetOptions

AT_ONCE = 16
# What a request may take, and how long it is tried again. With both over, nothing of
# a publisher that fell silent is on its way any more; see claim.py.
CONNECT = timedelta(seconds=5)
TIMEOUT, RETRIES, RETRY = timedelta(seconds=60), 4, timedelta(seconds=10)
# By this the files of ours are known, and that they are as they are wanted.
MARK = "masthead-mark"
AWS = "AWS"
NO_CREDENTIALS = (
    "There are no credentials for the object store. Set both AWS_ACCESS_KEY_ID and"
    " AWS_SECRET_ACCESS_KEY."
)
_CODE = re.compile(r"<Code>(\w{1,60})</Code>")
_STATUS = re.compile(r"status code: (\d{3})")
_METADATA_SERVICE = "http://169.254."

T = TypeVar("T")
Item = TypeVar("Item")


class Bucket:
    """
    A bucket, or what lies in it under a prefix.

    Notes are put on the condition that what was read still stands, so that of two
    publishers one learns of the other.
    """

    is_locked = False

    def __init__(self, store: S3Store, name: str, endpoint: str) -> None:
        self.name = name
        self._store = store
        self._bucket = name.removeprefix("s3://").partition("/")[0]
        self._endpoint = endpoint
        self._known: dict[str, Said] = {}

    @classmethod
    def of(cls, settings: Settings) -> "Bucket":
        bucket, _, prefix = settings.publish.removeprefix("s3://").partition("/")
        endpoint = settings.publish_endpoint
        where = {"endpoint": endpoint} if endpoint else {}
        try:
            store = S3Store(
                bucket,
                prefix=prefix.strip("/") or None,
                region=settings.publish_region,
                virtual_hosted_style_request=False,
                # Not every store knows how to delete many at once.
                disable_bulk_delete=True,
                client_options={
                    "allow_http": endpoint.startswith("http://"),
                    "connect_timeout": CONNECT,
                    "timeout": TIMEOUT,
                },
                retry_config={"max_retries": RETRIES, "retry_timeout": RETRY},
                **where,  # type: ignore[arg-type]
            )
        except BaseError as error:
            raise PublishError(NO_CREDENTIALS) from error
        except ValueError as error:
            raise PublishError(f"{endpoint or AWS} cannot be an endpoint.") from error
        return cls(store, settings.publish.rstrip("/"), endpoint or AWS)

    def alone(self) -> nullcontext[None]:
        return nullcontext()

    def said(self, name: str) -> Said | None:
        """Return a note; one that has not changed does not travel again."""
        known = self._known.get(name)
        options: GetOptions = {"if_none_match": known.version} if known else {}
        with self._telling():
            try:
                found = obstore.get(self._store, name, options=options)
                said = Said(bytes(found.bytes()), found.meta["e_tag"] or "")
            except NotModifiedError:
                return known
            except FileNotFoundError as error:
                self._require_bucket(error)
                return None
        self._known[name] = said
        return said

    def say(self, name: str, content: bytes, before: Said | None) -> Said:
        mode = {"e_tag": before.version} if before else "create"
        plain = {"Content-Type": "application/json", "Cache-Control": "no-store"}
        with self._telling():
            try:
                put = obstore.put(
                    self._store,
                    name,
                    content,
                    attributes=plain,
                    mode=mode,  # type: ignore[arg-type]
                    use_multipart=False,
                )
            except (AlreadyExistsError, PreconditionError):
                # Of a request whose answer was lost the second is refused.
                said = self.said(name)
                if said and said.content == content:
                    return said
                raise Busy(f"Another publishes to {self.name}.") from None
        self._known[name] = Said(content, put["e_tag"] or "")
        return self._known[name]

    def put(self, files: Iterable[File], read: Read) -> Iterator[File]:
        def put_one(file: File) -> File:
            attributes = {
                "Content-Type": file.type,
                "Cache-Control": file.cache_rule,
                MARK: file.mark,
            }
            obstore.put(
                self._store,
                file.path,
                read(file),
                attributes=attributes,
                use_multipart=False,
            )
            return file

        yield from self._each(put_one, files)

    def remove(self, paths: Iterable[str], ready: Ready) -> Iterator[str]:
        def remove_one(path: str) -> str:
            ready()
            obstore.delete(self._store, path)
            return path

        yield from self._each(remove_one, paths)

    def standing(
        self, marks: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, bool]]:
        def stands(path: str) -> tuple[str, bool]:
            try:
                found = obstore.get(self._store, path, options={"head": True})
            except FileNotFoundError:
                return path, False
            return path, found.attributes.get(MARK) in marks[path]

        yield from self._each(stands, marks)

    def _each(self, work: Callable[[Item], T], items: Iterable[Item]) -> Iterator[T]:
        """Work at many at once; the first failure ends it."""
        with self._telling(), ThreadPoolExecutor(AT_ONCE) as pool:
            futures = [pool.submit(work, each) for each in items]
            try:
                for future in as_completed(futures):
                    yield future.result()
            finally:
                for each in futures:
                    each.cancel()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What is told of a failure is our own sentence: theirs quotes the request."""
        try:
            yield
        except FileNotFoundError as error:
            self._require_bucket(error)
            raise PublishError(self._failed("404")) from error
        except (PermissionDeniedError, UnauthenticatedError) as error:
            code = _found(_CODE, error) or "access denied"
            raise PublishError(
                f"The object store refuses to let {self.name} be used ({code})."
                " Look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and their rights."
            ) from error
        except (BaseError, ValueError) as error:
            raise PublishError(self._reason(error)) from error

    def _require_bucket(self, error: FileNotFoundError) -> None:
        if "<Code>NoSuchBucket</Code>" in str(error):
            raise PublishError(
                f"There is no bucket {self._bucket} at {self._endpoint}."
            ) from error

    def _reason(self, error: Exception) -> str:
        if _METADATA_SERVICE in str(error):
            return NO_CREDENTIALS
        told = _found(_CODE, error) or _found(_STATUS, error)
        return self._failed(told) if told else f"{self._endpoint} does not answer."

    def _failed(self, told: str) -> str:
        return (
            f"The object store at {self._endpoint} failed to serve {self.name}: {told}."
        )


def _found(pattern: re.Pattern[str], error: Exception) -> str:
    found = pattern.search(str(error))
    return found[1] if found else ""
