"""Times the auditor beside its peers and prints a table. Figures are ratios to a peer in the same run.

Run `python benchmarks/run.py`; with `--quick` scikit-learn scores 4 of the 48 teams and its time is scaled.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pycm import ConfusionMatrix
from sklearn import metrics as peer
from sklearn.utils.class_weight import compute_sample_weight

import audit
from audit.domain import (
    BALANCED,
    OBSERVED,
    Campaign,
    Evaluation,
    Gold,
    LabelSet,
    ScoreKey,
    Submission,
    Task,
)
from audit.evaluation import score_campaign
from audit.inference.certainty_analysis import certainty_of
from audit.inference.comparison import compare
from audit.inference.intervals import intervals_of, scored_of
from audit.inference.items import items_of
from audit.metrics import (
    Cells,
    Margins,
    all_keys,
    calibrate,
    count_confusions,
    margins_under,
    score,
    score_each,
)
from audit.resources import samples
from audit.workflow import load

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.peaks import peak_of_command

TEAMS, ITEMS, CLASSES = 48, 50_000, 20
BOTH = (OBSERVED, BALANCED)
EMOJI = Path(__file__).resolve().parents[2] / "shared" / "data" / "semeval2018-task2-emoji-en"
SETTINGS = """
slug = "emoji-en"
title = "SemEval-2018 task 2, English"
labels = [{labels}]
official_metric = "averaged_f1"
[gold]
path = "gold.labels"
format = "lines"
[submissions]
files = "teams/{{team}}/english.output.txt"
format = "lines"
"""


def seconds(work: Callable[[], Any], runs: int) -> float:
    """Median wall time of some runs after a warm-up."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def engine(*, quick: bool) -> None:
    """All metrics, observed and balanced, against the same scores by scikit-learn."""
    rng = np.random.default_rng(1)
    gold = rng.choice(CLASSES, ITEMS, p=rng.dirichlet(np.full(CLASSES, 2.0))).astype(np.uint8)
    teams = [
        np.where(rng.random(ITEMS) < 0.5, gold, rng.integers(0, CLASSES, ITEMS)).astype(np.uint8)
        for _ in range(TEAMS)
    ]
    labels = LabelSet(tuple(map(str, range(CLASSES))))
    prevalences = (OBSERVED, BALANCED)
    keys = all_keys(labels, prevalences)
    ours = seconds(
        lambda: score(count_confusions(gold, teams, CLASSES), keys, prevalences, labels), 7
    )
    sample = teams[:4] if quick else teams
    start = time.perf_counter()
    for predicted in sample:
        _score_by_scikit_learn(gold, predicted)
    theirs = (time.perf_counter() - start) * TEAMS / len(sample)
    scaled = f", scaled from {len(sample)} teams" if quick else ""
    _print(
        "all metrics, 48 × 50,000 × 20, observed and balanced",
        f"{ours:.3f} s",
        f"scikit-learn {theirs:.1f} s{scaled}",
        f"{theirs / ours:.0f}×",
    )


def _score_by_scikit_learn(gold: Any, predicted: Any) -> None:  # noqa: ANN401 - arrays of labels
    for weights in (None, compute_sample_weight("balanced", gold)):
        by_class = peer.precision_recall_fscore_support(
            gold, predicted, sample_weight=weights, zero_division=0
        )
        _ = float(np.exp(np.log(by_class[1]).mean())), float(1 / (1 / by_class[1]).mean())
        peer.accuracy_score(gold, predicted, sample_weight=weights)
        peer.recall_score(gold, predicted, average="macro", sample_weight=weights, zero_division=0)
        peer.precision_score(
            gold, predicted, average="macro", sample_weight=weights, zero_division=0
        )
        peer.f1_score(gold, predicted, average="macro", sample_weight=weights, zero_division=0)
        peer.f1_score(gold, predicted, average="weighted", sample_weight=weights, zero_division=0)
        peer.cohen_kappa_score(gold, predicted, sample_weight=weights)
        peer.matthews_corrcoef(gold, predicted, sample_weight=weights)


