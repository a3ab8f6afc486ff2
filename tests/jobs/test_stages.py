"""What a child does, in this process: from files by their digests to a release and what is made of it afterwards."""

import hashlib
import json
import subprocess
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from audit.cli import app
from audit.formats.files import limits
from audit.formats.files.tree import DEEPEST
from audit.resources import samples
from audit.service import child_program
from audit.service.child import Limits, Work
from audit.service.files import ContentFolder
from audit.service.queue import ANONYMISE, ASK, DIFFER, EVALUATE, EXPORT, READ
from audit.service.releases import SUMMARY, readers_edition
from audit.service.worker import folder_name
from audit.web.questions import command_of
from tests.formats.test_archives import UNSAFE, nested
from tests.nightly import by_day, slow

from .servers import LABELS, small_campaign, zipped


class Desk:
    """Where one campaign's work is done."""

    def __init__(self, root):
        self.root, self.content, self.n_attempts, self.steps = (
            root,
            ContentFolder(root / "campaign").make(),
            0,
            [],
        )

    def store(self, content):
        with self.content.receiving() as receiver:
            receiver.write(content)
            return receiver.complete()

    def do(self, kind, *, title="Small", **arguments):
        """What a job of this kind gives, and where its files stand."""
        self.n_attempts += 1
        place = self.root / f"attempt{self.n_attempts}"
        work = Work(
            kind, folder_name(title), str(self.content.root), str(place), arguments, Limits()
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(child_program, "tell", lambda *step: self.steps.append(step))
            return json.loads(json.dumps(child_program.outcome_of(work))), place

    def read(self, added, files=(), removed=(), *, unpack=True):
        stored = {path: self.store(content) for path, content in added.items()}
        plain = {path: {"sha256": each.sha256, "size": each.size} for path, each in stored.items()}
        found, _ = self.do(
            READ, files=dict(files), added=plain, removed=list(removed), unpack=unpack
        )
        return found

    def bytes_of(self, files, path):
        return self.content.path_of(files[path]["sha256"]).read_bytes()


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


GOLD = "id,label\n" + "".join(f"q{number},{LABELS[number % 3]}\n" for number in range(9))
FILES = {
    "gold.csv": GOLD.encode(),
    "submissions/A.csv": GOLD.replace("q1,perhaps", "q1,yes").encode(),
}


# Reading


@pytest.mark.parametrize("wrapper", ["", "flood-2031/"])
def test_an_archive_that_comes_alone_is_the_folder(wrapper, desk):
    inside = {f"{wrapper}{path}": content for path, content in FILES.items()}
    found = desk.read({"all.zip": zipped({**inside, "__MACOSX/._gold.csv": b"x"})})["result"]
    assert sorted(found["files"]) == sorted(FILES)
    for path, content in FILES.items():
        assert desk.bytes_of(found["files"], path) == content
        assert found["files"][path]["sha256"] == hashlib.sha256(content).hexdigest()
    assert found["findings"]["is_usable"]
    (task,) = found["findings"]["tasks"]
    assert (task["gold"], [each["team"] for each in task["submissions"]]) == (
        {"file": "gold.csv", "items": 9},
        ["A"],
    )
    assert ("unpacking", 2, 2) in desk.steps


def test_an_archive_among_others_or_later_stays_what_it_is(desk):
    """One of submissions, one beside other files, one that somebody does not want unpacked."""
    packed = zipped({"A.csv": FILES["submissions/A.csv"]})
    assert set(desk.read({"submissions.zip": packed})["result"]["files"]) == {"submissions.zip"}
    assert set(desk.read({"all.zip": packed}, unpack=False)["result"]["files"]) == {"all.zip"}
    before = desk.read({**FILES})["result"]["files"]
    after = desk.read({"B.zip": packed}, before, ["submissions/A.csv"])["result"]["files"]
    assert set(after) == {"gold.csv", "B.zip"}


def test_an_archive_of_everything_that_was_packed_again_is_the_folder_too(desk):
    """As often as archives are opened in one another; once more is refused with what to do, as bombs are."""
    packed = zipped({f"flood-2031/{path}": content for path, content in FILES.items()})
    for _ in range(DEEPEST - 1):
        packed = zipped({"x/everything.zip": packed, "__MACOSX/x/._everything.zip": b"x"})
        assert set(desk.read({"all.zip": packed})["result"]["files"]) == set(FILES)
    (issue,) = desk.read({"all.zip": zipped({"again.zip": packed})})["issues"]
    assert (issue["slug"], issue["file"]) == (
        "unsafe-archive",
        "all.zip/again.zip" + "/everything.zip" * (DEEPEST - 1),
    )
    bomb = nested({"A.csv": bytes(limits.ANY_RATIO + 1)}, 2)
    (issue,) = desk.read({"all.zip": bomb})["issues"]
    assert (issue["slug"], issue["file"]) == ("too-large", "all.zip/again.zip")


@pytest.mark.parametrize("name", ["submissions.zip", "everything.zip"])
def test_the_archives_of_all_teams_in_one_are_their_submissions(name, desk):
    """Beside gold, and in one with it; each of one file, whatever it is called."""
    teams = {
        f"{team} - 3 submission.zip": zipped({"answer.csv": FILES["submissions/A.csv"]})
        for team in ("ann", "ben")
    }
    of_all = zipped({"submissions.zip": zipped(teams)})
    gold = {"gold.csv": FILES["gold.csv"]}
    files = (
        {**gold, name: of_all}
        if name == "submissions.zip"
        else {name: zipped({**gold, "submissions.zip": of_all})}
    )
    found = desk.read(files)["result"]
    assert set(found["files"]) == {"gold.csv", "submissions.zip"}
    (task,) = found["findings"]["tasks"]
    assert [(each["team"], each["run"]) for each in task["submissions"]] == [
        ("ann", "3"),
        ("ben", "3"),
    ]


def test_files_that_cannot_be_used_are_kept_with_what_is_wrong(desk):
    found = desk.read({"submissions/A.csv": b"nothing of use"})["result"]
    assert set(found["files"]) == {"submissions/A.csv"}
    assert not found["findings"]["is_usable"]
    assert "no-gold" in {issue["slug"] for issue in found["findings"]["issues"]}
    settings = desk.read({**FILES, "task.toml": b"official_metric = 'macro_f1'\n"})["result"][
        "findings"
    ]
    assert (settings["is_usable"], settings["settings"]) == (
        False,
        "official_metric = 'macro_f1'\n",
    )


@pytest.mark.parametrize("name", UNSAFE)
def test_a_hostile_archive_is_an_error_in_words_and_nothing_stands_elsewhere(name, desk, tmp_path):
    """Each of the archives on which the formats are tried, as the whole of an upload."""
    make, slug = UNSAFE[name]
    found = desk.read({name: make()})
    if "result" in found:  # one is without any file of use
        assert name == "empty.zip" or name.startswith("entries")
    elif "issues" in found:
        assert found["issues"][0]["slug"] == slug
    else:
        assert "folder" in found["error"] or "called" in found["error"]
    allowed = {tmp_path / "campaign", tmp_path / "attempt1"}
    assert set(tmp_path.iterdir()) <= allowed
    for path in (tmp_path / "campaign").rglob("*"):
        assert path.is_dir() or path.parent.parent.name == "content"
        assert not path.is_symlink()


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a/" * 20 + "x.csv", "y.csv"], "folders deep"),
        (["x" * 201 + ".csv"], "too long"),
        (["a\tb.csv"], "is no name for a file"),
        (["A.csv", ".//A.csv"], None),
    ],
)
def test_names_in_archives_are_those_of_a_campaign(names, says, desk, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name in names:
            archive.writestr(name, FILES["gold.csv"])
    found = desk.read({"x.zip": (tmp_path / "x.zip").read_bytes()})
    assert "result" not in found
    assert says is None or says in found["error"]


def test_a_file_where_a_folder_stands_is_refused_by_name(desk):
    before = desk.read({**FILES})["result"]["files"]
    found = desk.read({"submissions": b"no folder"}, before)
    assert found == {"error": "“submissions” is both a file and a folder. Remove one of them."}
    found = desk.read({"gold.csv/x/y.csv": b"1"}, before)
    assert found == {"error": "“gold.csv” is both a file and a folder. Remove one of them."}


def test_a_file_that_is_gone_from_the_disk_is_named(desk):
    lost = {"gold.csv": {"sha256": "0" * 64, "size": 3}}
    found, _ = desk.do(READ, files=lost, added={}, removed=[], unpack=True)
    assert found["error"].startswith(
        "“gold.csv” was received, and is no longer on the disk of the service."
    )


# A release, and what is made of it


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A small campaign, evaluated twice: the second time without a team."""
    desk = Desk(tmp_path_factory.mktemp("released"))
    files = desk.read({"small.zip": small_campaign()})["result"]["files"]
    first, where = desk.do(EVALUATE, files=files, skip_rejected=False, former_store=None)
    fewer = {path: each for path, each in files.items() if path != "submissions/team2.csv"}
    store = str(where / "audit.db")
    second, later = desk.do(EVALUATE, files=fewer, skip_rejected=False, former_store=store)
    return desk, (first["result"], where), (second["result"], later)


def digests(folder):
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def of_release(result, where, **more):
    loads = {task["slug"]: task["load"] for task in result["tasks"]}
    return {"store": str(where / "audit.db"), "loads": loads, **more}


def test_a_release_has_its_report_its_numbers_and_its_store(released):
    _, (result, where), (second, later) = released
    assert sorted(path.name for path in where.iterdir()) == [
        "audit.db",
        "small.html",
        "small.json",
        "~readers-small.html",
        "~readers-small.json",
    ]
    assert (where / "small.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    (task,) = result["tasks"]
    assert (task["slug"], task["load"], len(task["entries"])) == ("small", 1, 3)
    assert (
        json.loads((where / "small.json").read_text())["signature"] == result["signatures"]["small"]
    )
    assert (second["tasks"][0]["load"], len(second["tasks"][0]["entries"])) == (2, 2)
    assert (later / "small.html").is_file()


def test_what_is_asked_of_a_release_changes_none_of_its_bytes(released):
    """Differences, reports without names, questions: a release is what it was."""
    desk, (first, where), (second, later) = released
    before = digests(where) | {f"later-{name}": digest for name, digest in digests(later).items()}
    differed, place = desk.do(DIFFER, **of_release(second, later), former_loads={"small": 1})
    assert differed == {"result": {}}
    assert "team2" in (place / "small.json").read_text()
    same, place = desk.do(DIFFER, **of_release(second, later), former_loads={"small": 2})
    assert (same, list(place.iterdir())) == ({"result": {}}, [])
    anonymous, place = desk.do(ANONYMISE, **of_release(first, where), salt="x")
    assert anonymous == {"result": {"reports": ["small.html"]}}
    text = (place / "small.html").read_text(encoding="utf-8")
    assert "Team 1" in text
    assert "team0" not in text
    question = {"about": "compare", "task": "small", "first": "team0", "second": "team1"}
    asked, _ = desk.do(ASK, **of_release(first, where), question=question)
    assert (asked["result"]["answer"]["first"], asked["result"]["answer"]["ahead"]) == (
        "team0",
        None,
    )
    after = digests(where) | {f"later-{name}": digest for name, digest in digests(later).items()}
    assert after == before


def table_of(desk, content, name="published.csv"):
    stored = desk.store(content)
    return {"sha256": stored.sha256, "name": name}


PUBLISHED = b"team,macro F1\nteam0,.75\nteam1,.5\n"
QUESTIONS = [
    {"about": "compare", "task": "small", "first": "team0", "second": "team1", "metric": "mcc"},
    {"about": "identify", "task": "small"},
    {
        "about": "whatif",
        "task": "small",
        "prevalence": "no=0.5,perhaps=0.25,yes=0.25",
        "metric": "accuracy",
    },
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each["about"])
def test_a_question_is_answered_as_the_command_line_answers_it_by_no_further_process(
    released, question, monkeypatch
):
    """The command on the page, run on the same store, prints the same JSON; and the sentences stand in its text."""
    desk, (first, where), _ = released
    table = table_of(desk, PUBLISHED) if question["about"] == "identify" else None
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", None)
        asked, _ = desk.do(ASK, **of_release(first, where), question=question, table=table)
    (desk.root / "published.csv").write_bytes(PUBLISHED)
    monkeypatch.chdir(desk.root)
    name, *rest = command_of(question, table and table["name"])
    command = [name, "--store", str(where / "audit.db"), *rest]
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 0, printed.output
    as_json = CliRunner().invoke(app, [name, "--json", *command[1:]])
    assert asked["result"]["answer"] == json.loads(as_json.output)
    for sentence in asked["result"]["sentences"]:
        assert sentence in printed.output


def test_a_question_that_cannot_be_answered_says_why(released):
    """In the words of the command line; a table is called by its own name, wherever it stands."""
    desk, (first, where), _ = released
    question = {"about": "compare", "task": "small", "first": "team0", "second": "nobody"}
    found, _ = desk.do(ASK, **of_release(first, where), question=question)
    assert "nobody" in found["error"]
    table = table_of(desk, b"\0\0", "-its own name.csv")
    found, _ = desk.do(
        ASK,
        **of_release(first, where),
        question={"about": "identify", "task": "small"},
        table=table,
    )
    assert [issue["file"] for issue in found["issues"]] == ["-its own name.csv"]
    assert str(desk.root) not in json.dumps(found)


@slow("tests/export, which draws few figures")
def test_a_release_is_exported_with_its_bundle(released):
    desk, (first, where), _ = released
    before = digests(where)
    desk.steps.clear()
    found, place = desk.do(EXPORT, **of_release(first, where))
    assert found == {"result": {}}
    # whoever waits sees what is under way
    assert {"comparing", "drawing"} <= {step for step, *_ in desk.steps}
    assert sorted(path.name for path in place.iterdir()) == ["small-bundle.zip", "small-export.zip"]
    with zipfile.ZipFile(place / "small-export.zip") as archive:
        assert archive.read("bundle.zip") == (place / "small-bundle.zip").read_bytes()
    assert digests(where) == before


def test_an_export_has_what_task_toml_states_of_it(desk, monkeypatch):
    """Names as TeX."""
    monkeypatch.setattr("audit.writers.bundle.folder.FIGURE_KINDS", {})
    stated = '[latex_names]\nA = "\\\\emph{A}"\n'
    files = desk.read({**FILES, "task.toml": f'slug = "small"\n{stated}'.encode()})["result"][
        "files"
    ]
    found, where = desk.do(EVALUATE, files=files, skip_rejected=False, former_store=None)
    _, place = desk.do(EXPORT, **of_release(found["result"], where))
    with zipfile.ZipFile(place / "small-export.zip") as archive:
        assert rb"\emph{A}" in archive.read("main_table_wide.tex")


def test_files_that_cannot_be_loaded_fail_with_their_issues(desk):
    files = desk.read({"submissions/A.csv": b"x"})["result"]["files"]
    found, _ = desk.do(EVALUATE, files=files, skip_rejected=False, former_store=None)
    assert found["error"] == "The files cannot be used as they are."
    assert [issue["slug"] for issue in found["issues"]] == ["no-gold"]


def test_a_store_that_is_none_is_an_issue(desk, tmp_path):
    files = desk.read({**FILES})["result"]["files"]
    (tmp_path / "former.db").write_bytes(b"no store" * 1000)
    found, _ = desk.do(
        EVALUATE, files=files, skip_rejected=False, former_store=str(tmp_path / "former.db")
    )
    assert found["error"] == "The campaign's store cannot be used."
    assert found["issues"][0]["slug"]


def test_a_store_that_is_gone_is_named_and_nothing_is_begun_without_it(desk, tmp_path):
    """A release without the campaign's history could not say what changed."""
    files = desk.read({**FILES})["result"]["files"]
    gone = str(tmp_path / "7-1" / "audit.db")
    found, _ = desk.do(EVALUATE, files=files, skip_rejected=False, former_store=gone)
    assert "lost its store, 7-1/audit.db" in found["error"]
    for kind in (EXPORT, ANONYMISE):
        found, _ = desk.do(kind, store=gone, loads={"small": 1}, salt="x")
        assert found["error"] == "The campaign's store cannot be used."
        assert "7-1/audit.db" in json.dumps(found["issues"])


@pytest.mark.parametrize("slug", ["..", ".", "../x", "a/b", "", "-x", "~summary", "x" * 101, "a b"])
def test_a_slug_that_could_be_a_path_or_another_file_is_refused(slug, desk):
    """Files of a release are called by it."""
    text = f"slug = {json.dumps(slug)}\n".encode()
    found = desk.read({**FILES, "task.toml": text})["result"]["findings"]
    assert not found["is_usable"]


@pytest.mark.parametrize("slug", ["audit.db", "summary", "audit", "task.toml", "é..é", "a-export"])
def test_no_slug_is_the_name_of_another_file_of_a_release(slug, desk):
    """Whatever is allowed has an ending behind it, and does not begin as the summary does."""
    found = desk.read({**FILES, "task.toml": f'slug = "{slug}"\n'.encode()})["result"]["findings"]
    assert [task["slug"] for task in found["tasks"]] == [slug]
    names = [f"{slug}{ending}" for ending in (".html", ".json", "-export.zip", "-bundle.zip")]
    assert not {"audit.db", SUMMARY} & set(names)
    assert all(Path(name).name == name for name in names)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Ann's task: flood (2031)", "Ann's task: flood (2031)"),
        ('<i>[a]*?</i> "x" {team} %s $HOME ~ \\', '<i>[a]*?<-i> "x" {team} %s $HOME ~'),
        ("مهمة" * 50, "مهمة" * 25),
    ],
)
def test_a_campaign_is_called_by_the_title_that_somebody_typed(title, shown, desk):
    """As far as the name of a folder can hold it; no character of it is a pattern, an option or markup to anybody."""
    files = desk.read(FILES)["result"]["files"]
    found, place = desk.do(
        EVALUATE, title=title, files=files, skip_rejected=False, former_store=None
    )
    (task,) = found["result"]["tasks"]
    assert task["title"] == shown
    assert (place / task["report"]).is_file()


