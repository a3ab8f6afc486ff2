"""Flags about the data: the classes of gold, and what the submissions answer."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from audit.domain import (
    BALANCED,
    COUNTED_AS,
    OBSERVED,
    Evaluation,
    Feature,
    Role,
    ScoreKey,
    Severity,
    Undefined,
)
from audit.domain.arrays import Bools, Floats
from audit.domain.numbers import Numbers
from audit.findings.flag_kind import Fired, flag
from audit.findings.shown_intervals import shown_intervals
from audit.findings.wording import (
    beyond,
    classes_averaged,
    entrants,
    gold_things,
    have,
    name,
    names,
    of,
    plain_names,
    share_of_items,
)
from audit.metrics import (
    Holds,
    Margins,
    Metric,
    chance_bound,
    metric_of,
    named_metric,
    prevalence_shares,
)
from audit.ranking.ranks import TIE_TOLERANCE
from audit.sentences import say
from audit.text import agreeing, listed, nearest, number, plural, quoted

RULES_PLACE = 110

RARE = 20
VERY_RARE = 10
_SHOWN = 5
_ASKED = 3
_LABEL = 30  # characters


def _is_system(evaluation: Evaluation) -> Bools:
    """The entries that are no baselines, of which nobody expects more than what they are, shape (T,)."""
    return np.array([entry.role != Role.BASELINE for entry in evaluation.entries], dtype=bool)


@flag(
    "at-or-below-chance",
    "Submissions at or below chance",
    Severity.NOTE,
    "every-metric",
    needs=Feature.CHANCE,
)
def at_or_below_chance(evaluation: Evaluation) -> Fired | None:
    """The submissions that are no better than an answer that does not look at the items; None for sets, without chance.

    Fires when a submission’s score by the ranking metric is not above the level of chance: by accuracy the share of
    the largest class among the items scored, by an average over k classes 1/k, or less where precision counts and
    classes of gold are left out, by kappa and MCC 0; or when its kappa is not above 0. Baselines are left out.
    """
    key = evaluation.task.ranking_metric
    kappa = evaluation.scores_of(ScoreKey("kappa"))
    is_system = _is_system(evaluation)
    scores = evaluation.scores_of(key)
    most = chance_levels(evaluation, key)
    by_score = (
        evaluation.goodness_of(key) <= evaluation.goodness(key, most) + TIE_TOLERANCE
    ) & is_system
    by_kappa = (kappa <= TIE_TOLERANCE) & is_system
    teams = np.flatnonzero(by_score | by_kappa).tolist()
    if not teams:
        return None
    without = np.flatnonzero(by_kappa).tolist()
    if without:
        no_agreement = f"Kappa is not above 0 for {names(evaluation, without, limit=8)}."
    else:
        no_agreement = ""
    return Fired(
        sentence=f"{_not_above(evaluation, np.flatnonzero(by_score).tolist())} {no_agreement}".strip(),
        remedy=_at_chance(evaluation, teams),
        evidence={
            "metric": str(key),
            "submissions": [
                {
                    "team": evaluation.names[team],
                    "score": float(scores[team]),
                    "chance": None if np.isnan(most[team]) else float(most[team]),
                    "kappa": float(kappa[team]),
                    "score_at_or_below": bool(by_score[team]),
                    "kappa_at_or_below": bool(by_kappa[team]),
                }
                for team in teams
            ],
        },
    )


def _at_chance(evaluation: Evaluation, teams: list[int]) -> str:
    """What to do about teams at chance: look for broken files."""
    are = agreeing(len(teams), "is", "are")
    return f"{names(evaluation, teams, _ASKED)} {are} at chance level: check for swapped labels or misaligned lines."


@flag(
    "not-significantly-above-chance",
    "Submissions not significantly above chance",
    Severity.NOTE,
    "every-metric",
    needs=Feature.CHANCE,
)
def not_significantly_above_chance(evaluation: Evaluation) -> Fired | None:
    """The submissions that score better than chance, but not significantly.

    Fires when a submission’s score by the ranking metric is better than the level of chance (as for at-or-below-chance)
    and its 95% interval contains that level. Baselines are left out.
    """
    key = evaluation.task.ranking_metric
    intervals = shown_intervals(evaluation, key)
    if intervals is None:
        return None
    level = chance_levels(evaluation, key)
    is_better = evaluation.goodness_of(key) > evaluation.goodness(key, level) + TIE_TOLERANCE
    contains_level = (intervals.lower <= level) & (level <= intervals.upper)
    teams = np.flatnonzero(is_better & contains_level & _is_system(evaluation)).tolist()
    if not teams:
        return None
    levels = sorted({number(each) for each in level[teams].tolist()})
    return Fired(
        sentence=say(
            f"{plural(len(teams), 'submission')} {agreeing(len(teams), 'is', 'are')} not significantly "
            f"{beyond(evaluation, key)} chance by {of(evaluation, key)} ({listed(levels, 'or')}, which "
            f"{agreeing(len(teams), 'its 95% interval contains', 'their 95% intervals contain')}): "
            f"{names(evaluation, teams, limit=8)}."
        ),
        remedy=say("Do not write that these systems are better than chance."),
        evidence={
            "metric": str(key),
            "submissions": [
                {
                    "team": evaluation.names[team],
                    "score": float(evaluation.scores_of(key)[team]),
                    "chance": float(level[team]),
                    "lower": float(intervals.lower[team]),
                    "upper": float(intervals.upper[team]),
                }
                for team in teams
            ],
        },
    )


def chance_levels(evaluation: Evaluation, key: ScoreKey) -> Floats:
    """The best that an answer that does not look at the items can be expected to score, shape (T,).

    By accuracy it is the share of the largest class among the items that are scored; by an average over m classes 1/m,
    or less where classes of gold are left out; by kappa and MCC 0. NaN for weighted F1 and the score of a class, which
    have no such bound.
    """
    named = named_metric(key.metric, evaluation.task.label_set)
    n_teams = len(evaluation.entries)
    if named.metric.by_largest_class:
        return np.asarray(_shares(evaluation, key.prevalence).max(axis=-1))
    properties = named.metric.properties
    undefined = named.reading.undefined
    if key.prevalence == BALANCED.name:
        bounded = {Holds.YES, Holds.CALIBRATED}
    else:
        bounded = {Holds.YES}
    if (
        properties is None
        or properties.chance_corrected not in bounded
        or undefined is not Undefined.ZERO
    ):
        return np.full(n_teams, np.nan)
    averaged = np.asarray(named.margins(Margins.of_cells(evaluation.cells)).averaged.any(axis=0))
    if named.counts_predicted:  # over more classes the bound is lower
        averaged &= evaluation.present
    n_averaged = int(averaged.sum())
    around_zero = named.metric.lower < 0
    # over one class alone the bound is 1: it says nothing
    if not n_averaged or (n_averaged == 1 and not around_zero):
        return np.full(n_teams, np.nan)
    if around_zero or averaged[evaluation.present].all():
        return np.full(n_teams, chance_bound(named.metric, averaged))
    return _best_without_a_look(evaluation, named.metric, averaged, key.prevalence)


def _best_without_a_look(
    evaluation: Evaluation, metric: Metric, averaged: Bools, prevalence: str
) -> Floats:
    """The best that is expected by an average that leaves out classes of gold, shape (T,).

    Items of a class that is left out are false alarms of whatever is answered, so that less than 1/m is in reach where
    precision counts. F scores and precisions are highest where each class is answered as often as gold has it among
    those averaged over, means of recalls where all are answered equally often.
    """
    every = _shares(evaluation, prevalence)
    best = np.full(len(evaluation.entries), np.nan)
    scored = ~np.isnan(every).any(axis=-1)
    shares = every[scored]
    kept = np.where(averaged, shares, 0.0)
    answers = np.stack([kept, (kept > 0).astype(np.float64)])
    answers /= np.maximum(answers.sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
    cells = shares[..., None] * answers[..., None, :]
    confusions = np.concatenate([cells, np.zeros((*cells.shape[:-1], 1))], axis=-1)
    margins = Margins.of(confusions, np.broadcast_to(averaged, answers.shape))
    scale = metric.scale
    best[scored] = scale.goodness(scale.goodness(metric.kernel(margins)).max(axis=0))
    return best


def _shares(evaluation: Evaluation, prevalence: str) -> Floats:
    """Share of each class among the items that each entry is scored on, at a prevalence, shape (T, C); NaN of none."""
    counts = evaluation.cells.prevalence
    if prevalence == OBSERVED.name:
        n_items = counts.sum(axis=-1, keepdims=True)
        return np.asarray(
            np.divide(counts, n_items, out=np.full(counts.shape, np.nan), where=n_items > 0)
        )
    declared = next(item for item in evaluation.prevalences if item.name == prevalence)
    shares = prevalence_shares(declared, evaluation.prevalence_counts, evaluation.task.label_set)
    return np.broadcast_to(shares, counts.shape)


def chance_name(evaluation: Evaluation, key: ScoreKey) -> str:
    """What the level of chance by a score is, in words."""
    share = (
        metric_of(key.metric, evaluation.task.label_set).by_largest_class
        and key.prevalence == OBSERVED.name
    )
    if share:
        return "the share of the largest class"
    return "the level of chance"


def _not_above(evaluation: Evaluation, teams: list[int]) -> str:
    """A sentence with the entries not above chance by the ranking metric, and the level of chance."""
    if not teams:
        return ""
    key = evaluation.task.ranking_metric
    levels = {number(level) for level in chance_levels(evaluation, key)[teams].tolist()}
    return (
        f"{plural(len(teams), 'submission')} {agreeing(len(teams), 'scores', 'score')} no better than chance "
        f"by {of(evaluation, key)} "
        f"({listed(sorted(levels), 'or')}, {chance_name(evaluation, key)}): {names(evaluation, teams, limit=8)}."
    )


def equal_to_gold(evaluation: Evaluation) -> list[int]:
    """Entries with the gold label of every item. Nearly every label is no sign of a copy: a task may be that easy."""
    if isinstance(evaluation.item_scores, Numbers):
        alike = evaluation.item_scores.equal_gold & _is_system(evaluation)
        return np.flatnonzero(alike).tolist()
    right = evaluation.cells.correct.sum(axis=1)
    return np.flatnonzero((right == evaluation.gold.n_items) & _is_system(evaluation)).tolist()


@flag(
    "answers-equal-gold",
    "A submission whose answers equal gold’s exactly",
    Severity.NOTE,
    "ranking",
    needs=Feature.CLASSES,
)
def answers_equal_gold(evaluation: Evaluation) -> Fired | None:
    """The submissions that give every item its gold label, unless that is accepted.

    Fires when a submission that is no baseline gives every item its gold label. It may be a copy of the gold file,
    or of a system that had seen it, and then its first place is none: the verdict asks. Nearly all labels are no
    copy. Not where task.toml accepts such answers (gold_copy = "accept"); else a file that says what the
    gold file says in its columns and order is not even loaded.
    """
    teams = equal_to_gold(evaluation)
    if not teams or evaluation.task.policies.gold_copy == "accept":
        return None
    have_equal = f"{have(len(teams), 'submission')} the gold label for every item"
    return Fired(
        sentence=f"{have_equal}: {names(evaluation, teams, limit=_SHOWN)}. A copy of the gold file looks like this.",
        remedy=_ask_about_copies(evaluation, teams),
        evidence={"submissions": [{"team": evaluation.names[team]} for team in teams]},
    )


def _ask_about_copies(evaluation: Evaluation, teams: list[int]) -> str:
    if len(teams) == 1:
        agree = "agrees"
        copy = "it is a copy"
    else:
        agree = "agree"
        copy = "they are copies"
    return (
        f"{names(evaluation, teams, _ASKED)} {agree} with gold on all {evaluation.gold.n_items:,} items: check whether "
        f'{copy}; gold_copy = "accept" under [policies] ends the question.'
    )


@flag("identical-submissions", "Identical predictions of different teams", Severity.NOTE, "data")
def identical_submissions(evaluation: Evaluation) -> Fired | None:
    """The groups of teams that submitted identical predictions.

    Fires when different teams give the same label to every item. Files may differ in their bytes.
    """
    # The digest takes every unanswered item for the same; a label outside the label set is not the same as none.
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for team, entry in enumerate(evaluation.entries):
        alike[entry.predictions_digest, entry.n_missing, entry.unusable_labels].append(team)
    groups = [
        group
        for group in alike.values()
        if len({evaluation.entries[team].team for team in group}) > 1
    ]
    if not groups:
        return None
    clauses = [names(evaluation, group) for group in groups]
    return Fired(
        sentence=f"{clauses[0]} submitted identical predictions."
        if len(groups) == 1
        else f"{len(groups)} groups of teams submitted identical predictions: {'; '.join(clauses[:_SHOWN])}.",
        remedy=f"{'; so did '.join([f'{clauses[0]} submitted identical predictions', *clauses[1:_ASKED]])}: ask the "
        "teams, or report it.",
        evidence={
            "groups": [
                {
                    "teams": plain_names(evaluation, group),
                    "baselines": plain_names(
                        evaluation, [team for team in group if not _is_system(evaluation)[team]]
                    ),
                    "files": [run.path for run in runs],
                    "byte_identical": len({run.sha256 for run in runs}) == 1
                    and runs[0].sha256 is not None,
                }
                for group in groups
                for runs in [[run for team in group for run in evaluation.entries[team].runs]]
            ]
        },
    )


@flag("unanswered-items", "Unanswered items", Severity.NOTE, "data")
def unanswered_items(evaluation: Evaluation) -> Fired | None:
    """The submissions that leave items unanswered, which count as wrong.

    Fires when a submission gives no answer, or a label outside the label set, for some item that its scores do not
    leave out. The item counts as wrong.
    """
    entries = evaluation.entries
    wrong = [entry.n_unanswered - entry.n_dropped for entry in entries]
    teams = sorted(
        (team for team, n_wrong in enumerate(wrong) if n_wrong), key=lambda team: -wrong[team]
    )
    if not teams:
        return None
    clauses = [f"{name(evaluation, team)} ({_unanswered(evaluation, team)})" for team in teams]
    key = evaluation.task.ranking_metric
    heeds_abstention = named_metric(key.metric, evaluation.task.label_set).heeds_abstention
    treatment, paper = _counted(evaluation)
    return Fired(
        sentence=f"{have(len(teams), 'submission')} unanswered items, {treatment}: {listed(clauses, limit=_SHOWN)}.",
        remedy=f"Print how many items each team left unanswered: {listed(clauses, limit=_ASKED)}."
        if heeds_abstention
        else " ".join(_ask_about_answers(evaluation, teams)),
        paper=paper,
        evidence={
            **({"counted": treatment} if heeds_abstention else {}),
            "submissions": [
                {
                    "team": entries[team].name,
                    "missing": entries[team].n_missing - entries[team].n_dropped,
                    "unusable": entries[team].n_unusable,
                    "unusable_labels": dict(entries[team].unusable_labels),
                }
                for team in teams
            ],
        },
    )


def _ask_about_answers(evaluation: Evaluation, teams: Sequence[int]) -> Iterator[str]:
    """What to ask the teams that left items unanswered, and those that gave labels outside the label set."""
    missing = {
        team: evaluation.entries[team].n_missing - evaluation.entries[team].n_dropped
        for team in teams
    }
    silent = sorted((team for team in teams if missing[team]), key=lambda team: -missing[team])
    if silent:
        shares = (share_of_items(missing[team] / evaluation.gold.n_units) for team in silent)
        counts = [
            f"{missing[team]:,}{{}} ({share})" for team, share in zip(silent, shares, strict=True)
        ]
        first = counts[0].format(agreeing(missing[silent[0]], " item", " items"))
        left = [f"{name(evaluation, silent[0])} left {first} unanswered"]
        left += [
            f"{name(evaluation, team)} {n.format('')}"
            for team, n in zip(silent[1:], counts[1:], strict=True)
        ]
        count = agreeing(sum(missing.values()), "it counts", "they count")
        as_what = COUNTED_AS.get(evaluation.task.policies.missing, COUNTED_AS["wrong"])
        teams_asked = agreeing(len(silent), "team", "teams")
        yield f"{listed(left, limit=_ASKED)}; {count} as {as_what}. Ask the {teams_asked}."
    unusable = {
        team: evaluation.entries[team].n_unusable
        for team in teams
        if evaluation.entries[team].n_unusable
    }
    if unusable:
        most, *others = unusable
        given = [f"{plural(unusable[most], 'label')} of {name(evaluation, most)}"]
        given += [f"{unusable[team]:,} of {name(evaluation, team)}" for team in others]
        outside = _label_outside(evaluation, most)
        if others:  # each team has its own
            labels = [_label_outside(evaluation, team) for team in unusable]
            given = [f"{told}{label}" for told, label in zip(given, labels, strict=True)]
            outside = ""
        if sum(unusable.values()) == 1:
            are = "is"
            them = "it"
        else:
            are = "are"
            them = "them"
        yield (
            f"{listed(given, limit=_ASKED)} {are} outside the label set{outside}: ask, or "
            f"accept {them} under [aliases]."
        )


def _label_outside(evaluation: Evaluation, team: int) -> str:
    """The label outside the label set that a team gives most, and which one may be meant; nothing for none."""
    unusable = dict(evaluation.entries[team].unusable_labels)
    written = max(unusable, key=lambda label: (unusable[label], label), default=None)
    near = nearest(written or "", evaluation.task.label_set.labels)
    if near is not None:
        meant = f"; was {quoted(near, _LABEL)} meant?"
    else:
        meant = ""
    if written is None:
        return ""
    return f" ({quoted(written, _LABEL)}{meant})"


def _counted(evaluation: Evaluation) -> tuple[str, str]:
    """How unanswered items count, and a sentence for the paper."""
    key = evaluation.task.ranking_metric
    named = named_metric(key.metric, evaluation.task.label_set)
    if not named.heeds_abstention:
        as_what = COUNTED_AS.get(evaluation.task.policies.missing, COUNTED_AS["wrong"])
        if as_what != COUNTED_AS["wrong"]:
            return f"which count as {as_what}", f"Items without a number count as {as_what}."
        paper = "Items without a usable answer count as errors."
        return "which count as wrong", paper
    if named.of_answered:
        how = "leaves out"
    else:
        how = "counts in its own way"
    treatment = f"which {of(evaluation, key)} {how}; by other scores they count as wrong"
    return treatment, f"Items without a usable answer are such as {of(evaluation, key)} {how}."


def _unanswered(evaluation: Evaluation, team: int) -> str:
    entry = evaluation.entries[team]
    n_missing = entry.n_missing - entry.n_dropped
    parts = [
        f"{n_missing:,} missing" if n_missing else "",
        f"{entry.n_unusable:,} outside the label set" if entry.n_unusable else "",
        share_of_items((n_missing + entry.n_unusable) / evaluation.gold.n_units),
    ]
    return ", ".join(part for part in parts if part)


@flag(
    "class-never-predicted",
    "A class that a team never predicts",
    Severity.NOTE,
    "classes",
    needs=Feature.CLASSES,
)
def class_never_predicted(evaluation: Evaluation) -> Fired | None:
    """The teams that never predict a class that gold has.

    Fires when a submission that is no baseline never predicts a class that gold has. Its precision and F1 of that
    class are 0 in every average.
    """
    never = (evaluation.cells.answers[:, :-1] == 0) & evaluation.present
    never &= _is_system(evaluation)[:, None]
    teams = np.flatnonzero(never.any(axis=1)).tolist()
    if not teams:
        return None
    label_set = evaluation.task.label_set
    worded = evaluation.task.label_set.worded
    classes = {team: np.flatnonzero(never[team]).tolist() for team in teams}
    clauses = [
        f"{name(evaluation, team)} ({listed([quoted(label_set.named[code], 30) for code in classes[team]], limit=3)})"
        for team in teams
    ]
    return Fired(
        sentence=f"{plural(len(teams), 'submission')} never {agreeing(len(teams), 'predicts', 'predict')} some "
        f"{label_set.noun} of gold: {listed(clauses, limit=_SHOWN)}.",
        remedy=worded(
            "Say what an average does with such a class: here its precision and F1 count as 0."
        ),
        paper=worded("The precision and F1 of a class that a system never predicts count as 0."),
        evidence={
            "submissions": [
                {
                    "team": evaluation.names[team],
                    "classes": [label_set.labels[code] for code in classes[team]],
                }
                for team in teams
            ]
        },
    )


@flag(
    "class-without-gold",
    "A class of the label set without gold items",
    Severity.NOTE,
    "classes",
    needs=Feature.CLASSES,
)
def class_without_gold(evaluation: Evaluation) -> Fired | None:
    """The classes of the label set that gold lacks.

    Fires when the label set has a class that no gold item belongs to. It joins no average, and predicting it is a
    mistake.
    """
    codes = np.flatnonzero(~evaluation.present[: evaluation.task.label_set.n_scored]).tolist()
    if not codes:
        return None
    label_set = evaluation.task.label_set
    named, labels = ([each[code] for code in codes] for each in (label_set.named, label_set.labels))
    predicted = evaluation.cells.answers[:, codes].sum(axis=1)
    n_teams = int((predicted > 0).sum())
    return Fired(
        sentence=f"{plural(len(labels), label_set.noun, label_set.nouns)} of the label set "
        f"{agreeing(len(labels), 'has', 'have')} no gold item: "
        f"{listed([quoted(label, 30) for label in named], limit=_SHOWN)}; {entrants(evaluation, n_teams)} "
        f"{agreeing(n_teams, 'predicts', 'predict')} {agreeing(len(labels), 'it', 'them')} all the same.",
        remedy=f"Say that averages run over {classes_averaged(evaluation, 'the classes in gold')}, or correct the "
        "label set.",
        paper="Averages run over "
        f"{classes_averaged(evaluation, f'the {int(evaluation.averaged.sum())} classes that occur in gold')}.",
        evidence={
            "classes": labels,
            "items_predicted": dict(zip(evaluation.names, predicted.tolist(), strict=True)),
        },
    )


@flag("rare-class", "Rare classes", Severity.NOTE, "classes", needs=Feature.CLASSES)
def rare_class(evaluation: Evaluation) -> Fired | None:
    """The classes that have too few gold items for a claim.

    Fires when a class has fewer than 20 gold items, and says which have fewer than 10. One item then moves its
    recall by more than .05, and every macro average with it.
    """
    counts = evaluation.prevalence_counts
    label_set = evaluation.task.label_set
    counts = counts[: label_set.n_scored]
    codes = np.flatnonzero((counts > 0) & (counts < RARE))
    if not codes.size:
        return None
    ordered = codes[np.argsort(counts[codes], kind="stable")].tolist()
    clauses = [f"{quoted(label_set.named[code], 30)} ({counts[code]})" for code in ordered]
    sizes = [
        f"{quoted(label_set.named[code], 30)} ({plural(int(counts[code]), gold_things(evaluation).removesuffix('s'))})"
        for code in ordered
    ]
    n_very_rare = int((counts[codes] < VERY_RARE).sum())
    things = gold_things(evaluation)
    classes = have(len(ordered), label_set.noun, label_set.nouns)
    if n_very_rare:
        very_rare = f", {n_very_rare} of them fewer than {VERY_RARE}"
    else:
        very_rare = ""
    return Fired(
        sentence=f"{classes} fewer than {RARE} gold {things}{very_rare}: {listed(clauses, limit=_SHOWN)}.",
        remedy=f"Report the small size of {agreeing(len(ordered), label_set.noun, label_set.nouns)} "
        f"{listed(sizes, limit=_ASKED)}.",
        evidence={
            "classes": [
                {"label": label_set.labels[code], "gold_items": int(counts[code])}
                for code in ordered
            ]
        },
    )
