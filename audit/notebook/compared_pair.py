"""Compare two systems of a notebook's evaluation by one metric."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from audit.domain import Evaluation, LabelSet, PairComparison, ScoreKey
from audit.domain.arrays import Codes
from audit.errors import UsageError
from audit.execution import Blocks, Executor
from audit.inference import compare_pair
from audit.metrics import parse_score_key, phrase
from audit.text import did_you_mean, quoted


@dataclass(frozen=True, repr=False)
class ComparedPair(PairComparison):
    """The comparison of two systems by one metric: a :class:`PairComparison` shown as sentences.

    Parameters
    ----------
    sentences : tuple of str
        What may be said of the two, all pairs compared at once, and of this pair alone if it was fixed beforehand.
    """

    sentences: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def compare_systems(
    evaluation: Evaluation,
    predictions: Sequence[Codes],
    names: tuple[str, str],
    metric: str | None,
    executor: Executor,
) -> ComparedPair:
    """Compare two systems by a metric of the evaluation, the ranking metric where none is named."""
    from audit.questions.pairs import pair_sentences  # noqa: PLC0415 - what a report needs, an evaluation does not

    labels = evaluation.task.label_set
    key = evaluation.task.ranking_metric if metric is None else score_named(evaluation.keys, labels, metric)
    first, second = map(str, names)
    pair = compare_pair(evaluation, predictions, first, second, key, blocks=Blocks(executor))
    numbers = {each.name: getattr(pair, each.name) for each in fields(pair)}
    return ComparedPair(**numbers, sentences=tuple(pair_sentences(pair, phrase(key, labels))))


def score_named(keys: Sequence[ScoreKey], label_set: LabelSet, name: str) -> ScoreKey:
    """A score of the evaluation, by its name in any spelling."""
    key = parse_score_key(name, label_set)
    if key in keys:
        return key
    near = did_you_mean(str(key), map(str, keys))
    raise UsageError(
        f"The evaluation has no score {quoted(str(key))}.{near} Name it in audit.evaluate(…, metrics=[…]), or its "
        "class distribution in prevalences={…}."
    )
