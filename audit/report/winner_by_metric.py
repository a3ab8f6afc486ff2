"""Does the winner change with the metric? The rank of every team by each metric, and who wins by which."""

from collections.abc import Collection
from itertools import groupby

from audit.document import Beside, Cell, Column, Fold, Section, Table, row_names
from audit.domain import Evaluation, ScoreKey, State, WinnerChange
from audit.findings.comparisons import changes_of, comparison_of, state_in_words
from audit.findings.numbers_in_words import p_text
from audit.findings.power_sentences import short
from audit.findings.wording import AVERAGED, OF_AVERAGES, entrants, names, shown_name
from audit.inference.relation import rival_of
from audit.ranking.ranks import printed_ranks
from audit.report.metric_columns import column_label, metric_columns
from audit.report.metrics import metrics_by_prevalence
from audit.report.plots import coloured_name, first_rows, winner_colours
from audit.report.printing import Printing
from audit.sentences import say
from audit.text import in_words, listed
from audit.vocabulary import LEAD_NOTE, QUESTIONS, UNTESTED_NOTE

PLACE = 40
MOST_TEAMS = 15


def section(show: Printing) -> Section:
    """The ranks by each metric, coloured where a team wins, beside the winners with their leads."""
    evaluation = show.evaluation
    answer = metrics_answer(evaluation)
    blocks = (
        Beside((rank_matrix(show),), (winners_by_state(show),), columns=(6, 6)),
        Fold("every-metric", "Every metric of every team", (metrics_by_prevalence(show),)),
    )
    question = QUESTIONS["metrics"]
    return Section("metrics", question, (answer,), blocks, "audit winners TASK", "Metrics")


def metrics_answer(evaluation: Evaluation) -> str:
    """Under how many of the other metrics another team wins, and whether it is significantly ahead there."""
    official, *others = metric_columns(evaluation) or (None,)
    if official is None:
        return "No team has a defined score"
    winners = evaluation.winners(official)
    changed = [key for key in others if set(evaluation.winners(key)) != set(winners)]
    if not changed:
        return f"No: {names(evaluation, winners, limit=3)} ranks first under all {in_words(len(others) + 1)} metrics"
    challengers = {
        team: None for key in changed for team in evaluation.winners(key) if team not in winners
    }
    who = (
        listed([shown_name(evaluation, team) for team in challengers], "or", limit=4)
        or "no team alone"
    )
    of_others = (
        f"{in_words(len(changed))} of {in_words(len(others))} other metrics"
        f"{_with_other_macro_f1(official, others)}"
    )
    states = [change.state for key in changed if (change := change_to(evaluation, key)) is not None]
    n_significant = sum(state in _SIGNIFICANT for state in states)
    ahead_of = f"significantly ahead of {names(evaluation, winners, limit=2)}"
    if not any(state is not State.NOT_TESTED for state in states):
        return say(f"Yes: {who} wins under {of_others}; whether significantly was not tested")
    if not n_significant:
        return say(f"Yes: {who} wins under {of_others}, but never {ahead_of}")
    return say(f"Yes: {who} wins under {of_others}, {ahead_of} under {in_words(n_significant)}")


_SIGNIFICANT = frozenset({State.OTHER_SHOWN, State.OTHER_SHOWN_THERE})


def _with_other_macro_f1(official: ScoreKey, others: Collection[ScoreKey]) -> str:
    """Says that the other macro F1 is counted here; the verdict has it in a row of its own."""
    if official not in {AVERAGED, OF_AVERAGES}:
        return ""
    (other,) = {AVERAGED, OF_AVERAGES} - {official}
    if other not in others:
        return ""
    return f" (the {in_words(len(others))} include {_BOTH[other]})"


_BOTH = {AVERAGED: "macro-averaged F1", OF_AVERAGES: "F1 of averages"}


def winners_by_state(show: Printing) -> Table:
    """The winner by each metric, those in the same state together: the most severe first, then its lead and p."""
    evaluation = show.evaluation
    official, *others = metric_columns(evaluation) or (evaluation.task.ranking_metric,)
    order = list(State)
    changes = {key: change_to(evaluation, key) for key in others}
    states = {
        key: State.NOT_TESTED if change is None else change.state for key, change in changes.items()
    }
    ordered = sorted(others, key=lambda key: order.index(states[key]))
    rows = []
    for state, group in groupby(ordered, key=lambda key: states[key]):
        rows.append((Cell(state_in_words(state), chip=state.value), *[Cell("")] * 3))
        rows += [_winner_row(show, official, key) for key in group]
    winner = names(evaluation, evaluation.winners(official), limit=2)
    note = say(LEAD_NOTE, winner=winner)
    if any(row[-1].text == "–" for row in rows):
        note += f" {say(UNTESTED_NOTE)}"
    return Table(
        "table-winners-by-state",
        say("Winner by metric, and whether its lead is significant"),
        (
            row_names("Metric"),
            Column("Winner", numeric=False),
            Column("Lead", numeric=False),
            Column("Adjusted p"),
        ),
        tuple(rows),
        note=note,
        sortable=False,
    )


