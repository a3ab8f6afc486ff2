"""What is asked of a task that the store holds: two entries, other class distributions, a published table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from audit.domain import Evaluation, Identification, PairComparison, ScoreKey, WinnerMap
from audit.execution import THIS_PROCESS, Blocks, Executor
from audit.workflow.named_score import score_key
from audit.workflow.stored_tasks import read_scores

if TYPE_CHECKING:
    from audit.ranking import Scenario


def compare_entries(  # noqa: PLR0913 - what a user may say of a comparison
    slug: str,
    store: Path,
    names: tuple[str, str],
    *,
    metric: str | None = None,
    prevalence: str | None = None,
    executor: Executor = THIS_PROCESS,
) -> tuple[PairComparison, str]:
    """Compare two entries of a task by one score, whose name in a sentence comes with it; leave the store as it is.

    Raises
    ------
    MetricNameError, UsageError
        When there is no such entry, metric or prevalence, or one entry's scores are of other items.
    """
    from audit.evaluation import score_campaign
    from audit.inference import compare_pair
    from audit.metrics import phrase
    from audit.store import open_store

    blocks = Blocks(executor)
    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        key = score_key(campaign.task, metric, prevalence)
        evaluation = score_campaign(campaign, also=[str(key)], blocks=blocks)
        pair = compare_pair(evaluation, campaign.predictions_of(evaluation.entries), *names, key, blocks=blocks)
    return pair, phrase(key, campaign.task.label_set)


@dataclass(frozen=True, eq=False)
class ShiftedRankings:
    """A task ranked under class distributions other than the one at hand."""

    evaluation: Evaluation
    """The task as it was scored."""
    key: ScoreKey
    """The score that ranks."""
    scenarios: "tuple[Scenario, ...]"
    """Scores and ranks under each class distribution: those that were asked for, else those that have a name."""
    map: WinnerMap | None
    """The winner map; None where distributions were asked for, or no other team could win."""


def rank_shifted(
    slug: str, store: Path, prevalences: Sequence[str] = (), *, metric: str | None = None
) -> ShiftedRankings:
    """Rank a task under other class distributions, each by its name or written out as ``label=share,…``.

    Raises
    ------
    MetricNameError, UsageError
        When there is no such metric, or a distribution lacks a class of gold or names one that gold lacks.
    """
    from audit.metrics import parse_prevalence
    from audit.ranking import scenario, winner_map

    evaluation = read_scores(slug, store, also=[metric] if metric else [])
    key, labels = score_key(evaluation.task, metric, None), evaluation.task.label_set
    own_prevalences, counts = evaluation.prevalences, evaluation.prevalence_counts
    parsed = [parse_prevalence(text, own_prevalences, counts, labels) for text in prevalences]
    scenarios = tuple(scenario(evaluation, each, [key.metric]) for each in parsed or own_prevalences)
    return ShiftedRankings(evaluation, key, scenarios, None if parsed else winner_map(evaluation, key))


def identify_scores(slug: str, published: Path, store: Path) -> Identification:
    """Find which readings a published table of a task's scores is of.

    Raises
    ------
    InputError
        When the table cannot be used.
    StoreError
        When the store cannot be used, or has no such task.
    """
    from audit.formats.small_tables import read_published
    from audit.readings import identify

    table = read_published(published)
    return identify(read_scores(slug, store), table)
