"""Help that can be trusted: every command explained, every example real, and the door opens fast."""

import re
import shlex

import pytest
import typer
from rich.console import Console
from typer.main import get_command

from audit import __version__
from audit.cli import app
from audit.cli.program import COMMAND_GROUPS
from audit.document import Cell, Column, Table
from audit.writers import terminal

PROGRAM = get_command(app)
WRITES_FILES_ONLY = {"participants", "platform", "score-one", "init", "report", "export", "sample"}
SERVES = {"backup", "serve", "sign-in-link", "worker"}
HEAVY = {"numpy", "pandas", "scipy", "sqlalchemy", "alembic", "jinja2", "latex2mathml"}


def examples(text):
    """The command lines of an epilog, as lists of arguments."""
    line = re.search(r"Example: (audit .*?)(?:\. |$)", text)[1]
    return [shlex.split(command) for command in line.split("&&")]


def test_every_command_is_known_by_its_first_sentence():
    """A docstring that is not cut off in the list of commands."""
    for name, command in PROGRAM.commands.items():
        first = command.help.strip().split("\n")[0]
        assert 0 < len(first) <= 45, name
        assert first.endswith("."), name


@pytest.mark.parametrize("name", ["", *PROGRAM.commands])
def test_every_help_has_an_example_that_parses(run, name):
    """Real commands with real options: the parser takes them."""
    epilog = (PROGRAM.commands[name] if name else PROGRAM).epilog
    printed = " ".join(run(*([name] if name else []), "--help").stdout.split())
    assert f"Example: audit {name}".strip() in printed
    commands = examples(epilog)
    assert any(words[1] == name for words in commands) or not name
    for audit, command, *arguments in commands:
        assert audit == "audit"
        context = PROGRAM.commands[command].make_context(
            command, arguments, parent=typer.Context(PROGRAM)
        )
        assert context.params


def test_every_option_is_explained():
    """No option, no argument without words."""
    for name, command in PROGRAM.commands.items():
        for parameter in command.params:
            assert getattr(parameter, "help", None), (name, parameter.name)


def test_every_command_that_shows_something_has_json():
    """Whatever can be read can be read by a program."""
    without = {
        name
        for name, command in PROGRAM.commands.items()
        if "--json" not in {option for parameter in command.params for option in parameter.opts}
    }
    assert without == WRITES_FILES_ONLY | SERVES


def test_every_command_that_needs_a_store_can_be_told_where():
    """By option or variable, with the same default."""
    for name, command in PROGRAM.commands.items():
        stores = [parameter for parameter in command.params if parameter.name == "store"]
        if (
            name
            in {"init", "sample", "verify", "metrics", "flags", "issues", "score", "score-one"}
            | SERVES
        ):
            assert stores == []
        else:
            assert stores[0].opts == ["--store"]
            assert stores[0].envvar == "AUDIT_STORE"


def test_the_exit_codes_are_in_the_help(run):
    """Where a user looks for them."""
    printed = " ".join(run("--help").stdout.split())
    assert (
        "0 done, 1 bad input or store, 2 wrong usage, 3 --fail-on fired, 130 interrupted" in printed
    )


def test_the_version_is_that_of_the_package(run):
    """One number, in one place."""
    assert run("--version").stdout == f"audit {__version__}\n"


def test_help_imports_nothing_heavy(process):
    """``audit --help`` starts without numerics, database and templates."""
    done = process("--help", program=("-X", "importtime", "-m", "audit"))
    assert done.returncode == 0
    assert b"Reference:" in done.stdout
    imported = {
        line.split("|")[-1].strip().split(".")[0] for line in done.stderr.decode().splitlines()
    }
    assert "typer" in imported
    assert imported & HEAVY == set()


def test_every_command_stands_in_one_group(run):
    """And none is listed that does not exist."""
    listed = [name for names in COMMAND_GROUPS.values() for name in names]
    assert sorted(listed) == sorted(get_command(app).commands)
    shown = run("--help").stdout
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in listed)


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_a_table_keeps_its_first_columns_at_any_width(monkeypatch, capsys, width):
    """What is left out on the right is named; nothing is cut."""
    monkeypatch.setattr(terminal, "console", lambda: Console(width=width, force_terminal=False))
    heads = ["rank", "team", *(f"metric number {number}" for number in range(8))]
    row = tuple(map(Cell, ("1", "Kingfisher", *(".123",) * 8)))
    terminal.write(Table("records", "", tuple(map(Column, heads)), (row,)))
    shown = " ".join(capsys.readouterr().out.split())
    assert "Kingfisher" in shown
    assert all(head in shown for head in heads)
    assert ("columns hidden (window too narrow)" in shown) == (width < 160)
    assert "…" not in shown
