"""How sure the results are, as a methods section says it: intervals, comparisons, the best set, their assumptions."""

import math
from collections.abc import Iterator

from audit.domain import Certainty, Evaluation
from audit.report.interval_reasons import ranking_comparison
from audit.report.paper.tex import said
from audit.text import plural

_PAIR = 2


def procedure_sentences(evaluation: Evaluation) -> Iterator[str]:
    """The sentences, with their references; none where the certainty was left out."""
    certainty = evaluation.certainty
    if certainty is None:
        return
    yield _population(certainty)
    yield said(
        "paper-intervals",
        delta=_cited("takahashi-etal-2022-confidence"),
        pseudo=_cited("agresti-coull-1998-approximate", "price-bonett-2004-improved"),
        wilson=_cited("korn-graubard-1998-confidence", "franco-etal-2019-comparative"),
    )
    if certainty.n_groups is not None and certainty.n_groups > 1:
        yield said("paper-design-effect", freedom=f"{certainty.n_groups - 1:,}")
    if certainty.intervals.marks[evaluation.keys.index(evaluation.task.ranking_metric)].any():
        yield said("paper-unmarked")
    yield from _comparison(evaluation, certainty)
    if certainty.resampled is not None:
        n_replicates = f"{certainty.resampled.n_replicates:,}"
        yield said("paper-replicates", n=n_replicates, bootstrap=_cited("efron-tibshirani-1993-bootstrap"))
    yield said("paper-not-covered")


def _population(certainty: Certainty) -> str:
    """What the items are taken to be draws of."""
    if certainty.stratified:
        return said("paper-stratified")
    if certainty.n_groups is not None:
        return said("paper-groups", n=f"{certainty.n_groups:,}")
    return said("population")


def _comparison(evaluation: Evaluation, certainty: Certainty) -> Iterator[str]:
    """How pairs were compared, and what follows from it."""
    comparison, n_compared = ranking_comparison(evaluation), int(evaluation.comparable.sum())
    if comparison is None or n_compared < _PAIR:
        return
    drawn = {"draws": f"{comparison.n_draws:,}", "seed": certainty.seed, "distribution": _distribution(certainty)}
    if n_compared == _PAIR:
        yield said("paper-procedure-pair", **drawn)
    else:
        pairs = f"{math.comb(n_compared, 2):,}"
        yield said("paper-procedure", stepdown=_cited("romano-wolf-2005-exact"), pairs=pairs, **drawn)
    yield said("paper-possible-ranks", ranks=_cited("mogstad-etal-2024-inference"))
    yield said("paper-best-set", best=_cited("hsu-1984-constrained"))
    yield said("paper-leader", leader=_cited("zrnic-fithian-2024-locally"))


def _distribution(certainty: Certainty) -> str:
    """What the errors of scores are drawn from: groups are few."""
    if certainty.n_groups is None:
        return "the normal distribution"
    return f"Student's distribution ({plural(certainty.n_groups - 1, 'degree')} of freedom)"


def _cited(*keys: str) -> str:
    return rf" \cite{{{','.join(keys)}}}"
