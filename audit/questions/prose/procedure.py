"""How sure the results are, as a methods section says it: intervals, comparisons, who could be best, assumptions."""

import math
from collections.abc import Iterator

from audit.domain import Certainty, Evaluation
from audit.inference.weighted import N_WEIGHTS
from audit.metrics import named_metric
from audit.questions.interval_reasons import covariance_of, is_bounded, ranking_comparison
from audit.questions.prose.setting import Setting
from audit.text import plural

_PAIR = 2


def procedure_sentences(evaluation: Evaluation, setting: Setting) -> Iterator[str]:
    """The sentences, with their references; none where the certainty was left out."""
    certainty = evaluation.certainty
    if certainty is None:
        return
    yield _population(certainty, setting)
    yield setting.sentence(
        "paper-intervals",
        delta=setting.cited("takahashi-etal-2022-confidence"),
        pseudo=setting.cited("agresti-coull-1998-approximate", "price-bonett-2004-improved"),
        wilson=setting.cited("korn-graubard-1998-confidence", "franco-etal-2019-comparative"),
    )
    if evaluation.item_scores is not None:
        yield setting.sentence("paper-item-scores", delong=setting.cited("delong-etal-1988-comparing"))
        yield setting.sentence(
            "paper-item-weights",
            draws=f"{N_WEIGHTS:,}",
            unit="item" if certainty.n_groups is None else "group of items",
            rubin=setting.cited("rubin-1981-bayesian"),
            seed=certainty.seed,
            boyd=setting.cited("boyd-etal-2013-area"),
        )
    if named_metric(evaluation.task.ranking_metric.metric, evaluation.task.label_set).is_mean_with_item_scores:
        yield setting.sentence("mean-with-item-scores")
    if certainty.n_groups is not None and certainty.n_groups > 1:
        yield setting.sentence("paper-design-effect", freedom=f"{certainty.n_groups - 1:,}")
    if certainty.intervals.marks[evaluation.row(evaluation.task.ranking_metric)].any():
        yield setting.sentence("paper-unmarked")
    yield from _comparison(evaluation, certainty, setting)
    if certainty.resampled is not None:
        n_replicates = f"{certainty.resampled.n_replicates:,}"
        yield setting.sentence(
            "paper-replicates", n=n_replicates, bootstrap=setting.cited("efron-tibshirani-1993-bootstrap")
        )
    yield setting.sentence("paper-not-covered")


def _population(certainty: Certainty, setting: Setting) -> str:
    """The population that the items are taken to be drawn from."""
    if certainty.stratified:
        return setting.sentence("paper-stratified")
    if certainty.n_groups is not None:
        return setting.sentence("paper-groups", n=f"{certainty.n_groups:,}")
    return setting.sentence("population")


def _comparison(evaluation: Evaluation, certainty: Certainty, setting: Setting) -> Iterator[str]:
    """How pairs were compared, and what follows from it."""
    comparison, n_compared = ranking_comparison(evaluation), int(evaluation.comparable.sum())
    if comparison is None or n_compared < _PAIR:
        return
    drawn = {
        "draws": f"{comparison.n_draws:,}",
        "seed": certainty.seed,
        "distribution": _distribution(certainty),
        "covariance": covariance_of(comparison.key),
    }
    if n_compared == _PAIR:
        yield setting.sentence("paper-procedure-pair", **drawn)
    else:
        pairs = f"{math.comb(n_compared, 2):,}"
        yield setting.sentence(
            "paper-procedure", stepdown=setting.cited("romano-wolf-2005-exact"), pairs=pairs, **drawn
        )
    yield setting.sentence("paper-possible-ranks", ranks=setting.cited("mogstad-etal-2024-inference"))
    if comparison.uncertain.any():
        yield setting.sentence("paper-uncertain")
    if is_bounded(evaluation, comparison):
        yield setting.sentence("paper-never-predicted")
    yield setting.sentence("paper-best-set", best=setting.cited("hsu-1984-constrained"))
    yield setting.sentence("paper-leader", leader=setting.cited("zrnic-fithian-2024-locally"))


def _distribution(certainty: Certainty) -> str:
    """The distribution of the errors of scores: Student's where groups are few."""
    if certainty.n_groups is None:
        return "the normal distribution"
    return f"Student's distribution ({plural(certainty.n_groups - 1, 'degree')} of freedom)"
