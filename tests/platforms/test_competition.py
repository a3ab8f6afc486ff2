"""A competition for Codabench: the zip that is uploaded, and submissions in an imitation of the platform's worker."""

import gzip
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from audit.cli import app
from audit.domain import ScoreKey
from audit.resources import samples
from audit.writers.bundle.codabench import Column, refusals
from tests.formats.campaigns import write, zipped
from tests.nightly import by_day

ROOT = Path(__file__).resolve().parents[2]
WORKER = ROOT.parent / "shared" / "platforms" / "codabench_worker.py"
FLOOD = samples() / "flood-posts"
STATED = ("--image", "me/scorer:1", "--start", "2027-01-10", "--end", "2027-01-20 23:59")
# Kingfisher's, by scikit-learn
SCORED_IN_SAMPLE = {"averaged_f1": 0.755, "f1_of_averages": 0.756, "accuracy": 0.853}


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert isinstance(result.exception, SystemExit | type(None)), result.exception
    return result


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The competition of the sample: the folder that is written, and the zip's files by name."""
    root = tmp_path_factory.mktemp("codabench")
    assert run("load", FLOOD, "--store", root / "s.db").exit_code == 0
    done = run(
        "platform", "codabench", "flood-posts", root / "up", "--store", root / "s.db", *STATED
    )
    assert done.exit_code == 0, done.stderr
    with zipfile.ZipFile(root / "up" / "bundle.zip") as archive:
        return root / "up", {name: archive.read(name) for name in archive.namelist()}


def unpacked(files):
    """The competition by the rules of Codabench's unpacker, which end where it would refuse."""
    tree = yaml.safe_load(files["competition.yaml"])
    assert all(
        tree.get(name)
        for name in ("title", "image", "terms", "pages", "tasks", "phases", "leaderboards")
    )
    assert all(
        files[path]
        for path in (tree["image"], tree["terms"], *(page["file"] for page in tree["pages"]))
    )
    tasks = [task["index"] for task in tree["tasks"]]
    assert len(set(tasks)) == len(tasks)
    folders = [
        task[kind] for task in tree["tasks"] for kind in ("scoring_program", "reference_data")
    ]
    for folder in [*folders, *(solution["path"] for solution in tree["solutions"])]:
        assert any(path.startswith(f"{folder}/") for path in files)
    assert all(set(each["tasks"]) <= set(tasks) for each in (*tree["phases"], *tree["solutions"]))
    times = [time for phase in tree["phases"] for time in (phase["start"], phase["end"])]
    assert times == sorted(times)
    (board,) = tree["leaderboards"]
    for name in ("title", "key"):
        names = [column[name] for column in board["columns"]]
        assert len(set(names)) == len(names)
        assert all(isinstance(each, str) and 0 < len(each) <= 36 for each in names)
    assert all(
        column["sorting"] in {"asc", "desc"} and column["precision"] <= 10
        for column in board["columns"]
    )
    return tree, board


def test_the_zip_is_what_the_unpacker_takes(made):
    """Each file that competition.yaml names is there, and YAML reads what was meant."""
    folder, files = made
    tree, board = unpacked(files)
    (phase,) = tree["phases"]
    assert (str(phase["start"]), str(phase["end"])) == (
        "2027-01-10 00:00:00",
        "2027-01-20 23:59:00",
    )
    assert tree["title"].startswith("Flood posts: what")
    assert tree["docker_image"] == "me/scorer:1"
    assert [column["key"] for column in board["columns"]] == [
        "averaged_f1",
        "f1_of_averages",
        "accuracy",
    ]
    assert board["columns"][board["primary_index"]]["key"] == "averaged_f1"
    assert {column["sorting"] for column in board["columns"]} == {"desc"}
    assert files["logo.png"].startswith(b"\x89PNG")
    assert not any(
        b"@" in content for name, content in files.items() if name.endswith((".md", ".yaml"))
    )
    assert (
        "@"
        not in (folder / "README.txt").read_text() + (folder / "image" / "Dockerfile").read_text()
    )


