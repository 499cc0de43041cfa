"""The builder without its thread, and the process of documents inside this process."""

import json
from dataclasses import asdict

from api.http.problem_types import PROBLEM_TYPES
from models.changes import AREAS
from sitegen.builder.builder import Builder
from sitegen.builder.docs_builder import DocsBuilder, _respond
from sitegen.builder.docs_result import DocsResult
from sitegen.builder.work_split import dump_settings
from sitegen.docs.body_cache import BodyCache
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme

PROBLEMS = {kind: asdict(problem) for kind, problem in PROBLEM_TYPES.items()}


def as_sent(value):
    """Return what the other process reads of a value."""
    return json.loads(json.dumps(value))


class LocalDocs:
    """Builds documents when `respond` is called, as the process would at any time."""

    fault, has_responded = None, True

    def __init__(self, settings):
        job = {"settings": dump_settings(settings), "problems": PROBLEMS, "openapi": {}}
        self.progress_reports = 0
        self.docs_builder = DocsBuilder(as_sent(job), self._note_progress)
        self.is_busy, self.request_pending, self.results = False, None, []

    def _note_progress(self):
        self.progress_reports += 1

    def start(self):
        pass

    stop = start

    def request(self, request):
        assert not self.is_busy
        self.is_busy, self.request_pending = True, as_sent(request)

    def respond(self):
        response = _respond(
            self.docs_builder,
            self.request_pending,
            lambda part: self._receive(part.to_json()),
        )
        self._receive(response["result"])
        self.request_pending = None

    def _receive(self, result):
        self.results.append(DocsResult.from_json(as_sent(result)))

    def take_result(self):
        if not self.results:
            return None
        result = self.results.pop(0)
        if result.is_last:
            self.is_busy = False
        return result


class ManualBuilder:
    """A server's builder that builds when it is told to."""

    def __init__(self, settings, clock):
        shared = {
            "theme": site_theme(settings),
            "bodies": BodyCache(),
            "process_cache": {},
        }
        shared |= {"problems": PROBLEMS}
        self.docs = LocalDocs(settings)
        self.builder = Builder(
            clock,
            lambda now: BuildContext(now=now, settings=settings, **shared),
            create_docs_process=lambda _: self.docs,
        )
        self._build(lambda: set(AREAS))

    def build(self):
        """Do what the builder does when it is woken."""
        self._build(self.builder._areas_behind)

    def _build(self, find_areas):
        self.builder._build_areas(find_areas)
        assert self.builder._fault is None, self.builder._fault

    def respond(self):
        """Have the documents built and put in place, if they were requested."""
        if self.docs.request_pending:
            self.docs.respond()
            for _ in range(2):
                self.build()

    def settle(self):
        for _ in range(100):
            if not self.builder._docs.is_pending:
                return
            self.build()
            self.respond()
        raise AssertionError("The documents are never in place.")
