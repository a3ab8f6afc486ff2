"""Figures of the two macro F1s: one against the other, and what parts them."""

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Floats
from audit.flags.wording import entrant, shown_name
from audit.metrics import BOTH_MACRO_F1, Margins, gap_by_class_pair
from audit.report.figures.common import NARROW, is_wide, label_of, name_of, score_text
from audit.report.figures.label_places import place_names
from audit.report.figures.metric_figures import cell_grid, write_cells
from audit.report.figures.style import ACCENT, CLASSES, LINE, MARKERS, QUIET, dots, new_figure, score_ticks, shade_of
from audit.report.table_printing import BEST_SHOWN, FEW, class_scores
from audit.text import agreeing, listed, plural, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AVERAGED, _OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)
_MOST_FLIPS = 200
_FENCE = 1.5  # quartile distances below the first quartile, as in a box plot
_NAME_SIZE, _CLASS_SIZE = 6.5, 6.0
_LEAST = 0.005  # half a percent prints as 1
_MOST_FAR = 6  # of many classes, those that get a name


def _macro_f1_pair(evaluation: Evaluation) -> tuple[Floats, Floats]:
    return evaluation.scores_of(_AVERAGED), evaluation.scores_of(_OF_AVERAGES)


def defined(evaluation: Evaluation) -> bool:
    """Whether some competing team has both scores."""
    return bool(_with_both(evaluation).any())


def _with_both(evaluation: Evaluation) -> NDArray[np.bool_]:
    """Which competing teams have both scores, shape (T,)."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    return np.asarray(evaluation.competing & ~np.isnan(averaged) & ~np.isnan(of_averages))


def flips(evaluation: Evaluation) -> list[tuple[int, int]]:
    """Pairs of competing teams that the two definitions order differently."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    teams = np.flatnonzero(_with_both(evaluation))
    one = averaged[teams, None] - averaged[teams]
    other = of_averages[teams, None] - of_averages[teams]
    first, second = np.nonzero(np.triu((one * other < 0) & (np.abs(one) > 1e-12) & (np.abs(other) > 1e-12)))  # noqa: PLR2004 - ties
    return list(zip(teams[first].tolist(), teams[second].tolist(), strict=True))


def draw_scatter(evaluation: Evaluation, width: float, *, full: bool = False) -> "Figure":
    """F1 of averages over averaged F1, with the diagonal, and the flips joined."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    teams = _scattered(evaluation, full=full)
    figure = new_figure(width, width * (0.72 if is_wide(width) and not full else 1.0))
    axes = figure.subplots()
    (low, right), high = (limit(averaged[teams]) for limit in (np.min, np.max)), float(np.max(of_averages[teams]))
    edge = max(0.005, 0.06 * (high - low))
    lines = [np.array([(low - edge, low - edge), (high + edge, high + edge)])]
    axes.plot(*lines[0].T, color=LINE, linewidth=1.0, zorder=1)
    points = np.stack([averaged, of_averages], axis=-1)
    joined = [pair for pair in flips(evaluation) if set(pair) <= set(teams)]
    for pair in joined[:_MOST_FLIPS]:
        lines.append(points[list(pair)])
        axes.plot(*points[list(pair)].T, color=QUIET, linewidth=0.5, zorder=2)
    for hollow in (False, True):
        group = [team for team in teams if evaluation.competing[team] != hollow]
        dots(axes, averaged[group], of_averages[group], hollow=hollow)
    score_ticks(axes.xaxis)
    score_ticks(axes.yaxis)
    axes.set_xlabel("Averaged F1")
    axes.set_ylabel("F1 of averages")
    axes.set_xlim(low - edge, right + edge)
    axes.set_ylim(low - edge, high + edge)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    ranks = evaluation.ranks_of(_AVERAGED)
    names = [(name_of(evaluation, team, width), *([f"{ranks[team]}"] if ranks[team] else ())) for team in teams]
    place_names(axes, points[teams], names, _NAME_SIZE, lines)
    return figure


def _scattered(evaluation: Evaluation, *, full: bool = False) -> list[int]:
    """The teams drawn: first those that are best by either score, then the others in their order."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    able = ~np.isnan(averaged) & ~np.isnan(of_averages)
    n_able = int((able & evaluation.competing).sum())
    first = [team for key in (_AVERAGED, _OF_AVERAGES) for team in evaluation.winners(key)]
    order = dict.fromkeys([*first, *evaluation.order(_AVERAGED)])
    least = _shown_from(evaluation)
    teams = [team for team in order if able[team] and averaged[team] >= least]
    return teams if full or n_able <= FEW else teams[:BEST_SHOWN]