def test_the_zip_names_no_team(made):
    """Neither their names nor their files, which the campaign's folder has beside gold."""
    _, files = made
    teams = [path.name.partition(".")[0] for path in (FLOOD / "submissions").iterdir()]
    text = b"\n".join(files.values()).decode("latin-1")
    assert {team for team in teams if team in text} <= {"README", "baseline-majority"}


def test_the_zip_lacks_nothing(made):
    """The unpacker refuses a competition where one of these is not there, or empty."""
    _, files = made
    pages = {"pages/overview.md", "pages/terms.md"}
    assert {"competition.yaml", "logo.png", *pages, "scoring_program/metadata.yaml"} <= {
        *filter(files.get, files)
    }
    assert {"scoring_program", "reference_data", "solution"} <= {
        name.partition("/")[0] for name in files
    }


def test_what_the_unpacker_refuses_is_refused_here():
    """Before anybody uploads it."""
    columns = [Column(ScoreKey("accuracy"), "accuracy", "accuracy", 3, "desc")]
    assert list(refusals(columns, "2027-01-10", "2027-01-20")) == []
    assert list(refusals(columns * 2, "2", "1")) == [
        "the phase ends before it begins",
        "two columns have the same first 36 characters",
    ]


def test_phases_that_end_before_they_begin_are_refused(made, tmp_path):
    """And nothing is written."""
    store = made[0].parent / "s.db"
    stated = ("--image", "x", "--start", "2027-02-01", "--end", "2027-01-01")
    done = run("platform", "codabench", "flood-posts", tmp_path / "up", "--store", store, *stated)
    assert (done.exit_code, (tmp_path / "up").exists()) == (2, False)
    assert "the phase ends before it begins" in done.stderr


WITHOUT_BASELINES = {
    "by position": {"gold.txt": "no\nyes\nno\n", "submissions/A.txt": "no\nno\nyes\n"},
    "wide": {
        "runs.csv": "id,gold,A,B\nx1,no,no,yes\nx2,yes,no,no\nx3,no,no,yes\n",
        "task.toml": '[roles]\nA = "baseline"\n',
    },
    "official at balanced": {
        "gold.csv": "id,label\n1,no\n2,yes\n3,no\n",
        "task.toml": 'title = "no: a \\"b\\" #1 – ü"\nofficial_metric = "accuracy@balanced"\nofficial_decimals = 12\n',
        "submissions/A.csv": "id,label\n1,no\n2,yes\n3,yes\n",
    },
    "packed, one of two test sets, named by files": {
        "data/g.csv.gz": gzip.compress(b"id,label,author\n1,no,a\n2,yes,b\n3,no,c\n"),
        "data/h.csv": "id,label\n4,no\n5,yes\n",
        "A/run.csv": "id,label\n1,no\n2,yes\n3,yes\n",
        "B/run.csv": "id,label\n4,no\n5,yes\n",
        "task.toml": '[teams]\nA = "Anna"\n[subtask.one]\ngold.path = "data/g.csv.gz"\ngold.group = "author"\n'
        'submissions.files = "{team}/run.csv"\nsubmissions.ignore = ["B/*"]\n[subtask.two]\n'
        'gold.path = "data/h.csv"\nsubmissions.files = "{team}/run.csv"\nsubmissions.ignore = ["A/*"]\n',
    },
    "a scale, on which less is better": {
        "gold.csv": "id,label\na,1\nb,2\nc,3\nd,1\n",
        "task.toml": 'labels = ["1", "2", "3"]\nscale = true\nofficial_metric = "mae"\n',
        "submissions/A.csv": "id,label\na,1\nb,3\nc,3\nd,1\n",
    },
    "sets": {
        "gold.csv": 'id,label\n1,"a, b"\n2,\n3,a\n',
        "task.toml": 'kind = "sets"\n[roles]\nbase = "baseline"\n',
        "submissions/A.csv": "id,label\n1,a\n2,\n3,b\n",
        "submissions/base.csv": "id,label\n1,a\n2,a\n3,a\n",
    },
}


