"""Evaluations of what the store holds."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from audit.domain import NOTHING_STATED, Evaluation, StatedOptions
from audit.errors import SupersededError, UsageError
from audit.execution import THIS_PROCESS, Executor, Steps, of_step
from audit.text import listed, quoted
from audit.workflow.named_score import score_key

if TYPE_CHECKING:
    from audit.report.bundle import GoldItems


def evaluate_task(
    slug: str,
    store: Path,
    stated: StatedOptions = NOTHING_STATED,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Evaluation:
    """Evaluate a task as the store holds it, and keep there what was computed.

    Options that are not stated are those of the campaign's settings file. The executor computes over blocks of items
    where there are more than fit into one. Where another process loads the task meanwhile, the store keeps nothing of
    what was computed of the former load.
    """
    from audit.evaluation import evaluate
    from audit.report.bundle import evaluation_document
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        with opened.campaign_to_evaluate(slug) as campaign:
            options = stated.over(campaign.options)
            evaluation = evaluate(campaign, options, executor=executor, on_step=on_step)
            evaluation = evaluation.settled(of_step(on_step, "comparing"))
        with suppress(SupersededError):
            opened.save_evaluation(evaluation, evaluation_document(evaluation))
    return evaluation


def only_task(store: Path) -> str:
    """The slug of the only task that the store holds.

    Raises
    ------
    UsageError
        When it holds none, or several.
    """
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        slugs = [task.slug for task in opened.tasks()]
    if not slugs:
        raise UsageError("The store is empty. Start with a campaign's folder: audit run FOLDER.")
    if len(slugs) > 1:
        raise UsageError(f"The store holds {listed(list(map(quoted, slugs)), limit=8)}: name one of them.")
    return slugs[0]


def read_evaluation(  # noqa: PLR0913 - what a user may say of an evaluation
    slug: str,
    store: Path,
    stated: StatedOptions = NOTHING_STATED,
    *,
    metric: str | None = None,
    prevalence: str | None = None,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Evaluation:
    """Evaluate a task as the store holds it and leave the store as it is, with an executor as for `evaluate_task`.

    Options that are not stated are those of the campaign's settings file. Where a metric or prevalence is named, all
    pairs of teams are compared by it too.

    Raises
    ------
    MetricNameError, UsageError
        When there is no such metric or prevalence.
    """
    from audit.evaluation import evaluate
    from audit.store import open_store

    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        options = stated.over(campaign.options)
        if metric is not None or prevalence is not None:
            named = str(score_key(campaign.task, metric, prevalence))
            options = replace(options, compare=(*options.compare, named))
        evaluation = evaluate(campaign, options, executor=executor, on_step=on_step)
        return evaluation.settled(of_step(on_step, "comparing"))


def read_scores(slug: str, store: Path, *, also: Sequence[str] = ()) -> Evaluation:
    """Score a task as the store holds it, with further metrics where named, and resample nothing.

    Raises
    ------
    MetricNameError
        When there is no such metric.
    """
    from audit.evaluation import score_campaign
    from audit.store import open_store

    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        return score_campaign(campaign, also=also)


def read_items(evaluation: Evaluation, store: Path) -> "GoldItems":
    """The gold items of an evaluated task with every entry's answers, as the store holds them.

    They give a test set away: nobody gets them who does not ask.
    """
    from audit.report.bundle import items_of
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        return items_of(evaluation, opened.load_campaign(evaluation.task.slug, with_files=False))
