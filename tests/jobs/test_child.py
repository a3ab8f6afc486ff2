"""A real child process: limited, followed, ended with all that it started, and gone when its parent is."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from audit.formats.files import limits as format_limits
from audit.service import child as job_kinds
from audit.service import child_program
from audit.service.child import ChildProcess, ChildProgress, Limits, Work
from audit.service.queue import READ

from .fakes import until
from .servers import alive


@pytest.fixture
def program(monkeypatch, tmp_path):
    """Have children run a test's own stage in place of the program's: everything around it is theirs."""

    def of(body):
        stages = tmp_path / "stages"
        stages.mkdir()
        text = f"def stage(work, tell):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
        (stages / "stage_of_test.py").write_text(
            "import os, signal, subprocess, sys, time\nimport numpy as np\n" + text
        )
        (stages / "sitecustomize.py").write_text(
            "import sys, types\n"
            "fake = types.ModuleType('audit.service.stages')\n"
            "def stage(work, tell):\n    import stage_of_test\n    return stage_of_test.stage(work, tell)\n"
            "fake.STAGES = {'read': stage}\n"
            "sys.modules['audit.service.stages'] = fake\n"
        )
        path = os.pathsep.join(filter(None, [str(stages), os.environ.get("PYTHONPATH")]))
        monkeypatch.setenv("PYTHONPATH", path)

    return of


def work(limits=None):
    return Work(READ, "flood", "/nowhere", "/nowhere", {"x": "é\ud800"}, limits or Limits())


@pytest.fixture
def begin(tmp_path):
    """Begin a child in a folder of its own; what is still there at the end is ended."""
    begun = []

    def start(given=None):
        scratch = tmp_path / f"scratch{len(begun)}"
        scratch.mkdir()
        begun.append(ChildProcess.start(given or work(), scratch))
        return begun[-1]

    yield start
    for child in begun:
        child.kill()
        child.result()


def test_a_child_says_how_far_it_is_and_gives_its_result(program, begin, tmp_path):
    program(
        f"""
        print("a library says something")
        tell("reading", 1, 3)
        while not os.path.exists({str(tmp_path / "go-on")!r}):
            time.sleep(.01)
        tell("reading", 3, 3)
        seen = sorted(n for n in os.environ if n.startswith(("AUDIT_", "PG")))
        return dict(arguments=work.arguments, seen=seen)
        """
    )
    child = begin()
    until(lambda: child.progress == ChildProgress("reading", 1, 3))
    (tmp_path / "go-on").touch()
    assert until(lambda: child.wait(1))
    seen = [job_kinds.UNPACKED_VARIABLE]
    assert child.result() == {"result": {"arguments": {"x": "é\ud800"}, "seen": seen}}
    assert child.progress == ChildProgress("reading", 3, 3)
    assert not child.was_killed


def test_secrets_of_the_service_are_not_handed_to_who_reads_files_of_strangers(
    program, begin, monkeypatch
):
    monkeypatch.setenv("AUDIT_DATABASE", "postgresql://user:hunter2@host/x")
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    program(
        "return {'secrets': [name for name, value in os.environ.items() if 'hunter2' in value]}"
    )
    child = begin()
    until(lambda: child.wait(1))
    assert child.result() == {"result": {"secrets": []}}


def test_the_limit_on_unpacked_bytes_reaches_every_process_of_a_job(program, begin):
    """By the environment: processes that read for the child are started anew and know nothing of its variables."""
    program(
        """
        code = "from audit.formats.files import limits; print(limits.MOST_BYTES)"
        return {"limit": subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()}
        """
    )
    child = begin(work(Limits(unpacked=12345)))
    until(lambda: child.wait(1))
    assert child.result() == {"result": {"limit": "12345"}}
    assert job_kinds.UNPACKED_VARIABLE == format_limits.VARIABLE
    assert format_limits.MOST_BYTES == 2**31  # nobody said anything to this process


def test_a_job_that_needs_more_memory_than_it_may_says_so(program, begin):
    program("return {'sum': float(np.ones(3 * 2**27).sum())}")  # 3 GiB
    child = begin(work(Limits(memory=2 << 30)))
    until(lambda: child.wait(1))
    assert child.result() == {
        "error": "The work needs more than the 2 GiB of memory that it may use."
    }


def test_a_file_larger_than_it_may_be_is_an_error_and_no_silence(program, begin, tmp_path):
    program(f"open({str(tmp_path / 'large')!r}, 'wb').write(bytes(2**20))")
    child = begin(work(Limits(unpacked=2**16)))
    until(lambda: child.wait(1))
    assert child.result()["error"].startswith("The service cannot use its disk: File too large.")


def test_a_fault_of_the_program_names_its_kind_alone(program, begin):
    program("raise KeyError('gold label of item 7')")
    child = begin()
    until(lambda: child.wait(1))
    assert child.result() == {
        "error": "The program itself is at fault (KeyError). Nothing was lost: please report it."
    }
    assert "gold label of item 7" in child.last_words()  # for whoever runs the service


@pytest.mark.parametrize(
    ("body", "was_killed", "had_no_room"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", True, False),
        ("os.abort()", False, False),
        ("os._exit(0)", False, False),
        ("raise SystemExit(74)", False, True),
    ],
)
def test_how_a_child_ended_that_says_nothing_is_known(
    body, was_killed, had_no_room, program, begin
):
    program(body)
    child = begin()
    until(lambda: child.wait(1))
    assert child.result() is None
    assert (child.was_killed, child.had_no_room) == (was_killed, had_no_room)


def test_a_result_for_which_there_is_no_room_is_told_by_the_exit(program, begin):
    """Where nothing can be written any more, a number still can be said."""
    program(
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)); return {'much': 'x' * 1000}"
    )
    child = begin()
    until(lambda: child.wait(1))
    assert child.result() is None
    assert child.had_no_room


def test_a_result_that_is_none_is_no_result(program, begin, tmp_path):
    program("os._exit(0)")
    child = begin()
    until(lambda: child.wait(1))
    for content in ("no JSON", "[1]", ""):
        (tmp_path / "scratch0" / "result.json").write_text(content)
        assert child.result() is None


def test_a_killed_child_takes_with_it_what_it_started(program, begin):
    program("tell(str(subprocess.Popen(['sleep', '60']).pid), 0, 0); time.sleep(60)")
    child = begin()
    until(lambda: child.progress.step)
    grandchild = int(child.progress.step)
    assert alive(grandchild)
    child.kill()
    until(lambda: not alive(grandchild))
    child.kill()  # again: nothing is there any more


def test_who_stops_the_service_does_not_end_a_child_behind_its_parents_back(program, begin):
    """Systemd sends SIGTERM to every process of a service: it is the worker that gives the job back."""
    program("tell('on', 0, 0); time.sleep(.2); return {}")
    child = begin()
    until(lambda: child.progress.step)
    os.kill(child.pid, signal.SIGTERM)
    until(lambda: child.wait(1))
    assert child.result() == {"result": {}}


PARENT = """
import sys, time
from pathlib import Path
from audit.service.child import ChildProcess
from audit.service.child import Limits, Work
from audit.service.queue import READ
child = ChildProcess.start(Work(READ, "s", "/", "/", {}, Limits()), Path(sys.argv[1]))
while not child.progress.step:
    time.sleep(.01)
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a child notices only between two calls of a library"
)
@pytest.mark.parametrize(
    "body",
    ["while True: time.sleep(60)", "a = np.random.rand(3000, 3000)\nwhile True: np.linalg.svd(a)"],
)
def test_a_child_dies_with_its_parent_even_within_a_long_call(body, program, tmp_path):
    """Killed by SIGKILL, the parent says nothing; the child, which by itself would never end, is gone."""
    program(f"tell('on', 0, 0)\n{body}")
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path], stdout=subprocess.PIPE, text=True
    )
    try:
        child = int(parent.stdout.readline())
        time.sleep(0.3)  # within the call
        assert alive(child)
        parent.kill()
        parent.wait()
        until(lambda: not alive(child))
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()


# The program of a child, in this process


def test_limits_that_a_system_does_not_know_are_left_out(monkeypatch):
    """As macOS does, where memory cannot be limited."""
    asked = []

    def refuses(kind, _):
        asked.append(kind)
        raise ValueError

    monkeypatch.setattr(child_program.resource, "setrlimit", refuses)
    child_program.limit_process(Limits())
    assert len(asked) == 3


def test_limits_are_never_above_those_that_the_process_has(monkeypatch):
    found = {}
    monkeypatch.setattr(child_program.resource, "getrlimit", lambda _: (5, 1000))
    monkeypatch.setattr(child_program.resource, "setrlimit", found.__setitem__)
    child_program.limit_process(Limits(memory=2000, unpacked=10))
    assert sorted(found.values()) == [(0, 1000), (10, 1000), (1000, 1000)]
