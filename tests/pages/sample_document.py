"""A long document with every feature of Markdown, as the renderer returns it."""

HEADINGS = [
    {"level": 2, "id": "the-shape-of-a-key", "text": "The shape of a key"},
    {"level": 3, "id": "what-is-stored", "text": "What is stored"},
    {"level": 2, "id": "asking", "text": "Asking with a key"},
    {"level": 2, "id": "rules", "text": "Rules and their words"},
    {"level": 3, "id": "checklist", "text": "A checklist before going live"},
]


def heading(n):
    one = HEADINGS[n]
    return (
        f'<h{one["level"]} id="{one["id"]}">{one["text"]} '
        f'<a class="anchor" href="#{one["id"]}" aria-label="Link to this section">'
        f"#</a></h{one['level']}>"
    )


def admonition(kind, text):
    return (
        f'<div class="admonition {kind}"><p class="admonition-title">'
        f"{kind.capitalize()}</p><p>{text}</p></div>"
    )


PARAGRAPH = (
    "<p>A key is a <strong>secret</strong> that a program shows with each request. "
    "It carries <em>scopes</em>, which say what the program may ask for, and it may "
    'carry a date of expiry. Read <a href="/guides/limits/">Limits</a> for the rates, '
    'or the <a class="external" href="https://www.rfc-editor.org/rfc/rfc6750" '
    'rel="noopener">standard</a> behind it. A name such as '
    "<code>status:admin:services:add</code> is a scope.</p>"
)
TABLE = (
    '<div class="table" role="region" aria-label="Table" tabindex="0"><table><thead>'
    "<tr><th>Operation</th><th>Scope</th><th>Limit</th><th>Notes</th></tr></thead>"
    "<tbody><tr><td>Add a service</td><td><code>status:admin:services:add</code></td>"
    "<td>100</td><td>An idempotency key is required</td></tr>"
    "<tr><td>List services</td><td><code>status:services:list</code></td>"
    "<td>2,000</td><td>Answers in the order of display</td></tr></tbody></table></div>"
)
CODE = (
    '<div class="code"><pre tabindex="0"><code class="language-python">'
    '<span class="k">def</span> <span class="nf">ask</span>(path, key):\n'
    '    <span class="s2">"""Ask with a key."""</span>\n'
    '    headers = {<span class="s2">"Authorization"</span>: f"Bearer {key}"}\n'
    "    return get(BASE + path, headers=headers, "
    "timeout=10, retries=3, backoff=exponential(1.5))\n"
    "</code></pre></div>"
)
TASKS = (
    '<ul class="contains-task-list">'
    '<li class="task-list-item"><input type="checkbox" disabled checked> '
    "Every program has a key of its own</li>"
    '<li class="task-list-item"><input type="checkbox" disabled> '
    "Each key has only the scopes it needs</li></ul>"
)
FOOTNOTES = (
    '<section class="notes" aria-label="Notes"><ol><li id="note.1"><p>Counted from '
    'the first byte. <a class="note-back" href="#noteref.1" '
    'aria-label="Back to reference 1"><span aria-hidden="true">↩</span></a></p></li>'
    "</ol></section>"
)
BODY = "\n".join(
    (
        PARAGRAPH,
        heading(0),
        PARAGRAPH,
        admonition("note", "The secret is shown once. Keep it where secrets are kept."),
        heading(1),
        '<p>Only the hash is stored.<sup class="note-ref" id="noteref.1">'
        '<a href="#note.1" aria-label="Note 1">1</a></sup></p>',
        "<ul><li>A prefix, to find it by</li><li>A hash<ul><li>SHA-256, in "
        "hexadecimal</li></ul></li></ul>",
        "<ol><li>Ask for a key</li><li>Keep it</li><li>Rotate it</li></ol>",
        heading(2),
        CODE,
        PARAGRAPH,
        "<blockquote><p>A key is like a key: lend it to nobody.</p></blockquote>",
        heading(3),
        TABLE,
        admonition("tip", "One key for each program makes it easy to revoke one."),
        admonition("important", "A revoked key never comes back."),
        admonition("warning", "Rotation gives the old key a day of grace."),
        admonition("caution", "A secret in a repository is a secret no more."),
        heading(4),
        TASKS,
        "<hr>",
        PARAGRAPH,
        "<p><del>Tokens</del> are called keys now.</p>",
        '<p><img src="/assets/shape.svg" alt="The parts of a key"></p>',
        FOOTNOTES,
    )
)
