"""One score of labels as a source of variance."""

import numpy as np

from audit.domain import ScoreKey
from audit.inference.label_source import LabelSource

from .campaigns import field_of, scored_with_items


def test_a_score_without_a_row_is_made_from_the_margins():
    """The terms of a mean are compared without having a row of their own in the evaluation."""
    gold, teams = field_of(31, 3, 60)
    key = ScoreKey("averaged_f1(declared)")
    with_row, _ = scored_with_items(gold, teams, 3, also=(str(key),))
    evaluation, items = scored_with_items(gold, teams, 3)
    assert key in with_row.keys
    assert key not in evaluation.keys
    entries = np.arange(len(evaluation.entries))
    made, kept = (
        LabelSource.of(each, key, entries, items).values for each in (evaluation, with_row)
    )
    np.testing.assert_array_equal(made, kept)
