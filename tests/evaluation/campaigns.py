"""Campaigns in memory, and every score of theirs by scikit-learn."""

import numpy as np
from hypothesis import strategies as st
from scipy.stats import gmean, hmean
from sklearn import metrics

from audit.domain import (
    Campaign,
    Gold,
    LabelSet,
    Options,
    Prevalence,
    ScoreKey,
    Submission,
    Task,
    code_dtype,
)

AGGREGATES = (
    *(
        "accuracy",
        "macro_recall",
        "geometric_macro_recall",
        "harmonic_macro_recall",
        "macro_precision",
    ),
    *("averaged_f1", "f1_of_averages", "weighted_f1", "kappa", "mcc"),
)


def campaign(gold, predictions, labels=("a", "b", "c"), options=None, **settings):
    """A campaign from label codes: C is a missing answer, C + 1 an unusable one."""
    label_set = LabelSet(tuple(labels))
    return Campaign(
        Task("task", "A task", label_set, **settings),
        Gold(label_set, codes(gold, label_set)),
        tuple(submission(team, given, label_set) for team, given in predictions.items()),
        options=options or Options(),
    )


def submission(name, given, label_set, **more):
    """A submission under TEAM, or TEAM/RUN."""
    team, _, run = name.partition("/")
    n_unusable = sum(code > len(label_set) for code in given)
    strays = (("stray", n_unusable),) if n_unusable else ()
    return Submission(team, codes(given, label_set), run or None, unusable_labels=strays, **more)


def codes(values, label_set):
    return np.array(values, dtype=code_dtype(len(label_set)))


@st.composite
def campaigns(draw, fewest_teams=1):
    """Two to four classes of which gold has two or more, one to five teams, unanswered items, a named prevalence."""
    n_classes = draw(st.integers(2, 4))
    in_gold = draw(
        st.lists(st.integers(0, n_classes - 1), min_size=2, max_size=n_classes, unique=True)
    )
    gold = in_gold + draw(st.lists(st.sampled_from(in_gold), max_size=12))
    answers = st.lists(st.integers(0, n_classes + 1), min_size=len(gold), max_size=len(gold))
    given = draw(st.lists(answers, min_size=fewest_teams, max_size=5))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(in_gold), max_size=len(in_gold)))
    labels = "abcd"[:n_classes]
    shares = tuple(
        (labels[code], weight / sum(weights)) for code, weight in zip(in_gold, weights, strict=True)
    )
    predictions = {f"T{number}": team for number, team in enumerate(given)}
    return campaign(gold, predictions, labels, prevalences=(Prevalence("named", shares),))


def by_scikit_learn(made):
    """Every score of every team by scikit-learn, shape (K, T), with its keys: observed, balanced and named."""
    table = {}
    for prevalence, weights in item_weights(made).items():
        for team, each in enumerate(made.submissions):
            for name, value in scores(made, each, weights).items():
                table.setdefault(ScoreKey(name, prevalence), {})[team] = value
    keys = tuple(table)
    return keys, np.array(
        [[table[key][team] for team in range(len(made.submissions))] for key in keys]
    )


def item_weights(made):
    """The weight of each item at each prevalence."""
    gold, n_items = made.gold.codes, made.gold.n_items
    counts = np.bincount(gold, minlength=len(made.task.label_set))
    weights = {
        "observed": np.ones(n_items),
        "balanced": n_items / (np.unique(gold).size * counts[gold]),
    }
    for prevalence in made.task.prevalences:
        share = np.array([dict(prevalence.shares).get(label, 0) for label in made.task.label_set])
        weights[prevalence.name] = n_items * share[gold] / counts[gold]
    return weights


def scores(made, submission, weights):
    """The scores of one submission by name; undefined ones are NaN."""
    labels, gold = made.task.label_set.labels, made.gold.codes
    given = np.minimum(submission.codes, len(labels))  # one more category of prediction: unanswered
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        gold, given, labels=range(len(labels)), sample_weight=weights, zero_division=0
    )
    present = np.isin(range(len(labels)), gold)
    mean_precision, mean_recall = precision[present].mean(), recall[present].mean()
    # Rounding makes scikit-learn's weighted value of a constant prediction almost 0, or NaN.
    constant = np.unique(given).size == 1
    aggregates = (
        metrics.accuracy_score(gold, given, sample_weight=weights),
        mean_recall,
        gmean(recall[present]) if recall[present].all() else 0,
        hmean(recall[present]) if recall[present].all() else 0,
        mean_precision,
        f1[present].mean(),
        hmean([mean_precision, mean_recall]) if mean_precision and mean_recall else 0,
        np.average(f1, weights=np.bincount(gold, weights, minlength=len(labels))),
        0 if constant else metrics.cohen_kappa_score(gold, given, sample_weight=weights),
        0 if constant else metrics.matthews_corrcoef(gold, given, sample_weight=weights),
    )
    classwise = {
        f"{name}[{label}]": value if here else np.nan
        for name, values in (("recall", recall), ("precision", precision), ("f1", f1))
        for label, value, here in zip(labels, values, present, strict=True)
    }
    return {**dict(zip(AGGREGATES, aggregates, strict=True)), **classwise}


def naive_ranks(row):
    """Ranks by counting who is better; undefined scores last together."""
    defined = [-np.inf if np.isnan(score) else score for score in row]
    return [1 + sum(other > score + 1e-9 for other in defined) for score in defined]
