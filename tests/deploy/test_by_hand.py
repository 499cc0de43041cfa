"""The steps of the manual's page about installing on a machine, in order."""

import os
import re
import subprocess

from models.storage.database import database_exists
from tests.conventions.words import MANUAL, ROOT

(PAGE,) = [words for words in MANUAL if words.path.stem == "deployment"]
STEPS = PAGE.blocks("text")
SETTINGS = next(block for block in STEPS if block.startswith("MASTHEAD_"))
BY_HAND = next(block for block in STEPS if "keys bootstrap" in block)


def test_settings_come_first():
    """
    The first start reads the settings, so they precede it, and the folders precede
    them.
    """
    first_of = [
        next(number for number, block in enumerate(STEPS) if words in block)
        for words in ("install -d", SETTINGS, "systemctl enable --now", BY_HAND)
    ]

    assert first_of == sorted(set(first_of))


def test_command_by_hand_reads_the_settings(tmp_path, beside):
    """A command by hand uses the database of the service."""
    database = beside("elsewhere.db")
    settings = tmp_path / "masthead.env"
    settings.write_text(f"{SETTINGS}MASTHEAD_DATABASE={database}\n")
    script = BY_HAND.replace("sudo -u masthead ", "")
    script = script.replace("/etc/masthead.env", str(settings))
    script = script.replace("cd /srv/masthead\n", f"cd {ROOT}\n")
    plain = {k: v for k, v in os.environ.items() if not k.startswith("MASTHEAD_")}

    subprocess.run(["sh", "-euc", script], env=plain, capture_output=True, check=True)

    assert database_exists(database)


def test_folder_of_the_copies_is_made():
    """The folder of the backups in both pages is created by the steps."""
    (near,) = [words for words in MANUAL if words.path.stem == "backup-and-restore"]
    made = " ".join(re.findall(r"install -d .*", PAGE.text)).split()
    folders = re.findall(r"app\.py backup (\S+)/", PAGE.text + near.text)

    # The container's folder is created before it.
    assert folders.count("/data") == 1
    assert len(folders) == 3
    assert {*folders} - {"/data"} <= {*made}
