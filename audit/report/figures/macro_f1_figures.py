"""Figures of the two macro F1s: one against the other, and what parts them."""

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.domain.evaluation import Floats
from audit.metrics import BOTH_MACRO_F1, Margins, gap_by_class_pair
from audit.report.figures.common import label_of, name_of, score_text
from audit.report.figures.metric_figures import cell_grid, cell_text
from audit.report.figures.style import ACCENT, CLASSES, LINE, MARKERS, QUIET, dots, new_figure, score_ticks, shade_of
from audit.report.table_printing import class_scores
from audit.text import listed, plural, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AVERAGED, _OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)
_MOST_FLIPS = 200
_LONGEST = 16  # characters of a class beside its point
_NAME = (0.4, 0.06)  # the room of such a name, on axes from 0 to 1
_RIGHT = 0.45  # recall from which a name stands on the left of its point
_FENCE = 1.5  # quartile distances below the first quartile, as in a box plot
_ROOM = (52.0, 8.0)  # points that a name takes


def _both(evaluation: Evaluation) -> tuple[Floats, Floats]:
    return evaluation.scores_of(_AVERAGED), evaluation.scores_of(_OF_AVERAGES)


def defined(evaluation: Evaluation) -> bool:
    """Whether some competing team has both scores."""
    averaged, of_averages = _both(evaluation)
    return bool((evaluation.competing & ~np.isnan(averaged) & ~np.isnan(of_averages)).any())


def flips(evaluation: Evaluation) -> list[tuple[int, int]]:
    """Pairs of competing teams that the two definitions order differently."""
    averaged, of_averages = _both(evaluation)
    teams = np.flatnonzero(evaluation.competing & ~np.isnan(averaged) & ~np.isnan(of_averages))
    one = averaged[teams, None] - averaged[teams]
    other = of_averages[teams, None] - of_averages[teams]
    first, second = np.nonzero(np.triu((one * other < 0) & (np.abs(one) > 1e-12) & (np.abs(other) > 1e-12)))  # noqa: PLR2004 - ties
    return list(zip(teams[first].tolist(), teams[second].tolist(), strict=True))


def draw_scatter(evaluation: Evaluation, width: float) -> "Figure":
    """F1 of averages over averaged F1, with the diagonal, and the flips joined."""
    averaged, of_averages = _both(evaluation)
    figure = new_figure(width, width * 0.72)
    axes = figure.subplots()
    low, high = _shown_from(evaluation), float(np.nanmax(of_averages))
    edge = max(0.005, 0.04 * (high - low))
    axes.plot([low - edge, high + edge], [low - edge, high + edge], color=LINE, linewidth=1.0, zorder=1)
    shown = averaged >= low
    for first, second in [pair for pair in flips(evaluation) if shown[list(pair)].all()][:_MOST_FLIPS]:
        axes.plot(averaged[[first, second]], of_averages[[first, second]], color=QUIET, linewidth=0.5, zorder=2)
    for group, hollow in ((evaluation.competing & shown, False), (~evaluation.competing & shown, True)):
        dots(axes, averaged[group], of_averages[group], hollow=hollow)
    score_ticks(axes.xaxis)
    score_ticks(axes.yaxis)
    axes.set_xlabel("Averaged F1")
    axes.set_ylabel("F1 of averages")
    axes.set_xlim(low - edge, float(np.nanmax(averaged)) + edge)
    axes.set_ylim(low - edge, high + edge)
    figure.draw_without_rendering()
    for team in _named(evaluation, axes):
        place = (averaged[team], of_averages[team])
        text = name_of(evaluation, team, width)
        side, shift = ("right", -4) if averaged[team] > (low + np.nanmax(averaged)) / 2 else ("left", 4)
        axes.annotate(text, place, (shift, 2), textcoords="offset points", ha=side, fontsize=6.5, in_layout=False)
    return figure


def _shown_from(evaluation: Evaluation) -> float:
    """Where the axes begin: teams far below the bulk would press all others into a corner."""
    averaged = _both(evaluation)[0][evaluation.competing]
    quarter, three_quarters = np.nanquantile(averaged, (0.25, 0.75))
    fence = quarter - _FENCE * (three_quarters - quarter)
    return float(np.nanmin(averaged[averaged >= fence]))


