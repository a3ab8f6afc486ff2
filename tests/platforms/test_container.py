"""The service's container files: what a linter would find, and their steps by hand, as no engine is here."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import yaml

from audit.version import __version__
from tests.formats.campaigns import write

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())
FILES = [
    ROOT / "docker" / "Dockerfile",
    ROOT / "templates" / "platforms" / "codabench" / "Dockerfile",
]


def instructions(path):
    """The instructions of a Dockerfile, each with its arguments."""
    text = re.sub(r"\\\n\s*", "", path.read_text())
    return [
        tuple(line.split(" ", 1)) for line in text.splitlines() if line and not line.startswith("#")
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_a_container_file_has_none_of_a_linters_findings(path):
    """Versions are stated, nothing is fetched into the image, caches stay out, users are numbers."""
    steps = instructions(path)
    assert all(
        re.fullmatch(r"python:3\.\d+-slim( AS \w+)?", what)
        for name, what in steps
        if name == "FROM"
    )
    for command in (what for name, what in steps if name == "RUN"):
        for install in re.findall(r"pip install[^&]*", command):
            assert "--no-cache-dir" in install
            assert re.search(r"--no-index --find-links /wheels", install)
            assert "==" in install
        assert "apt-get" not in command
    assert all(what.isdigit() for name, what in steps if name == "USER")
    assert all(json.loads(what) for name, what in steps if name in {"CMD", "ENTRYPOINT"})
    assert not any(name in {"ADD", "MAINTAINER", "ENTRYPOINT"} for name, _ in steps)


def test_the_image_has_this_version():
    """The argument moves with the package."""
    assert ("ARG", f"VERSION={__version__}") in instructions(FILES[0])


def test_what_the_image_is_built_from_is_what_the_package_needs():
    """And neither the store of a developer nor a history."""
    taken = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    assert {path for path in taken if not (ROOT / path).exists()} == set()
    wheel = (ROOT / "pyproject.toml").read_text()
    assert (
        set(re.findall(r'"(\w+)"', re.search(r"^only-include = (.*)$", wheel, re.MULTILINE)[1]))
        <= taken
    )


def test_what_writes_nowhere_else_is_locked_down():
    """Its data and its temporary files; the secret is a file; the proxy shares its network."""
    audit = COMPOSE["services"]["audit"]
    assert (audit["read_only"], audit["cap_drop"], audit["tmpfs"]) == (True, ["ALL"], ["/tmp"])  # noqa: S108
    assert audit["security_opt"] == ["no-new-privileges:true"]
    assert audit["environment"]["AUDIT_HOST_PASSWORD_FILE"] == f"/run/secrets/{audit['secrets'][0]}"
    assert audit["network_mode"] == "service:caddy"
    caddy = COMPOSE["services"]["caddy"]["command"]
    own = audit["command"]
    assert caddy[caddy.index("--to") + 1].endswith(f":{own[own.index('--port') + 1]}")
    assert f"https://{caddy[caddy.index('--from') + 1]}" == own[own.index("--public-url") + 1]


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


@pytest.mark.parametrize("by", ["Dockerfile", "compose"])
def test_the_command_of_the_container_starts_without_a_terminal(by, tmp_path):
    """With the account of a secret's file, it answers, prints no link that opens it, and ends when it is asked to."""
    write(
        tmp_path,
        {"password": "correct horse battery\n", "home": lambda path: path.mkdir(mode=0o555)},
    )
    steps = dict(instructions(FILES[0]))
    own = COMPOSE["services"]["audit"]
    program, *words = json.loads(steps["CMD"]) if by == "Dockerfile" else own["command"]
    assert program == "audit"
    port = words[words.index("--port") + 1] = free_port()
    set_here = {"AUDIT_DATA": str(tmp_path / "data"), "MPLCONFIGDIR": str(tmp_path / "mpl")}
    assert set(set_here) == {each.partition("=")[0] for each in steps["ENV"].split()}
    account = {"AUDIT_HOST_NAME": "host", "AUDIT_HOST_PASSWORD_FILE": str(tmp_path / "password")}
    assert by == "Dockerfile" or set(own["environment"]) == {"AUDIT_HOST_PASSWORD_FILE"}
    environment = {**os.environ, **set_here, **account, "HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "audit", *words]
    server = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )
    try:
        assert health(f"http://127.0.0.1:{port}/health") == {"status": "ok"}
        said = [server.stdout.readline() for _ in range(2)]
        expected = (
            f"http://127.0.0.1:{port}/" if by == "Dockerfile" else "https://audit.example.org/"
        )
        assert said[1].strip() == expected
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in") as answer:
            headers = dict(answer.headers)
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert ("strict-transport-security" in headers) == (by == "compose")
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(timeout=60)
        server.stdout.close()
    assert code == 0


def health(address, seconds=90):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(address) as answer:  # noqa: S310 - our own
                return json.load(answer)
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(address)
