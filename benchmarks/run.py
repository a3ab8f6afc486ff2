"""Times the auditor beside its peers and prints a table. Figures are ratios to a peer in the same run.

Run `python benchmarks/run.py`; with `--quick` scikit-learn scores 4 of the 48 teams and its time is scaled.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import metrics as peer
from sklearn.utils.class_weight import compute_sample_weight

from audit.domain import BALANCED, OBSERVED, Campaign, Evaluation, Gold, LabelSet, ScoreKey, Submission, Task
from audit.evaluation import evaluate
from audit.metrics import Margins, all_keys, calibrate, count_confusions, margins_under, score, score_each
from audit.ranking import Draws, Sample, pairwise_p, separability
from audit.resources import samples
from audit.workflow import load

TEAMS, ITEMS, CLASSES = 48, 50_000, 20
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
        np.where(rng.random(ITEMS) < 0.5, gold, rng.integers(0, CLASSES, ITEMS)).astype(np.uint8) for _ in range(TEAMS)
    ]
    labels = LabelSet(tuple(map(str, range(CLASSES))))
    prevalences = (OBSERVED, BALANCED)
    keys = all_keys(labels, prevalences)
    ours = seconds(lambda: score(count_confusions(gold, teams, CLASSES), keys, prevalences, labels), 7)
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
        by_class = peer.precision_recall_fscore_support(gold, predicted, sample_weight=weights, zero_division=0)
        _ = float(np.exp(np.log(by_class[1]).mean())), float(1 / (1 / by_class[1]).mean())
        peer.accuracy_score(gold, predicted, sample_weight=weights)
        peer.recall_score(gold, predicted, average="macro", sample_weight=weights, zero_division=0)
        peer.precision_score(gold, predicted, average="macro", sample_weight=weights, zero_division=0)
        peer.f1_score(gold, predicted, average="macro", sample_weight=weights, zero_division=0)
        peer.f1_score(gold, predicted, average="weighted", sample_weight=weights, zero_division=0)
        peer.cohen_kappa_score(gold, predicted, sample_weight=weights)
        peer.matthews_corrcoef(gold, predicted, sample_weight=weights)


def resampling() -> None:
    """The bootstrap, the randomization tests and the rank sets of 37 teams, as in SemEval-2017 task 4 A."""
    evaluation, predictions = made_up(37, 12_284)
    sample = Sample.of(evaluation.gold.codes, predictions, 3)
    teams, keys, prevalences = slice(0, 37), evaluation.keys, evaluation.prevalences
    labels = evaluation.task.label_set
    rng = np.random.default_rng(4)
    weights = rng.integers(0, 4, (1000, 12_284)).astype(np.float32)
    one_hot = rng.integers(0, 2, (12_284, 37 * 12)).astype(np.float32)

    def bootstrap(n_replicates: int) -> Any:  # noqa: ANN401 - an array of scores
        confusions = sample.confusions(teams, Draws(12_284, n_replicates, 1).weights(0, n_replicates))
        parts = [confusions[start : start + 1000].astype(float) for start in range(0, n_replicates, 1000)]
        return np.concatenate([score(part, keys, prevalences, labels) for part in parts], axis=1)

    ours, bare = seconds(lambda: bootstrap(1000), 5), seconds(lambda: weights @ one_hot, 5)
    gold = evaluation.gold.codes
    start = time.perf_counter()
    for predicted in predictions[:4]:
        _score_by_scikit_learn(gold, predicted)
    theirs = (time.perf_counter() - start) / 4 * 37 * 1000
    _print(
        "bootstrap, 37 × 12,284 × 3, B = 1,000, draws included, all metrics, observed and balanced",
        f"{ours:.2f} s",
        f"bare float32 product of weights and one-hot cells {bare:.2f} s; scikit-learn {theirs:,.0f} s, scaled from 4 "
        "scorings of 4 teams",
        f"{ours / bare:.1f}× the product, 1/{theirs / ours:,.0f} of scikit-learn",
    )
    key = ScoreKey("averaged_f1")
    pairs = np.stack(np.triu_indices(37, k=1), axis=-1)
    tests = seconds(lambda: pairwise_p(evaluation, {key: pairs}, sample, Draws(12_284, 10_000, 1)), 1)
    full = seconds(lambda: bootstrap(10_000), 1)
    _print(
        "666 randomization tests, R = 10,000, one metric",
        f"{tests:.1f} s",
        f"bootstrap, B = 10,000: {full:.1f} s",
        f"{tests / full:.2f}×",
    )
    replicates = bootstrap(10_000)[keys.index(key)]
    sets = seconds(lambda: separability(evaluation.scores_of(key), replicates), 3)
    _print(
        "rank sets of 37 teams from 10,000 replicates, one metric",
        f"{sets:.2f} s",
        f"bootstrap, B = 10,000: {full:.1f} s",
        f"{sets / full:.2f}×",
    )


_LARGE = """
import resource
import run
from audit.ranking import quantify
evaluation, predictions = run.made_up(1000, 100_000)
quantify(evaluation, predictions, n_replicates=1000, seed=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def class_distributions() -> None:
    """All metrics of 48 teams under 10,000 class distributions, against calibrating one distribution at a time."""
    rng = np.random.default_rng(3)
    confusions = rng.integers(1, 60, (TEAMS, CLASSES, CLASSES + 1))
    confusions[:, :, -1] += confusions.sum(axis=-1).max(axis=0) - confusions.sum(axis=-1)  # one gold for all
    labels = LabelSet(tuple(map(str, range(CLASSES))))
    shares = rng.dirichlet(np.ones(CLASSES), 10_000)
    names = [key.metric for key in all_keys(labels, [OBSERVED])]

    def ours() -> None:
        for _, margins in margins_under(confusions, shares):
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
    """1,000 teams × 100,000 items × 3 classes with B = 1,000 in a process of its own, for its peak memory."""
    start = time.perf_counter()
    command = [sys.executable, "-c", _LARGE]
    child = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent)
    peak = int(child.stdout) / 1024
    took = time.perf_counter() - start
    stored = 1000 * 100_000 / 2**20
    _print(
        "uncertainty of 1,000 × 100,000 × 3, B = 1,000, whole process",
        f"{took:.0f} s, peak {peak:.0f} MB",
        f"its predictions alone: {stored:.0f} MB",
        f"{peak / stored:.1f}×",
    )


