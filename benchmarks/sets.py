"""Times sets beside scikit-learn's multi-label metrics and seqeval, each on the same campaign in the same run.

Run `python benchmarks/sets.py`. Times are of the processor; the peers score 4 of the teams, and theirs is scaled.
"""

import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from seqeval.metrics import f1_score, precision_score, recall_score
from sklearn.metrics import precision_recall_fscore_support

from audit.domain import OBSERVED, Kind, LabelSet, PackedCodes
from audit.domain.sets import GivenSets, Pool
from audit.domain.tags import spans_of
from audit.metrics import all_keys, count_cells, score

TEAMS, UNITS, LABELS = 50, 5_000, 50
TAGGERS, SENTENCES, LENGTH = 10, 5_000, 20
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG")
_SAMPLED = 4


def _scores(every: Sequence[GivenSets], labels: LabelSet) -> tuple[Any, int]:
    """Every score of every team, from the things of gold and of the teams; and the bytes of a team's codes."""
    pool = Pool.of(every, labels.labels[:-1])
    gold, *teams = map(pool.codes, every)
    values = score(
        count_cells(gold, teams, len(labels)), all_keys(labels, [OBSERVED]), [OBSERVED], labels
    )
    return values, len(PackedCodes.of(teams[0], pool.own).bits)


def _label_set(labels: Sequence[str], kind: Kind) -> LabelSet:
    return LabelSet((*labels, "nothing"), rest="nothing", kind=kind)


def _of_matrix(matrix: Any) -> GivenSets:  # noqa: ANN401 - a matrix of 0 and 1
    names = tuple((f"l{code}", "") for code in range(LABELS))
    return GivenSets(np.ones(len(matrix), dtype=bool), names, *np.nonzero(matrix))


def several_labels() -> None:
    """All averages and class scores of matrices of labels."""
    rng = np.random.default_rng(1)
    gold = rng.random((UNITS, LABELS)) < 0.1
    teams = [np.where(rng.random(gold.shape) < 0.05, ~gold, gold) for _ in range(TEAMS)]
    labels = _label_set([f"l{code}" for code in range(LABELS)], Kind.LABELS)
    start = time.process_time()
    ours, n_bytes = _scores([_of_matrix(matrix) for matrix in (gold, *teams)], labels)
    taken = time.process_time() - start
    start = time.process_time()
    for team in teams[:_SAMPLED]:
        for average in ("micro", "macro", "weighted", None):
            found = precision_recall_fscore_support(gold, team, average=average, zero_division=0)
    peer = (time.process_time() - start) * TEAMS / _SAMPLED
    assert np.isclose(ours[-LABELS:, _SAMPLED - 1], found[2]).all()  # noqa: S101 - the last rows are the labels' F1
    _print(
        f"all scores, {TEAMS} × {UNITS:,} × {LABELS} labels", taken, "scikit-learn", peer, n_bytes
    )


def spans() -> None:
    """All averages and type scores of token tags."""
    rng = np.random.default_rng(2)
    gold = rng.choice(TAGS, (SENTENCES, LENGTH), p=(0.76, *[0.04] * 6))
    noisy = (
        np.where(rng.random(gold.shape) < 0.1, rng.choice(TAGS, gold.shape), gold)
        for _ in range(TAGGERS)
    )
    files = [gold.tolist(), *(tags.tolist() for tags in noisy)]
    types = ("LOC", "ORG", "PER")
    start = time.process_time()
    given = [
        GivenSets.of([spans_of(tags, "conll", closed=False) for tags in sentences])
        for sentences in files
    ]
    ours, n_bytes = _scores(given, _label_set(types, Kind.SPANS))
    taken = time.process_time() - start
    start = time.process_time()
    for sentences in files[1 : 1 + _SAMPLED]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for measure in (precision_score, recall_score, f1_score):
                for average in ("micro", "macro", "weighted"):
                    by_peer = measure(files[0], sentences, average=average)
    peer = (time.process_time() - start) * TAGGERS / _SAMPLED
    weighted = [key.metric for key in all_keys(_label_set(types, Kind.SPANS), [OBSERVED])].index(
        "weighted_f1"
    )
    assert np.isclose(ours[weighted, _SAMPLED - 1], by_peer)  # noqa: S101 - the last that the peer computed
    _print(
        f"all scores, {TAGGERS} × {SENTENCES * LENGTH:,} tokens", taken, "seqeval", peer, n_bytes
    )


def _print(what: str, ours: float, name: str, peer: float, n_bytes: int) -> None:
    size = f"{n_bytes / 1000:,.0f} kB a submission"
    print(
        f"| {what} | {ours:.2f} s, {size} | {name} {peer:.2f} s, scaled from {_SAMPLED} teams | {peer / ours:.0f}× |"
    )


if __name__ == "__main__":
    several_labels()
    spans()
