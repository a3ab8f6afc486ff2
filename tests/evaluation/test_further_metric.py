"""A metric is one function, its slopes and one entry of the registry: everything else follows from what it declares."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from audit.domain import OBSERVED, ScoreKey, State
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.inference.relation import choices
from audit.metrics import METRICS, Gradient, Metric, registered
from audit.metrics.confusion import over_classes
from audit.resources import samples
from audit.store import open_store
from audit.writers.bundle.archive import evaluation_document
from audit.writers.html import render_html
from audit.writers.latex import paper_files

SLUG = "mean_overlap"


def jaccard(margins):
    """Mean over the classes in gold of t/(n + b − t)."""
    averaged = margins.prevalence > 0
    union = margins.prevalence + margins.bias - margins.correct
    terms = np.divide(margins.correct, union, out=np.zeros(union.shape), where=averaged)
    return over_classes(terms) / over_classes(averaged)


def slopes(margins):
    """In t: (n + b)/(n + b − t)²; in n and b: −t/(n + b − t)²; over the number of classes."""
    averaged = margins.prevalence > 0
    union = margins.prevalence + margins.bias - margins.correct
    share = np.divide(
        averaged / over_classes(averaged)[..., None],
        union**2,
        out=np.zeros(union.shape),
        where=averaged,
    )
    none = np.zeros(union.shape[:-1])
    less = -margins.correct * share
    return Gradient((union + margins.correct) * share, less, less, none, none)


def metric(**declared):
    """Macro Jaccard, with what is declared of it."""
    return Metric(
        slug=SLUG,
        label="Macro Jaccard",
        phrase="macro Jaccard",
        short="MacJ",
        formula=r"\frac{1}{k} \sum_{i} J_i",
        explanation="The mean of the class Jaccard indices.",
        lower=0,
        upper=1,
        baseline="≤ 1/k",
        source="Jaccard 1912",
        kernel=jaccard,
        gradient=slopes,
        terms="precisions",
        **declared,
    )


@pytest.fixture(scope="module")
def campaign():
    return read_campaign(samples() / "flood-posts")


@pytest.fixture(scope="module")
def before(campaign):
    return evaluate(campaign).settled()


@pytest.fixture(scope="module")
def shown(campaign):
    """The evaluation with the metric, and everything that is made of it."""
    with registered(metric()):
        evaluation = evaluate(campaign).settled()
        return (
            evaluation,
            render_html(evaluation),
            evaluation_document(evaluation),
            paper_files(evaluation),
        )


def test_it_is_scored_with_an_interval_and_the_others_stay_as_they_are(before, shown):
    """As scikit-learn has it; every other score is the same to the last bit."""
    from sklearn.metrics import jaccard_score  # noqa: PLC0415

    evaluation, *_ = shown
    key = ScoreKey(SLUG)
    for entry, score in enumerate(evaluation.scores_of(key)):
        confusion = evaluation.confusions[entry]
        gold, answers = (
            np.repeat(index.ravel(), confusion.ravel()) for index in np.indices(confusion.shape)
        )
        classes = np.flatnonzero(evaluation.present)
        assert score == pytest.approx(jaccard_score(gold, answers, labels=classes, average="macro"))
    row = evaluation.keys.index(key)
    intervals = evaluation.certainty.intervals
    known = intervals.marks[row] == 0
    assert known.any()
    assert (intervals.lower[row][known] < evaluation.values[row][known]).all()
    for other in before.keys:
        np.testing.assert_array_equal(evaluation.scores_of(other), before.scores_of(other))


def test_every_exit_shows_it(shown):
    """The page, the document and a table of the paper."""
    _, page, document, paper = shown
    assert "Macro Jaccard" in page
    assert f'id="metric-{SLUG}"' in page
    assert SLUG in document["elections"]["metrics"]
    assert b"acro Jaccard" in paper["metric_agreement.tex"]


def test_it_is_kept_in_the_store(tmp_path, campaign):
    """Its scores are rows like those of any other."""
    with registered(metric()), open_store(tmp_path / "audit.db") as store:
        store.save_campaigns(campaign)
        evaluation = evaluate(store.load_campaign(campaign.task.slug), campaign.options)
        made = evaluation_document(evaluation)
        store.save_evaluation(evaluation, made)
    with closing(sqlite3.connect(tmp_path / "audit.db")) as connection:
        ((text,),) = connection.execute("SELECT document FROM evaluation")
    kept = json.loads(text)
    assert kept == made
    assert SLUG in kept["elections"]["metrics"]


def test_a_metric_that_neither_votes_nor_triggers_changes_no_election_and_no_finding(
    campaign, before
):
    """It is shown, and that is all."""
    with registered(metric(votes=False, triggers=False)):
        evaluation = evaluate(campaign).settled()
        assert [flag.sentence for flag in evaluation.flags] == [
            flag.sentence for flag in before.flags
        ]
        assert [each.winners for each in evaluation.elections] == [
            each.winners for each in before.elections
        ]
        assert not any(SLUG in (one.metric, other.metric) for _, one, other in choices(evaluation))


def test_a_metric_that_triggers_is_among_the_changes_of_winner(shown):
    """With its state, as of every other metric."""
    evaluation, *_ = shown
    (change,) = [
        each
        for each in evaluation.certainty.changes
        if each.keys[1] == ScoreKey(SLUG, OBSERVED.name)
    ]
    assert change.state in State


def test_a_slug_is_taken_once_and_given_back():
    """Also where what is done meanwhile fails."""
    with pytest.raises(ValueError, match="called accuracy"), registered(METRICS["accuracy"]):
        pass
    with pytest.raises(KeyError), registered(metric()):
        raise KeyError(SLUG)
    assert SLUG not in METRICS
