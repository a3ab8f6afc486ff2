"""The batch engine: a campaign in, every score of every team, their ranks, agreement and flags out."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np

from audit.domain import (
    BALANCED,
    OBSERVED,
    Agreement,
    Answers,
    Baseline,
    Campaign,
    Certainty,
    Entry,
    Evaluation,
    Feature,
    Gold,
    Identification,
    ItemScores,
    LabelSet,
    Missing,
    Options,
    Policies,
    Power,
    Prevalence,
    Published,
    ScoreKey,
    Submission,
    Task,
)
from audit.domain.analyses import analysis, makers_of
from audit.domain.answer_order import class_order, numbers_in
from audit.domain.arrays import Bools, Codes, Counts, Floats, Ints
from audit.domain.numbers import Numbers
from audit.domain.privacy import without_item_ids
from audit.domain.sets import UnitCounts
from audit.errors import InputError, Issue, UsageError
from audit.execution import (
    IN_THIS_PROCESS,
    THIS_PROCESS,
    Blocks,
    Executor,
    Span,
    Steps,
    of_step,
    spans,
)
from audit.inference.certainty_analysis import certainty_of, kept_answers, power_of
from audit.inference.items import items_of
from audit.metrics import (
    ORACLE_TEAMS,
    TooManyCellsError,
    aggregates_on,
    all_keys,
    baseline_of,
    baseline_order,
    chance_baselines,
    count_answers,
    count_cells,
    goodness,
    is_of_item_scores,
    metric_name,
    metric_of,
    metrics_of_item_scores,
    named_metric,
    oracle,
    parse_score_key,
    scale_of,
    score,
    why_no_item_scores,
)
from audit.ranking import nearest, rank_aggregation  # noqa: F401 - they register analyses
from audit.ranking.counting_runs import Runs, part_runs
from audit.ranking.prevalence_shift import ScoreSources
from audit.ranking.ranks import agreement, ranks_among
from audit.readings import identify, identify_beside
from audit.text import distinct, listed, plural, quoted, visible
from audit.version import __version__

# reads a campaign by each other rule for broken tags
Repairs = Callable[[Campaign], Mapping[str, Campaign]]

_NAME_LIMIT = 40
# classes up to which the rankings by their recalls are compared with those by the metrics
_MOST_RECALLS = 50


def evaluate(  # noqa: PLR0913 - what a user may say of an evaluation, and what reads a campaign again
    campaign: Campaign,
    options: Options | None = None,
    *,
    also: Sequence[str] = (),
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
    repaired: Repairs = lambda _: {},
) -> Evaluation:
    """Score and rank a whole campaign in one batch; its analyses are made when they are asked for.

    Published scores of spans are looked for in the campaign as `repaired` reads it by other rules for broken tags, too.
    """
    options = options or campaign.options
    scoring, comparing = (
        Blocks(executor, of_step(on_step, step)) for step in ("scoring", "comparing")
    )
    evaluation = score_campaign(campaign, options, also=(*also, *options.compare), blocks=scoring)
    compared = [parse_score_key(name, campaign.task.label_set) for name in options.compare]
    for key in compared:
        evaluation.scores_of(key)  # a score that does not exist is said at once
    predictions = campaign.predictions_of(evaluation.entries)
    inputs = {
        "predictions": predictions,
        "compared": compared,
        "score": partial(_of_items, evaluation),
        "published": _published(evaluation, campaign, repaired) if campaign.published else None,
    }
    if options.certainty:
        inputs["blocks"] = comparing
    return replace(evaluation, analyses=makers_of(campaign.task.label_set.kind, inputs))


@analysis("certainty", takes=("predictions", "compared", "blocks"))
def _certainty(
    evaluation: Evaluation,
    predictions: Sequence[Codes],
    compared: Sequence[ScoreKey],
    blocks: Blocks,
) -> Certainty:
    """Intervals and comparisons, by the scores that were asked for, too."""
    seed = evaluation.options.seed
    return certainty_of(evaluation, predictions, seed=seed, also=compared, blocks=blocks)


@analysis("kept_answers", takes=("predictions", "blocks"))
def _kept_answers(
    evaluation: Evaluation,
    predictions: Sequence[Codes],
    blocks: Blocks,  # noqa: ARG001 - without them no certainty is asked for, and answers are kept for nothing
) -> Sequence[Codes] | None:
    """The answers, where tracks are to be compared by them."""
    return kept_answers(evaluation, predictions)


@analysis("power", takes=("predictions", "compared"))
def _power(
    evaluation: Evaluation, predictions: Sequence[Codes], compared: Sequence[ScoreKey]
) -> Sequence[Power]:
    """What the test set can tell, by the scores that were asked for, too."""
    return power_of(evaluation, items_of(evaluation, predictions), compared)


@analysis("published", takes=("published",))
def _published_scores(_: Evaluation, published: Identification | None) -> Identification | None:
    """The readings that published scores are of, which are looked for while the campaign is at hand."""
    return published


def identified(
    evaluation: Evaluation, tables: Sequence[Published], campaign: Campaign, repaired: Repairs
) -> Identification:
    """The readings that published tables are of, by each rule for broken tags.

    An InputError is raised for tables of which no name is a team.
    """
    return identify(evaluation, *tables, repaired=_by_repairs(campaign, repaired))


def _published(evaluation: Evaluation, campaign: Campaign, repaired: Repairs) -> Identification:
    """The readings that a campaign's own tables are of; those that cannot be used are told."""
    return identify_beside(
        evaluation, *campaign.published, repaired=_by_repairs(campaign, repaired)
    )


