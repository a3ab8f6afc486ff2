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
    """Score and rank a whole campaign in one batch; its analyses are computed when they are read.

    Published scores of spans are looked for in the campaign as `repaired` reads it by other rules for broken tags, too.
    """
    options = options or campaign.options
    labels = campaign.task.label_set
    blocks = Blocks(executor, of_step(on_step, "scoring"))
    evaluation = score_campaign(campaign, options, also=(*also, *options.compare), blocks=blocks)
    compared = [parse_score_key(name, labels) for name in options.compare]
    for key in compared:
        evaluation.scores_of(key)  # a score that does not exist is said at once
    published = None
    if campaign.published:
        published = _published(evaluation, campaign, repaired)
    inputs = {
        "predictions": campaign.predictions_of(evaluation.entries),
        "compared": compared,
        "score": partial(_of_items, evaluation),
        "published": published,
    }
    if options.certainty:
        inputs["blocks"] = Blocks(executor, of_step(on_step, "comparing"))
    return replace(evaluation, analyses=makers_of(labels.kind, inputs))


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
    campaign = without_item_ids(campaign)
    options = options or campaign.options
    task = campaign.task
    labels = task.label_set
    gold = campaign.gold
    if not gold.n_items:
        raise UsageError("The gold has no item.")
    if campaign.codes_file is not None:
        blocks.executor.check_file(campaign.codes_file.path)
    scores_of_runs = partial(_ranking_scores, campaign, blocks=blocks)
    runs = part_runs(campaign.submissions, task.policies, scores_of_runs)
    if not runs.shown:
        raise UsageError("There is no submission to evaluate.")
    answers = answers_of(campaign, runs.shown, blocks)
    cells = answers.confusions(_missing(task))
    class_numbers = numbers_in(class_order(gold.codes, cells))
    entries = _entries(runs, task, gold.is_unit, class_numbers)

    prevalences = task.scored_prevalences
    keys = _keys(task, prevalences, also)
    _check_strays(keys, task, answers)
    _check_whole_confusions(keys, task, len(runs.shown))
    item_scores = _item_scores(campaign, runs.shown)
    competing = np.array(runs.competing, dtype=bool)
    ranked = competing | ~competing.any()  # where nobody competes, metrics still agree or do not
    sources = ScoreSources(task, _gold_counts(gold), cells, item_scores, ranked)
    values = sources.scores(keys, prevalences)
    names = [key.metric for key in keys]
    scales = {name: scale_of(name, labels) for name in dict.fromkeys(names)}
    return Evaluation(
        task=task,
        gold=gold,
        entries=entries,
        cells=cells,
        prevalences=prevalences,
        keys=keys,
        values=values,
        rank_values=ranks_among(goodness(values, names, labels), competing),
        rejections=campaign.rejections,
        ignored=campaign.ignored,
        signature=_signature(task, gold, entries, options),
        uncounted=runs.uncounted,
        journal=campaign.journal,
        answers=answers,
        options=options,
        analyses=makers_of(labels.kind, {}),
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
    labels = task.label_set
    answers = _count_block((gold.codes, predictions, len(labels)), (0, gold.n_items))
    cells = answers.confusions(_missing(task))
    has_all_classes = np.array_equal(np.unique(gold.codes), np.flatnonzero(whole.present))
    prevalences = tuple(each for each in whole.prevalences if has_all_classes or not each.shares)
    names = {prevalence.name for prevalence in prevalences}
    rows = [row for row, key in enumerate(whole.keys) if key.prevalence in names]
    keys = [whole.keys[row] for row in rows]
    sources = ScoreSources(task, _gold_counts(gold), cells, item_scores, whole.ranked)
    values = np.full(whole.values.shape, np.nan)
    values[rows] = sources.scores(keys, prevalences)
    better = goodness(values, [key.metric for key in whole.keys], labels)
    class_numbers = numbers_in(class_order(gold.codes, cells))
    entries = []
    for entry, codes in zip(whole.entries, predictions, strict=True):
        entries.append(replace(entry, **_answered(codes, task, gold.is_unit, class_numbers)))
    return replace(
        whole,
        gold=gold,
        entries=tuple(entries),
        cells=cells,
        prevalences=prevalences,
        values=values,
        rank_values=ranks_among(better, whole.competing),
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
    labels = task.label_set
    n_cells = len(labels) * (len(labels) + 1)
    if n_entries * n_cells <= MOST_WHOLE_CELLS:
        return
    for key in keys:
        if metric_of(key.metric, labels).over == "confusions":
            defect = (
                f"{plural(n_entries, 'entry', 'entries')} and {len(labels):,} labels, with {quoted(str(key))}, which "
                f"looks at {n_cells:,} pairs of gold label and answer"
            )
            most = MOST_WHOLE_CELLS // n_entries
            expected = f"at most {most:,} pairs with so many entries, or another metric"
            issue = Issue.of("too-many-labels", "the campaign", defect, expected=expected)
            raise InputError([issue])


def _missing(task: Task) -> Missing:
    if task.policies.missing == "drop":
        return Missing.DROPPED
    return Missing.WRONG


def _item_scores(
    campaign: Campaign, submissions: Sequence[Submission]
) -> ItemScores | UnitCounts | Numbers | None:
    """The scores of single items, where the task keeps them; the things of each unit with sets; numbers of items."""
    task = campaign.task
    labels = task.label_set
    gold = campaign.gold
    if labels.supports(Feature.NUMBERS):
        return _numbers(gold, submissions, task)
    rows = tuple(submission.scores for submission in submissions)
    if not labels.supports(Feature.UNITS):
        if not task.scored_labels:
            return None
        return ItemScores.of(gold.codes, task.scored_codes, rows)
    units = np.cumsum(gold.is_unit) - 1  # of each item
    counts = UnitCounts.of(
        gold.codes,
        units,
        campaign.codes_of(submissions),
        nothing=len(labels) - 1,
        n_labels=labels.n_scored,
        drops_missing=task.policies.missing == "drop",
    )
    if not task.scored_labels:
        return counts
    has_label = np.zeros((gold.n_units, len(labels)), dtype=bool)
    has_label[units, gold.codes] = True
    return replace(counts, scores=ItemScores(has_label[:, task.scored_codes], rows))


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
    sources = ScoreSources(
        task,
        _gold_counts(campaign.gold),
        cells,
        _item_scores(campaign, submissions),
        ranked=np.ones(len(submissions), dtype=bool),
    )
    scores = sources.scores([key], prevalences)
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
    """The scores of the evaluation: every metric, the official one, those that were asked for, scores of items."""
    labels = task.label_set
    asked_keys = [task.ranking_metric, *(parse_score_key(name, labels) for name in also)]
    for key in asked_keys:
        reason = why_no_item_scores(key, task.scored_labels, labels)
        if reason:
            raise UsageError(f"{reason}. {KEEPING_SCORES}")
    metrics = [key.metric for key in asked_keys]
    metrics += metrics_of_item_scores(task.scored_labels)
    _check_abstention(task, metrics)
    if any(named_metric(metric, labels).of_answered for metric in metrics):
        metrics.append("coverage")  # says beside the score how much was answered
    keys = list(all_keys(labels, prevalences))
    for prevalence in prevalences:
        for metric in metrics:
            is_observed = prevalence.name == OBSERVED.name
            if is_observed or _moves_with_classes(metric, task):
                keys.append(ScoreKey(metric, prevalence.name))
    return tuple(dict.fromkeys((*keys, *asked_keys)))


def _moves_with_classes(metric: str, task: Task) -> bool:
    """Whether a metric has other scores at other prevalences; scores of several labels have none there."""
    labels = task.label_set
    if len(task.scored_labels) > 1 and is_of_item_scores(metric, labels):
        return False
    return metric_of(metric, labels).moves_with_classes


def _check_abstention(task: Task, metrics: Sequence[str]) -> None:
    """Refuse a metric that heeds unanswered items where these are left out before any is scored."""
    if task.policies.missing != "drop":
        return
    for name in metrics:
        if named_metric(name, task.label_set).heeds_abstention:
            raise UsageError(
                f'{quoted(name)} heeds what a team leaves unanswered, and by the policy missing = "drop" missing items '
                'are left out before anything is scored. Write missing = "wrong" under [policies]: this score is told '
                "of them."
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
    if not strays:
        return
    declared = ", ".join(quoted(label) for label in strays[:_STRAYS_SHOWN])
    if len(strays) > _STRAYS_SHOWN:
        declared += f" and {len(strays) - _STRAYS_SHOWN} more"
    for key in keys:
        if named_metric(key.metric, task.label_set).counts_predicted:
            raise UsageError(
                f"{quoted(str(key))} averages over every label that a team predicts, and teams predict "
                f"{plural(len(strays), 'label')} outside the label set: {declared}. Declare them as labels too "
                f"(labels = […] in task.toml, labels=[…] in Python): then each is a class that gold lacks."
            )


_STRAYS_SHOWN = 20


def _entries(runs: Runs, task: Task, is_unit: Bools, numbers: Counts) -> tuple[Entry, ...]:
    n_rows = Counter(submission.team for submission in runs.shown)
    entries = []
    for row in runs.rows:
        alike = []
        for submission, competes in row:
            alike.append(_entry(submission, competes, task, is_unit, numbers))
        first, *same = alike
        name = first.name
        if n_rows[first.team] == 1:
            name = first.team
        entries.append(replace(first, name=name, same=tuple(same)))
    return tuple(entries)


def _entry(
    submission: Submission,
    competes: bool,  # noqa: FBT001 - as a row has it
    task: Task,
    is_unit: Bools,
    numbers: Counts,
) -> Entry:
    """A run as an entry, by the name that tells it from the team's others."""
    name = submission.team
    if submission.run:
        name = f"{submission.team}/{submission.run}"
    path = None
    sha256 = None
    if submission.source:
        path = submission.source.path
        sha256 = submission.source.sha256
    scores_digest = None
    if submission.scores is not None:
        scores_digest = hashlib.sha256(submission.scores.astype("<f8").tobytes()).hexdigest()
    digests = _answered(submission.codes, task, is_unit, numbers)
    digests |= _digest_of_numbers(submission, task)
    return Entry(
        name=name,
        team=submission.team,
        run=submission.run,
        path=path,
        sha256=sha256,
        unusable_labels=submission.unusable_labels,
        issues=submission.issues,
        role=submission.role,
        competes=competes,
        origin=submission.origin,
        scores_digest=scores_digest,
        **digests,
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
    n_missing = int((codes[is_unit] == n_classes).sum())
    if task.policies.missing == "drop":
        scored = codes
        n_dropped = n_missing
    else:
        scored = np.minimum(codes, n_classes)
        n_dropped = 0
    class_numbers = numbers.astype(scored.dtype)[scored]
    return {
        "n_missing": n_missing,
        "n_unusable": int((codes > n_classes).sum()),
        "predictions_digest": hashlib.sha256(scored.tobytes()).hexdigest(),
        "answers_digest": hashlib.sha256(class_numbers.tobytes()).hexdigest(),
        "n_dropped": n_dropped,
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
    names = list(aggregates)
    codes = np.flatnonzero(evaluation.present).tolist()
    if len(codes) <= _MOST_RECALLS:
        names += [metric_name("recall", (code,), task.label_set) for code in codes]
    compared = [ScoreKey(name) for name in dict.fromkeys(names)]
    for name in aggregates:
        calibrated = ScoreKey(name, BALANCED.name)
        if calibrated in evaluation.keys:
            compared.append(calibrated)
    scores = np.stack([evaluation.goodness_of(key)[evaluation.ranked] for key in compared])
    cells = evaluation.cells.of_teams(evaluation.ranked)
    return agreement(tuple(compared), scores, cells, task, evaluation.prevalence_counts)


def _signature(task: Task, gold: Gold, entries: Sequence[Entry], options: Options) -> str:
    """What every score of this evaluation depends on, in one line."""
    entry_facts = [(entry.name, entry.predictions_digest, entry.competes) for entry in entries]
    submissions = hashlib.sha256(repr(entry_facts).encode())
    decimals = "full"
    if task.official_decimals is not None:
        decimals = str(task.official_decimals)
    parts = {
        # a label in it may hold a line break
        "official": visible(str(task.official_metric or "none"), 1000),
        "decimals": decimals,
        "classes": _classes_text(task.label_set, gold),
        "undefined-term": "0",
        "unanswered": _unanswered(task.policies),
        "runs": task.policies.runs,
        "baselines": task.policies.baselines,
        "ties": "shared",
    }
    for prevalence in task.prevalences:
        parts[f"prevalence-{prevalence.name}"] = _shares(prevalence)
    parts |= _option_texts(options, gold, task.label_set)
    parts["gold"] = f"{gold.n_items}:{gold.digest()[:12]}"
    parts["submissions"] = f"{len(entries)}:{submissions.hexdigest()[:12]}"
    if task.scored_labels:
        parts["scores"] = _given_scores(entries, task)
    parts["version"] = __version__
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def _classes_text(labels: LabelSet, gold: Gold) -> str:
    """Which classes an average takes, and their scale, as the signature has it."""
    n_in_gold = int((np.bincount(gold.codes)[: labels.n_scored] > 0).sum())
    text = f"in-gold({n_in_gold}-of-{labels.n_scored})"
    if labels.kind.traits.signature:
        return f"{text},{labels.kind.traits.signature}"
    if labels.rest is not None:
        return f"{text},but({visible(labels.rest, 200)})"
    if labels.scale:
        return f"{text},scale({' '.join(f'{value:g}' for value in labels.scale)})"
    return text


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
    option_texts = {"certainty": "no"}
    if options.certainty:
        option_texts = {"certainty": "yes", "seed": str(options.seed), "drawn": _drawn(gold)}
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