def _shown_from(evaluation: Evaluation) -> float:
    """The start of the axes: teams far below the bulk would press all others into a corner."""
    averaged = _macro_f1_pair(evaluation)[0][evaluation.competing]
    quarter, three_quarters = np.nanquantile(averaged, (0.25, 0.75))
    fence = quarter - _FENCE * (three_quarters - quarter)
    return float(np.nanmin(averaged[averaged >= fence]))


def scatter_caption(evaluation: Evaluation) -> str:
    """How many pairs swap, and who wins by which."""
    n_flips = len(flips(evaluation))
    first = [
        listed([shown_name(evaluation, team) for team in evaluation.winners(key)], limit=3)
        for key in (_AVERAGED, _OF_AVERAGES)
    ]
    pairs = f"{plural(n_flips, 'pair') if n_flips else 'No pair'} of {entrant(evaluation)}s"
    swap = f"{pairs} {'swaps' if n_flips < 2 else 'swap'} places between the two macro F1s"  # noqa: PLR2004 - several
    rest = _not_scattered(evaluation)
    if first[0] == first[1]:
        return f"{swap}; {first[0]} is first by both.{rest}"
    return f"{swap}; by averaged F1 {first[0]} is first, by F1 of averages {first[1]}.{rest}"


def _not_scattered(evaluation: Evaluation) -> str:
    """A last sentence on what the figure leaves out."""
    averaged = _macro_f1_pair(evaluation)[0]
    teams = _scattered(evaluation)
    n_all = int((~np.isnan(averaged)).sum())
    if len(teams) < len(_scattered(evaluation, full=True)):
        return f" The first {len(teams)} of {n_all:,} are shown; the full figure of the export has more."
    n_below = n_all - len(teams)
    below = f" {plural(n_below, 'submission')} far below the others {agreeing(n_below, 'is', 'are')} not shown."
    return below if n_below else ""


def chosen(evaluation: Evaluation) -> list[int]:
    """The teams looked at class by class: the winners of both, and the one whose rank the choice changes most."""
    both = [team for key in (_AVERAGED, _OF_AVERAGES) for team in evaluation.winners(key)[:1]]
    moved = np.where(
        _with_both(evaluation),
        np.abs(evaluation.ranks_of(_AVERAGED) - evaluation.ranks_of(_OF_AVERAGES)),
        -1,
    )
    return list(dict.fromkeys([*both, int(moved.argmax())]))[:3]


