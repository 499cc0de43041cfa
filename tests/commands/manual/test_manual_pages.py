"""Pages of the manual are followed step by step, against a live instance."""

import json
import re
import subprocess
from urllib.parse import urlsplit

import pytest

from tests.commands.conftest import ROOT, bootstrapped, serving
from tests.conventions.words import ALL

PASTE = re.compile(r"^(\w+)=paste-the-id-here$", re.MULTILINE)
# The preconditions of a page.
(MEASURING,) = [words for words in ALL if words.path.stem == "posting-measurements"]
SERVICES, *_ = MEASURING.blocks("bash")
WORLD = f"""
{SERVICES}
mkdir tree
.venv/bin/python app.py docs import manual --collection guides --publish
echo 'To be read.' > tree/draft.md
.venv/bin/python app.py docs import tree --collection guides
"""
# The builder may need a moment.
WAIT = """
for second in $(seq 10); do
  curl -sS http://127.0.0.1:8000{here} | grep -q 'href="{there}"' && exit 0 || sleep 1
done
exit 1
"""
# Programs of other machines, and targets that install.
ELSEWHERE = ("make ", "rsync ", "journalctl ")
# On a separate instance, whose database is replaced.
RESTORED = "backup-and-restore"
FOLLOWED = (
    *("README", "quick-start", "managing-incidents", "scheduled-maintenance"),
    "runbooks",
    *("posting-measurements", "publishing-documents", "keys-and-scopes"),
    *("project-walkthrough", "importing-markdown", "exporting"),
    *("api-conventions", "api-gateways", "feeds-badges-and-embeds"),
    RESTORED,
)
PAGES = [words for words in ALL if words.path.stem in FOLLOWED]


class Reader:
    """A reader with a shell, who pastes the commands of a page."""

    def __init__(self, folder, environment, netloc):
        self.folder, self.netloc, self.answer = folder, netloc, None
        self.environment = environment
        for name in (".venv", "app.py", "manual"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "backup").mkdir()
        (folder / "secret.txt").write_text(environment["KEY"])

    def follow(self, block):
        """Run the block as a reader would; return its output."""
        script = PASTE.sub(self._paste, block)
        for written, meant in self._replacements():
            script = script.replace(written, meant)
        ran = subprocess.run(
            ["bash", "-euc", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, (script, ran.stdout, ran.stderr)
        self.answer = answered(ran.stdout) or self.answer

    def _paste(self, found):
        """Use the id in the last response for this block and those after it."""
        self.environment[found[1]] = id_of(self.answer)
        return ""

    def _replacements(self):
        yield "127.0.0.1:8000", self.netloc
        yield "/srv/masthead/backup", str(self.folder / "backup")
        yield "/srv/export", str(self.folder / "export")
        yield "/tmp/restored", str(self.folder / "restored")
        yield "data/masthead.db", self.environment["MASTHEAD_DATABASE"]
        yield "KEY=mh_paste_the_key_here", ":"
        yield "mh_paste_the_secret_here", self.environment["KEY"]
        # Other pages have created the first key already.
        yield "keys bootstrap --email", "keys bootstrap --force --email"


def answered(text):
    """Return the last response in the text; fail if any is a problem."""
    decoder, last = json.JSONDecoder(), None
    while (text := text.lstrip()).startswith("{"):
        last, end = decoder.raw_decode(text)
        assert "data" in last, last
        text = text[end:]
    return last


def id_of(answer):
    """
    Return the id that a reader would paste: of the created row, or of the first one.
    """
    data = answer["data"]
    data = data.get("items", data) if isinstance(data, dict) else data
    return data[0]["id"] if isinstance(data, list) else data["id"]


@pytest.fixture(scope="module")
def live(tmp_path_factory, environment_in):
    """A server with two services and the manual: its environment and host."""
    environment = environment_in(tmp_path_factory.mktemp("live"))
    environment["KEY"] = bootstrapped(environment)
    with serving(environment) as (_, address, _):
        netloc = urlsplit(address).netloc
        reader = Reader(tmp_path_factory.mktemp("world"), environment, netloc)
        reader.follow(WORLD)
        yield environment, netloc


def followed_by_readers():
    # The backup is a file.
    of_a_file = {RESTORED: pytest.mark.sqlite}
    for words in PAGES:
        yield pytest.param(words, marks=of_a_file.get(words.path.stem, ()))


@pytest.mark.parametrize(
    "words", [*followed_by_readers()], ids=lambda words: words.name
)
def test_page_can_be_followed(words, live, tmp_path, environment_in):
    """Each command succeeds with the ids of earlier responses."""
    environment, netloc = live
    if words.path.stem == RESTORED:
        environment = environment_in(tmp_path)
        environment["KEY"] = bootstrapped(environment)
    reader = Reader(tmp_path, dict(environment), netloc)

    followed = [b for b in words.blocks("bash") if not b.startswith(ELSEWHERE)]
    for block in followed:
        reader.follow(block)

    assert followed


def test_first_hour(tmp_path, tmp_path_factory, environment_in):
    """The pages of the first hour need only the pages before them, on an empty site."""
    (hour,) = [words for words in ALL if words.path.stem == "getting-started"]
    steps = re.findall(r"^\| \d+ \| \[[^]]+\]\(\S*?([\w-]+)\.md", hour.text, re.M)
    pages = {words.path.stem: words for words in PAGES}
    ours = [pages[each] for each in steps[1:] if each in pages and each != RESTORED]
    environment = environment_in(tmp_path_factory.mktemp("hour"))
    environment["KEY"] = bootstrapped(environment)

    with serving(environment) as (_, address, _):
        reader = Reader(tmp_path, environment, urlsplit(address).netloc)
        for block in (block for words in ours for block in words.blocks("bash")):
            reader.follow(block)

    assert len(steps) == 8
    assert len(ours) == 4


def test_incident_to_post_mortem(live, tmp_path):
    """At the end of the page an incident links to a document, and back."""
    (page,) = [words for words in PAGES if words.path.stem == "managing-incidents"]
    environment, netloc = live
    reader = Reader(tmp_path, dict(environment), netloc)
    for block in page.blocks("bash"):
        reader.follow(block)

    incident = f"/status/incidents/{reader.environment['INCIDENT']}/"
    document = "/support/search-errors-post-mortem/"
    for here, there in ((incident, document), (document, incident)):
        reader.follow(WAIT.format(here=here, there=there))
