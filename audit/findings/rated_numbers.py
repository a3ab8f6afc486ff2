"""Flags about numbers of items: another scale than gold's, constant predictions, and scores that few items carry."""

import numpy as np

from audit.domain import MARKS, Evaluation, Feature, Mark, Severity
from audit.domain.arrays import Floats
from audit.domain.numbers import Numbers
from audit.findings.flag_kind import Fired, flag
from audit.findings.wording import name, names, of, plain_names
from audit.metrics import score_numbers
from audit.sentences import say
from audit.text import agreeing, listed

RULES_PLACE = 45
_SHOWN = 3  # teams that a sentence names
_MOST_GONE = 0.5  # share of the squared error that a straight line would take away
_LEAST_R = 0.3  # below it a line through predictions and gold says little


def _ratings(evaluation: Evaluation) -> Numbers | None:
    """The predictions and gold's numbers; None where a scorer gave the numbers."""
    numbers = evaluation.item_scores
    if isinstance(numbers, Numbers) and numbers.gold is not None:
        return numbers
    return None


def _number(value: float) -> str:
    """A number as a sentence has it."""
    return f"{value:g}".replace("-", "−")


def gone_with_a_line(numbers: Numbers) -> Floats:
    """The share of each entry's squared error that a straight line would take away, shape (T,).

    1 − (1 − r²)B/MSE, B the variance of gold; NaN where r is undefined or low, or there is no error.
    """
    gold = np.asarray(numbers.gold)
    r = score_numbers("pearson", numbers)
    squared = score_numbers("rmse", numbers) ** 2
    is_told = (r > _LEAST_R) & (squared > 0)
    shares = np.full(r.shape, np.nan)
    shares[is_told] = 1 - (1 - r[is_told] ** 2) * gold.var() / squared[is_told]
    return shares


@flag(
    "another-scale",
    "Predictions on another scale than gold’s",
    Severity.NOTE,
    "every-metric",
    needs=Feature.NUMBERS,
)
def another_scale(evaluation: Evaluation) -> Fired | None:
    """Whether a team predicts what gold says on another scale.

    Fires when a straight line would take more than half of a submission's squared error away and its Pearson's r is
    above .3. Correlations do not see the scale; errors, R² and the concordance correlation do. Nothing is rescaled.
    """
    numbers = _ratings(evaluation)
    if numbers is None:
        return None
    shares = gone_with_a_line(numbers)
    teams = sorted(
        np.flatnonzero(shares > _MOST_GONE).tolist(), key=lambda team: -float(shares[team])
    )
    if not teams:
        return None
    clauses = [f"{shares[team]:.0%} of {name(evaluation, team)}’s squared error" for team in teams]
    predictions = agreeing(len(teams), "its predictions have", "their predictions have")
    return Fired(
        sentence=f"A straight line would take {listed(clauses, limit=_SHOWN)} away; {predictions} another scale than "
        "gold.",
        remedy=f"Ask {names(evaluation, teams, _SHOWN)} which scale was meant, and say in the paper that errors, R² "
        "and the concordance correlation depend on it. Nothing was rescaled.",
        evidence={
            "submissions": [
                {
                    "team": evaluation.entries[team].name,
                    "squared_error_gone": float(shares[team]),
                }
                for team in teams
            ]
        },
    )


@flag(
    "constant-predictions",
    "One number predicted for every item",
    Severity.NOTE,
    "every-metric",
    needs=Feature.NUMBERS,
)
def constant_predictions(evaluation: Evaluation) -> Fired | None:
    """The submissions that predict one number for every item.

    Fires when a submission does. Its correlations are undefined, never 0, and take no rank; its concordance
    correlation is 0, and errors and R² are as computed.
    """
    numbers = _ratings(evaluation)
    if numbers is None:
        return None
    predicted = numbers.values[:, 0]
    lowest = np.nanmin(predicted, axis=1)
    teams = np.flatnonzero(lowest == np.nanmax(predicted, axis=1)).tolist()
    if not teams:
        return None
    given = [f"{name(evaluation, team)} ({_number(float(lowest[team]))})" for team in teams]
    predicts = agreeing(len(teams), "predicts", "predict")
    its = agreeing(len(teams), "its", "their")
    return Fired(
        sentence=f"{listed(given, limit=_SHOWN)} {predicts} one number for every item: {its} Pearson’s r, Spearman’s ρ "
        "and Kendall’s τ-b are undefined.",
        remedy="Ask the team whether this is meant; print – for the correlations, not 0.",
        evidence={"submissions": plain_names(evaluation, teams)},
    )