def test_several_test_sets_have_a_report_each_and_one_for_all(desk):
    toml = "".join(f'[subtask.{name}.gold]\npath = "gold.csv"\n' for name in ("one", "summary"))
    files = desk.read(
        {**FILES, "submissions/B.csv": FILES["gold.csv"], "task.toml": toml.encode()}
    )["result"]["files"]
    found, place = desk.do(EVALUATE, files=files, skip_rejected=True, former_store=None)
    assert found["result"]["summary"] == SUMMARY
    reports = [task["report"] for task in found["result"]["tasks"]]
    assert len({*reports, SUMMARY}) == 3
    assert {*reports, SUMMARY} <= {path.name for path in place.iterdir()}
    whole = found["result"]["whole"]
    organisers = (place / SUMMARY).read_text(encoding="utf-8")
    readers = readers_edition(place / SUMMARY).read_text(encoding="utf-8")
    assert whole["verdict"]["sentence"] in organisers
    assert whole["verdict"]["sentence"] in readers
    assert "Before you publish" in organisers
    assert "Before you publish" not in readers
    assert whole["to_do"]


@by_day(1)
@pytest.mark.parametrize("name", ["tide-levels", "quay-translations"])
def test_a_task_of_numbers_is_uploaded_evaluated_and_exported(name, desk):
    """No page of it counts labels, and teams may be ranked by what such a task has."""
    folder = samples() / name
    content = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".md"
    }
    read = desk.read(content)["result"]
    (task,) = read["findings"]["tasks"]
    assert task["labels"] == []
    slugs = {metric["slug"] for metric in task["metrics"]}
    assert slugs >= ({"spearman", "rmse"} if name == "tide-levels" else {"COMET", "TER"})
    found, where = desk.do(EVALUATE, files=read["files"], skip_rejected=False, former_store=None)
    result = found["result"]
    assert (where / f"{name}.html").is_file()
    exported, place = desk.do(EXPORT, **of_release(result, where))
    assert exported == {"result": {}}
    assert (place / f"{name}-bundle.zip").is_file()