def draw_skew(evaluation: Evaluation, width: float) -> "Figure":
    """Precision over recall of every class, a panel for each of the chosen teams."""
    teams = chosen(evaluation)
    precision, recall = class_scores(evaluation, "precision"), class_scores(evaluation, "recall")
    columns = len(teams) if is_wide(width) else 1
    rows = -(-len(teams) // columns)
    figure = new_figure(width, rows * min(width / columns, 2.4) + 0.4)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, team in zip(panels, teams, strict=False):
        _panel(axes, evaluation, precision[team], recall[team])
        axes.set_title(name_of(evaluation, team, width), loc="left", pad=8)
    panels[0].set_ylabel("Precision")
    panels[len(teams) - 1].set_xlabel("Recall")
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes, team in zip(panels, teams, strict=False):
        _name_classes(axes, evaluation, team)
    return figure


def _panel(axes: "Axes", evaluation: Evaluation, precision: Floats, recall: Floats) -> None:
    axes.plot([0, 1], [0, 1], color=LINE, linewidth=1.0, zorder=1)
    present = np.flatnonzero(evaluation.present).tolist()
    if len(present) <= len(CLASSES):
        points = [([code], CLASSES[place], MARKERS[place]) for place, code in enumerate(present)]
    else:
        points = [(present, ACCENT, "o")]  # at once: one by one, a thousand take a minute
    for codes, color, marker in points:
        axes.scatter(recall[codes], precision[codes], s=22, color=color, marker=marker, zorder=3, clip_on=False)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    axes.set_aspect("equal")
    score_ticks(axes.xaxis)
    score_ticks(axes.yaxis)


def _name_classes(axes: "Axes", evaluation: Evaluation, team: int) -> None:
    """Names beside the points of a panel: of a few classes all, of many those furthest from the diagonal."""
    precision, recall = (class_scores(evaluation, slug)[team] for slug in ("precision", "recall"))
    present = np.flatnonzero(evaluation.present & ~np.isnan(precision) & ~np.isnan(recall)).tolist()
    codes = sorted(present, key=lambda code: -abs(precision[code] - recall[code]))
    named = codes if len(codes) <= len(CLASSES) else codes[:_MOST_FAR]
    points = np.stack([recall[codes], precision[codes]], axis=-1)
    names = [(label_of(evaluation, code, NARROW),) for code in named]
    place_names(axes, points, names, _CLASS_SIZE, [np.array([(0.0, 0.0), (1.0, 1.0)])])


def skew_caption(evaluation: Evaluation) -> str:
    """Which class is most skewed for the first of the chosen teams."""
    team = chosen(evaluation)[-1]
    precision, recall = (class_scores(evaluation, slug)[team] for slug in ("precision", "recall"))
    distance = np.where(evaluation.present, np.abs(precision - recall), -1)
    code = int(np.nanargmax(distance))
    name, label = shown_name(evaluation, team), visible(evaluation.task.label_set.shown[code], 24)
    texts = [score_text(evaluation, float(values[code])) for values in (precision, recall)]
    return f"Most skewed for {name}: {label}, precision {texts[0]}, recall {texts[1]}."


def _largest_gap(evaluation: Evaluation) -> tuple[int, Floats]:
    """The competing team with the largest Δ, and what each pair of classes contributes, shape (C, C)."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    gaps = np.where(evaluation.competing, np.nan_to_num(of_averages - averaged), -1)
    team = int(gaps.argmax())
    margins = Margins.of_cells(evaluation.cells.of_teams([team])).without(evaluation.task.label_set.rest_code)
    return team, gap_by_class_pair(margins)[0]


def has_gap(evaluation: Evaluation) -> bool:
    """Whether the two scores differ for some team."""
    return defined(evaluation) and float(np.nan_to_num(_largest_gap(evaluation)[1]).sum()) > 1e-12  # noqa: PLR2004 - equal


def draw_pairs(evaluation: Evaluation, width: float) -> "Figure":
    """The share of Δ that each pair of classes makes, for the team with the largest Δ."""
    _, terms = _largest_gap(evaluation)
    present = _contributing(evaluation, terms, width)
    shares = terms[np.ix_(present, present)] / terms.sum()
    figure = new_figure(width, min(width, 0.3 * len(present) + 1.2))
    axes = figure.subplots()
    top = shares.max()
    cell_grid(
        axes,
        shares,
        [[shade_of(value / top) if value > 0 else "none" for value in line] for line in np.tril(shares).tolist()],
    )
    labels = [label_of(evaluation, code, width) for code in present]
    axes.set_xticks(np.arange(len(present) - 1), labels[:-1], rotation=90)
    axes.set_yticks(np.arange(1, len(present)), labels[1:])
    axes.set_xlim(-0.5, len(present) - 1.5)
    axes.set_ylim(len(present) - 0.5, 0.5)
    axes.set_aspect("equal", anchor="NW")
    pairs = [(row, column) for column, row in combinations(range(len(present)), 2) if shares[row, column] >= _LEAST]
    write_cells(figure, axes, {(row, column): f"{200 * shares[row, column]:.0f}" for row, column in pairs})
    return figure


def _contributing(evaluation: Evaluation, terms: Floats, width: float) -> list[int]:
    """The averaged classes; in a column those that contribute most."""
    present: list[int] = np.flatnonzero(evaluation.averaged).tolist()
    if is_wide(width) or len(present) <= BEST_SHOWN:
        return present
    most = sorted(present, key=lambda code: -float(np.nan_to_num(terms[code]).max()))[:BEST_SHOWN]
    return sorted(most)


def pairs_caption(evaluation: Evaluation) -> str:
    """The pair of classes that contributes most."""
    team, terms = _largest_gap(evaluation)
    row, column = np.unravel_index(int(np.nan_to_num(terms).argmax()), terms.shape)
    labels = evaluation.task.label_set.shown
    share = 2 * terms[row, column] / terms.sum()
    one, other = visible(labels[int(row)], 24), visible(labels[int(column)], 24)
    return (
        f"{shown_name(evaluation, team)} has the largest Δ ({score_text(evaluation, float(terms.sum()))}); "
        f"{share:.0%} of it comes from the pair {one} and {other}."
    )
