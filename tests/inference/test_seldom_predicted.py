"""Intervals where a class is seldom predicted, by scores with other rules for what is undefined and class sets."""

import numpy as np
import pytest

from audit.inference.intervals import intervals_of

from .campaigns import as_scored, confusions_of, field_of

READINGS = [
    "precision(undefined=1)[c3]",
    *(
        "macro_precision(undefined=1)",
        "macro_precision(undefined=dropped)",
        "macro_precision(declared)",
    ),
    *(
        "averaged_f1(union-per-team)",
        "macro_recall(union-per-team)",
        "answered_averaged_f1",
        "answered_f1_of_averages",
    ),
    *(
        "averaged_f2",
        "macro_jaccard",
        "weighted_precision",
        "weighted_jaccard",
        "micro_precision",
        "micro_f1[c0,c2]",
    ),
    *("mean(precision[c2],f1[c2],accuracy)", "mean(f1_of_averages,kappa)"),
    *("mean(precision(undefined=1)[c3],accuracy)", "mean(f1(undefined=1)[c3],f1[c3])"),
]


@pytest.mark.parametrize("name", READINGS)
def test_every_reading_of_a_seldom_predicted_class_has_an_interval(name):
    """Of other rules for undefined scores and other class sets, at both prevalences, of every kind of team."""
    gold, teams = field_of(22, 4)
    teams.append(np.where(np.arange(len(gold)) % 40 == 0, 3, np.minimum(gold, 2)))
    scored = as_scored(confusions_of(gold, teams, 5), [name])
    found = intervals_of(scored)
    there = ~np.isnan(scored.values)
    assert there.any()
    assert (found.lower[there] <= scored.values[there] + 1e-12).all()
    assert (scored.values[there] <= found.upper[there] + 1e-12).all()
    assert not found.marks.any()
