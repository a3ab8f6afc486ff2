"""Every figure of the export, and of the report: what it answers, how to read it, and who draws it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from audit.domain import NO_NEEDS, Evaluation, Feature, Needs
from audit.findings.comparisons import comparison_of
from audit.report.figures import metric_figures, ranking_figures
from audit.report.figures.style import rest_note
from audit.sentences import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_TEAMS = 60  # above it, figures of pairs are not drawn, and no team is chosen on the page

MOST_CLASSES = 30


@dataclass(frozen=True, slots=True)
class FigureKind:
    """One entry of the catalogue."""

    slug: str
    title: str
    how_to_read: str
    lacking: Callable[[Evaluation], str]
    """Why it cannot be drawn although the task has what it needs."""
    draw: Callable[[Evaluation, float], "Figure"]  # so many inches wide
    left_out: Callable[[Evaluation], str] = lambda _: ""  # what it leaves out, as a sentence
    needs: Needs = NO_NEEDS  # what a task must have

    def possible(self, evaluation: Evaluation) -> bool:
        """Whether the evaluation has what the figure shows, and little enough to be read."""
        return not self.why_not(evaluation)

    def why_not(self, evaluation: Evaluation) -> str:
        """Why it cannot be drawn, as a sentence; nothing where it can."""
        kind = evaluation.task.label_set.kind
        if not kind.supports(*self.needs):
            return f"What it shows {kind.traits.undefined}"
        return self.lacking(evaluation)


def _single_submission(evaluation: Evaluation) -> str:
    if len(evaluation.entries) > 1:
        return ""
    return "There is no second submission to set beside the first."


def _not_compared(evaluation: Evaluation) -> str:
    if evaluation.certainty is None:
        return "The certainty was left out."
    if comparison_of(evaluation):
        return ""
    return "No two submissions are compared."


def _too_many_pairs(evaluation: Evaluation) -> str:
    n_teams = int(evaluation.comparable.sum())
    if n_teams <= MOST_TEAMS:
        return _not_compared(evaluation)
    return f"Not drawn for {n_teams:,} teams, more than {MOST_TEAMS}. audit export writes every pair to pairs.csv."


def _too_many_classes(evaluation: Evaluation) -> str:
    n_classes = len(evaluation.task.label_set)
    if n_classes <= MOST_CLASSES:
        return ""
    return (
        f"Not drawn for {n_classes:,} classes, more than {MOST_CLASSES}. audit export writes every team’s confusion to "
        "confusions.csv."
    )


_CELLS = "Rows are gold classes, columns predictions; a number is an item count."


_NO_AGREEMENT = "No two metrics have rankings to compare."

_KINDS = (
    FigureKind(
        "scores",
        "Scores with intervals",
        say(
            "The point is the score; the line its 95% CI, the winner’s corrected for selection. Whether two lines "
            "overlap is no test: the difference of a pair is tested."
        ),
        lambda evaluation: "" if evaluation.entries else "There is no submission to draw.",
        ranking_figures.draw_scores,
        ranking_figures.scores_note,
    ),
    FigureKind(
        "rank-sets",
        "Possible ranks",
        say(
            "The bar spans the possible ranks, the point is the rank itself. A bar in the accent colour belongs to a "
            "team in the 95% confidence set for the best team: it reaches rank 1, and no other does."
        ),
        _not_compared,
        ranking_figures.draw_rank_sets,
        partial(rest_note, comparable=True),
    ),
    FigureKind(
        "separable-pairs",
        "Significance of pairs",
        say(
            "A filled square: the team of the row is significantly ahead of the team of the column by this metric. An "
            "empty one is no evidence of equality. Teams stand in the order of the ranking."
        ),
        _too_many_pairs,
        ranking_figures.draw_separable,
        partial(rest_note, comparable=True),
    ),
    FigureKind(
        "metric-agreement",
        "Agreement of the metrics",
        "Spearman’s ρ ×100 between two metrics’ rankings of the teams; metrics that agree stand together. Of many "
        "metrics, a narrow figure has the usual ones and the two least alike. A tilde: with balanced classes.",
        lambda evaluation: (
            "" if len(metric_figures.agreement_rows(evaluation)) > 1 else _NO_AGREEMENT
        ),
        metric_figures.draw_agreement,
    ),
    FigureKind(
        "macro-f1s",
        "The two macro F1s",
        "A point is a team. On the diagonal both are equal; F1 of averages is never below it. A line from point to "
        "point joins two teams that the two definitions order differently. Where a name finds no room, the rank by "
        "macro-averaged F1 stands.",
        lambda evaluation: (
            "" if metric_figures.defined(evaluation) else "No competing team has both macro F1s."
        ),
        metric_figures.draw_scatter,
        metric_figures.not_scattered,
        needs=frozenset({Feature.MACRO_F1}),
    ),
    FigureKind(
        "class-recall",
        "Recall of each class",
        "A point is a team, the filled one the winner. Classes stand by their number of gold items.",
        _single_submission,
        metric_figures.draw_recall,
        needs=frozenset({Feature.CLASSES}),
    ),
    FigureKind(
        "confusion",
        "Confusion of the winner",
        f"{_CELLS} The shade is the share of the row.",
        _too_many_classes,
        metric_figures.draw_confusion,
        needs=frozenset({Feature.CLASSES}),
    ),
)


FIGURE_KINDS: Mapping[str, FigureKind] = {kind.slug: kind for kind in _KINDS}
"""The catalogue: every figure, by slug, in the order of the report."""
