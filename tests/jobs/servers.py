"""The real thing: ``audit serve`` and ``audit worker`` as processes, asked over HTTP, killed, and begun again."""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.cookiejar import CookieJar
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from .fakes import PATIENCE, until

STEPS = ("begun", "reading", "comparing", "drawing", "writing")
"""Where an evaluation can be held: before it says anything, and at each step that it tells."""
SAMPLE = Path(__file__).resolve().parents[2] / "sample_submissions" / "flood-posts"
LABELS = ("no", "perhaps", "yes")


def small_campaign():
    """A zip of three teams and thirty items."""
    gold = [LABELS[number % 3] for number in range(30)]
    files = {
        "task.toml": 'slug = "small"\nofficial_metric = "accuracy"\n',
        "gold.csv": _table(gold),
    }
    for team in range(3):
        files[f"submissions/team{team}.csv"] = _table(
            [LABELS[(n + (n % (team + 3) == 0)) % 3] for n in range(30)]
        )
    return zipped({name: text.encode() for name, text in files.items()})


def _table(labels):
    return "id,label\n" + "".join(f"q{number},{label}\n" for number, label in enumerate(labels))


def sample_campaign():
    """The sample campaign, zipped as it lies."""
    return zipped(
        {
            str(path.relative_to(SAMPLE.parent)): path.read_bytes()
            for path in SAMPLE.rglob("*")
            if path.is_file()
        }
    )


def zipped(files):
    target = BytesIO()
    with ZipFile(target, "w") as archive:
        for name, content in sorted(files.items()):
            archive.writestr(name, content)
    return target.getvalue()


def unzipped(content):
    """The files of a zip by their paths, without the folder around them."""
    with ZipFile(BytesIO(content)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def begun(command, *options, environment=None):
    """A command of the program in a process of its own, with what it says first."""
    environment = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
        **(environment or {}),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "audit", command, *map(str, options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
    )


HOLDING = """
import os, sys, time
from pathlib import Path

FOLDER = Path(os.environ["HELD_STEPS"])

def wait_at(step):
    if (FOLDER / step).exists():
        (FOLDER / f"{step}.{os.getpid()}.there").touch()
        while (FOLDER / step).exists():
            time.sleep(0.01)

def write(text, plain=sys.stdout.write):
    written = plain(text)
    if text.startswith('{"step": '):
        sys.stdout.flush()
        wait_at(text.split('"')[3])
    return written

if "audit.service.child_program" in sys.orig_argv:
    sys.stdout.write = write
    wait_at("begun")
"""


class Held:
    """Has the children of servers wait at a step for as long as a test wants: no test depends on how quick they are.

    Parameters
    ----------
    folder : Path
        A folder of its own.
    """

    def __init__(self, folder):
        self.folder = folder / "steps"
        self.folder.mkdir(parents=True)
        (folder / "sitecustomize.py").write_text(HOLDING, encoding="utf-8")
        path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
        self.environment = {"PYTHONPATH": path, "HELD_STEPS": str(self.folder)}

    @contextmanager
    def at(self, step):
        """As long as this lasts, whoever comes to the step waits there."""
        place = self.folder / step
        place.touch()
        try:
            yield
        finally:
            place.unlink(missing_ok=True)

    def let_go(self, step):
        """Have nobody wait at the step any more."""
        (self.folder / step).unlink()

    def who(self):
        """The process that has come to wait, once there is one that was not asked for before."""

        def newcomer():
            found = next(self.folder.glob("*.there"), None)
            return found and (int(found.name.split(".")[1]), found.unlink())

        return until(newcomer)[0]


def alive(pid):
    """Whether a process is there and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def output_until(process, mark, seconds=PATIENCE):
    """What a process says, up to a line with this mark."""
    said, end = b"", time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while mark not in said:
            assert selector.select(max(0, end - time.monotonic())), said
            chunk = os.read(process.stdout.fileno(), 4096)
            assert chunk, said
            said += chunk
    return said.decode()


class Server:
    """One ``audit serve`` after the other on a data folder, and a browser's session with it."""

    def __init__(self, data, *options, environment=None):
        self.data, self.options, self.process, self.environment = (
            Path(data),
            options,
            None,
            environment,
        )
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def start(self):
        self.process = begun(
            "serve",
            "--data",
            self.data,
            "--port",
            0,
            "--no-browser",
            *self.options,
            environment=self.environment,
        )
        said = output_until(self.process, b"Ctrl-C")
        link = next(line.strip() for line in said.splitlines() if "http://" in line)
        self.base = link.partition("/start")[0]
        self.cookies.clear()
        with self.opener.open(link) as answer:
            assert answer.status == 200
        return self

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code

    def call(self, method, path, body=None, *, raw=None):
        """The status and what was answered, as JSON where it is."""
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        kind = "application/json" if raw is None else "application/octet-stream"
        request = urllib.request.Request(  # noqa: S310 - ours
            self.base + path, data, {"content-type": kind}, method=method
        )
        try:
            with self.opener.open(request, timeout=PATIENCE) as answer:
                status, text, kind = (
                    answer.status,
                    answer.read(),
                    answer.headers.get("content-type", ""),
                )
        except urllib.error.URLError as error:
            if not isinstance(error, urllib.error.HTTPError):
                return 0, str(error)  # the server did not wait for the rest
            with error:
                status, text, kind = error.code, error.read(), error.headers.get("content-type", "")
        return status, json.loads(text) if text and "json" in kind else text

    def ask(self, method, path, body=None, *, raw=None):
        """What was answered, where all is well."""
        status, found = self.call(method, path, body, raw=raw)
        assert 200 <= status < 300, found
        return found

    def campaign(self, title="Small"):
        self.at = (
            f"/api/v1/campaigns/{self.ask('POST', '/api/v1/campaigns', {'title': title})['id']}"
        )
        return self.at

    def upload(self, content, name="small.zip"):
        return self.ask("PUT", f"{self.at}/uploads?path={name}", raw=content)["id"]

    def revise(self, *uploads, base=0):
        return self.ask("POST", f"{self.at}/revisions", {"base": base, "uploads": list(uploads)})[
            "job"
        ]["number"]

    def evaluate(self, revision=1):
        return self.ask("POST", f"{self.at}/evaluations", {"revision": revision})["job"]["number"]

    def job(self, number):
        return self.ask("GET", f"{self.at}/jobs/{number}")["job"]

    def done(self, number, seconds=PATIENCE):
        """The job when it has ended."""
        return until(
            lambda: (job := self.job(number))["state"] not in {"queued", "running"} and job, seconds
        )

    def all_done(self, seconds=PATIENCE):
        jobs = f"{self.at}/jobs"
        until(
            lambda: all(job["state"] not in {"queued", "running"} for job in self.ask("GET", jobs)),
            seconds,
        )
        return self.ask("GET", jobs)

    def only(self, pattern):
        """The one place in the data folder that fits a pattern."""
        (found,) = self.data.glob(pattern)
        return found

    def folders(self, name):
        return sorted(path.name for path in self.data.glob(f"campaigns/*/{name}/*"))
