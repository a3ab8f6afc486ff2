"""Hundreds of classes, as entity and character tasks have them: bounded memory, and matrices that can be read."""

import csv
import subprocess
import sys

import numpy as np
import pytest

from audit import evaluation
from audit.domain import Campaign, Gold, LabelSet, ScoreKey, Submission, Task
from audit.evaluation import score_campaign
from audit.metrics import TooManyCellsError
from audit.writers.bundle.sheets import confusions_csv
from audit.writers.data.plain import confusion_rows
from tests.nightly import slow


def with_many_classes(n_classes, n_items=2000, n_teams=3):
    """A campaign of which each team errs by a neighbouring class."""
    rng = np.random.default_rng(5)
    labels = LabelSet(tuple(f"l{code:05}" for code in range(n_classes)))
    gold = np.sort(
        np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_items - n_classes)])
    )
    teams = [
        np.where(
            rng.random(n_items) < share, gold, (gold + rng.integers(1, 4, n_items)) % n_classes
        )
        for share in np.linspace(0.6, 0.8, n_teams)
    ]
    submissions = tuple(
        Submission(f"T{team}", codes.astype(np.uint16)) for team, codes in enumerate(teams)
    )
    return Campaign(Task("t", "T", labels), Gold(labels, gold.astype(np.uint16)), submissions)


@pytest.mark.parametrize(("n_classes", "there"), [(50, True), (51, False)])
def test_of_many_classes_recalls_are_not_compared_with_metrics(n_classes, there):
    """A matrix of hundreds of names is for nobody to read, and takes the square of them."""
    keys = score_campaign(with_many_classes(n_classes)).agreement.keys
    assert (ScoreKey("recall[l00007]") in keys) == there
    assert ScoreKey("kappa", "balanced") in keys


def test_of_many_labels_cells_are_written_in_place_of_matrices():
    """Each that is not empty, by its labels in the table and by their numbers in the document."""
    evaluation = score_campaign(with_many_classes(201))
    labels, rebuilt = evaluation.task.label_set, np.zeros_like(evaluation.confusions)
    for line in csv.DictReader(confusions_csv(evaluation).splitlines()):
        place = labels.code_of[line["gold"]], labels.code_of.get(line["predicted"], len(labels))
        rebuilt[evaluation.names.index(line["team"]), *place] = line["items"]
    np.testing.assert_array_equal(rebuilt, evaluation.confusions)
    for team in range(3):
        gold, predicted, items = np.array(confusion_rows(evaluation.cells.of_teams([team]))).T
        np.testing.assert_array_equal(rebuilt[team, gold, predicted], items)
        assert items.sum() == evaluation.gold.n_items


_WHOLE = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from audit.evaluation import evaluate
from audit.writers.html import render_html
from tests.evaluation.test_many_classes import with_many_classes
render_html(evaluate(with_many_classes(int(sys.argv[2]), 50_000, 30)))
"""

_PEAK = """
import resource
from pathlib import Path
status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
print(max(int(status["VmHWM"].split()[0]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""


def peak(program, *arguments):
    """KiB that a program took at most, it or a process that it began.

    The program asks for itself: what the system tells its parent begins with the memory of the parent, and tests that
    have run for hours may hold more than the program takes.
    """
    command = [sys.executable, "-W", "error", "-c", program + _PEAK, *arguments]
    return int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def test_memory_of_a_program_is_not_that_of_the_tests():
    """A bare interpreter takes some 10 MB, and what it fills; the process that asks has NumPy and all that was read."""
    assert peak("") < 40 * 2**10
    assert peak("filled = b'x' * 80 * 2**20") > 80 * 2**10


@slow("test_a_search_among_cells_holds_no_more_margins_than_it_may")
@pytest.mark.parametrize(("n_classes", "gibibytes"), [(300, 1), (5_000, 2)])
def test_a_report_of_many_classes_takes_no_more_memory_than_is_stated(n_classes, gibibytes):
    """Of 300 it took 2.9 GB, and NumPy warned; 5,000 took the machine down."""
    root = str(__file__).rpartition("/tests/")[0]
    assert peak(_WHOLE, root, str(n_classes)) < gibibytes * 2**20  # KiB


def test_blocks_of_items_have_no_more_cells_together_than_one_may_have(monkeypatch):
    """What each block holds is few; together they are refused, with their number."""
    monkeypatch.setattr(evaluation, "MOST_CELLS", 3)
    gold, answers = np.array([0, 1, 2, 3]), [np.array([0, 2, 1, 3])]
    blocks = [evaluation._count_block((gold, answers, 4), span) for span in ((0, 2), (2, 4))]
    with pytest.raises(TooManyCellsError) as refused:
        evaluation._sum_of_blocks(*blocks)
    assert "4" in str(refused.value)
