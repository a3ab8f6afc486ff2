"""Does it matter which macro F1 is meant? Both scores of every team on one axis, and the classes that explain it."""

import numpy as np

from audit.document import (
    Beside,
    Block,
    Cell,
    Column,
    Fold,
    Paragraph,
    Section,
    Span,
    Switched,
    Table,
    Term,
    Terms,
    row_names,
)
from audit.domain import Evaluation, Feature, Needs, State
from audit.domain.arrays import Ints
from audit.findings.comparisons import changes_of
from audit.findings.wording import AVERAGED, OF_AVERAGES, entrants, names, shown_name
from audit.metrics import METRICS
from audit.ranking.ranks import printed_ranks
from audit.report.macro_f1 import TWO_FORMULAS, gap_table, readings_folds, swaps_table
from audit.report.plots import LinearAxis, coloured_name, first_rows, plotted, winner_colours
from audit.report.printing import Printing, class_scores, label_texts
from audit.report.published import published
from audit.sentences import say
from audit.text import number
from audit.vocabulary import QUESTIONS

PLACE = 30
NEEDS: Needs = frozenset({Feature.MACRO_F1})
MOST_TEAMS = 15
MOST_CLASSES = 8


def section(show: Printing) -> Section:
    """Both macro F1s of every team, drawn; the team that gains most; team by team, and other readings of the name."""
    evaluation = show.evaluation
    worded = evaluation.task.label_set.worded
    moves = rank_moves(evaluation)
    both = tuple(part if isinstance(part, Span) else worded(part) for part in TWO_FORMULAS)
    gap = gap_table(show)
    swaps = swaps_table(show)
    shown: Block = gap
    if swaps is not None:
        shown = Switched("Show", (("every team", gap), ("pairs that change places", swaps)))
    fold = Fold("formulas-of-macro-f1", "Both formulas, team by team", (Paragraph(both), shown))
    blocks: list[Block] = []
    if moves.any():
        blocks.append(Beside((both_scores(show),), _explained(show), columns=(8, 4)))
    blocks += [fold, *readings_folds(show), *published(show)]
    answer = macro_f1_answer(evaluation, moves)
    question = QUESTIONS["macro-f1"]
    return Section(
        "macro-f1", question, (answer,), tuple(blocks), "audit readings TASK", "Macro F1"
    )


def rank_moves(evaluation: Evaluation) -> Ints:
    """Ranks that each team gains from macro F1 to F1 of averages, shape (T,); 0 for who takes no rank."""
    moves = evaluation.ranks_of(AVERAGED) - evaluation.ranks_of(OF_AVERAGES)
    return np.where(evaluation.competing, moves, 0)


def macro_f1_answer(evaluation: Evaluation, moves: Ints) -> str:
    """Whether the winner or any rank changes with the formula, and whether the change is significant."""
    n_teams = int(evaluation.competing.sum())
    one = evaluation.winners(AVERAGED)
    other = evaluation.winners(OF_AVERAGES)
    if set(one) != set(other):
        changed = f"{names(evaluation, other, limit=3)} overtakes {names(evaluation, one, limit=3)}"
        if len(other) > 1:
            changed = changed.replace(" overtakes ", " overtake ")
        return say(f"The winner changes{_significance(evaluation)}: {changed} under F1 of averages")
    if not moves.any():
        return f"No: both formulas rank all {entrants(evaluation, n_teams)} alike"
    n_moved = int(np.count_nonzero(moves))
    if n_moved == 1:
        verb = "changes"
    else:
        verb = "change"
    return f"Not for the winner, but {n_moved:,} of {entrants(evaluation, n_teams)} {verb} rank"


def _significance(evaluation: Evaluation) -> str:
    """Whether the change of winner between the two formulas is statistically significant, as a clause."""
    state = next(
        (change.state for change in changes_of(evaluation) if change.kind == "macro-f1"),
        State.NOT_TESTED,
    )
    if state is State.NOT_TESTED:
        return " (not tested)"
    is_significant = state in {State.OTHER_SHOWN, State.OTHER_SHOWN_THERE}
    if is_significant:
        return ", and significantly"
    return ", but not significantly"


