"""What is asked of the store's tasks: evaluations, two entries, class distributions, a published table, two states."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from audit.domain import (
    NOTHING_STATED,
    OBSERVED,
    Campaign,
    Evaluation,
    Identification,
    PairComparison,
    ScoreKey,
    StatedOptions,
    Task,
    WinnerMap,
)
from audit.errors import SupersededError, UsageError
from audit.execution import THIS_PROCESS, Blocks, Executor, Steps, of_step
from audit.text import did_you_mean, listed, quoted, visible

if TYPE_CHECKING:
    from audit.findings.revision.difference import Difference
    from audit.formats.door.opening import Opening
    from audit.formats.files.tree import Tree
    from audit.report.printing import GoldItems

_SHOWN = 5


def score_key(task: Task, metric: str | None, prevalence: str | None) -> ScoreKey:
    """The score that a user asks for: the ranking metric, and the prevalence in its name, where nothing is said."""
    from audit.metrics import parse_score_key

    if metric:
        key = parse_score_key(metric, task.label_set)
    else:
        key = task.ranking_metric
    names = [item.name for item in task.scored_prevalences]
    chosen = prevalence or key.prevalence
    if chosen not in names:
        near = did_you_mean(chosen, names)
        raise UsageError(
            f"There is no prevalence {quoted(chosen)}.{near} This task has {listed(names)}."
        )
    if metric and prevalence and key.prevalence not in (OBSERVED.name, prevalence):
        raise UsageError(
            f"{quoted(metric)} and --prevalence {prevalence} name different prevalences."
        )
    return ScoreKey(key.metric, chosen)


def evaluate_task(
    slug: str,
    store: Path,
    stated: StatedOptions = NOTHING_STATED,
    *,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> Evaluation:
    """Evaluate a task as the store holds it, and keep there what was computed."""
    from audit.store import open_store
    from audit.writers.bundle.archive import evaluation_document

    evaluation = read_evaluation(slug, store, stated, executor=executor, on_step=on_step)
    with open_store(store, create=False) as opened, suppress(SupersededError):
        opened.save_evaluation(evaluation, evaluation_document(evaluation))
    return evaluation


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
    """Evaluate a task as the store holds it and leave the store as it is, with an executor as for `evaluate_task`."""
    from audit.evaluation import evaluate
    from audit.formats.campaign.set_files import by_other_repairs
    from audit.store import open_store

    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        options = stated.over(campaign.options)
        if metric is not None or prevalence is not None:
            named = str(score_key(campaign.task, metric, prevalence))
            options = replace(options, compare=(*options.compare, named))
        evaluation = evaluate(
            campaign, options, executor=executor, on_step=on_step, repaired=by_other_repairs
        )
        return evaluation.settled(of_step(on_step, "comparing"))


def read_scores(slug: str, store: Path, *, also: Sequence[str] = ()) -> Evaluation:
    """Score a task as the store holds it, with further metrics where named, and resample nothing."""
    from audit.evaluation import score_campaign
    from audit.store import open_store

    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        return score_campaign(campaign, also=also)


def read_items(evaluation: Evaluation, store: Path) -> "GoldItems":
    """The gold items of an evaluated task with every entry's answers, as the store holds them.

    They give a test set away: nobody gets them who does not ask.
    """
    from audit.store import open_store
    from audit.writers.bundle.sheets import items_of

    with open_store(store, create=False) as opened:
        return items_of(evaluation, opened.load_campaign(evaluation.task.slug, with_files=False))


def compare_entries(  # noqa: PLR0913 - what a user may say of a comparison
    slug: str,
    store: Path,
    names: tuple[str, str],
    *,
    metric: str | None = None,
    prevalence: str | None = None,
    executor: Executor = THIS_PROCESS,
) -> tuple[PairComparison, str]:
    """Compare two entries of a task by one score, whose name in a sentence comes with it; leave the store as it is."""
    from audit.evaluation import score_campaign
    from audit.inference.comparison import compare_pair
    from audit.metrics import phrase
    from audit.store import open_store

    blocks = Blocks(executor)
    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        key = score_key(campaign.task, metric, prevalence)
        evaluation = score_campaign(campaign, also=[str(key)], blocks=blocks)
        pair = compare_pair(
            evaluation, campaign.predictions_of(evaluation.entries), *names, key, blocks=blocks
        )
    return pair, phrase(key, campaign.task.label_set)


def rank_shifted(
    slug: str, store: Path, prevalences: Sequence[str] = (), *, metric: str | None = None
) -> "tuple[Evaluation, ScoreKey, tuple[Evaluation, ...], WinnerMap | None]":
    """Rank a task under other class distributions, each by its name or written out as ``label=share,…``.

    The task as it was scored, the score that ranks, scores and ranks under each distribution that was asked for, or
    else that has a name; and the winner map, None where distributions were asked for, or no other team could win.
    """
    from audit.metrics import parse_prevalence
    from audit.ranking.nearest import winner_map
    from audit.ranking.prevalence_shift import scenario

    evaluation = read_scores(slug, store, also=[metric] if metric else [])
    key = score_key(evaluation.task, metric, None)
    labels = evaluation.task.label_set
    own_prevalences = evaluation.prevalences
    counts = evaluation.prevalence_counts
    parsed = [parse_prevalence(text, own_prevalences, counts, labels) for text in prevalences]
    scenarios = tuple(
        scenario(evaluation, each, [key.metric]) for each in parsed or own_prevalences
    )
    return evaluation, key, scenarios, None if parsed else winner_map(evaluation, key)


def identify_scores(slug: str, published: Sequence[Path], store: Path) -> Identification:
    """Find which readings published tables of a task's scores are of; several are looked at as one."""
    from audit.evaluation import identified, score_campaign
    from audit.formats.campaign.set_files import by_other_repairs
    from audit.formats.small_tables import read_published
    from audit.store import open_store

    tables = list(map(read_published, published))
    with open_store(store, create=False) as opened, opened.campaign_to_evaluate(slug) as campaign:
        return identified(score_campaign(campaign), tables, campaign, by_other_repairs)