def certainty() -> None:
    """Intervals, comparisons and what the test set can tell, against the products that no method could do without."""
    evaluation, predictions = made_up(TEAMS, ITEMS, CLASSES)
    items, key = items_of(evaluation, predictions), ScoreKey("averaged_f1")
    values = np.random.default_rng(5).normal(size=(TEAMS, ITEMS))
    bare = seconds(lambda: values @ values.T, 5)
    ours = seconds(lambda: intervals_of(scored_of(evaluation), items), 5)
    scored = seconds(
        lambda: score(evaluation.confusions, evaluation.keys, BOTH, evaluation.task.label_set), 5
    )
    _print(
        f"intervals of {len(evaluation.keys)} scores of 48 × 50,000 × 20",
        f"{ours:.3f} s",
        f"the scores themselves {scored:.3f} s",
        f"{ours / scored:.1f}×",
    )
    one = seconds(lambda: compare(evaluation, key, items, 1), 5)
    _print(
        "comparison of all pairs of 48 × 50,000 × 20, one metric",
        f"{one:.2f} s",
        f"bare product of 48 × 50,000 influence values {bare:.3f} s",
        f"{one / bare:.0f}×",
    )
    whole = seconds(lambda: certainty_of(evaluation, predictions, seed=1), 3)
    n_made = len(certainty_of(evaluation, predictions, seed=1).comparisons)
    _print(
        f"whole certainty of 48 × 50,000 × 20: intervals and {n_made} comparisons",
        f"{whole:.1f} s",
        f"{n_made} bare products {n_made * bare:.2f} s",
        f"{whole / n_made / bare:.0f}×",
    )


def small_campaign() -> None:
    """Six systems, 1,580 items, eight classes, from Python, against the same scores by scikit-learn and by PyCM."""
    rng = np.random.default_rng(6)
    gold = rng.choice(8, 1580, p=rng.dirichlet(np.full(8, 3.0)))
    systems = [np.where(rng.random(1580) < 0.4, gold, rng.integers(0, 8, 1580)) for _ in range(6)]
    labels, answers = (
        list(map(str, gold)),
        {f"system {n}": list(map(str, each)) for n, each in enumerate(systems)},
    )
    scores = seconds(lambda: audit.evaluate(labels, answers, certainty=False).scores, 7)
    audited = seconds(lambda: audit.evaluate(labels, answers).flags, 5)
    texts = np.array(labels), [np.array(each) for each in answers.values()]

    def by_scikit_learn_all() -> None:
        for each in texts[1]:
            _score_by_scikit_learn(texts[0], each)

    def by_pycm_all() -> None:
        for each in answers.values():
            _score_by_pycm(labels, each)

    by_scikit_learn, by_pycm = seconds(by_scikit_learn_all, 5), seconds(by_pycm_all, 5)
    what = "audit.evaluate of 6 × 1,580 × 8"
    _print(
        f"{what}, scores alone",
        f"{scores:.3f} s",
        f"scikit-learn {by_scikit_learn:.3f} s",
        f"{by_scikit_learn / scores:.1f}×",
    )
    _print(
        f"{what}, scores alone",
        f"{scores:.3f} s",
        f"PyCM {by_pycm:.3f} s",
        f"{by_pycm / scores:.1f}×",
    )
    _print(
        f"{what}, everything",
        f"{audited:.2f} s",
        f"scikit-learn, scores alone {by_scikit_learn:.3f} s",
        f"{by_scikit_learn / audited:.2f}×",
    )


def _score_by_pycm(gold: list[str], predicted: list[str]) -> None:
    matrix = ConfusionMatrix(gold, predicted)
    _ = (
        matrix.Overall_ACC,
        matrix.F1_Macro,
        matrix.TPR_Macro,
        matrix.PPV_Macro,
        matrix.Kappa,
        matrix.Overall_MCC,
    )