@pytest.mark.usefixtures("copies_accepted")
@pytest.mark.parametrize("case", WITHOUT_BASELINES)
def test_each_layout_of_gold_scores_its_own_solution(case, tmp_path):
    """As the platform would: what is written has been tried."""
    write(tmp_path / "task", WITHOUT_BASELINES[case])
    store, up = tmp_path / "s.db", tmp_path / "up"
    loaded = run("load", tmp_path / "task", "--store", store, "--json")
    assert loaded.exit_code == 0, loaded.stderr
    slug = (json.loads(loaded.stdout).get("parts") or [json.loads(loaded.stdout)])[0]["task"]
    done = run("platform", "codabench", slug, up, "--store", store, *STATED)
    assert done.exit_code == 0, done.stderr
    with zipfile.ZipFile(up / "bundle.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    (solution,) = (tmp_path / "unpacked" / "solution").iterdir()
    assert b"gold" not in solution.read_bytes()
    reference = tmp_path / "unpacked" / "reference_data"
    assert (
        run("score-one", solution, "--campaign", reference, "--out", tmp_path / "out").exit_code
        == 0
    )
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    root = tmp_path / "unpacked"
    tree, board = unpacked(
        {path.relative_to(root).as_posix(): path.read_bytes() for path in files_below(root)}
    )
    assert set(scores) == {column["key"] for column in board["columns"]}
    assert board["columns"][board["primary_index"]]["sorting"] == (
        "asc" if "scale" in case else "desc"
    )
    if case == "official at balanced":
        assert tree["title"] == 'no: a "b" #1 – ü'
        assert board["columns"][board["primary_index"]]["key"] == "accuracy_balanced"


def files_below(root):
    return [path for path in root.rglob("*") if path.is_file()]


def test_what_is_no_score_of_one_submission_is_refused(tmp_path):
    """A mean of ranks; decoys that nobody stated; a constant answer that its own settings refuse."""
    good = {"gold.csv": "id,label\n1,no\n2,yes\n", "submissions/A.csv": "id,label\n1,no\n2,no\n"}
    cases = {
        "ranks": (
            '[official]\nmean_rank_of = ["accuracy", "averaged_f1"]\n',
            "no score of one submission",
        ),
        "decoys": ('[policies]\nextra = "ignore"\n', "--items FILE"),
        "columns": (
            '[submissions]\nlabel = "label"\nid = "id"\ndelimiter = ","\nquote = "y"\n',
            "Written",
        ),
    }
    for name, (settings, why) in cases.items():
        write(tmp_path / name, {**good, "task.toml": f'slug = "{name}"\n{settings}'})
        assert run("load", tmp_path / name, "--store", tmp_path / "s.db").exit_code == 0
        done = run(
            "platform",
            "codabench",
            name,
            tmp_path / f"up-{name}",
            "--store",
            tmp_path / "s.db",
            *STATED,
        )
        assert why in done.stdout + done.stderr
    tabs = {name: text.replace(",", "\t") for name, text in good.items()}
    write(
        tmp_path / "tab",
        {**tabs, "task.toml": '[submissions]\ndelimiter = "tab"\n[gold]\ndelimiter = "tab"\n'},
    )
    assert run("load", tmp_path / "tab", "--store", tmp_path / "s.db").exit_code == 0
    done = run(
        "platform", "codabench", "tab", tmp_path / "up-tab", "--store", tmp_path / "s.db", *STATED
    )
    assert "does not score its own solution" in done.stderr
    stated = (
        "--solution",
        tmp_path / "tab" / "submissions" / "A.csv",
        "--store",
        tmp_path / "s.db",
    )
    assert run("platform", "codabench", "tab", tmp_path / "up-tab", *stated, *STATED).exit_code == 0


# One submission


KINGFISHER = (FLOOD / "submissions" / "Kingfisher.csv").read_text()
HEAD, *LINES = KINGFISHER.splitlines()
PAIRS = [line.rsplit(",", 1) for line in LINES]


def of(lines):
    return "\n".join([HEAD, *lines]) + "\n"


HANDED_IN = {
    "csv": ({"predictions.csv": KINGFISHER}, SCORED_IN_SAMPLE),
    "another order, as TSV": (
        {"a/p.tsv": of(reversed(LINES)).replace(",", "\t")},
        SCORED_IN_SAMPLE,
    ),
    "JSON lines": (
        {
            "p.jsonl": "".join(
                json.dumps({"post_id": pair[0], "label": pair[1]}) + "\n" for pair in PAIRS
            )
        },
        SCORED_IN_SAMPLE,
    ),
    "packed twice": ({"in.zip": zipped({"p.csv": KINGFISHER})}, SCORED_IN_SAMPLE),
    "beside a Mac's files": (
        {
            "p.csv": KINGFISHER,
            "__MACOSX/._p.csv": b"\0\5\x16",
            ".DS_Store": b"\0",
            "README.md": "hello",
        },
        SCORED_IN_SAMPLE,
    ),
    "constant": (
        {"p.csv": of(f"{pair[0]},damage" for pair in PAIRS)},
        {"averaged_f1": 0.053, "accuracy": 0.153},
    ),
    "items missing": ({"p.csv": of(LINES[:1000])}, {}),
    "few answers": ({"p.csv": of(LINES[:20])}, "Fewer than 50% of the items have an answer"),
    "other labels": (
        {"p.csv": of(f"{pair[0]},{pair[1].upper()}" for pair in PAIRS)},
        "not in the label set|usable",
    ),
    "an item twice": ({"p.csv": of([*LINES, LINES[0]])}, "duplicate-item"),
    "unknown items": ({"p.csv": of(f"x{line}" for line in LINES)}, "item"),
    "two files": ({"p.csv": KINGFISHER, "q.csv": KINGFISHER}, "2 data files"),
    "no file": ({"README.md": "sorry"}, "0 data files"),
    "empty": ({"p.csv": ""}, "empty-file"),
    "binary": ({"p.csv": b"\x89PNG\r\n\x1a\n\0\0"}, "binary-file|damaged|recognised"),
}


def judged(expected, code, said, out):
    """Scores for a file that is scored; why not for another; and a page for both."""
    page = (out / "detailed_results.html").read_text()
    if isinstance(expected, str):
        assert code != 0
        assert re.search(expected, said)
        assert "Not scored" in page
        assert not (out / "scores.json").exists()
    else:
        assert code == 0, said
        scores = json.loads((out / "scores.json").read_text())
        assert scores.items() >= expected.items()
        assert all(round(score, 3) == score for score in scores.values())
        assert "Scored" in page


@by_day(6)
@pytest.mark.parametrize("kind", HANDED_IN)
def test_one_submission_is_scored_or_told_why_not(kind, made, tmp_path):
    """From the folder to which the platform unpacks it, with the file that its worker adds."""
    files, expected = HANDED_IN[kind]
    write(tmp_path / "res", {**files, "metadata": "exitCode: null\n"})
    reference = {name: data for name, data in made[1].items() if name.startswith("reference_data/")}
    write(tmp_path, reference)
    out = tmp_path / "out"
    done = run(
        "score-one", tmp_path / "res", "--campaign", tmp_path / "reference_data", "--out", out
    )
    judged(expected, done.exit_code, done.stdout + done.stderr, out)


def test_a_campaign_that_names_teams_scores_one_submission(tmp_path):
    """Roles, names and runs of task.toml are of others."""
    write(tmp_path, {"x.csv": KINGFISHER, "task/gold.csv": (FLOOD / "gold.csv").read_bytes()})
    settings = (FLOOD / "task.toml").read_text() + '[teams]\nX = "Y"\n[latex_names]\nY = "Z"\n'
    write(
        tmp_path, {"task/task.toml": settings + '[[chosen]]\nteam = "X"\nrun = "1"\nreason = "r"\n'}
    )
    done = run("score-one", tmp_path / "x.csv", "--campaign", tmp_path / "task", "--out", tmp_path)
    assert done.exit_code == 0, done.stderr
    assert json.loads((tmp_path / "scores.json").read_text()) == SCORED_IN_SAMPLE
    assert "Note: [teams], [latex_names], [roles] and [chosen] of task.toml" in done.stderr


def test_a_score_that_ranks_and_is_undefined_is_no_score(tmp_path):
    """Codabench would rank its empty place first."""
    write(
        tmp_path,
        {
            "gold.csv": "id,label\n1,no\n2,no\n3,yes\n",
            "task.toml": 'labels = ["no", "yes", "rare"]\nofficial_metric = "recall[rare]"\n',
            "x.csv": "id,label\n1,no\n2,no\n3,no\n",
        },
    )
    done = run("score-one", tmp_path / "x.csv", "--campaign", tmp_path, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "The score that ranks is undefined" in done.stderr
    assert "undefined  recall of “rare”" in done.stdout
    assert not (tmp_path / "out" / "scores.json").exists()


def test_a_failure_of_the_program_tells_nothing(monkeypatch, tmp_path):
    """A traceback could quote gold, and the log is the participants'."""

    def fail(*_):
        raise ValueError("zqsecret")

    monkeypatch.setattr("audit.workflow.score_one", fail)
    done = run("score-one", tmp_path, "--campaign", tmp_path, "--out", tmp_path)
    assert (done.exit_code, "zqsecret" in done.stdout + done.stderr) == (2, False)
    assert "write to the organisers" in done.stderr


@pytest.fixture(scope="module")
def worker(made, tmp_path_factory):
    """The imitation of Codabench's worker beside the competition, which it scores with this checkout's program."""
    if not WORKER.is_file():
        pytest.skip("the imitation of the worker stands beside the checkout, not in it")
    if subprocess.run(["unshare", "-mn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("the worker's surroundings take rights that are not here")
    root = tmp_path_factory.mktemp("worker")
    write(root / "bundle", made[1])
    binds = "".join(
        f"mkdir -p {{R}}{place}; mount --bind {place} {{R}}{place}; "
        for place in dict.fromkeys((sys.prefix, str(ROOT)))
    )
    text = WORKER.read_text(encoding="utf-8")
    assert "mkdir -p {R}/tmp;" in text
    (root / "worker.py").write_text(
        text.replace("mkdir -p {R}/tmp;", f"mkdir -p {{R}}/tmp; {binds}", 1)
    )
    return root


@by_day(2)
@pytest.mark.parametrize("kind", HANDED_IN)
def test_the_platforms_worker_scores_a_submission(kind, worker, tmp_path):
    """Without network, shell and most rights, as root: many kinds of submissions."""
    files, expected = HANDED_IN[kind]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    (tmp_path / "s.zip").write_bytes(content.getvalue())
    bin_folder = str(Path(sys.executable).parent)
    command = [
        sys.executable,
        worker / "worker.py",
        tmp_path / "s.zip",
        tmp_path / "run",
        bin_folder,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    shutil.rmtree(tmp_path / "run" / "scoring" / "rootfs", ignore_errors=True)
    code = int(re.search(r"^rc (-?\d+)", done.stdout, re.MULTILINE)[1])
    judged(expected, code, done.stdout, tmp_path / "run" / "scoring" / "output")
    if code == 0:
        assert "ignored keys []" in done.stdout