@flag(
    "few-items-carry",
    "Scores that few items carry",
    Severity.NOTE,
    "ranking",
    needs=Feature.NUMBERS,
)
def few_items_carry(evaluation: Evaluation) -> Fired | None:
    """The scores whose variance few items carry, such as outliers.

    Fires when, by the ranking metric, fewer than ten items carry the variance of a submission's score: (Σψ²)²/Σψ⁴ of
    what each item adds to it. Its interval is then rough; where fewer than three do, none is given.
    """
    if evaluation.certainty is None:
        return None
    key = evaluation.task.ranking_metric
    marks = evaluation.certainty.intervals.marks[evaluation.row(key)]
    rough = np.flatnonzero(marks == MARKS.index(Mark.FEW_CARRYING)).tolist()
    without = np.flatnonzero(marks == MARKS.index(Mark.FEW_UNITS)).tolist()
    without = [team for team in without if np.isfinite(evaluation.scores_of(key)[team])]
    teams = [*without, *rough]
    if not teams:
        return None
    unit = "items"
    if evaluation.gold.groups is not None:
        unit = "groups"
    none_given = ""
    if without:
        none_given = f"; {names(evaluation, without, _SHOWN)} {agreeing(len(without), 'has', 'have')} no interval"
    return Fired(
        sentence=say(
            f"Few {unit} carry the variance of {of(evaluation, key)} of {names(evaluation, teams, _SHOWN)}: intervals "
            f"are rough, and rather too short{none_given}."
        ),
        remedy=f"Look for outliers in gold and predictions, and say in the paper how many {unit} the scores rest on.",
        evidence={
            "rough": plain_names(evaluation, rough),
            "without_interval": plain_names(evaluation, without),
        },
    )


_FEW_SCORED = 100  # items of a scorer's numbers, below which shapes that differ make false claims
_FEW_RATED = 300  # items up to which claims by errors of ratings were found false too often, in benchmarks/numbers.md
_ERRORS = ("mean_absolute_error", "rmse")


@flag(
    "rough-claims",
    "Claims on differences that are rough",
    Severity.NOTE,
    "ranking",
    needs=Feature.NUMBERS,
)
def rough_claims(evaluation: Evaluation) -> Fired | None:
    """Whether pairs of teams were compared where simulations found too many false claims.

    Fires when a scorer's numbers rank teams on fewer than 100 items, or the mean absolute error or RMSE on 300 or
    fewer.
    """
    key = evaluation.task.ranking_metric
    n_items = evaluation.gold.n_items
    if evaluation.certainty is None or evaluation.certainty.comparison(key) is None:
        return None
    if _ratings(evaluation) is None and n_items < _FEW_SCORED:
        cell = "two equal teams whose numbers have different shapes, and 50 items, 10 to 13% of 120"
    elif key.metric in _ERRORS and n_items <= _FEW_RATED:
        cell = "ten equal teams that rate in five steps, and 300 items, 8 to 12% of 60"
    else:
        return None
    return Fired(
        sentence=say(
            f"Claims by {of(evaluation, key)} are rough with {n_items:,} items: in simulations with {cell} "
            "test sets had a false one, where 5% is meant."
        ),
        remedy=say("Do not publish a decision that hangs on an adjusted p just below .05."),
        evidence={"metric": str(key), "items": n_items},
    )