def _by_repairs(campaign: Campaign, repaired: Repairs) -> dict[str, Evaluation]:
    return {rule: score_campaign(each) for rule, each in repaired(campaign).items()}


def score_campaign(
    campaign: Campaign,
    options: Options | None = None,
    *,
    also: Sequence[str] = (),
    blocks: Blocks = IN_THIS_PROCESS,
) -> Evaluation:
    """The scores, ranks and agreement of a campaign's runs that count, with the analyses that need no single answer.

    Parameters and errors are those of :func:`evaluate`, with executor and progress as one value; the signature is that
    of the evaluation that it would make.
    """
    campaign, options = without_item_ids(campaign), options or campaign.options
    task = campaign.task
    gold = campaign.gold
    if not gold.n_items:
        raise UsageError("The gold has no item.")
    if campaign.codes_file is not None:
        blocks.executor.check_file(campaign.codes_file.path)
    scores = partial(_ranking_scores, campaign, blocks=blocks)
    runs = part_runs(campaign.submissions, task.policies, scores)
    if not runs.shown:
        raise UsageError("There is no submission to evaluate.")
    answers = answers_of(campaign, runs.shown, blocks)
    cells = answers.confusions(_missing(task))
    numbers = numbers_in(class_order(gold.codes, cells))
    entries = _entries(runs, task, gold.is_unit, numbers)
    prevalences = task.scored_prevalences
    keys = _keys(task, prevalences, also)
    _check_strays(keys, task, answers)
    _check_whole_confusions(keys, task, len(runs.shown))
    item_scores = _item_scores(campaign, runs.shown)
    competing = np.array(runs.competing, dtype=bool)
    ranked = competing | ~competing.any()  # where nobody competes, metrics still agree or do not
    values = ScoreSources(task, _gold_counts(gold), cells, item_scores, ranked).scores(
        keys, prevalences
    )
    turned = goodness(values, [key.metric for key in keys], task.label_set)
    scales = {
        name: scale_of(name, task.label_set) for name in dict.fromkeys(key.metric for key in keys)
    }
    return Evaluation(
        task=task,
        gold=gold,
        entries=entries,
        cells=cells,
        prevalences=prevalences,
        keys=keys,
        values=values,
        rank_values=ranks_among(turned, competing),
        rejections=campaign.rejections,
        ignored=campaign.ignored,
        signature=_signature(task, gold, entries, options),
        uncounted=runs.uncounted,
        journal=campaign.journal,
        answers=answers,
        options=options,
        analyses=makers_of(task.label_set.kind, {}),
        scales={name: scale for name, scale in scales.items() if not scale.greater_is_better},
        item_scores=item_scores,
    )


