"""A made-up documentation tree: documents of about 4 KB, in sections, with links."""

import random
from pathlib import Path

# Documents in one section.
SHELF = 100
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


def document(number, count, context=0):
    """Return the title and the text of one document; `edition` changes the text."""
    title = f"{_words(random.Random(number), 3).capitalize()} {number}"
    chance = random.Random(f"{number} {context}")
    parts = [_words(chance, 60).capitalize() + ".\n"]
    for part in range(6):
        parts.append(f"## {_words(chance, 3).capitalize()} {part}\n")
        parts.append(_words(chance, 60).capitalize() + ".\n")
        other = chance.randrange(count)
        parts.append(f"See [{_words(chance, 2)}]({_link(number, other)}) for more.\n")
        parts.append(_piece(chance, part))
    return title, "\n".join(parts)


def place(number):
    return f"section-{number // SHELF:03}/page-{number:05}.md"


def write_tree(folder, count):
    """Write the tree with the front matter that both builders read."""
    for number in range(count):
        write_document(folder, number, count)


def write_document(folder, number, count, context=0):
    title, text = document(number, count, context)
    file = Path(folder) / place(number)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\ntitle: {title}\n---\n\n{text}", encoding="utf-8")


def _link(here, there):
    near = here // SHELF == there // SHELF
    return f"page-{there:05}.md" if near else f"../{place(there)}"


def _piece(chance, part):
    """Code in one section of two, else a list or a table."""
    if part % 2 == 0:
        language = ("yaml", "python", "bash")[part // 2]
        numbers = chance.randrange(100, 999), chance.randrange(100)
        return f"```{language}\n{CODE[language].format(*numbers)}```\n"
    if part == 3:
        rows = [f"| `{_words(chance, 1)}` | {_words(chance, 5)} |" for _ in range(5)]
        return "\n".join(["| Name | What |", "|---|---|", *rows]) + "\n"
    return "".join(
        f"- **{_words(chance, 1)}**: {_words(chance, 8)}\n" for _ in range(5)
    )


def _words(chance, count):
    return " ".join(chance.choices(WORDS, k=count))