def _n_below(evaluation: Evaluation) -> int:
    averaged = _both(evaluation)[0]
    return int((averaged < _shown_from(evaluation)).sum())


def _named(evaluation: Evaluation, axes: "Axes") -> list[int]:
    """The teams whose names stand in the figure: the best by either score first, then all that find room."""
    averaged, of_averages = _both(evaluation)
    teams = np.flatnonzero(evaluation.competing & (averaged >= _shown_from(evaluation))).tolist()
    best = [teams[int(np.argmax(values[teams]))] for values in (averaged, of_averages)]
    named: list[int] = []
    taken: list[Floats] = []
    for team in dict.fromkeys([*best, *sorted(teams, key=lambda team: -averaged[team])]):
        place = axes.transData.transform((averaged[team], of_averages[team])) * 72 / axes.figure.dpi
        if all(abs(place[0] - other[0]) > _ROOM[0] or abs(place[1] - other[1]) > _ROOM[1] for other in taken):
            named.append(team)
            taken.append(place)
    return named


def scatter_caption(evaluation: Evaluation) -> str:
    """How many pairs swap, and who wins by which."""
    n_flips = len(flips(evaluation))
    first = [
        listed([visible(evaluation.names[team], 40) for team in evaluation.winners(key)], limit=3)
        for key in (_AVERAGED, _OF_AVERAGES)
    ]
    pairs = f"{plural(n_flips, 'pair')} of teams" if n_flips else "No pair of teams"
    swap = f"{pairs} {'swaps' if n_flips < 2 else 'swap'} places between the two macro F1s"  # noqa: PLR2004 - several
    n_below = _n_below(evaluation)
    below = f" {plural(n_below, 'submission')} far below the others {'is' if n_below == 1 else 'are'} not shown."
    rest = below if n_below else ""
    if first[0] == first[1]:
        return f"{swap}; {first[0]} is first by both.{rest}"
    return f"{swap}; by averaged F1 {first[0]} is first, by F1 of averages {first[1]}.{rest}"


def chosen(evaluation: Evaluation) -> list[int]:
    """The teams looked at class by class: the winners of both, and the one whose rank the choice changes most."""
    both = [team for key in (_AVERAGED, _OF_AVERAGES) for team in evaluation.winners(key)[:1]]
    moved = np.where(
        evaluation.competing,
        np.abs(evaluation.ranks_of(_AVERAGED) - evaluation.ranks_of(_OF_AVERAGES)),
        -1,
    )
    return list(dict.fromkeys([*both, int(moved.argmax())]))[:3]


