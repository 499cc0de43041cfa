"""Generate a documentation tree: linked documents of about 4 KB in sections."""

import random
from pathlib import Path

SECTION_SIZE = 100
TEXT = (
    "the server keeps a record of every request and answers from memory when it can "
    "while queues drain slowly under load so operators should watch latency errors "
    "saturation traffic before they change limits timeouts retries or the size of a "
    "pool because each client waits for its own turn and a slow disk delays all"
)
WORDS = TEXT.split()
CODE = {
    "yaml": "limits:\n  memory: {0}Mi\n  requests: {1}\n  window: 30s\n",
    "python": "def drain(queue, most={0}):\n    while queue and most > {1}:\n"
    "        job = queue.pop()  # newest first\n        yield job.run()\n",
    "bash": "for host in node-{0} node-{1}; do\n  ssh $host restart app\ndone\n",
}


def document(number, count, revision=0):
    """Return a document's title and text; only the text depends on `revision`."""
    title = f"{_words(random.Random(number), 3).capitalize()} {number}"
    rng = random.Random(f"{number} {revision}")
    parts = [_words(rng, 60).capitalize() + ".\n"]
    for section in range(6):
        parts.append(f"## {_words(rng, 3).capitalize()} {section}\n")
        parts.append(_words(rng, 60).capitalize() + ".\n")
        target = rng.randrange(count)
        parts.append(f"See [{_words(rng, 2)}]({_link(number, target)}) for more.\n")
        parts.append(_block(rng, section))
    return title, "\n".join(parts)


def document_path(number):
    return f"section-{number // SECTION_SIZE:03}/page-{number:05}.md"


def write_tree(folder, count):
    """Write the tree with front matter that Masthead and Hugo understand."""
    for number in range(count):
        write_document(folder, number, count)


def write_document(folder, number, count, revision=0):
    title, text = document(number, count, revision)
    file = Path(folder) / document_path(number)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\ntitle: {title}\n---\n\n{text}", encoding="utf-8")


def _link(source, target):
    is_same_section = source // SECTION_SIZE == target // SECTION_SIZE
    return f"page-{target:05}.md" if is_same_section else f"../{document_path(target)}"


def _block(rng, section):
    """Return code for the even sections, and a table or a list for the others."""
    if section % 2 == 0:
        language = ("yaml", "python", "bash")[section // 2]
        numbers = rng.randrange(100, 999), rng.randrange(100)
        return f"```{language}\n{CODE[language].format(*numbers)}```\n"
    if section == 3:
        rows = [f"| `{_words(rng, 1)}` | {_words(rng, 5)} |" for _ in range(5)]
        return "\n".join(["| Name | What |", "|---|---|", *rows]) + "\n"
    return "".join(f"- **{_words(rng, 1)}**: {_words(rng, 8)}\n" for _ in range(5))


def _words(rng, count):
    return " ".join(rng.choices(WORDS, k=count))