def _of_items(
    whole: Evaluation,
    gold: Gold,
    predictions: Sequence[Codes],
    item_scores: ItemScores | UnitCounts | Numbers | None,
) -> Evaluation:
    """The evaluation of some of the items: scores and ranks of the same entries, whichever runs these are.

    A named prevalence gives shares to the classes of the whole, so where one of them is lacking its scores are NaN.
    """
    task = whole.task
    n_classes = len(whole.task.label_set)
    cells = _count_block((gold.codes, predictions, n_classes), (0, gold.n_items)).confusions(
        _missing(task)
    )
    has_all = np.array_equal(np.unique(gold.codes), np.flatnonzero(whole.present))
    prevalences = tuple(each for each in whole.prevalences if has_all or not each.shares)
    names = {prevalence.name for prevalence in prevalences}
    rows = [row for row, key in enumerate(whole.keys) if key.prevalence in names]
    values = np.full(whole.values.shape, np.nan)
    keys = [whole.keys[row] for row in rows]
    values[rows] = ScoreSources(task, _gold_counts(gold), cells, item_scores, whole.ranked).scores(
        keys, prevalences
    )
    turned = goodness(values, [key.metric for key in whole.keys], task.label_set)
    numbers = numbers_in(class_order(gold.codes, cells))
    pairs = zip(whole.entries, predictions, strict=True)
    return replace(
        whole,
        gold=gold,
        entries=tuple(
            replace(entry, **_answered(codes, task, gold.is_unit, numbers))
            for entry, codes in pairs
        ),
        cells=cells,
        prevalences=prevalences,
        values=values,
        rank_values=ranks_among(turned, whole.competing),
        answers=None,
        analyses={},
        item_scores=item_scores,
    )


# of all entries' confusions, not empty for some entry: 256 MB, of which a report takes several
MOST_CELLS = 1 << 25
# of them, empty ones too, for a metric that looks at each: with 30 entries 370 labels, 20 s
MOST_WHOLE_CELLS = 1 << 22


def _check_whole_confusions(keys: Sequence[ScoreKey], task: Task, n_entries: int) -> None:
    """Refuse a metric that looks at every cell where these are more than memory is meant for."""
    n_cells = len(task.label_set) * (len(task.label_set) + 1)
    looks = (key for key in keys if metric_of(key.metric, task.label_set).over == "confusions")
    if n_entries * n_cells > MOST_WHOLE_CELLS and (name := next(looks, None)) is not None:
        defect = (
            f"{plural(n_entries, 'entry', 'entries')} and {len(task.label_set):,} labels, with {quoted(str(name))}, "
            f"which looks at {n_cells:,} pairs of gold label and answer"
        )
        expected = f"at most {MOST_WHOLE_CELLS // n_entries:,} pairs with so many entries, or another metric"
        raise InputError([Issue.of("too-many-labels", "the campaign", defect, expected=expected)])


def _missing(task: Task) -> Missing:
    if task.policies.missing == "drop":
        return Missing.DROPPED
    return Missing.WRONG


def _item_scores(
    campaign: Campaign, submissions: Sequence[Submission]
) -> ItemScores | UnitCounts | Numbers | None:
    """The scores of single items, where the task keeps them; the things of each unit with sets; numbers of items."""
    task = campaign.task
    gold = campaign.gold
    rows = (submission.scores for submission in submissions)
    if task.label_set.supports(Feature.UNITS):
        counts = UnitCounts.of(
            gold.codes,
            units := np.cumsum(gold.is_unit) - 1,
            campaign.codes_of(submissions),
            nothing=len(task.label_set) - 1,
            n_labels=task.label_set.n_scored,
            drops_missing=task.policies.missing == "drop",
        )
        has_label = np.zeros((gold.n_units, len(task.label_set)), dtype=bool)
        has_label[units, gold.codes] = True
        scores = ItemScores(has_label[:, task.scored_codes], tuple(rows))
        if task.scored_labels:
            return replace(counts, scores=scores)
        return counts
    if task.label_set.supports(Feature.NUMBERS):
        return _numbers(gold, submissions, task)
    if not task.scored_labels:
        return None
    return ItemScores.of(gold.codes, task.scored_codes, rows)