Side: TypeAlias = "int | Path | Opening"
"""One side of a difference: a load of the store by its number in the history, or files as they are now."""


def compare_loads(  # noqa: PLR0913 - what a user may say of a comparison
    slug: str,
    store: Path,
    old: "Side | None" = None,
    new: "Side | None" = None,
    stated: StatedOptions = NOTHING_STATED,
    *,
    skip_rejected: bool = False,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> "tuple[Difference, tuple[str, str]]":
    """Evaluate two states of a task, and say what was changed and what became of it; leave the store as it is.

    With the difference comes what was compared, the old state first, in words: “load 1”.
    """
    from audit.evaluation import evaluate
    from audit.findings.revision.changed_inputs import difference_of
    from audit.formats.campaign.campaigns import campaigns_of
    from audit.formats.campaign.set_files import by_other_repairs
    from audit.store import open_store

    read = partial(campaigns_of, skip_rejected=skip_rejected, executor=executor)
    with open_store(store, create=False) as opened:
        n_loads = opened.n_loads(slug)
        after = n_loads if new is None else new
        before = _load_before(slug, after, n_loads) if old is None else old
        campaigns = [
            opened.past_campaign(slug, side)
            if isinstance(side, int)
            else _campaign_in(side, slug, read)
            for side in (before, after)
        ]
    options = stated.over(campaigns[1].options)
    evaluated = partial(
        evaluate, options=options, executor=executor, on_step=on_step, repaired=by_other_repairs
    )
    one, other = map(evaluated, campaigns)
    return difference_of(one, other), (_side_in_words(before), _side_in_words(after))


def _load_before(slug: str, new: "Side", n_loads: int) -> int:
    if isinstance(new, int):
        before = new - 1
    else:
        before = n_loads
    if before < 1:
        if n_loads == 1:
            reason = "was loaded once"
        else:
            reason = "has no load before the first"
        raise UsageError(
            f"The task {quoted(slug)} {reason}: there is nothing to compare with. Load the folder again once it has "
            f"changed (audit load FOLDER), or name the changed folder: audit diff {visible(slug)} 1 FOLDER"
        )
    return before


def _campaign_in(
    source: "Path | Opening", slug: str, read: Callable[["Tree"], Sequence[Campaign]]
) -> Campaign:
    """A task as a folder has it, or as its files were named; these are of the task that they are compared with."""
    from audit.formats.files.tree import Tree

    with Tree(source) if isinstance(source, Path) else source.tree() as tree:
        campaigns = {campaign.task.slug: campaign for campaign in read(tree)}
    if not isinstance(source, Path):
        (campaign,) = campaigns.values()
        return replace(campaign, task=replace(campaign.task, slug=slug))
    if slug not in campaigns:
        has = listed([quoted(each) for each in campaigns], limit=_SHOWN)
        raise UsageError(
            f"The folder {visible(str(source), 200)} holds {has}, and no task {quoted(slug)}."
        )
    return campaigns[slug]


def _side_in_words(side: "Side") -> str:
    if isinstance(side, int):
        return f"load {side}"
    if isinstance(side, Path):
        return f"the folder {visible(str(side), 200)}"
    return "the files that were named"