def _winner_row(show: Printing, official: ScoreKey, key: ScoreKey) -> tuple[Cell, ...]:
    """Who wins by a metric, over whom by how much, and the adjusted p of that lead."""
    evaluation = show.evaluation
    label = column_label(evaluation, key)
    winners = evaluation.winners(key)
    goodness = evaluation.goodness_of(key)
    rival = rival_of(evaluation, key, evaluation.winners(official), winners)
    colour = winner_colours(evaluation).get(winners[0], "")
    score = show.score(float(evaluation.scores_of(key)[winners[0]]))
    named = Cell(f"{names(evaluation, winners, limit=2)} {score}", style=f"team {colour}".strip())
    if rival is None:
        return Cell(label), named, Cell("–"), Cell("–")
    lead = short(float(goodness[winners[0]] - goodness[rival]))
    if rival in evaluation.winners(official):
        over = ""
    else:
        over = f" over {shown_name(evaluation, rival)}"
    return (
        Cell(label),
        named,
        Cell(lead + over),
        Cell(_adjusted_p(evaluation, key, winners[0], rival)),
    )


def _adjusted_p(evaluation: Evaluation, key: ScoreKey, winner: int, rival: int) -> str:
    """The adjusted p of a winner's lead: of the comparison that is kept, or of the one made for the state alone."""
    comparison = comparison_of(evaluation, key)
    if comparison is not None and comparison.compares([winner, rival]):
        return p_text(float(comparison.adjusted_p[winner, rival]))
    change = change_to(evaluation, key)
    if change is None or change.adjusted_p is None:
        return "–"
    return p_text(change.adjusted_p)


def rank_matrix(show: Printing) -> Table:
    """Teams × metrics: the rank of each team by each metric, in the winner's colour where it is first.

    A cell is shaded where the team is in the 95% confidence set for the best team by that metric, and starred where
    it is significantly ahead of all others.
    """
    evaluation = show.evaluation
    keys = metric_columns(evaluation)
    best = {key: _confidence_set(evaluation, key) for key in keys}
    colours = winner_colours(evaluation)
    contenders = {team for teams in best.values() for team in teams}
    teams = first_rows(show.ranked, MOST_TEAMS, {*colours, *_few(contenders)})
    columns = [row_names("Team")]
    columns += [Column(column_label(evaluation, key)) for key in keys]
    by_metric = [_rank_cells(evaluation, key, best[key], colours) for key in keys]
    rows = tuple(
        (coloured_name(show, team, colours), *(cells[team] for cells in by_metric))
        for team in teams
    )
    n_left_out = len(show.ranked) - len(teams)
    return Table(
        "table-ranks-by-metric",
        _caption(evaluation, keys),
        tuple(columns),
        rows,
        note=_note(best.values(), n_left_out),
        sortable=False,
        upright=True,
        style="matrix",
    )


def _few(contenders: set[int]) -> set[int]:
    """The contenders, where they are few enough to be rows of their own; otherwise those further down are counted."""
    if len(contenders) <= MOST_TEAMS:
        return contenders
    return set()


def _confidence_set(evaluation: Evaluation, key: ScoreKey) -> tuple[int, ...]:
    """The teams of the 95% confidence set for the best team by a metric; none where that was not tested."""
    comparison = comparison_of(evaluation, key)
    if comparison is not None:
        return comparison.contenders
    change = change_to(evaluation, key)
    if change is None:
        return ()
    return change.could_be_best


def change_to(evaluation: Evaluation, key: ScoreKey) -> WinnerChange | None:
    """What the choice of this metric in place of the ranking metric makes of the first place; None if not asked."""
    ranking = evaluation.task.ranking_metric
    return next((each for each in changes_of(evaluation) if each.keys == (ranking, key)), None)


def _rank_cells(
    evaluation: Evaluation, key: ScoreKey, best: tuple[int, ...], colours: dict[int, str]
) -> list[Cell]:
    """The rank of every team by one metric, with the style of what the team is by it."""
    winners = evaluation.winners(key)
    cells = []
    for team, rank in enumerate(printed_ranks(evaluation.goodness_of(key), evaluation.competing)):
        if team not in winners:
            cells.append(Cell(rank, style="in-set" if team in best else ""))
            continue
        is_alone = best == (team,)
        cells.append(Cell(f"{rank}*" if is_alone else rank, style=f"win {colours.get(team, 'wo')}"))
    return cells


def _caption(evaluation: Evaluation, keys: tuple[ScoreKey, ...]) -> str:
    """How many teams win under how many metrics."""
    winners = {team for key in keys for team in evaluation.winners(key)}
    if len(winners) == 1:
        return f"Ranks of the teams by {len(keys)} metrics: the same one ranks first by all of them"
    return f"Ranks of the teams by {len(keys)} metrics: {entrants(evaluation, len(winners))} rank first by at least one"


def _note(best: Collection[tuple[int, ...]], n_left_out: int) -> str:
    """How the cells are read, and how many teams have no row."""
    notes = ["Coloured: first by this metric."]
    if any(len(teams) == 1 for teams in best):
        notes.append(
            say("1*: significantly ahead of all others, not of the official winner alone.")
        )
    if any(best):
        notes.append(say("Shaded: in the 95% confidence set for the best team by this metric."))
    if n_left_out:
        notes.append(f"{n_left_out:,} more teams are in the export.")
    return " ".join(notes)
