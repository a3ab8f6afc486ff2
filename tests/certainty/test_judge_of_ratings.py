"""The judge of claims on ratings knows the truth, and counts it."""

import numpy as np
import pytest

from audit.domain import OBSERVED, LabelSet, ScoreKey
from audit.metrics import count_confusions, score
from benchmarks.judge.ratings import COMPARED, LABELS, SCORES, RatingCell, rating_cells, scores_of
from benchmarks.judge.sections import judge_cell, tables

SCALE = LabelSet(LABELS, scale=(0.0, 1.0, 2.0, 3.0, 4.0))


def by_the_program(confusions):
    """The scores of a stack of confusions, shape (K, T)."""
    return score(confusions, [ScoreKey(slug) for slug in SCORES], [OBSERVED], SCALE)


def test_its_scores_are_another_implementation():
    """Of any confusion they are the program's."""
    counts = np.random.default_rng(1).integers(1, 50, (5, 5))
    ours = scores_of(counts / counts.sum(), counts.sum())
    assert [ours[slug] for slug in SCORES] == pytest.approx(
        by_the_program(np.pad(counts, ((0, 0), (0, 1)))[None])[:, 0]
    )


@pytest.mark.parametrize("annotator", [1, 50])
def test_true_scores_are_those_of_many_items(annotator):
    """Whatever annotators share; of a team that is shy of the ends too."""
    cell = RatingCell(200_000, 2, annotator=annotator, extremes=1.8)
    gold, answers = cell.draw(np.random.default_rng(2))
    truth = cell.truth()
    found = by_the_program(count_confusions(gold, list(answers), 5))
    assert found == pytest.approx(np.stack([truth[slug] for slug in SCORES]), abs=0.02)
    assert truth["quadratic_kappa"][0] != pytest.approx(truth["quadratic_kappa"][1], abs=0.001)


def test_claims_are_counted(monkeypatch):
    """Of equal teams nearly all intervals hold; with a wrong truth none do."""
    cell = RatingCell(150, 2, annotator=10, n_repetitions=4)
    right = judge_cell(cell, 1)
    assert right.held.sum() > 0.8 * right.given.sum() > 0
    monkeypatch.setattr(RatingCell, "truth", lambda _: {slug: np.full(2, 9.0) for slug in SCORES})
    assert judge_cell(cell, 1).held.sum() == 0
    page = tables([right])
    assert cell.name in page
    assert all(f"`{slug}`" in page for slug in (*SCORES, *COMPARED))
    assert {each.n_repetitions for each in rating_cells(0.1)} == {4}