def _numbers(gold: Gold, submissions: Sequence[Submission], task: Task) -> Numbers:
    """The numbers of all entries: of each column of a scorer's output, or what they predict."""
    names = tuple(column.name for column in task.label_set.columns) or ("",)
    rows = [
        np.asarray(submission.scores).reshape(gold.n_items, len(names)).T
        for submission in submissions
    ]
    values = np.stack(rows)
    if task.policies.missing == "drop":
        is_missing = np.stack([submission.codes > 0 for submission in submissions])
        values = np.where(is_missing[:, None], np.nan, values)
    return Numbers(values, names, gold.numbers, gold.weights)


def _gold_counts(gold: Gold) -> Ints:
    """Gold items of each class, shape (C,)."""
    return np.bincount(gold.codes, minlength=len(gold.label_set))


def _ranking_scores(
    campaign: Campaign, submissions: Sequence[Submission], *, blocks: Blocks
) -> Floats:
    """Scores of some submissions by the ranking metric, turned so that higher is better."""
    task = campaign.task
    key = campaign.task.ranking_metric
    if metric_of(key.metric, task.label_set).of_ranks:
        raise UsageError(
            f"By {quoted(str(key))} no run is a team's best: ranks depend on which of all runs count. Choose another "
            'policy for runs, like runs = "last" or "primary".'
        )
    prevalences = [item for item in task.scored_prevalences if item.name == key.prevalence]
    cells = answers_of(campaign, submissions, blocks).confusions(_missing(task))
    item_scores = _item_scores(campaign, submissions)
    all_ranked = np.ones(len(submissions), dtype=bool)
    scores = ScoreSources(task, _gold_counts(campaign.gold), cells, item_scores, all_ranked).scores(
        [key], prevalences
    )
    return np.asarray(goodness(scores, [key.metric], task.label_set)[0])


@analysis("baselines", takes=("predictions",), needs=frozenset({Feature.CHANCE}))
def _baselines(evaluation: Evaluation, predictions: Sequence[Codes]) -> tuple[Baseline, ...]:
    """The built-in baselines; the oracle only where there are as many teams as it chooses from."""
    task = evaluation.task
    keys = evaluation.keys
    prevalences = evaluation.prevalences
    by_chance = chance_baselines(
        evaluation.prevalence_counts, keys, prevalences, task.label_set, baseline_order(evaluation)
    )
    best = _best_entries(evaluation)[:ORACLE_TEAMS]
    if len(best) < ORACLE_TEAMS:
        return by_chance
    gold = evaluation.gold.codes
    answers = oracle(gold, [predictions[entry] for entry in best])
    cells = count_cells(gold, [answers], len(task.label_set))
    baseline = baseline_of("oracle", score(cells, keys, prevalences, task.label_set)[:, 0])
    shown = distinct(evaluation.names, _NAME_LIMIT)
    teams = listed([shown[entry] for entry in best])
    return (*by_chance, replace(baseline, explanation=f"{baseline.explanation} Here: {teams}."))


def _best_entries(evaluation: Evaluation) -> list[int]:
    """The best entry of each team by the ranking metric, best first, of those that are comparable."""
    key = evaluation.task.ranking_metric
    able = evaluation.comparable & ~np.isnan(evaluation.scores_of(key))
    best_of_team: dict[str, int] = {}
    for entry in evaluation.order(key, by_answers=True):
        if able[entry]:
            best_of_team.setdefault(evaluation.entries[entry].team, entry)
    return list(best_of_team.values())


