"""A folder is written whole or not at all, and nothing but an earlier export is ever replaced."""

import os
from pathlib import Path

import pytest

from audit import workflow
from audit.errors import InputError, UsageError
from audit.workflow import write_folder
from audit.writers.bundle.archive import SUMS
from audit.writers.bundle.folder import _ABOUT, _WIDTHS, EXPORT_MARK, ExportOptions

FILES = {
    "README.txt": f"{EXPORT_MARK}\n".encode(),
    "figures/a.svg": b"<svg/>",
    "scores.csv": b"team\n",
}


def contents(folder):
    """Every file below a folder with its bytes, without the list of their digests."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("exists", [False, True])
def test_a_new_or_empty_folder_is_filled(tmp_path, exists):
    """With the files and nothing else; beside it nothing is left."""
    if exists:
        (tmp_path / "out").mkdir()
    assert write_folder(tmp_path / "out", FILES) == tmp_path / "out"
    assert contents(tmp_path / "out") == FILES
    assert os.listdir(tmp_path) == ["out"]  # noqa: PTH208 - hidden files too


def test_the_folder_has_the_permissions_of_any_other(tmp_path):
    """Although it is made in a private one."""
    (tmp_path / "other").mkdir()
    write_folder(tmp_path / "out", FILES)
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_an_export_is_replaced_only_where_that_is_asked_for(tmp_path):
    """Then as a whole: what the earlier one had more is gone."""
    write_folder(tmp_path / "out", FILES | {"old.csv": b"1"})
    with pytest.raises(UsageError, match="--force replaces it"):
        write_folder(tmp_path / "out", FILES)
    assert "old.csv" in contents(tmp_path / "out")
    write_folder(tmp_path / "out", FILES, overwrite=True)
    assert contents(tmp_path / "out") == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("readme", [None, b"My holiday pictures", b"\xff\xfe"])
def test_what_is_no_export_is_never_replaced(tmp_path, readme):
    """Not even where that is asked for."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "picture.jpg").write_bytes(b"1")
    if readme is not None:
        (tmp_path / "out" / "README.txt").write_bytes(readme)
    before = contents(tmp_path / "out")
    with pytest.raises(UsageError, match="is no export: it is left as it is"):
        write_folder(tmp_path / "out", FILES, overwrite=True)
    assert contents(tmp_path / "out") == before


def test_a_file_in_its_place_is_refused(tmp_path):
    (tmp_path / "out").write_bytes(b"1")
    with pytest.raises(UsageError, match="is no export"):
        write_folder(tmp_path / "out", FILES, overwrite=True)


def test_a_link_is_followed(tmp_path):
    """What it stands for is replaced, not the link."""
    write_folder(tmp_path / "real", FILES)
    (tmp_path / "out").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "out", FILES | {"more.csv": b"1"}, overwrite=True)
    assert (tmp_path / "out").is_symlink()
    assert "more.csv" in contents(tmp_path / "real")


def test_a_folder_that_cannot_be_written_is_an_error_and_leaves_nothing(tmp_path):
    """Such as one with a file whose name the disk does not take."""
    with pytest.raises(InputError) as caught:
        write_folder(tmp_path / "out", FILES | {"x" * 300: b""})
    assert [issue.slug for issue in caught.value.issues] == ["cannot-write"]
    assert list(tmp_path.iterdir()) == []


def test_folders_above_it_are_made(tmp_path):
    assert (write_folder(tmp_path / "a" / "b", FILES) / "README.txt").is_file()


def test_where_the_new_folder_cannot_take_its_place_the_old_one_is_back(tmp_path, monkeypatch):
    """Nothing is lost between the two."""
    write_folder(tmp_path / "out", FILES)
    rename = Path.rename

    def fail_for_new(self, target):
        if self.name == "new":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_new)
    with pytest.raises(InputError):
        write_folder(tmp_path / "out", FILES | {"new.csv": b"1"}, overwrite=True)
    assert contents(tmp_path / "out") == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_is_taken_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    """An hour of computing is not lost to a full folder."""
    write_folder(tmp_path / "out", FILES)
    monkeypatch.setattr(
        "audit.store.open_store", lambda *_, **__: pytest.fail("the store was opened")
    )
    with pytest.raises(UsageError):
        workflow.export_task("any", tmp_path / "out", tmp_path / "audit.db")


