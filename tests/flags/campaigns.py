"""Small campaigns for the rules, and their scores by scikit-learn."""

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.stats import gmean
from sklearn import metrics
from sklearn.utils.class_weight import compute_sample_weight

import audit
from audit.domain import (
    Campaign,
    Gold,
    Kind,
    LabelSet,
    Options,
    PrintedScore,
    Published,
    PublishedColumn,
    Role,
    SourceFile,
    Submission,
    Task,
)
from audit.domain.sets import Pool
from audit.evaluation import evaluate as evaluate_campaign
from audit.readings import identify_beside
from tests.sets.drawn import of_matrix

UNANSWERED = "."
WITHOUT_CERTAINTY = Options(certainty=False)


def evaluated(gold, predictions, **settings):
    """An evaluation of texts with one letter for each item, a dot where there is no answer; without certainty."""
    given = {team: answers(text) for team, text in predictions.items()}
    return audit.evaluate(list(gold), given, **{"certainty": False, **settings})


def answers(text):
    return [None if letter == UNANSWERED else letter for letter in text]


def texts(confusions, labels="abcdefgh"):
    """Gold and predictions that have these confusions: gold × predicted, the column after the last label unanswered."""
    sizes = [sum(row) for row in next(iter(confusions.values()))]
    gold = "".join(label * size for label, size in zip(labels, sizes, strict=False))
    predicted = [*labels[: len(sizes)], UNANSWERED]
    return gold, {
        team: "".join(label * n for row in rows for label, n in zip(predicted, row, strict=False))
        for team, rows in confusions.items()
    }


def of_confusions(confusions, **settings):
    """An evaluation of submissions with these confusions, gold × predicted."""
    return evaluated(*texts(confusions), **settings)


def compared(confusions, **settings):
    """An evaluation of submissions with these confusions that knows how sure it is, by items or by groups."""
    return of_confusions(confusions, certainty=True, **settings)


def of_runs(  # noqa: PLR0913
    gold, runs, contents=None, roles=None, options=WITHOUT_CERTAINTY, *, scores=None, **task
):
    """An evaluation where teams have runs: (team, run) → text; a content makes the submission a file.

    Scores of single items are by team.
    """
    labels = LabelSet(tuple(sorted(set(gold))))
    submissions = tuple(
        Submission(
            team,
            _codes(text, labels),
            run,
            source=_file(team, run, (contents or {}).get((team, run))),
            role=(roles or {}).get(team, Role.PRIMARY),
            scores=None if scores is None else np.array(scores[team]),
        )
        for (team, run), text in runs.items()
    )
    task = Task("t", "T", labels, **task)
    return evaluate_campaign(
        Campaign(task, Gold(labels, _codes(gold, labels)), submissions), options
    )


def of_sets(gold, teams, **task):
    """An evaluation of sets: a row of the labels a and b, 0 or 1, for each unit."""
    every = [of_matrix(np.array(rows)) for rows in (gold, *teams.values())]
    pool = Pool.of(every, "ab")
    labels = LabelSet(("a", "b", "nothing"), rest="nothing", kind=Kind.LABELS)
    of_gold, *others = map(pool.codes, every)
    ids = pool.ids([f"u{number}" for number in range(len(gold))])
    submissions = tuple(Submission(team, codes) for team, codes in zip(teams, others, strict=True))
    items = Gold(labels, of_gold, ids, groups=pool.units, unit="item", own=pool.own)
    return evaluate_campaign(
        Campaign(Task("s", "S", labels, **task), items, submissions), WITHOUT_CERTAINTY
    )


def with_published(evaluation, teams=None, **columns):
    """The evaluation of a campaign with published scores: columns of cells, one for each entry, by their headings.

    The rows are the entries, or teams of other names.
    """
    table = Published(
        "published.csv",
        evaluation.names if teams is None else tuple(teams),
        tuple(
            PublishedColumn(heading, tuple(map(_printed, cells)))
            for heading, cells in columns.items()
        ),
    )
    return evaluation.given(published=identify_beside(evaluation, table))


def _printed(cell):
    return PrintedScore(cell, int(cell.replace(".", "")), len(cell.partition(".")[2]))


def _codes(text, labels):
    return np.array([labels.code_of.get(letter, len(labels)) for letter in text], np.uint8)


def _file(team, run, content):
    return None if content is None else SourceFile.of(f"submissions/{team}/{run}.txt", content)


def flag_of(evaluation, slug):
    """The flag with this slug, None where the rule is silent."""
    return next((flag for flag in evaluation.flags if flag.slug == slug), None)


def printed(score, decimals=3):
    """A score as papers print it."""
    return f"{score:.{decimals}f}".removeprefix("0").replace("-0", "−")


@dataclass(frozen=True)
class Oracle:
    """The scores of one submission by scikit-learn, from gold and answers of one letter for each item."""

    gold: str
    given: str
    balanced: bool = False

    @property
    def _weights(self):
        return compute_sample_weight("balanced", list(self.gold)) if self.balanced else None

    def classwise(self):
        """Precision, recall and F1 of the classes in gold, shape (3, k)."""
        return np.array(
            metrics.precision_recall_fscore_support(
                list(self.gold),
                list(self.given),
                labels=sorted(set(self.gold)),
                zero_division=0,
                sample_weight=self._weights,
            )[:3]
        )

    def scores(self):
        """The ten aggregates by slug."""
        pair, weights = (list(self.gold), list(self.given)), self._weights
        (precision, recall, f1), present = self.classwise(), sorted(set(self.gold))
        mean_precision, mean_recall = precision.mean(), recall.mean()
        total = mean_precision + mean_recall
        # rounding makes scikit-learn's balanced value of 0 almost 0, or NaN
        constant = len(set(self.given)) == 1
        return {
            "accuracy": metrics.accuracy_score(*pair, sample_weight=weights),
            "macro_recall": mean_recall,
            "geometric_macro_recall": gmean(recall) if recall.all() else 0.0,
            "harmonic_macro_recall": len(recall) / (1 / recall).sum() if recall.all() else 0.0,
            "macro_precision": mean_precision,
            "averaged_f1": f1.mean(),
            "f1_of_averages": 2 * mean_precision * mean_recall / total if total else 0.0,
            "weighted_f1": metrics.f1_score(
                *pair, labels=present, average="weighted", sample_weight=weights
            ),
            "kappa": 0.0 if constant else metrics.cohen_kappa_score(*pair, sample_weight=weights),
            "mcc": 0.0 if constant else metrics.matthews_corrcoef(*pair, sample_weight=weights),
        }


def naive_ranks(scores, tolerance=1e-9):
    """Ranks by counting who is better."""
    return [1 + sum(other > score + tolerance for other in scores) for score in scores]


def naive_winners(teams, scores):
    return [team for team, rank in zip(teams, naive_ranks(scores), strict=True) if rank == 1]


def naively_crowned(teams, scores):
    """Who is first with a score above 0, where not all have the same."""
    first = naive_winners(teams, scores)
    return first if max(scores) > 1e-9 and (len(teams) == 1 or len(first) < len(teams)) else []


def swaps(teams, first, second, tolerance=1e-9):
    """Pairs with one team above by the first scores and below by the second."""
    return {
        (teams[a], teams[b])
        for a, b in itertools.permutations(range(len(teams)), 2)
        if first[a] - first[b] > tolerance and second[b] - second[a] > tolerance
    }
