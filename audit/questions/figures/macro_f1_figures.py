"""Figures of the two macro F1s: one against the other, and what parts them."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audit.domain import Evaluation, ScoreKey
from audit.domain.arrays import Floats
from audit.metrics import BOTH_MACRO_F1
from audit.questions.figures.common import is_wide, name_of
from audit.questions.figures.label_places import place_names
from audit.questions.figures.style import LINE, QUIET, dots, new_figure, score_ticks
from audit.questions.printing import BEST_SHOWN, FEW
from audit.questions.wording import entrant, shown_name
from audit.text import agreeing, listed, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AVERAGED, _OF_AVERAGES = map(ScoreKey, BOTH_MACRO_F1)
_MOST_FLIPS = 200
_FENCE = 1.5  # quartile distances below the first quartile, as in a box plot
_NAME_SIZE = 6.5


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


def draw_scatter(evaluation: Evaluation, width: float) -> "Figure":
    """F1 of averages over averaged F1, with the diagonal, and the flips joined."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    teams = _scattered(evaluation)
    figure = new_figure(width, width * (0.72 if is_wide(width) else 1.0))
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


def _scattered(evaluation: Evaluation) -> list[int]:
    """The teams drawn: first those that are best by either score, then the others in their order."""
    averaged, of_averages = _macro_f1_pair(evaluation)
    able = ~np.isnan(averaged) & ~np.isnan(of_averages)
    n_able = int((able & evaluation.competing).sum())
    first = [team for key in (_AVERAGED, _OF_AVERAGES) for team in evaluation.winners(key)]
    order = dict.fromkeys([*first, *evaluation.order(_AVERAGED)])
    least = _shown_from(evaluation)
    teams = [team for team in order if able[team] and averaged[team] >= least]
    return teams if n_able <= FEW else teams[:BEST_SHOWN]


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
    if len(teams) == BEST_SHOWN and n_all > FEW:
        return f" The first {len(teams)} of {n_all:,} are shown."
    n_below = n_all - len(teams)
    below = f" {plural(n_below, 'submission')} far below the others {agreeing(n_below, 'is', 'are')} not shown."
    return below if n_below else ""