def both_scores(show: Printing) -> Table:
    """A row for each team: a filled point at its macro F1, an open one at its F1 of averages, scores and ranks."""
    evaluation = show.evaluation
    averaged = evaluation.scores_of(AVERAGED)
    of_averages = evaluation.scores_of(OF_AVERAGES)
    colours = winner_colours(evaluation)
    firsts = (*evaluation.winners(AVERAGED), *evaluation.winners(OF_AVERAGES))
    teams = first_rows(show.ranked, MOST_TEAMS, firsts)
    axis = LinearAxis.around([*averaged[list(teams)], *of_averages[list(teams)]])
    guides = [
        axis.guide(averaged[team], colours.get(team, ""))
        for team in evaluation.winners(AVERAGED)[:1]
    ]
    guides += [
        axis.guide(of_averages[team], colours.get(team, ""))
        for team in evaluation.winners(OF_AVERAGES)[:1]
    ]
    ranks = [
        printed_ranks(evaluation.goodness_of(key), evaluation.competing)
        for key in (AVERAGED, OF_AVERAGES)
    ]
    moves = rank_moves(evaluation)
    rows = []
    for team in teams:
        colour = colours.get(team, "")
        shapes = (
            *guides,
            axis.line(averaged[team], of_averages[team], colour),
            axis.ring(of_averages[team], colour),
            axis.dot(averaged[team], colour),
        )
        if np.isnan(averaged[team] + of_averages[team]):
            shapes = ()
        scores = f"{show.score(float(averaged[team]))} → {show.score(float(of_averages[team]))}"
        order = f"{ranks[0][team]} → {ranks[1][team]}{_arrow(int(moves[team]))}"
        rows.append(
            (coloured_name(show, team, colours), Cell("", shapes=shapes), Cell(scores), Cell(order))
        )
    n_left_out = len(show.ranked) - len(teams)
    if n_left_out:
        left_out = f" {n_left_out:,} more under “Both formulas, team by team”."
    else:
        left_out = ""
    return Table(
        "table-both-macro-f1s",
        _caption(show, moves),
        (row_names("Team"), plotted(axis, "Score"), Column("Score"), Column("Rank")),
        tuple(rows),
        note="● macro F1, ○ F1 of averages, which is never lower. Dotted: the highest score by each formula."
        f"{left_out}",
        sortable=False,
        style="plot",
    )


def _arrow(move: int) -> str:
    """Ranks gained or lost, with an arrow; nothing for none."""
    if not move:
        return ""
    if move > 0:
        return f" ▲ {move}"
    return f" ▼ {-move}"


def most_gaining(show: Printing) -> int | None:
    """The ranked team whose score grows most from macro F1 to F1 of averages; None where none grows."""
    evaluation = show.evaluation
    gain = evaluation.scores_of(OF_AVERAGES) - evaluation.scores_of(AVERAGED)
    able = [team for team in show.ranked if not np.isnan(gain[team])]
    if not able:
        return None
    team = max(able, key=lambda each: gain[each])
    if gain[team] > 0:
        return team
    return None


def _caption(show: Printing, moves: Ints) -> str:
    """How many teams change rank, and who gains most."""
    evaluation = show.evaluation
    n_moved = int(np.count_nonzero(moves))
    n_teams = int(evaluation.competing.sum())
    if n_moved == 1:
        verb = "changes"
    else:
        verb = "change"
    moved = f"{n_moved:,} of {entrants(evaluation, n_teams)} {verb} rank"
    team = most_gaining(show)
    if team is None:
        return moved
    gain = float(evaluation.scores_of(OF_AVERAGES)[team] - evaluation.scores_of(AVERAGED)[team])
    return f"{moved}; {shown_name(evaluation, team)} gains most, {number(gain, show.decimals)}"


def _explained(show: Printing) -> tuple[Block, ...]:
    """Both formulas, and the precision and recall of the team that gains most, class by class."""
    formulas = Terms(
        tuple(
            Term(title, (), formula=_without_bars(METRICS[key.metric].formula))
            for title, key in (("Macro F1", AVERAGED), ("F1 of averages", OF_AVERAGES))
        ),
        style="formulas short",
    )
    team = most_gaining(show)
    if team is None:
        return (formulas,)
    return (formulas, gain_table(show, team))


def _without_bars(formula: str) -> str:
    """A formula whose means are plain letters, as bars over small letters are hardly seen."""
    return formula.replace(r"\bar{P}", "P").replace(r"\bar{R}", "R")


def gain_table(show: Printing, team: int) -> Table:
    """Precision, recall and F1 of one team in every averaged class, with the means that each formula takes."""
    evaluation = show.evaluation
    precision, recall, f1 = (
        class_scores(evaluation, slug)[team] for slug in ("precision", "recall", "f1")
    )
    codes = np.flatnonzero(evaluation.averaged).tolist()
    uneven = sorted(codes, key=lambda code: -abs(precision[code] - recall[code]))
    shown = sorted(uneven[:MOST_CLASSES])
    texts = label_texts(evaluation.task.label_set)
    rows = [_row(show, texts[code], precision[code], recall[code], f1[code]) for code in shown]
    if len(shown) < len(codes):
        rows.append(tuple(map(Cell, (f"{len(codes) - len(shown):,} more", "", "", ""))))
    means = (float(np.mean(values[codes])) for values in (precision, recall, f1))
    rows.append(_row(show, "Mean", *means, style="best"))
    of_averages = show.score(float(evaluation.scores_of(OF_AVERAGES)[team]))
    noun = evaluation.task.label_set.noun
    name = shown_name(evaluation, team)
    return Table(
        "table-gain",
        f"Why {name} gains most: precision and recall differ within its {evaluation.task.label_set.nouns}",
        (row_names(noun.capitalize()), Column("Precision"), Column("Recall"), Column("F1")),
        tuple(rows),
        note=f"The mean of the F1 column is macro F1; the F1 of the two means is F1 of averages, {of_averages}.",
        sortable=False,
    )


def _row(show: Printing, name: str, *values: float, style: str = "") -> tuple[Cell, ...]:
    return Cell(name), *(Cell(show.score(float(value)), style=style) for value in values)
