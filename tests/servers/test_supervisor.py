"""The parent of a server's processes: signals at any moment, and inherited settings."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from models.runtime.commands import CommandError
from models.runtime.supervisor import call_in_child
from sitegen.output.folder import OutputError
from tests.commands.servers.test_serve import until
from tests.interrupts import heed_interrupts
from tests.servers.test_processes import children, is_running

pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).parents[2]
# Each process writes one file when it has started, and another when it has ended
# properly, which takes a moment.
PROGRAM = """
import ctypes, os, resource, signal, sys, time
from pathlib import Path
from models.runtime import supervisor
from models.runtime.commands import CommandError
from models.runtime.reports import Report, Reports
from models.runtime.supervisor import SupervisedProcess, Supervisor

def work(name):
    try:
        Path(name + "-started").touch()
        while True:
            time.sleep(0.01)
    finally:
        time.sleep(0.3)
        Path(name + "-ended").touch()

names = ["one", "two", "three"]
runs = [SupervisedProcess(name, lambda name=name: work(name)) for name in names]
reports = Reports(names)
PREPARE
try:
    with supervisor.ending_by_signals():
        Supervisor(runs, reports).run()
except CommandError as error:
    print(error)
    sys.exit(2)
"""


@pytest.fixture
def supervise(tmp_path):
    """Start a supervisor of three processes, with lines that prepare it."""
    started = []

    def start(prepare="", preexec=heed_interrupts, **named):
        program = PROGRAM.replace("PREPARE", prepare)
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            process_group=0,
            preexec_fn=preexec,
            **named,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def names(folder, suffix):
    return {path.name.removesuffix(suffix) for path in folder.glob(f"*{suffix}")}


def has_started(folder):
    return lambda: names(folder, "-started") == {"one", "two", "three"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_end_it(supervise, tmp_path, number):
    """Each of the three has all processes end as they should, and the exit is 0."""
    process = supervise()
    until(has_started(tmp_path))

    process.send_signal(number)

    assert process.wait(60) == 0
    assert names(tmp_path, "-ended") == {"one", "two", "three"}


def test_signals_to_the_group(supervise, tmp_path):
    """Ctrl+C pressed twice, and the parent's own signal, interrupt no process's end."""
    process = supervise()
    until(has_started(tmp_path))

    for _ in range(3):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.05)
    process.terminate()

    assert process.wait(60) == 0
    assert names(tmp_path, "-ended") == {"one", "two", "three"}


def test_ignored_signals(supervise, tmp_path):
    """Under nohup, SIGHUP ends neither the parent nor its processes."""
    process = supervise(preexec=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    until(has_started(tmp_path))

    os.killpg(process.pid, signal.SIGHUP)
    time.sleep(1)

    assert len(children(process.pid)) == 3
    assert process.poll() is None
    assert names(tmp_path, "-ended") == set()


def test_signal_while_a_process_starts(supervise, tmp_path):
    """A signal is not lost if it arrives before a process has its own handlers."""
    # One that had started must end properly, and none may need SIGKILL.
    prepare = (
        "os.register_at_fork(after_in_child=lambda: time.sleep(0.5))\n"
        "supervisor.STOP_SECONDS = 5\n"
        "kill = supervisor.os.kill\n"
        "supervisor.os.kill = lambda pid, number:"
        " (Path(f'{pid}-{number}').touch(), kill(pid, number))\n"
    )
    process = supervise(prepare)
    until(lambda: children(process.pid))

    process.terminate()

    assert process.wait(60) == 0
    assert list(tmp_path.glob(f"*-{signal.SIGTERM:d}"))
    assert not list(tmp_path.glob(f"*-{signal.SIGKILL:d}"))


def test_signal_while_a_process_is_restarted(supervise, tmp_path):
    """SIGTERM during the pause before a restart ends all, and nothing is started."""
    prepare = "supervisor.FIRST_PAUSE_SECONDS = supervisor.MAX_PAUSE_SECONDS = 60\n"
    process = supervise(prepare, stderr=subprocess.DEVNULL)
    until(has_started(tmp_path))
    os.kill(children(process.pid)[0], signal.SIGKILL)
    until(lambda: len(children(process.pid)) == 2)

    process.terminate()

    assert process.wait(50) == 0
    assert len(names(tmp_path, "-ended")) == 2


def test_parent_killed_while_a_process_starts(supervise, tmp_path):
    """A process that is forked when the parent dies ends with it, as the others do."""
    prepare = "os.register_at_fork(after_in_child=lambda: time.sleep(0.3))\n"
    process = supervise(prepare, stderr=subprocess.DEVNULL)
    until(has_started(tmp_path))
    os.kill(children(process.pid)[0], signal.SIGKILL)
    until(lambda: len(children(process.pid)) == 2)
    until(lambda: len(children(process.pid)) == 3)
    orphans = children(process.pid)

    process.kill()

    process.wait()
    until(lambda: not any(map(is_running, orphans)))


def test_parent_killed_while_work_goes_on(supervise, tmp_path):
    """A process that takes long to end frees the port soon after its parent died."""
    prepare = (
        "def work_long(name):\n"
        "    try:\n"
        "        work(name)\n"
        "    finally:\n"
        "        time.sleep(300)\n"
        "runs[0] = SupervisedProcess('one', lambda: work_long('one'))\n"
    )
    process = supervise(prepare)
    until(has_started(tmp_path))
    orphans = children(process.pid)

    process.kill()

    process.wait()
    until(lambda: not any(map(is_running, orphans)), seconds=10)


def test_orphans_of_a_killed_process(supervise, tmp_path):
    """As the first process of a container, it leaves no zombies."""
    prepare = (
        "ctypes.CDLL(None).prctl(36, 1)\n"  # PR_SET_CHILD_SUBREAPER
        "def work_with_another(name):\n"
        "    if not Path('orphan').exists():\n"
        "        pid = os.fork()\n"
        "        if pid == 0:\n"
        "            time.sleep(0.3)\n"
        "            os._exit(0)\n"
        "        Path('orphan').write_text(str(pid))\n"
        "    work(name)\n"
        "runs[0] = SupervisedProcess('one', lambda: work_with_another('one'))\n"
    )
    process = supervise(prepare, stderr=subprocess.DEVNULL)
    until(has_started(tmp_path))
    orphan = int((tmp_path / "orphan").read_text())

    os.kill(children(process.pid)[0], signal.SIGKILL)

    until(lambda: not Path(f"/proc/{orphan}").exists())
    assert process.poll() is None


STARTED = "reports.write('one', Report(has_started=True))"
# The process one writes a letter, reports or not, and dies after 0.2 seconds.
DIES = """
supervisor.FIRST_PAUSE_SECONDS = supervisor.MAX_PAUSE_SECONDS = 0.01
supervisor.STARTED_SECONDS = {seconds}
def die():
    with open("starts", "a") as starts:
        starts.write("x")
    {report}
    time.sleep(0.2)
    os._exit(1)