def answers_of(
    campaign: Campaign, submissions: Sequence[Submission], blocks: Blocks = IN_THIS_PROCESS
) -> Answers:
    """The answers of some submissions of a campaign, for scores under any reading."""
    gold = campaign.gold.codes
    codes = campaign.codes_of(submissions)
    n_classes = len(campaign.task.label_set)
    strays = [dict(submission.unusable_labels) for submission in submissions]
    try:
        counted = blocks.map(_count_block, (gold, codes, n_classes), spans(gold.size, len(codes)))
        answers = reduce(_sum_of_blocks, counted)
    except TooManyCellsError as error:
        defect = (
            f"{plural(len(codes), 'entry', 'entries')} and {error.args[0]:,} different pairs "
            "of gold label and answer"
        )
        expected = f"at most {MOST_CELLS // len(codes):,} pairs with so many entries; here are {n_classes:,} labels"
        raise InputError(
            [Issue.of("too-many-labels", "the campaign", defect, expected=expected)]
        ) from None
    return replace(answers, strays=tuple(map(frozenset, strays)))


def _count_block(shared: tuple[Codes, Sequence[Codes], int], span: Span) -> Answers:
    """Answers of every submission to a span of items."""
    (gold, codes, n_classes) = shared
    items = slice(*span)
    strays = [()] * len(codes)
    return count_answers(gold[items], [row[items] for row in codes], n_classes, strays, MOST_CELLS)


def _sum_of_blocks(some: Answers, more: Answers) -> Answers:
    cells = np.union1d(some.cells.numbers, more.cells.numbers).size
    if cells * len(some.cells) > MOST_CELLS:
        raise TooManyCellsError(cells)
    return some.plus(more)


def _keys(
    task: Task, prevalences: Sequence[Prevalence], also: Sequence[str]
) -> tuple[ScoreKey, ...]:
    asked_keys = [task.ranking_metric, *(parse_score_key(name, task.label_set) for name in also)]
    for key in asked_keys:
        if reason := why_no_item_scores(key, task.scored_labels, task.label_set):
            raise UsageError(f"{reason}. {KEEPING_SCORES}")
    of_items = metrics_of_item_scores(task.scored_labels)
    metrics = [*(key.metric for key in asked_keys), *of_items]
    _check_abstention(task, metrics)
    if any(named_metric(metric, task.label_set).of_answered for metric in metrics):
        metrics.append("coverage")  # says beside the score how much was answered
    moving = [metric for metric in metrics if metric_of(metric, task.label_set).moves_with_classes]
    if len(task.scored_labels) > 1:
        moving = [metric for metric in moving if not is_of_item_scores(metric, task.label_set)]
    further = (
        ScoreKey(metric, prevalence.name)
        for prevalence in prevalences
        for metric in (metrics if prevalence.name == OBSERVED.name else moving)
    )
    return tuple(dict.fromkeys((*all_keys(task.label_set, prevalences), *further, *asked_keys)))


def _check_abstention(task: Task, metrics: Sequence[str]) -> None:
    """Refuse a metric that heeds unanswered items where these are left out before any is scored."""
    heeding = (
        metric for metric in metrics if named_metric(metric, task.label_set).heeds_abstention
    )
    if task.policies.missing == "drop":
        name = next(heeding, None)
    else:
        name = None
    if name is not None:
        raise UsageError(
            f'{quoted(name)} heeds what a team leaves unanswered, and by the policy missing = "drop" missing items are '
            'left out before anything is scored. Write missing = "wrong" under [policies]: this score is told of them.'
        )


KEEPING_SCORES = (
    "Write into task.toml, under [submissions]: the columns of the labels and of the scores, and the one of two labels "
    'that a higher score speaks for, like label = "label", score = "score", above = "yes"; in Python: '
    'item_scores={…}, scored_label="yes".'
)
"""How scores of single items come to be kept."""


