"""The judge of claims on sets knows the truth, and counts it."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support as of_labels

from benchmarks.judge.sections import judge_cell, tables
from benchmarks.judge.sets import COMPARED, SCORES, SetCell
from tests.nightly import whole_or


@pytest.mark.parametrize("document", [1, 10])
def test_true_scores_are_those_of_many_units(document):
    """By scikit-learn, whatever is shared within units and documents; a team that is shy of a label too."""
    cell = SetCell(4, whole_or(6_000, 60_000), 2, document=document, shy=0.1)
    gold, answers = cell.draw(np.random.default_rng(2))
    truth = cell.truth()
    for team, given in enumerate(answers):
        for slugs, average in (
            (("micro_precision", "micro_recall", "micro_f1"), "micro"),
            (("macro_precision", "macro_recall", "averaged_f1"), "macro"),
        ):
            found = of_labels(gold, given, average=average)[:3]
            assert found == pytest.approx([truth[slug][team] for slug in slugs], abs=0.02)
        assert of_labels(gold, given, average="weighted")[2] == pytest.approx(
            truth["weighted_f1"][team], abs=0.02
        )


def test_claims_are_counted(monkeypatch):
    """Of equal teams nearly all intervals hold; with a wrong truth none do, and any decision is false."""
    cell = SetCell(3, 150, 2, n_repetitions=4)
    right = judge_cell(cell, 1)
    assert right.held.sum() > 0.8 * right.given.sum() > 0
    wrong = {slug: np.zeros(2) for slug in SCORES}
    monkeypatch.setattr(SetCell, "truth", lambda _: wrong)
    assert judge_cell(cell, 1).held.sum() == 0
    page = tables([right])
    assert cell.name in page
    assert all(f"`{slug}`" in page for slug in (*SCORES, *COMPARED))
