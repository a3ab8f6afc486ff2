"""Does the winner change with the class distribution? Shares of distributions won, and the smallest change found."""

import math

import numpy as np

from audit.document import Beside, Block, Cell, Column, Section, Share, ShareBars, Table, row_names
from audit.domain import OBSERVED, Evaluation, Feature, Needs, WinnerMap
from audit.domain.arrays import Floats
from audit.findings.distributions import items_moved
from audit.findings.wording import names, of, shown_name
from audit.metrics import named_metric
from audit.report.plots import winner_colours
from audit.report.printing import LABEL_LIMIT, Printing
from audit.text import visible
from audit.vocabulary import QUESTIONS

PLACE = 50
NEEDS: Needs = frozenset({Feature.PREVALENCES})

MOST_CLASSES = 20
"""Rows of the table of the smallest change; of more classes, those that change most."""

_ALL = 0.9995
"""A share from which on every distribution drawn counts as won."""


def section(show: Printing) -> Section | None:
    """Who wins how many class distributions; None where none could change the winner, for want of teams or classes."""
    evaluation = show.evaluation
    winner_map = show.evaluation.winner_map
    if winner_map is None:
        return None
    change = smallest_change(show, winner_map)
    holds = winner_map.holds_uniform >= _ALL and winner_map.holds_nearby >= _ALL
    blocks: list[Block] = []
    if not holds:  # two bars of one team would say no more than the answer
        blocks.append(share_bars(evaluation, winner_map))
    if change is not None and holds:
        blocks.append(change)
    elif change is not None:
        blocks = [Beside(tuple(blocks), (change,))]
    answer = distribution_answer(evaluation, winner_map)
    question = QUESTIONS["class-distributions"]
    return Section(
        "class-distributions",
        question,
        (answer,),
        tuple(blocks),
        "audit whatif TASK",
        "Class distribution",
    )


def distribution_answer(evaluation: Evaluation, winner_map: WinnerMap) -> str:
    """Whether the winner stays first under the class distributions drawn, and under how many of them."""
    winner = names(evaluation, winner_map.winners, limit=3)
    depends = named_metric(winner_map.key.metric, evaluation.task.label_set).moves_with(
        int(evaluation.present.sum())
    )
    if not depends:
        return f"No: {of(evaluation, winner_map.key)} does not depend on the class distribution"
    if winner_map.holds_uniform >= _ALL and winner_map.holds_nearby >= _ALL:
        if winner_map.nearest is None:
            return f"No: {winner} wins under every class distribution that was drawn"
        return f"Hardly: {winner} wins under every class distribution drawn, but not under all that were searched"
    close = percent_of(winner_map.holds_nearby)
    everywhere = percent_of(winner_map.holds_uniform)
    if winner_map.key.prevalence == OBSERVED.name:
        origin = "close to the test set’s"
    else:
        origin = "close to the stated one"
    return f"Yes: {winner} wins under {close} of the class distributions {origin}, and under {everywhere} of all"


def percent_of(share: float) -> str:
    """A share as a percentage that is 0% or 100% only where it is exactly so."""
    if 0 < share < 0.005:  # noqa: PLR2004 - what rounds to 0%
        return "less than 1%"
    if 0.995 <= share < 1:  # noqa: PLR2004 - what rounds to 100%
        return "more than 99%"
    return f"{share:.0%}"


def share_bars(evaluation: Evaluation, winner_map: WinnerMap) -> ShareBars:
    """Two bars: the shares of distributions that each team wins, close to the reference and over all."""
    colours = winner_colours(evaluation)
    spread = percent_of(winner_map.spread)
    moved = f"(on average {spread} of the items would be replaced by items of other classes)"
    close = f"class distributions close to the test set’s {moved}"
    if winner_map.key.prevalence != OBSERVED.name:
        close = f"class distributions close to the stated one {moved}"
    everywhere = "all class distributions, each equally likely"
    bars = (
        (close, _shares(evaluation, winner_map.nearby, colours)),
        (everywhere, _shares(evaluation, winner_map.uniform, colours)),
    )
    parts = [part for _, shares in bars for part in shares]
    coloured = sorted({(part.style, part.name) for part in parts if part.style != "wo"})
    legend = [(name, style) for style, name in coloured]
    if any(part.style == "wo" for part in parts):
        legend.append(("other teams", "wo"))
    return ShareBars(
        "figure-class-distributions",
        "Share of class distributions under which each team would win",
        bars,
        tuple(legend),
        note=(
            f"{winner_map.n_draws:,} random class distributions for each bar. Every team keeps its error rates within "
            "each class."
        ),
    )


def _shares(evaluation: Evaluation, won: Floats, colours: dict[int, str]) -> tuple[Share, ...]:
    """The parts of one bar, the largest first; tied winners share a distribution, so a bar is scaled to its sum."""
    total = float(won.sum()) or 1.0
    order = np.argsort(-won, kind="stable").tolist()
    return tuple(
        Share(
            shown_name(evaluation, team),
            round(float(won[team]) / total, 4),
            percent_of(float(won[team])),
            colours.get(team, "wo"),
        )
        for team in order
        if won[team] > 0
    )


def smallest_change(show: Printing, winner_map: WinnerMap) -> Table | None:
    """The nearest class distribution found at which another team wins, in items of each class; None where none was."""
    shift = winner_map.nearest
    if shift is None:
        return None
    evaluation = show.evaluation
    labels = evaluation.task.label_set
    n_items = evaluation.gold.n_items
    before = winner_map.reference * n_items
    after = shift.shares * n_items
    change = np.abs(after - before)
    changed = [code for code in np.argsort(-change, kind="stable").tolist() if change[code] >= 0.5]  # noqa: PLR2004
    if not changed:
        changed = [int(change.argmax())]
    rows = []
    for code in changed[:MOST_CLASSES]:
        then = math.floor(after[code] + 0.5)
        now = math.floor(before[code] + 0.5)
        difference = f"{then - now:+,}".replace("-", "−")
        label = visible(labels.shown_as(labels.named[code]), LABEL_LIMIT)
        rows.append((Cell(label), Cell(f"{now:,}"), Cell(f"{then:,}"), Cell(difference)))
    winners = names(evaluation, shift.winners, limit=3)
    if len(shift.winners) == 1:
        win = "wins"
    else:
        win = "win"
    moved = items_moved(evaluation, shift.distance)
    return Table(
        "table-smallest-change",
        f"The smallest change found under which {winners} {win}",
        (
            row_names(labels.noun.capitalize()),
            Column("Items now"),
            Column("Items after the change"),
            Column("Change"),
        ),
        tuple(rows),
        note=f"{moved} would belong to another {labels.noun}; the errors within each {labels.noun} stay as they are.",
        sortable=False,
    )
