"""Two systems compared in a notebook: the numbers and the sentences of ``audit compare``."""

from dataclasses import fields

import pytest

import audit
from audit import workflow
from audit.domain import PairComparison
from audit.formats.campaign.campaigns import read_campaign
from audit.report.pairs import pair_sentences
from audit.resources import samples


@pytest.fixture(scope="module")
def campaign():
    return read_campaign(samples() / "flood-posts")


@pytest.fixture(scope="module")
def evaluation(campaign):
    """The sample, handed over as lists of labels."""
    labels = [*campaign.task.label_set, None, "a label of no class"]
    predictions = {
        each.team: [labels[code] for code in each.codes.tolist()] for each in campaign.submissions
    }
    return audit.evaluate(
        [labels[code] for code in campaign.gold.codes.tolist()],
        predictions,
        labels=list(campaign.task.label_set),
        official_metric=str(campaign.task.official_metric),
        roles={each.team: each.role.value for each in campaign.submissions},
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "audit.db"
    workflow.load(samples() / "flood-posts", path)
    return path


@pytest.mark.parametrize("metric", [None, "f1_of_averages", "mcc~"])
@pytest.mark.parametrize(
    "pair", [("Kingfisher", "Plumbline"), ("Delta4", "HighTide"), ("baseline-majority", "Heron")]
)
def test_the_numbers_are_those_of_the_command(evaluation, store, pair, metric):
    """Of two teams, of a baseline and a team, by several metrics; and so are the sentences."""
    ours = evaluation.compare(*pair, metric=metric)
    theirs, name = workflow.compare_entries("flood-posts", store, pair, metric=metric)
    for each in fields(PairComparison):
        assert getattr(ours, each.name) == pytest.approx(getattr(theirs, each.name), nan_ok=True), (
            each.name
        )
    assert ours.difference == pytest.approx(theirs.difference)
    assert ours.ahead == theirs.ahead
    assert repr(ours) == "\n".join(pair_sentences(theirs, name))


def test_names_are_found_in_any_case(evaluation):
    """As everywhere."""
    assert evaluation.compare("kingfisher", "PLUMBLINE") == evaluation.compare(
        "Kingfisher", "Plumbline"
    )


@pytest.mark.parametrize(
    ("arguments", "settings", "words"),
    [
        (("Kingfisher", "Kingfishr"), {}, "Did you mean “Kingfisher”?"),
        (("Kingfisher", 3), {}, "no entry “3” here. The entries are “Delta4”, “Estuary”,"),
        (("Kingfisher", "kingfisher"), {}, "cannot be compared with itself"),
        (("Kingfisher", "Spate"), {"metric": "macro_f1"}, "is two metrics"),
        (
            ("Kingfisher", "Spate"),
            {"metric": "averaged_f1[damage,sympathy]"},
            "Name it in audit.evaluate(…, metrics=",
        ),
        (
            ("Kingfisher", "Spate"),
            {"metric": "mcc@planned"},
            "or its class distribution in prevalences",
        ),
    ],
)
def test_what_cannot_be_compared_is_a_wrong_call(evaluation, arguments, settings, words):
    """With what to do."""
    with pytest.raises(audit.UsageError) as caught:
        evaluation.compare(*arguments, **settings)
    assert words in str(caught.value)
