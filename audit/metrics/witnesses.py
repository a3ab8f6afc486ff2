"""Witnesses: confusions of a campaign on which a metric visibly lacks a property of Opitz 2024, section 3.

A witness is searched for where margins make that cheap, and holds the whole confusions that it compares, so that anyone
can score them again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from audit.domain import Addition, Cells, Demonstration, Evaluation, Witness
from audit.domain.arrays import Bools, Counts, Floats
from audit.metrics.calibration import calibrated_cells, calibrated_margins
from audit.metrics.confusion import Margins
from audit.metrics.metric import Holds, Metric, Properties, chance_bound
from audit.metrics.names import named_metric
from audit.metrics.registry import METRICS, aggregates_on
from audit.metrics.scoring import lost_classes

VISIBLE = 1e-3  # an effect that a reader of three decimals sees

_ROUNDING = 1e-9  # less than this is no effect
_AMOUNTS = (1, 10, 100, 1000)
_PROBES = 4_000
_MARGINS = 1 << 22  # of confusions that are looked at together: 32 MB each
_SEED = 20240416


def _witness(  # noqa: PLR0913, PLR0917 - the parts of a witness
    metric: Metric,
    property_: str,
    cells: Cells,
    teams: Sequence[int],
    additions: Sequence[tuple[Addition, ...]],
    balanced: Sequence[bool] = (),
) -> Witness:
    """A witness with its confusions scored whole, whatever the search made of margins."""
    flags = tuple(balanced) or (False,) * len(teams)
    compared = [_changed(cells.of_teams([team]), added) for team, added in zip(teams, additions, strict=True)]
    pairs = list(zip(compared, flags, strict=True))
    margins = (calibrated_margins(each) if is_balanced else Margins.of_cells(each) for each, is_balanced in pairs)
    scores = np.array([float(metric.kernel(each)[0]) for each in margins])
    shown = tuple(calibrated_cells(each) if is_balanced else each for each, is_balanced in pairs)
    return Witness(metric.slug, property_, tuple(teams), tuple(additions), flags, scores, shown)


def _changed(cells: Cells, additions: Sequence[Addition]) -> Cells:
    for addition in additions:
        gold, predicted = np.array([addition.gold]), np.array([addition.predicted])
        cells = cells.plus(Cells(np.array([[addition.amount]]), gold, predicted, cells.n_classes))
    return cells


def _present(cells: Cells) -> Counts:
    return np.flatnonzero(cells.prevalence.any(axis=0))


def _with_items(base: Margins, gold: Counts, predicted: Counts, amount: Counts) -> Margins:
    """Margins with items added to one cell; gold, predicted and amount have the shape of the leading axes."""
    codes = np.arange(base.correct.shape[-1])
    of_gold, as_answered = codes == gold[..., None], np.arange(codes.size + 1) == predicted[..., None]
    as_predicted, items = as_answered[..., :-1], np.asarray(amount)[..., None]
    return Margins(
        correct=base.correct + items * (of_gold & as_predicted),
        bias=base.bias + items * as_predicted,
        prevalence=base.prevalence + items * of_gold,
        unanswered=base.unanswered + amount * (predicted == codes.size),
        total=base.total + amount,
        averaged=base.averaged,
        made=lambda: base.confusion + items[..., None] * (of_gold[..., :, None] & as_answered[..., None, :]),
    )


def _goodness(metric: Metric, margins: Margins) -> Floats:
    return metric.scale.goodness(metric.kernel(margins))


def _size(metric: Metric, n_classes: int) -> int:
    """How many numbers of one confusion a metric looks at, about."""
    return n_classes * (n_classes + 1 if metric.over == "confusions" else 1)


# PI


def monotonic(metric: Metric, cells: Cells) -> Witness | None:
    """More errors of one kind that better a team's score, or more correct items of a class that worsen it.

    Every cell of every team is tried (of many classes 4 million margins of cells that are drawn), with 1, 10, 100 and
    1,000 items more where that is between a thousandth of the items and all of them: of the smallest number that has a
    visible effect the largest effect on the first team that has one, and otherwise the largest of all.
    """
    n_classes = cells.n_classes
    gold, predicted = _tried(_present(cells), n_classes, len(cells) * _size(metric, n_classes))
    base = Margins.of_cells(cells).at(np.arange(len(cells))[:, None])
    before = _goodness(metric, base)
    best: tuple[float, Addition, int] | None = None
    for amount in amounts_for(int(base.total.max())):
        after = _goodness(metric, _with_items(base, gold, predicted, np.full(gold.shape, amount)))
        wrong_way: Floats = np.nan_to_num(np.where(gold == predicted, before - after, after - before))
        visible = wrong_way.max(axis=-1) >= VISIBLE
        team = int(visible.argmax() if visible.any() else wrong_way.max(axis=-1).argmax())
        cell = int(wrong_way[team].argmax())
        if best is None or wrong_way[team, cell] > best[0]:
            best = float(wrong_way[team, cell]), Addition(int(gold[cell]), int(predicted[cell]), amount), team
        if best[0] >= VISIBLE:
            break
    if best is None or best[0] < _ROUNDING:
        return None
    return _witness(metric, "monotonic", cells, (best[2], best[2]), ((), (best[1],)))


def _tried(codes: Counts, n_classes: int, n_margins: int) -> tuple[Counts, Counts]:
    """The cells of some gold classes, of which each takes so many margins; or as many as memory may hold, drawn."""
    most, n_cells = max(1, _MARGINS // n_margins), codes.size * (n_classes + 1)
    numbers = np.arange(n_cells) if n_cells <= most else None
    if numbers is None:
        numbers = np.sort(np.random.default_rng(_SEED).choice(n_cells, most, replace=False))
    rows, predicted = np.divmod(numbers, n_classes + 1)
    return codes[rows], predicted


def _in_blocks(scores: Callable[[slice], Floats], n_confusions: int, size: int) -> Floats:
    """Scores of many confusions of a size, as many at a time as memory may hold."""
    step = max(1, _MARGINS // size)
    return np.concatenate([scores(slice(start, start + step)) for start in range(0, n_confusions, step)])


def amounts_for(n_items: int) -> list[int]:
    """Numbers of items that are neither lost among the items nor more than all of them."""
    return [amount for amount in _AMOUNTS if amount <= n_items <= 1000 * amount] or [_AMOUNTS[-1]]


# PII


def class_sensitive(metric: Metric, cells: Cells, team: int = 0) -> Witness:
    """What more correct items of one class do to a team's score, and of another: the most and the least.

    A metric that is not class-sensitive is raised alike, whatever the class.
    """
    codes = _present(cells)
    amount = max(1, int(cells.counts[team].sum()) // 100)
    base = Margins.of_cells(cells).at(np.array([team]))

    def after(some: slice) -> Floats:
        return _goodness(metric, _with_items(base, codes[some], codes[some], np.full(codes[some].shape, amount)))

    scores = np.nan_to_num(_in_blocks(after, codes.size, _size(metric, cells.n_classes)))
    most, least = (
        Addition(int(codes[place]), int(codes[place]), amount) for place in (scores.argmax(), scores.argmin())
    )
    return _witness(metric, "class_sensitive", cells, (team,) * 3, ((), (most,), (least,)))


# PIII


def decomposable(metric: Metric, cells: Cells) -> Witness | None:
    """A change to one class that raises or lowers a team's score depending on another class.

    Items answered right and items unanswered concern one class alone. If a score is a mean over classes, whether
    adding some of both to a class raises it cannot depend on what other classes hold. Random numbers of such items are
    tried on random teams and classes; of the visible reversals the one with the fewest items is taken, and otherwise
    the clearest.
    """
    rng = np.random.default_rng(_SEED)
    codes = _present(cells)
    if codes.size < 2:  # noqa: PLR2004 - there is no other class
        return None
    n_probes = min(_PROBES, max(1, _MARGINS // cells.n_classes))
    teams = rng.integers(0, len(cells), n_probes)
    one = rng.integers(0, codes.size, n_probes)
    other = (one + rng.integers(1, codes.size, n_probes)) % codes.size
    one, other, nobody = codes[one], codes[other], np.full(n_probes, cells.n_classes)
    most = 4 * np.maximum(cells.prevalence[teams[:, None], np.stack([one, other], axis=-1)], 1)
    right, unanswered, other_right, other_unanswered = (
        _round(most[:, column] ** rng.random(n_probes)) for column in (0, 0, 1, 1)
    )
    only = rng.random(n_probes)
    other_right, other_unanswered = np.where(only < 0.4, 0, other_right), np.where(only > 0.6, 0, other_unanswered)  # noqa: PLR2004 - two fifths have items of one kind only

    def effects(some: slice) -> Floats:
        def added(margins: Margins, code: Counts, *amounts: Counts) -> Margins:
            for answer, amount in zip((code, nobody), amounts, strict=True):
                margins = _with_items(margins, code[some], answer[some], amount[some])
            return margins

        base = Margins.of_cells(cells).at(teams[some])
        both = base, added(base, other, other_right, other_unanswered)
        return np.stack(
            [metric.kernel(added(each, one, right, unanswered)) - metric.kernel(each) for each in both], axis=-1
        )

    effect, effect_beside = _in_blocks(effects, n_probes, _size(metric, cells.n_classes)).T
    clear = np.nan_to_num(np.where(effect * effect_beside < 0, np.minimum(abs(effect), abs(effect_beside)), 0))
    n_items = right + unanswered + other_right + other_unanswered
    visible = clear >= VISIBLE
    best = int(np.where(visible, n_items, np.inf).argmin() if visible.any() else clear.argmax())
    if clear[best] < _ROUNDING:
        return None
    change = _additions(one[best], nobody[best], right[best], unanswered[best])
    elsewhere = _additions(other[best], nobody[best], other_right[best], other_unanswered[best])
    additions = ((), change, elsewhere, (*elsewhere, *change))
    return _witness(metric, "decomposable", cells, (int(teams[best]),) * 4, additions)


def _round(amounts: Floats) -> Counts:
    """Numbers of items with one significant digit."""
    unit = 10 ** np.floor(np.log10(amounts))
    return np.asarray(np.round(amounts / unit) * unit, dtype=np.int64)


def _additions(code: int, nobody: int, right: int, unanswered: int) -> tuple[Addition, ...]:
    cells = ((int(code), int(right)), (int(nobody), int(unanswered)))
    return tuple(Addition(int(code), predicted, amount) for predicted, amount in cells if amount)


# PIV


def prevalence_invariant(metric: Metric, cells: Cells) -> Witness | None:
    """A witness: teams that change places when all classes have the same mass, or a team whose score changes."""
    observed = _goodness(metric, Margins.of_cells(cells))
    balanced = _goodness(metric, calibrated_margins(cells))
    leads = (scores[:, None] - scores[None, :] for scores in (observed, balanced))
    swaps = np.nan_to_num(np.minimum(next(leads), -next(leads)))
    ahead, behind = map(int, np.unravel_index(int(swaps.argmax()), swaps.shape))
    if swaps[ahead, behind] > _ROUNDING:
        teams, at = (ahead, behind, ahead, behind), (False, False, True, True)
        return _witness(metric, "prevalence_invariant", cells, teams, ((),) * 4, at)
    moved = np.nan_to_num(abs(balanced - observed))
    team = int(moved.argmax())
    if moved[team] < _ROUNDING:
        return None
    return _witness(metric, "prevalence_invariant", cells, (team, team), ((),) * 2, (False, True))


# PV


def chance_corrected(metric: Metric, cells: Cells, counted: Bools | None = None) -> Witness | None:
    """A chance classifier that exceeds the bound which the classes that count give, by default all in gold.

    Tried are those that always give one class, and one that gives each as often as gold has it.

    The best of them; None where none exceeds the bound.
    """
    prevalence = cells.prevalence[0]
    codes, present = np.flatnonzero(prevalence), prevalence > 0

    def scores_of(some: slice) -> Floats:
        answers = np.stack([_chance_answers(prevalence, codes, number) for number in range(codes.size + 1)[some]])
        shares, gold = np.pad(answers, ((0, 0), (0, 1))), np.broadcast_to(prevalence, answers.shape)
        cells = partial(np.multiply, prevalence[:, None], shares[:, None])
        return metric.kernel(Margins.of_answers(prevalence * answers, prevalence.sum() * shares, gold, cells))

    turned = metric.scale.goodness(_in_blocks(scores_of, codes.size + 1, _size(metric, present.size)))
    bound = chance_bound(metric, present if counted is None else counted)
    best = int(np.nan_to_num(turned, nan=-np.inf).argmax())
    if not turned[best] > metric.scale.goodness(bound) + _ROUNDING:
        return None
    chance = np.stack([_chance_answers(prevalence, codes, best), prevalence])
    always, score = int(codes[best]) if best < codes.size else None, metric.scale.goodness(turned[[best]])
    return Witness(metric.slug, "chance_corrected", (-1,), ((),), (False,), score, (), chance, always)


def _chance_answers(prevalence: Counts, codes: Counts, number: int) -> Floats:
    """How often each class is answered: always that of this number, or after the last each as often as gold has it."""
    if number == codes.size:
        return np.asarray(prevalence / prevalence.sum())
    always = np.zeros(prevalence.size)
    always[codes[number]] = 1.0
    return always


SEARCHES: Mapping[str, Callable[[Metric, Cells], Witness | None]] = MappingProxyType(
    {
        "monotonic": monotonic,
        "class_sensitive": lambda metric, confusions: (
            None if np.ptp((found := class_sensitive(metric, confusions)).scores[1:]) > _ROUNDING else found
        ),
        "decomposable": decomposable,
        "prevalence_invariant": prevalence_invariant,
        "chance_corrected": chance_corrected,
    }
)
"""For each property what looks for a witness that a metric lacks it on these confusions."""


def demonstrate(evaluation: Evaluation) -> tuple[Demonstration, ...]:
    """Every aggregate metric × property, with a witness where the metric lacks the property and this campaign shows it.

    By metric whose properties are known, then by property, in the order of the registry.
    """
    able = evaluation.competing & ~lost_classes(evaluation.cells, evaluation.present)
    # Ranked first to last, so that of equal witnesses the better team's is shown.
    teams = np.array([team for team in evaluation.order(evaluation.task.ranking_metric, by_answers=True) if able[team]])
    return tuple(
        _demonstration(evaluation, metric, field.name, teams)
        for metric in aggregates_on(evaluation.task.label_set)
        if metric.properties is not None and not evaluation.task.label_set.is_of_sets  # they are those of confusions
        for field in fields(Properties)
    )


def _demonstration(evaluation: Evaluation, metric: Metric, property_: str, teams: "np.ndarray") -> Demonstration:
    if getattr(metric.properties, property_) is Holds.YES or not teams.size:
        return Demonstration(metric.slug, property_, None)
    named = named_metric(metric.slug, evaluation.task.label_set)
    if property_ == "chance_corrected":
        witness = chance_corrected(named.whole, evaluation.cells.of_teams(teams), classes_counted(evaluation, metric))
    else:
        witness = SEARCHES[property_](named.whole, evaluation.cells.of_teams(teams))
    if witness is not None:
        witness = replace(witness, teams=tuple(int(teams[team]) if team >= 0 else -1 for team in witness.teams))
    return Demonstration(metric.slug, property_, witness)


def classes_counted(evaluation: Evaluation, metric: Metric) -> Bools:
    """The classes that a metric averages over here, or looks at where it averages over none, shape (C,)."""
    return np.asarray(evaluation.averaged if metric.averages else evaluation.present)


def holds(demonstration: Demonstration) -> Holds:
    """Whether the metric has the property in general."""
    mark: Holds = getattr(METRICS[demonstration.metric].properties, demonstration.property_)
    return mark