_LARGE = """
import time
import run
from benchmarks.peaks import own_peak
from audit.domain import ScoreKey
from audit.inference import compare, intervals_of, items_of
from audit.inference.intervals import scored_of
evaluation, predictions = run.made_up(1000, 100_000, 3)
start = time.perf_counter()
items = items_of(evaluation, predictions)
intervals_of(scored_of(evaluation), items)
for metric in ("averaged_f1", "f1_of_averages"):
    compare(evaluation, ScoreKey(metric), items, 1)
print(time.perf_counter() - start, own_peak())
"""


def class_distributions() -> None:
    """All metrics of 48 teams under 10,000 class distributions, against calibrating one distribution at a time."""
    rng = np.random.default_rng(3)
    confusions = rng.integers(1, 60, (TEAMS, CLASSES, CLASSES + 1))
    # one gold for all
    confusions[:, :, -1] += confusions.sum(axis=-1).max(axis=0) - confusions.sum(axis=-1)
    labels = LabelSet(tuple(map(str, range(CLASSES))))
    shares = rng.dirichlet(np.ones(CLASSES), 10_000)
    names = [key.metric for key in all_keys(labels, [OBSERVED])]

    def ours() -> None:
        for _, margins in margins_under(Cells.of(confusions), shares):
            score_each(names, margins, labels)

    def one_at_a_time() -> None:
        for target in shares[:100]:
            score_each(names, Margins.of(calibrate(confusions, target)), labels)

    batch, single = seconds(ours, 3), seconds(one_at_a_time, 3) * 100
    _print(
        f"{len(names)} scores of {TEAMS} teams under 10,000 class distributions, {CLASSES} classes",
        f"{batch:.1f} s",
        f"one calibration at a time {single:.1f} s, scaled from 100",
        f"{single / batch:.0f}×",
    )


def large_campaign() -> None:
    """1,000 teams × 100,000 items × 3 classes in a process of its own, for its peak memory."""
    command = [sys.executable, "-c", _LARGE]
    child = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent
    )
    took, peak = map(float, child.stdout.split())
    values = np.random.default_rng(7).normal(size=(1000, 20_000))
    bare = seconds(lambda: values @ values.T, 3) * 5
    _print(
        "intervals and two comparisons of 1,000 × 100,000 × 3",
        f"{took:.0f} s, peak {peak:.0f} MB",
        f"two bare products of 1,000 × 100,000 influence values {2 * bare:.1f} s, scaled from 20,000 items",
        f"{took / 2 / bare:.1f}×",
    )


def in_blocks() -> None:
    """A campaign of several blocks, whose codes are mapped, with one process and with two."""
    subprocess.run(
        [sys.executable, Path(__file__).with_name("scale.py"), "--items", "200000"], check=True
    )


def made_up(n_teams: int, n_items: int, n_classes: int) -> tuple[Evaluation, list[Any]]:
    """The scores of a made-up campaign."""
    rng = np.random.default_rng(3)
    labels = LabelSet(tuple(map(str, range(n_classes))))
    gold = rng.choice(n_classes, n_items, p=rng.dirichlet(np.full(n_classes, 5.0))).astype(np.uint8)
    right = (
        rng.random(n_items, dtype=np.float32) < share for share in np.linspace(0.5, 0.68, n_teams)
    )
    teams = [
        np.where(hit, gold, rng.integers(0, n_classes, n_items, dtype=np.uint8)) for hit in right
    ]
    submissions = tuple(Submission(f"team {number}", codes) for number, codes in enumerate(teams))
    return score_campaign(Campaign(Task("t", "T", labels), Gold(labels, gold), submissions)), teams


def campaign_folder(into: Path) -> str:
    """The emoji-en campaign where it is at hand, else one of its size; says which."""
    (into / "teams").mkdir()
    labels = ", ".join(f'"{code}"' for code in range(CLASSES))
    (into / "task.toml").write_text(SETTINGS.format(labels=labels))
    if EMOJI.is_dir():
        (into / "gold.labels").write_bytes(
            (EMOJI / "tools/detailed_results/us_test.labels").read_bytes()
        )
        for path in sorted((EMOJI / "results/teams/english").glob("*/english.output.txt")):
            _write(into / "teams" / path.parent.name / path.name, path.read_bytes())
        return "emoji-en"
    rng = np.random.default_rng(2)
    lines = ["\n".join(map(str, rng.integers(0, CLASSES, ITEMS))) + "\n" for _ in range(TEAMS + 1)]
    (into / "gold.labels").write_text(lines[0])
    for team, text in enumerate(lines[1:]):
        _write(into / "teams" / f"team{team}" / "english.output.txt", text.encode())
    return "made-up, as large as emoji-en"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)