def made_up(n_teams: int, n_items: int) -> tuple[Evaluation, list[Any]]:
    """A made-up campaign of three classes, without its uncertainty."""
    rng = np.random.default_rng(3)
    labels = LabelSet(("negative", "neutral", "positive"))
    gold = rng.choice(3, n_items, p=[0.32, 0.48, 0.2]).astype(np.uint8)
    right = (rng.random(n_items, dtype=np.float32) < share for share in np.linspace(0.5, 0.68, n_teams))
    teams = [np.where(hit, gold, rng.integers(0, 3, n_items, dtype=np.uint8)) for hit in right]
    submissions = tuple(Submission(f"team {number}", codes) for number, codes in enumerate(teams))
    return evaluate(Campaign(Task("t", "T", labels), Gold(labels, gold), submissions)), teams


def campaign_folder(into: Path) -> str:
    """The emoji-en campaign where it is at hand, else one of its size; says which."""
    (into / "teams").mkdir()
    labels = ", ".join(f'"{code}"' for code in range(CLASSES))
    (into / "task.toml").write_text(SETTINGS.format(labels=labels))
    if EMOJI.is_dir():
        (into / "gold.labels").write_bytes((EMOJI / "tools/detailed_results/us_test.labels").read_bytes())
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
        lambda: run(sys.executable, "-c", "import numpy, scipy.stats, sqlalchemy.orm, alembic.command, jinja2"), 3
    )
    whole = seconds(fresh_run, 3)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    size = (folder / "report.html").stat().st_size / 1024
    _print(
        f"audit run on {name}, whole process",
        f"{whole:.2f} s, peak {peak:.0f} MB, report {size:.0f} KB",
        f"importing its libraries: {imports:.2f} s",
        f"{whole / imports:.1f}×",
    )
    for sample in ("flood-posts", "semeval2017-task4a"):
        took = seconds(lambda name=sample: run(command, "run", str(samples() / name), "-o", "report.html"), 3)  # type: ignore[misc]
        _print(
            f"audit run on the sample {sample}, whole process",
            f"{took:.2f} s",
            f"importing its libraries: {imports:.2f} s",
            f"{took / imports:.1f}×",
        )
    bare = seconds(lambda: run(sys.executable, "-c", "pass"), 7)
    start_up = seconds(lambda: run(command, "--help"), 7)
    _print(
        "audit --help, whole process", f"{start_up:.3f} s", f"python -c pass: {bare:.3f} s", f"{start_up / bare:.1f}×"
    )


def _print(what: str, ours: str, theirs: str, ratio: str) -> None:
    print(f"| {what} | {ours} | {theirs} | {ratio} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="let scikit-learn score 4 teams and scale")
    arguments = parser.parse_args()
    print("| what | ours | peer, in the same run | ratio |\n| --- | --- | --- | --- |")
    engine(quick=arguments.quick)
    resampling()
    class_distributions()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        campaign = campaign_folder(folder)
        loading(folder, campaign)
        whole_process(folder, campaign)
    if not arguments.quick:
        large_campaign()  # last, because the peak memory of child processes is that of the largest so far


if __name__ == "__main__":
    main()
