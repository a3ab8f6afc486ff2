"""docs/service.md does what it says: its unit starts a server, its proxy leads there, its programs are run."""

import configparser
import json
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from audit.service import people
from audit.service.child import Limits
from audit.service.people import INVITATION_DAYS, SESSION_DAYS, TOKEN_DAYS, MemberRole
from audit.service.queue import MOST_OPEN
from audit.service.releases import LINK_DAYS
from audit.service.rules import ALLOWED, Act
from audit.web import connections
from audit.web.app import MOST_OF_A_FORM
from audit.web.guard import LONGEST_SILENCE
from audit.web.password_work import BY_ADDRESS, BY_NAME, BY_NETWORK, SECONDS
from tests.nightly import slow
from tests.web.planted import LABELS, opened

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, USE = ((DOCS / name).read_text(encoding="utf-8") for name in ("service.md", "service-use.md"))
MOST_WORDS = 900


def block(before, kind):
    """The first block of a kind behind some words, on either page."""
    return re.search(rf"{re.escape(before)}.*?```{kind}\n(.*?)```", PAGE + USE, re.DOTALL)[1]


UNIT, PROXY = (
    block("/etc/systemd/system/audit.service", "ini"),
    block("/etc/caddy/Caddyfile", "text"),
)
CURL, PYTHON = (
    block(f"<!-- example: {name} -->", kind)
    for name, kind in (("curl", "sh"), ("python", "python"))
)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def answers(address, seconds=60):
    """Wait until something answers there."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(address) as answer:  # noqa: S310 - our own
                return answer.status
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(address)


@pytest.fixture(scope="module")
def running(house):
    """A server as the unit starts it, on a copy of the data; and what the examples are told."""
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str
    unit.read_string(UNIT)
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert program.endswith("/bin/audit")
    port = free_port()
    words[words.index("--data") + 1], words[words.index("--port") + 1] = (
        str(house.service.data.root),
        str(port),
    )
    token = house.token_of("organiser", MemberRole.ORGANISER, house.campaign)
    server = subprocess.Popen(
        [sys.executable, "-m", "audit", *words], stdout=subprocess.PIPE, text=True
    )
    try:
        answers(f"http://localhost:{port}/sign-in")
        told = {
            "AUDIT_URL": f"http://localhost:{port}",
            "AUDIT_TOKEN": token,
            "AUDIT_CAMPAIGN": house.campaign,
        }
        yield server, port, {**os.environ, **told}
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def test_the_unit_is_one(tmp_path):
    """The check of systemd itself; the program that it starts is put where it looks."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "audit.service"
    unit.write_text(
        re.sub(r"ExecStart=\S+", f"ExecStart={shutil.which('true')}", UNIT), encoding="utf-8"
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert "audit.service" not in done.stderr, done.stderr
    unit.write_text(
        UNIT.replace("ProtectSystem=strict", "ProtectSystem=nonsense"), encoding="utf-8"
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert "nonsense" in done.stderr


def test_the_server_of_the_unit_prints_no_link_that_replaces_a_password(running):
    server, *_ = running
    assert [server.stdout.readline() for _ in range(2)][1].strip() == "https://audit.example.org/"


def test_the_proxy_leads_to_the_server(running, tmp_path):
    if shutil.which("caddy") is None:
        pytest.skip("caddy is not installed")
    own = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    file, port = tmp_path / "Caddyfile", free_port()
    file.write_text(PROXY, encoding="utf-8")
    command = ["caddy", "validate", "--config", file, "--adapter", "caddyfile"]
    done = subprocess.run(
        command, env={**os.environ, **own}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    here = PROXY.replace("audit.example.org", f"http://localhost:{port}").replace(
        "8111", str(running[1])
    )
    file.write_text("{\n\tadmin off\n}\n" + here, encoding="utf-8")
    with (tmp_path / "log").open("wb") as log:
        proxy = subprocess.Popen(
            ["caddy", "run", "--config", file, "--adapter", "caddyfile"],
            env={**os.environ, **own},
            stderr=log,
        )
        try:
            assert answers(f"http://localhost:{port}/sign-in") == 200
        finally:
            proxy.kill()
            proxy.wait()


@contextmanager
def over_https(tmp_path):
    """A server of its own behind Caddy, which speaks HTTPS with a certificate that it signs itself."""
    if shutil.which("caddy") is None:
        pytest.skip("caddy is not installed")
    own = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    file, password, port, behind = (
        tmp_path / "Caddyfile",
        tmp_path / "password",
        free_port(),
        free_port(),
    )
    file.write_text(
        "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n"
        f"https://localhost:{port} {{\n\ttls internal\n\treverse_proxy 127.0.0.1:{behind}\n}}\n",
        encoding="utf-8",
    )
    password.write_text("a long enough password\n", encoding="utf-8")
    base = f"https://localhost:{port}"
    options = [
        "--port",
        str(behind),
        "--public-url",
        base,
        "--account",
        "Ada",
        "--password-file",
        password,
    ]
    command = [
        sys.executable,
        "-m",
        "audit",
        "serve",
        "--data",
        tmp_path / "data",
        "--no-browser",
        *options,
    ]
    with ExitStack() as stack:
        log = stack.enter_context((tmp_path / "log").open("wb"))
        proxy = ["caddy", "run", "--config", file, "--adapter", "caddyfile"]
        for program, environment in ((command, {}), (proxy, own)):
            process = subprocess.Popen(
                program, env={**os.environ, **environment}, stdout=log, stderr=log
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
        answers(f"http://localhost:{behind}/sign-in")
        authority = tmp_path / "caddy" / "pki" / "authorities" / "local" / "root.crt"
        until = time.monotonic() + 60
        while not authority.is_file() and time.monotonic() < until:
            time.sleep(0.05)
        trusting = ssl.create_default_context(cafile=authority)
        yield base, f"http://localhost:{behind}", trusting


def test_the_cookie_goes_over_https_alone(tmp_path):
    """Signed in through Caddy: the cookies are secure, plain HTTP gets none, and another site's form is refused."""
    with over_https(tmp_path) as (base, plain, trusting):
        cookies = CookieJar()
        handlers = (
            urllib.request.HTTPSHandler(context=trusting),
            urllib.request.HTTPCookieProcessor(cookies),
        )
        browser = urllib.request.build_opener(*handlers)
        fields = b"name=Ada&password=a+long+enough+password"
        sign_in = f"{base}/sign-in"
        for origin in (plain, "https://elsewhere.example"):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                browser.open(urllib.request.Request(sign_in, fields, {"origin": origin}))  # noqa: S310 - ours
        with browser.open(urllib.request.Request(sign_in, fields, {"origin": base})) as answer:  # noqa: S310 - ours
            assert answer.url == f"{base}/"
            assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert {each.name: each.secure for each in cookies} == {
            "audit_session": True,
            "audit_device": True,
        }
        assert all(each.has_nonstandard_attr("HttpOnly") for each in cookies)
        with browser.open(f"{base}/api/v1/me") as answer:
            assert json.load(answer)["name"] == "Ada"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            browser.open(f"{plain}/api/v1/me")  # where a secure cookie is not sent


N_CONNECTIONS = 300


def test_hundreds_of_connections_wait_while_the_server_is_busy(running):
    """The system keeps them; with a queue of the 64 that are accepted at once, others would not get through."""
    server, port, _ = running
    server.send_signal(signal.SIGSTOP)
    try:
        waiting = [
            socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(N_CONNECTIONS)
        ]
    finally:
        server.send_signal(signal.SIGCONT)
    last = waiting[-1]
    last.settimeout(60)
    last.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert last.recv(1 << 16).startswith(b"HTTP/1.1 200")
    for each in waiting:
        each.close()


def test_the_example_for_curl_is_run(running, tmp_path):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    (tmp_path / "late.csv").write_text("id,label\n", encoding="utf-8")
    done = subprocess.run(
        ["bash", "-euc", CURL],
        cwd=tmp_path,
        env=running[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert json.loads((tmp_path / "releases.json").read_text(encoding="utf-8"))[0]["number"] == 1
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert '"path":"submissions/late.csv"' in done.stdout


@slow("test_the_example_for_curl_is_run")
def test_the_nightly_job_runs_the_program_for_python(running, tmp_path):
    """Which uploads, waits, evaluates, and prints the first sentence; with a wrong token it fails."""
    (tmp_path / "audit_upload.py").write_text(PYTHON, encoding="utf-8")
    items = "".join(f"mkitem{number:03d},{LABELS[number % 2]}\n" for number in range(40))
    (tmp_path / "predictions.csv").write_text(f"id,label\n{items}", encoding="utf-8")
    command = re.search(r"`(python3 .*?)`", USE)[1].replace("python3", sys.executable)
    command = command.replace("submissions/nightly", "mkfile0")
    wrong = subprocess.run(
        ["bash", "-euc", command],
        cwd=tmp_path,
        env={**running[2], "AUDIT_TOKEN": "x"},
        capture_output=True,
        check=False,
    )
    assert wrong.returncode != 0
    assert b"401" in wrong.stderr
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=tmp_path,
        env=running[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert re.match(r"release 2, mktitle of a campaign: .+", done.stdout)


@pytest.mark.parametrize(
    ("expects", "answered_first"), [("", False), ("Expect: 100-continue\r\n", True)]
)
def test_who_is_refused_while_sending_sees_the_reason(running, expects, answered_first):
    """The answer comes once the body has: Python's own client closes, and shows a broken pipe, where it comes before.

    Who asks before it sends, as curl does with a large file, is told at once.
    """
    body = b"id,label\n" * 1000
    head = (
        f"PUT /api/v1/me HTTP/1.1\r\nHost: localhost:{running[1]}\r\nConnection: close\r\n{expects}"
    )
    with socket.create_connection(("localhost", running[1])) as client:
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
        client.settimeout(0.7)
        try:
            first = client.recv(1 << 16)
        except TimeoutError:
            first = b""
        assert bool(first) is answered_first
        if not answered_first:
            client.sendall(body[:500])
            time.sleep(0.2)
            client.sendall(body[500:])
            client.settimeout(20)
            first = client.recv(1 << 16)
    assert re.match(rb"HTTP/1\.1 4\d\d ", first)


def test_the_table_of_roles_is_that_of_the_rules():
    """A line of the table stands for these acts."""
    lines = re.findall(
        r"^\| ([a-z][^|]*) \| *(yes)? *\| *(yes)? *\| *(yes)? *\|$", USE, re.MULTILINE
    )
    acts = [
        {Act.READ},
        {Act.READ_DRAFTS},
        {Act.READ_FILES},
        {Act.EDIT, Act.EVALUATE, Act.PUBLISH, Act.READ_LOG, Act.END_INVITATION},
        {Act.INVITE, Act.HAND_OVER, Act.REMOVE},
    ]
    assert len(lines) == len(acts)
    for (_, *marks), meant in zip(lines, acts, strict=True):
        for role, mark in zip(reversed(MemberRole), marks, strict=True):
            assert (mark == "yes") == (meant <= ALLOWED[role])
            assert mark or not meant & ALLOWED[role]


def test_the_page_for_whoever_runs_it_is_short():
    """What is typed is not counted."""
    told = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    assert len(re.findall(r"[^\s|]*\w[^\s|]*", told)) <= MOST_WORDS


def test_the_limits_are_those_of_the_program():
    limits = Limits()
    assert SECONDS == 15 * 60
    for line in (
        f"one upload | {limits.packed >> 30} GiB",
        f"and one file | {limits.unpacked >> 30} GiB",
        f"among them | {limits.of_campaign >> 30} GiB",
        f"that wait | {MOST_OPEN} |",
        f"other body | {MOST_OF_A_FORM >> 20} MiB",
        f"| {BY_ADDRESS}; {BY_ADDRESS}; {BY_NETWORK}; {BY_NAME} in 15 minutes",
        f"| {connections.HEADER_SECONDS:.0f} seconds; {LONGEST_SILENCE / 60:.0f} minutes |",
        f"the oldest is closed | {connections.MOST_WAITING} |",
        f"the most silent is closed | {connections.MOST_SENDING} |",
        f"| {SESSION_DAYS}; {INVITATION_DAYS}; {TOKEN_DAYS}; {LINK_DAYS} days",
    ):
        assert line in PAGE


def test_what_is_told_of_people_who_are_erased_holds(house, tmp_path):
    """Name, password, sessions, tokens and memberships are gone from the file, too, once its free pages are."""
    shutil.copytree(house.service.data.root, tmp_path / "copy")
    with opened(tmp_path / "copy") as service, service.database.writing() as connection:
        people.erase(connection, house.planted.people["reader"])
        rows = connection.exec_driver_sql(
            "SELECT name, password, sign_in_name FROM person WHERE erased_at IS NOT NULL"
        )
        assert rows.all() == [(people.ERASED, None, None)]