@pytest.mark.usefixtures("copies_accepted")
def test_decomposed_letters_are_set(tmp_path):
    """Names from macOS have letters and accents apart; beside them others are long."""
    rows = "".join(f"q{number},{'yes' if number % 3 else 'no'}\n" for number in range(30))
    long = "N" * 256
    for name in (
        "gold.csv",
        "submissions/A.csv",
        "submissions/B.csv",
        "submissions/Cafe\u0301 Vie\u0323\u0302t.csv",
    ):
        path = tmp_path / "names" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"id,label\n{rows}", encoding="utf-8")
    teams = f'[teams]\nA = "{long}"\nB = "{long}!"\n'
    (tmp_path / "names" / "task.toml").write_text(teams, encoding="utf-8")
    workflow.load(tmp_path / "names", tmp_path / "audit.db")
    written = workflow.export_task(
        "names", tmp_path / "out", tmp_path / "audit.db", ExportOptions(figures=())
    )
    assert r"Caf\'{e} Vi\^{\d{e}}t" in (written / "main_table_wide.tex").read_text(encoding="utf-8")


def _add(folder):
    (folder / "figures" / "notes.txt").write_bytes(b"mine")


def _change(folder):
    (folder / "scores.csv").write_bytes(b"team\nedited\n")


def _link(folder):
    (folder / "link").symlink_to(folder / "scores.csv")


def _drop_digests(folder):
    (folder / SUMS).unlink()


def _spoil_digests(folder):
    (folder / SUMS).write_bytes(b"\xff\n")


@pytest.mark.parametrize(
    ("interfere", "named"),
    [
        (_add, "figures/notes.txt"),
        (_change, "scores.csv"),
        (_link, "link"),
        (_drop_digests, SUMS),
        (_spoil_digests, SUMS),
    ],
)
def test_what_an_export_did_not_write_is_never_deleted(interfere, named, tmp_path):
    """Nor what was changed since: the message names it, and everything is as it was."""
    write_folder(tmp_path / "out", FILES)
    interfere(tmp_path / "out")
    before = contents(tmp_path / "out")
    with pytest.raises(UsageError, match=f"did not write, or what was changed since: “{named}”"):
        write_folder(tmp_path / "out", FILES, overwrite=True)
    assert contents(tmp_path / "out") == before


def test_a_folder_that_lacks_a_file_of_its_export_is_replaced(tmp_path):
    """There is nothing to lose; an empty folder in it is nothing."""
    write_folder(tmp_path / "out", FILES)
    (tmp_path / "out" / "scores.csv").unlink()
    (tmp_path / "out" / "empty").mkdir()
    write_folder(tmp_path / "out", FILES, overwrite=True)
    assert contents(tmp_path / "out") == FILES


@pytest.mark.parametrize(
    "content", [b"SQLite format 3\0", b"id,label\n1,no\n", b"<!DOCTYPE html><title>Home</title>"]
)
def test_a_report_takes_the_place_of_nothing_but_a_report(content, tmp_path):
    """The store, an input or another page is left as it is."""
    path = tmp_path / "x.html"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="exists, and is no report: it is left as it is"):
        workflow.check_replaceable(path)
    assert path.read_bytes() == content


def test_a_report_takes_the_place_of_another(tmp_path, monkeypatch):
    """Or of an empty file, however long the title is."""
    path = tmp_path / "x.html"
    workflow.check_replaceable(path)
    path.write_bytes(b"")
    workflow.check_replaceable(path)
    path.write_text(
        f"<!DOCTYPE html>\n<title>{'x' * 10_000} – leaderboard audit</title>", encoding="utf-8"
    )
    workflow.check_replaceable(path)
    monkeypatch.setattr(Path, "open", lambda *_: (_ for _ in ()).throw(OSError))
    workflow.check_replaceable(path)


@pytest.mark.parametrize("size", _WIDTHS)
def test_figures_are_as_wide_as_the_tables_beside_them_are_told_to_be(size):
    """A column and the text of a page, in inches."""
    assert f"({_WIDTHS[size]} in)" in _ABOUT[f"main_table_{size}.tex"]
