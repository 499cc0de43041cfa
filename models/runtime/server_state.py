"""What the processes of a server share; it is created before they are forked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.changes import AREAS
from models.runtime.builder_report import BuilderState
from models.runtime.process_table import ProcessTable, SharedFlag
from models.runtime.wake_pipe import WakePipe

# The processes that build: the status page, and the documents.
BUILDER, DOCS = "builder", "docs"


@dataclass(frozen=True)
class ServerState:
    """The processes of a server, and the pipes by which they wake each other."""

    table: ProcessTable
    database: str
    # These wake the builder of each area, and what follows when documents are built.
    wake_pipes: Mapping[str, WakePipe] = field(
        default_factory=lambda: {area: WakePipe() for area in AREAS}
    )
    docs_built_pipe: WakePipe = field(default_factory=WakePipe)
    # Whether the server has said that it is ready.
    is_announced: SharedFlag = field(default_factory=SharedFlag)

    @property
    def builders(self) -> BuilderState:
        return BuilderState(self.table, (BUILDER, DOCS), self.database)

    def wake_builder(self, area: str, is_quiet: bool) -> None:
        """Wake the builder of an area, both if it is empty."""
        for name, pipe in self.wake_pipes.items():
            if area in ("", name):
                pipe.send(is_quiet)