def _check_strays(keys: Sequence[ScoreKey], task: Task, answers: Answers) -> None:
    """Refuse to average over the labels that teams predict where some of these are no labels of the task."""
    strays = sorted(frozenset().union(*answers.strays))
    averaging = (key for key in keys if named_metric(key.metric, task.label_set).counts_predicted)
    if strays and (name := next(averaging, None)) is not None:
        declared = ", ".join(quoted(label) for label in strays[:_STRAYS_SHOWN])
        if len(strays) > _STRAYS_SHOWN:
            more = f" and {len(strays) - _STRAYS_SHOWN} more"
        else:
            more = ""
        raise UsageError(
            f"{quoted(str(name))} averages over every label that a team predicts, and teams predict "
            f"{plural(len(strays), 'label')} outside the label set: {declared}{more}. Declare them as labels too "
            f"(labels = […] in task.toml, labels=[…] in Python): then each is a class that gold lacks."
        )


_STRAYS_SHOWN = 20


def _entries(runs: Runs, task: Task, is_unit: Bools, numbers: Counts) -> tuple[Entry, ...]:
    n_rows = Counter(submission.team for submission in runs.shown)
    return tuple(
        replace(
            _entry(*first, task, is_unit, numbers, several=n_rows[first[0].team] > 1),
            same=tuple(_entry(*run, task, is_unit, numbers) for run in same),
        )
        for first, *same in runs.rows
    )


def _entry(  # noqa: PLR0913 - a row, and what its answers are counted by
    submission: Submission,
    competes: bool,  # noqa: FBT001 - as a row has it
    task: Task,
    is_unit: Bools,
    numbers: Counts,
    *,
    several: bool = True,
) -> Entry:
    source = submission.source
    scores = submission.scores
    return Entry(
        name=f"{submission.team}/{submission.run}"
        if several and submission.run
        else submission.team,
        team=submission.team,
        run=submission.run,
        path=source.path if source else None,
        sha256=source.sha256 if source else None,
        unusable_labels=submission.unusable_labels,
        issues=submission.issues,
        role=submission.role,
        competes=competes,
        origin=submission.origin,
        scores_digest=None
        if scores is None
        else hashlib.sha256(scores.astype("<f8").tobytes()).hexdigest(),
        **{
            **_answered(submission.codes, task, is_unit, numbers),
            **_digest_of_numbers(submission, task),
        },
    )


def _digest_of_numbers(submission: Submission, task: Task) -> dict[str, str]:
    """The digest of an entry's answers where these are numbers."""
    if not task.label_set.supports(Feature.NUMBERS):
        return {}
    given = np.asarray(submission.scores).astype("<f8").tobytes() + submission.codes.tobytes()
    return {"predictions_digest": hashlib.sha256(given).hexdigest()}


def _answered(codes: Codes, task: Task, is_unit: Bools, numbers: Counts) -> dict[str, Any]:
    """The digests of an entry's answers, and how many items have none; where sets are scored, how many units.

    One digest is of the label codes, the other of each class's number in an order without names, shape (C + 2,).
    """
    n_classes = len(task.label_set)
    drops = task.policies.missing == "drop"
    n_missing = int((codes[is_unit] == n_classes).sum())
    if drops:
        scored = codes
    else:
        scored = np.minimum(codes, n_classes)
    return {
        "n_missing": n_missing,
        "n_unusable": int((codes > n_classes).sum()),
        "predictions_digest": hashlib.sha256(scored.tobytes()).hexdigest(),
        "answers_digest": hashlib.sha256(
            numbers.astype(scored.dtype)[scored].tobytes()
        ).hexdigest(),
        "n_dropped": n_missing if drops else 0,
    }


@analysis("agreement")
def _agreement(evaluation: Evaluation) -> Agreement:
    """Agreement over what figure 1 of Opitz 2024 shows: the metrics, the class recalls, the calibrated metrics.

    Of many classes the recalls are left out: a matrix of hundreds of names is for nobody to read.
    """
    task = evaluation.task
    aggregates = [metric.slug for metric in aggregates_on(task.label_set)]
    if task.ranking_metric.metric not in aggregates:
        aggregates.append(task.ranking_metric.metric)
    codes = np.flatnonzero(evaluation.present).tolist()
    if len(codes) <= _MOST_RECALLS:
        of_classes = codes
    else:
        of_classes = []
    recalls = [metric_name("recall", (code,), task.label_set) for code in of_classes]
    observed = [ScoreKey(name) for name in dict.fromkeys(aggregates + recalls)]
    calibrated = (ScoreKey(name, BALANCED.name) for name in aggregates)
    compared = (*observed, *(key for key in calibrated if key in evaluation.keys))
    scores = np.stack([evaluation.goodness_of(key)[evaluation.ranked] for key in compared])
    cells = evaluation.cells.of_teams(evaluation.ranked)
    return agreement(compared, scores, cells, task, evaluation.prevalence_counts)


