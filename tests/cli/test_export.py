"""audit export and audit verify, as a user types them."""

import json
import shutil

import pytest

from .conftest import FLOOD


@pytest.fixture
def exported(run, store):
    """The sample's export in the current folder, with its inputs and without figures."""
    result = run("export", "flood-posts", "out", "--figures", "none", "--include-inputs")
    assert result.exit_code == 0, result.output
    assert result.stdout == "Written: out. Its README.txt says what each file is.\n"
    return store.parent / "out"


def test_export_writes_a_folder_once(run, exported):
    """A second time it is refused, and replaced with --force."""
    before = {path.name for path in exported.iterdir()}
    assert {"README.txt", "bundle.zip", "evaluation.json", "scores.csv", "report.html"} <= before
    again = run("export", "flood-posts", "out", "--figures", "none")
    assert again.exit_code == 2
    assert "--force replaces it" in again.stderr
    assert run("export", "flood-posts", "out", "--figures", "none", "--force").exit_code == 0


def test_export_force_leaves_files_that_are_not_its_own(run, exported):
    """And says which they are."""
    (exported / "notes.txt").write_text("mine", encoding="utf-8")
    result = run("export", "flood-posts", "out", "--figures", "none", "--force")
    assert result.exit_code == 2
    assert "“notes.txt”. Move it away" in result.stderr
    assert (exported / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("command", [("report", "flood-posts"), ("run", FLOOD)])
def test_o_never_overwrites_the_store_or_an_input(run, store, command):
    """Refused before anything is computed."""
    before = store.read_bytes()
    result = run(*command, "-o", store, "--store", store)
    assert result.exit_code == 2
    assert "is no report: it is left as it is. Name another file with -o." in result.stderr
    assert store.read_bytes() == before


@pytest.mark.usefixtures("store")
def test_export_refuses_an_engine_and_a_task_that_do_not_exist(run):
    assert run("export", "flood-posts", "out", "--engine", "word").exit_code == 2
    result = run("export", "flod-posts", "out")
    assert result.exit_code == 2
    assert "Did you mean “flood-posts”?" in result.stderr


def test_verify_exits_with_0_where_everything_is_the_same(run, exported):
    """From the bundle's own inputs, and from the folder."""
    for arguments in ((), ("--inputs", FLOOD)):
        result = run("verify", exported / "bundle.zip", *arguments)
        assert result.exit_code == 0, result.output
        assert "All 14 inputs are the bundle’s, byte for byte." in result.stdout
        assert "all the same (exact equality expected; no difference)." in result.stdout


def test_verify_exits_with_1_where_something_differs(run, exported, folder):
    """With the input on standard error and the numbers on standard output, or both as JSON."""
    inputs = shutil.copytree(FLOOD, folder / "changed")
    path = inputs / "submissions" / "Heron.tsv"
    path.write_text(
        path.read_text(encoding="utf-8").replace("sympathy", "damage", 1), encoding="utf-8"
    )
    result = run("verify", exported / "bundle.zip", "--inputs", inputs)
    assert result.exit_code == 1
    assert result.stderr.startswith(
        "submissions/Heron.tsv: input-differs: its SHA-256 begins with "
    )
    assert "values differ (exact equality expected; largest difference" in result.stdout
    data = json.loads(run("verify", exported / "bundle.zip", "--inputs", inputs, "--json").stdout)
    assert data["same"] is False
    assert [each["file"] for each in data["inputs_that_differ"]] == ["submissions/Heron.tsv"]
    assert ["scores", "averaged_f1", "Heron"] in [each["place"] for each in data["differences"]]


@pytest.mark.usefixtures("store")
def test_verify_without_inputs_says_that_nothing_was_recomputed(run, folder):
    """And does not exit with 0, which a script would take for a check."""
    assert run("export", "flood-posts", "out", "--figures", "none").exit_code == 0
    result = run("verify", folder / "out" / "bundle.zip")
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "Nothing was recomputed: the bundle has the digests of 14 inputs, not the inputs."
    )


def test_verify_refuses_what_is_no_bundle(run, folder):
    (folder / "bundle.zip").write_bytes(b"PK")
    result = run("verify", folder / "bundle.zip")
    assert result.exit_code == 1
    assert "bad-bundle" in result.stderr
    assert "nothing was loaded" not in result.stderr