def draw_skew(evaluation: Evaluation, width: float) -> "Figure":
    """Precision over recall of every class, a panel for each of the chosen teams."""
    teams = chosen(evaluation)
    precision, recall = class_scores(evaluation, "precision"), class_scores(evaluation, "recall")
    columns = len(teams) if width >= 5.0 else 1  # noqa: PLR2004 - inches: panels side by side
    rows = -(-len(teams) // columns)
    figure = new_figure(width, rows * min(width / columns, 2.4) + 0.4)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, team in zip(panels, teams, strict=False):
        _panel(axes, evaluation, precision[team], recall[team])
        axes.set_title(name_of(evaluation, team, width), loc="left", pad=8)
    panels[0].set_ylabel("Precision")
    panels[len(teams) - 1].set_xlabel("Recall")
    return figure


def _panel(axes: "Axes", evaluation: Evaluation, precision: Floats, recall: Floats) -> None:
    axes.plot([0, 1], [0, 1], color=LINE, linewidth=1.0, zorder=1)
    present = np.flatnonzero(evaluation.present).tolist()
    named = present if len(present) <= len(CLASSES) else []
    for place, code in enumerate(present):
        color, marker = (CLASSES[place], MARKERS[place]) if named else (ACCENT, "o")
        axes.scatter(recall[code], precision[code], s=22, color=color, marker=marker, zorder=3, clip_on=False)
    far = sorted(present, key=lambda code: -abs(precision[code] - recall[code]))[:6]
    for code in named or _apart(far, recall, precision):
        side, shift = ("right", -5) if recall[code] > _RIGHT else ("left", 5)
        axes.annotate(
            visible(evaluation.task.label_set.labels[code], _LONGEST),
            (recall[code], precision[code]),
            xytext=(shift, -2),
            textcoords="offset points",
            ha=side,
            fontsize=6,
            in_layout=False,
        )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    axes.set_aspect("equal")
    score_ticks(axes.xaxis)
    score_ticks(axes.yaxis)


def _apart(codes: list[int], recall: Floats, precision: Floats) -> list[int]:
    """The classes whose names do not run into those of classes before them."""
    width, height = _NAME
    kept: list[int] = []
    for code in codes:
        if all(abs(recall[code] - recall[o]) > width or abs(precision[code] - precision[o]) > height for o in kept):
            kept.append(code)
    return kept


def skew_caption(evaluation: Evaluation) -> str:
    """Which class is most skewed for the first of the chosen teams."""
    team = chosen(evaluation)[-1]
    precision, recall = (class_scores(evaluation, slug)[team] for slug in ("precision", "recall"))
    distance = np.where(evaluation.present, np.abs(precision - recall), -1)
    code = int(np.nanargmax(distance))
    name, label = visible(evaluation.names[team], 40), visible(evaluation.task.label_set.labels[code], 24)
    found = [score_text(evaluation, float(values[code])) for values in (precision, recall)]
    return f"Most skewed for {name}: {label}, precision {found[0]}, recall {found[1]}."


def _largest_gap(evaluation: Evaluation) -> tuple[int, Floats]:
    """The competing team with the largest Δ, and what each pair of classes contributes, shape (C, C)."""
    averaged, of_averages = _both(evaluation)
    gaps = np.where(evaluation.competing, np.nan_to_num(of_averages - averaged), -1)
    team = int(gaps.argmax())
    return team, gap_by_class_pair(Margins.of(evaluation.confusions[team]))


def has_gap(evaluation: Evaluation) -> bool:
    """Whether the two scores differ for some team."""
    return defined(evaluation) and float(np.nan_to_num(_largest_gap(evaluation)[1]).sum()) > 1e-12  # noqa: PLR2004 - equal


def draw_pairs(evaluation: Evaluation, width: float) -> "Figure":
    """The share of Δ that each pair of classes makes, for the team with the largest Δ."""
    _, terms = _largest_gap(evaluation)
    present = np.flatnonzero(evaluation.present)
    shares = terms[np.ix_(present, present)] / terms.sum()
    figure = new_figure(width, min(width, 0.3 * len(present) + 1.2))
    axes = figure.subplots()
    top = shares.max()
    cell_grid(
        axes,
        shares,
        [[shade_of(value / top) if value > 0 else "none" for value in line] for line in np.tril(shares).tolist()],
    )
    for row, column in combinations(range(len(present)), 2):
        if shares[row, column] >= 0.005:  # noqa: PLR2004 - half a percent prints as 1
            cell_text(axes, column, row, f"{200 * shares[row, column]:.0f}", 6.5)
    labels = [label_of(evaluation.task.label_set.labels[code], width) for code in present.tolist()]
    axes.set_xticks(np.arange(len(present) - 1), labels[:-1], rotation=90)
    axes.set_yticks(np.arange(1, len(present)), labels[1:])
    axes.set_xlim(-0.5, len(present) - 1.5)
    axes.set_ylim(len(present) - 0.5, 0.5)
    axes.set_aspect("equal", anchor="NW")
    return figure


def pairs_caption(evaluation: Evaluation) -> str:
    """The pair of classes that contributes most."""
    team, terms = _largest_gap(evaluation)
    row, column = np.unravel_index(int(np.nan_to_num(terms).argmax()), terms.shape)
    labels = evaluation.task.label_set.labels
    share = 2 * terms[row, column] / terms.sum()
    one, other = visible(labels[int(row)], 24), visible(labels[int(column)], 24)
    return (
        f"{visible(evaluation.names[team], 40)} has the largest Δ ({score_text(evaluation, float(terms.sum()))}); "
        f"{share:.0%} of it comes from the pair {one} and {other}."
    )
