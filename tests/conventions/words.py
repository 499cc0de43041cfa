"""The texts about the product: the manual's pages and the files at the root."""

from dataclasses import dataclass
from pathlib import Path

import yaml
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOOR = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]


@dataclass(frozen=True)
class Words:
    """One file, with its front matter and its text separated."""

    path: Path
    front: dict
    text: str

    @property
    def name(self):
        return str(self.path.relative_to(ROOT))

    def blocks(self, language):
        """Return the fenced blocks in this language."""
        tokens = MarkdownIt("commonmark").parse(self.text)
        return [
            token.content
            for token in tokens
            if token.type == "fence" and token.info == language
        ]


def _read(path):
    text = path.read_text(encoding="utf-8")
    if not text.startswith("---\n"):
        return Words(path, {}, text)
    _, front, body = text.split("---\n", 2)
    return Words(path, yaml.safe_load(front), body)


MANUAL = [_read(path) for path in sorted((ROOT / "manual").rglob("*.md"))]
ALL = [_read(ROOT / name) for name in DOOR] + MANUAL