def loading(folder: Path, name: str) -> None:
    """Reading, checking and storing a campaign, against reading its files with NumPy alone."""
    n_labels = TEAMS * ITEMS
    stores = iter(range(100))
    ours = seconds(lambda: load(folder, folder / f"store{next(stores)}.db"), 5)
    paths = sorted((folder / "teams").glob("*/*.txt"))
    theirs = seconds(lambda: [np.array(path.read_text().split("\n")) for path in paths], 3)
    _print(
        f"loading {name} into a fresh store",
        f"{n_labels / ours / 1e6:.1f} M labels/s ({ours:.2f} s)",
        f"splitting the files into NumPy text, no more: {n_labels / theirs / 1e6:.1f} M labels/s",
        f"{theirs / ours:.2f}×",
    )


def whole_process(folder: Path, name: str) -> None:
    """`audit run` and `audit --help` as processes, against the bare interpreter importing the libraries."""
    command = str(Path(sys.executable).with_name("audit"))
    environment = {**os.environ, "AUDIT_STORE": str(folder / "process.db")}

    def run(*arguments: str) -> None:
        subprocess.run(arguments, check=True, capture_output=True, env=environment, cwd=folder)

    def fresh_run() -> None:
        (folder / "process.db").unlink(missing_ok=True)
        run(command, "run", str(folder), "-o", "report.html")

    imports = seconds(
        lambda: run(
            sys.executable,
            "-c",
            "import numpy, scipy.stats, sqlalchemy.orm, alembic.command, jinja2",
        ),
        3,
    )
    whole = seconds(fresh_run, 3)
    again = {**environment, "AUDIT_STORE": str(folder / "again.db")}
    peak = peak_of_command(
        "run", str(folder), "-o", "report.html", environment=again, folder=folder
    )
    size = (folder / "report.html").stat().st_size / 1024
    _print(
        f"audit run on {name}, whole process",
        f"{whole:.2f} s, peak {peak:.0f} MB, report {size:.0f} KB",
        f"importing its libraries: {imports:.2f} s",
        f"{whole / imports:.1f}×",
    )
    for sample in ("flood-posts", "semeval2017-task4a"):
        sample_path = str(samples() / sample)
        took = seconds(partial(run, command, "run", sample_path, "-o", "report.html"), 3)
        _print(
            f"audit run on the sample {sample}, whole process",
            f"{took:.2f} s",
            f"importing its libraries: {imports:.2f} s",
            f"{took / imports:.1f}×",
        )
    bare = seconds(lambda: run(sys.executable, "-c", "pass"), 7)
    start_up = seconds(lambda: run(command, "--help"), 7)
    _print(
        "audit --help, whole process",
        f"{start_up:.3f} s",
        f"python -c pass: {bare:.3f} s",
        f"{start_up / bare:.1f}×",
    )


def _print(what: str, ours: str, theirs: str, ratio: str) -> None:
    print(f"| {what} | {ours} | {theirs} | {ratio} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="let scikit-learn score 4 teams and scale"
    )
    arguments = parser.parse_args()
    print("| what | ours | peer, in the same run | ratio |\n| --- | --- | --- | --- |")
    engine(quick=arguments.quick)
    certainty()
    small_campaign()
    class_distributions()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        campaign = campaign_folder(folder)
        loading(folder, campaign)
        whole_process(folder, campaign)
    if not arguments.quick:
        # near the end, because the peak memory of child processes is that of the largest so far
        large_campaign()
        in_blocks()


if __name__ == "__main__":
    main()