def _signature(task: Task, gold: Gold, entries: Sequence[Entry], options: Options) -> str:
    """What every score of this evaluation depends on, in one line."""
    entry_facts = [(entry.name, entry.predictions_digest, entry.competes) for entry in entries]
    submissions = hashlib.sha256(repr(entry_facts).encode())
    n_classes = task.label_set.n_scored
    classes = f"in-gold({int((np.bincount(gold.codes)[:n_classes] > 0).sum())}-of-{n_classes})"
    if task.label_set.kind.traits.signature:
        classes += f",{task.label_set.kind.traits.signature}"
    elif task.label_set.rest is not None:
        classes += f",but({visible(task.label_set.rest, 200)})"
    elif task.label_set.scale:
        classes += f",scale({' '.join(f'{value:g}' for value in task.label_set.scale)})"
    parts = {
        # a label in it may hold a line break
        "official": visible(str(task.official_metric or "none"), 1000),
        "decimals": "full" if task.official_decimals is None else str(task.official_decimals),
        "classes": classes,
        "undefined-term": "0",
        "unanswered": _unanswered(task.policies),
        "runs": task.policies.runs,
        "baselines": task.policies.baselines,
        "ties": "shared",
        **{f"prevalence-{item.name}": _shares(item) for item in task.prevalences},
        **_option_texts(options, gold, task.label_set),
        "gold": f"{gold.n_items}:{gold.digest()[:12]}",
        "submissions": f"{len(entries)}:{submissions.hexdigest()[:12]}",
        **({"scores": _given_scores(entries, task)} if task.scored_labels else {}),
        "version": __version__,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def _given_scores(entries: Sequence[Entry], task: Task) -> str:
    """The number of entries that have scores of single items, for which label they speak, and which these are."""
    digests = [entry.scores_digest for entry in entries]
    n_given = len(digests) - digests.count(None)
    label = visible(",".join(task.scored_labels), 200)
    return f"{n_given}:{label}:{hashlib.sha256(repr(digests).encode()).hexdigest()[:12]}"


def _unanswered(policies: Policies) -> str:
    """How unanswered items count: one word where missing and unusable ones count alike."""
    participles = {
        "wrong": "wrong",
        "drop": "dropped",
        "reject": "rejected",
        "worst": "worst",
        "mean": "own-mean",
    }
    missing = participles[policies.missing]
    unusable = participles[policies.unusable]
    if missing == unusable:
        return missing
    return f"missing-{missing},unusable-{unusable}"


def _option_texts(options: Options, gold: Gold, label_set: LabelSet) -> dict[str, str]:
    """The options of the evaluation as text for its signature, without those that have no effect."""
    option_texts = {"certainty": "yes" if options.certainty else "no"}
    if options.certainty:
        option_texts |= {"seed": str(options.seed), "drawn": _drawn(gold)}
    if options.compare:
        keys = dict.fromkeys(str(parse_score_key(name, label_set)) for name in options.compare)
        option_texts["compared"] = visible(",".join(keys), 1000)
    return option_texts


def _drawn(gold: Gold) -> str:
    drawn = "items"
    if gold.groups is not None:
        digest = hashlib.sha256(gold.groups.astype("<i8").tobytes()).hexdigest()
        drawn = f"groups-{np.unique(gold.groups).size}-{digest[:8]}"
    if gold.stratified:
        return f"stratified-{drawn}"
    return drawn


def _shares(prevalence: Prevalence) -> str:
    return hashlib.sha256(repr(prevalence.shares).encode()).hexdigest()[:8]
