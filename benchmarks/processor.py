"""Processor time of whole commands and of verdicts, and scores of small campaigns beside their peers, as a table.

Run `OPENBLAS_NUM_THREADS=1 python benchmarks/processor.py`: about two minutes. Commands set that themselves. The first
run of a command is not measured: it leaves byte code, as an installation does.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from pycm import ConfusionMatrix
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    f1_score,
    matthews_corrcoef,
    recall_score,
)

sys.path.insert(0, str(Path(__file__).parents[1]))
import audit
from benchmarks.run import campaign_folder

_LABELS = np.array(["a", "b", "c"])
_SIZES = ((3, 100, 2), (6, 1580, 3), (100, 1000, 3))
_SCORES = (accuracy_score, cohen_kappa_score, matthews_corrcoef)


def processor_time(work: Callable[[], object]) -> float:
    """The least processor time of runs that take a second together, in seconds, all threads together."""
    spent: list[float] = []
    while sum(spent) < 1:
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def of_command(*arguments: str) -> float:
    """Processor time of a command and its processes, in seconds."""
    return of_process("-m", "audit", *arguments)


def of_process(*arguments: str) -> float:
    """Processor time of a Python process and its children, in seconds; they may write byte code, as once installed."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    before = os.times()
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


@contextmanager
def busy() -> Iterator[None]:
    """A process that computes without end beside the block."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def made_up(teams: int, items: int, classes: int) -> tuple[list[str], dict[str, list[str]]]:
    """Gold and the predictions of teams from half right to four in five, as lists of texts."""
    rng = np.random.default_rng(0)
    gold, other = rng.integers(0, classes, items), rng.integers(0, classes, (teams, items))
    right = rng.random((teams, items)) < np.linspace(0.5, 0.8, teams)[:, None]
    answers = _LABELS[np.where(right, gold, other)].tolist()
    return _LABELS[gold].tolist(), {f"t{team}": row for team, row in enumerate(answers)}


def balancing(gold: list[str]) -> list[float]:
    """The weight of each item by which all classes in gold have equal mass."""
    sizes = Counter(gold)
    return [len(gold) / (len(sizes) * sizes[label]) for label in gold]


def by_scikit_learn(gold: list[str], answers: dict[str, list[str]]) -> None:
    """Five scores of each team, at the observed and at the balanced prevalence."""
    balanced = balancing(gold)
    for each in answers.values():
        for weights in (None, balanced):
            for metric in _SCORES:
                metric(gold, each, sample_weight=weights)
            f1_score(gold, each, average="macro", zero_division=0, sample_weight=weights)
            recall_score(gold, each, average="macro", zero_division=0, sample_weight=weights)


def by_pycm(gold: list[str], answers: dict[str, list[str]]) -> None:
    """The same of each team."""
    balanced = balancing(gold)
    for each in answers.values():
        for weights in (None, balanced):
            matrix = ConfusionMatrix(gold, each, sample_weight=weights)
            _ = (
                matrix.Overall_ACC,
                matrix.F1_Macro,
                matrix.TPR_Macro,
                matrix.Kappa,
                matrix.Overall_MCC,
            )


def commands() -> None:
    """Loading and the whole run of emoji-en, or of a campaign of its size, alone and beside a busy process."""
    with tempfile.TemporaryDirectory() as folder:
        what = campaign_folder(Path(folder))

        def spent(command: str, number: int) -> float:
            return of_command(command, folder, "--store", f"{folder}/{command}-{number}.db")

        for command, most in (("load", 1.2), ("run", 5.0)):
            spent(command, 0)
            alone = min(spent(command, number) for number in (1, 2))
            with busy():
                beside = min(spent(command, number) for number in (3, 4))
            print(
                f"| `audit {command}`, {what} | {alone:.2f} s | beside a busy process {beside:.2f} s | ≤ {most} s |"
            )


def verdicts() -> None:
    """Scores beside their peers, and verdicts beside the scores."""
    for size in (*_SIZES, (1000, 1000, 3)):
        gold, answers = made_up(*size)
        what = " × ".join(f"{number:,}" for number in size)
        scores = processor_time(lambda: audit.evaluate(gold, answers, certainty=False))  # noqa: B023
        whole = processor_time(lambda: audit.evaluate(gold, answers).verdict)  # noqa: B023
        for name, peer in (
            (("scikit-learn", by_scikit_learn), ("PyCM", by_pycm)) if size in _SIZES else ()
        ):
            spent = processor_time(lambda: peer(gold, answers))  # noqa: B023
            print(
                f"| scores of {what} | {scores:.5f} s | {name} {spent:.5f} s | {spent / scores:.2f}× |"
            )
        every = processor_time(lambda: audit.evaluate(gold, answers).verdict.to_do)  # noqa: B023
        beside = f"scores alone {scores:.5f} s"
        print(
            f"| verdict for {what} | {whole:.4f} s | {beside} | {whole / scores:.1f}× the scores |"
        )
        print(
            f"| … with all that it depends on | {every:.2f} s | {beside} | {every / scores:.0f}× the scores |"
        )


if __name__ == "__main__":
    print("| what | processor time | beside | ratio or target |\n| --- | --- | --- | --- |")
    verdicts()
    commands()