runs[0] = SupervisedProcess("one", die)
"""


@pytest.mark.parametrize(
    ("seconds", "report"),
    [("0.1", "pass"), ("60", STARTED)],
    ids=["late", "soon after its start"],
)
def test_process_that_never_starts(supervise, tmp_path, seconds, report):
    """
    A required process that never starts stops the server, however long it takes to
    fail, even if it had started before.
    """
    process = supervise(
        DIES.format(seconds=seconds, report=report),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    result, _ = process.communicate(timeout=60)

    assert process.returncode == 2
    assert "The process one ended 10 times at its start." in result
    assert (tmp_path / "starts").read_text() == "x" * 10


def test_process_that_dies_at_its_work(supervise, tmp_path):
    """It is started again however often it dies, since it does some work each time."""
    process = supervise(
        DIES.format(seconds=0.1, report=STARTED),
        stderr=subprocess.DEVNULL,
    )

    until(lambda: (tmp_path / "starts").exists())
    until(lambda: len((tmp_path / "starts").read_text()) > 12)

    assert process.poll() is None


def test_no_room_for_processes(supervise):
    """If no process can be forked ten times, the server stops with the reason."""
    prepare = (
        "os.getuid() == 0 and os.setuid(65534)\n"
        "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\n"
        "supervisor.MAX_PAUSE_SECONDS = 0.01\n"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = supervise(prepare, **pipes)

    result, errors = process.communicate(timeout=60)

    assert process.returncode == 2
    assert "The process one ended 10 times at its start." in result
    assert errors.count("process=one event=not-started") == 10
    assert "Traceback" not in errors


def test_nobody_reads_its_log(supervise, tmp_path):
    """A process is started again although its death cannot be logged."""
    reader, writer = os.pipe()
    process = supervise(stderr=writer)
    os.close(writer)
    until(has_started(tmp_path))
    os.close(reader)
    (tmp_path / "one-started").unlink()

    os.kill(children(process.pid)[0], signal.SIGKILL)

    until(has_started(tmp_path))
    assert process.poll() is None


CALL = """
import sys, time
from pathlib import Path
from models.runtime.supervisor import call_in_child, ending_by_signals

def work():
    Path("started").touch()
    time.sleep(300)

with ending_by_signals():
    call_in_child(work)
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_signal_while_the_instance_is_prepared(tmp_path, number, code):
    """
    A signal that ends the parent also ends the preparing process, which has the port
    open.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", CALL],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        preexec_fn=heed_interrupts,
    )
    until((tmp_path / "started").exists)
    (child,) = children(process.pid)

    process.send_signal(number)

    assert process.wait(30) == code
    until(lambda: not is_running(child))


def test_error_while_the_instance_is_prepared(tmp_path):
    """It is raised in this process, and nothing of this one is unwound in the other."""
    (unwound := tmp_path / "unwound").mkdir()

    def work():
        raise CommandError("There is no room.")

    def fail():
        raise OutputError("It is full.", "output-full")

    def call():
        try:
            call_in_child(work)
        finally:
            (unwound / str(os.getpid())).touch()

    with pytest.raises(CommandError, match="There is no room"):
        call()
    with pytest.raises(CommandError, match="It is full"):
        call_in_child(fail)

    assert [path.name for path in unwound.iterdir()] == [str(os.getpid())]


def test_result_of_the_preparing_process(capfd):
    """It is a copy; what cannot be copied ends the start, and the log says why."""
    assert call_in_child(lambda: ["all", 1]) == ["all", 1]

    with pytest.raises(SystemExit) as ended:
        call_in_child(lambda: lambda: None)

    assert ended.value.code == 1
    assert "pickle" in capfd.readouterr().err
