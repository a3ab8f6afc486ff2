"""The announced rule over several test sets: weights, the mean of different scores, and its interval."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import audit
from audit.domain import ScoreKey
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.findings.campaign import CampaignFindings
from audit.formats.campaign.campaigns import read_campaigns
from audit.metrics import registered
from audit.ranking.families import family_of, summarise
from audit.report.campaign_page import campaign_document
from audit.report.campaign_words import CampaignWords
from audit.store import open_store
from audit.writers.data.campaign_data import campaign_data
from tests.further_metrics import ABSOLUTE_ERROR
from tests.nightly import slow

LABELS = ("a", "b", "c")


def part(seed, n_items=400, rights=(0.85, 0.8, 0.6), metric="accuracy", **task):
    """A test set with a team for each share of right answers."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(LABELS, n_items)
    teams = {
        name: np.where(rng.random(n_items) < right, gold, rng.choice(LABELS, n_items)).tolist()
        for name, right in zip("ABCDEF"[: len(rights)], rights, strict=True)
    }
    found = audit.evaluate(gold.tolist(), teams, official_metric=metric)
    return replace(found, task=replace(found.task, **{"part": f"p{seed}", **task}))


@given(
    arrays.arrays(float, (4, 3), elements=st.floats(0, 1)),
    st.lists(st.integers(1, 4), min_size=3, max_size=3),
)
def test_a_weight_is_so_many_test_sets(scores, weights):
    """Each rule gives what it gives where a test set of weight 3 is there three times."""
    often = np.repeat(scores, weights, axis=1)
    found = summarise(scores, np.ones(scores.shape, dtype=bool), weights=weights)
    expected = summarise(often, np.ones(often.shape, dtype=bool))
    for name in ("mean_score", "mean_rank", "borda"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


def test_the_announced_rule_orders_and_is_said():
    """A leads once by far, B twice by little: by the mean score A is first, by the mean rank B."""
    parts = [
        part(1, rights=(0.95, 0.5, 0.4)),
        part(2, rights=(0.7, 0.76, 0.4)),
        part(3, rights=(0.7, 0.76, 0.4)),
    ]
    for rule, first in (("mean-score", "A"), ("mean-rank", "B"), ("borda", "B")):
        stated = [replace(each, task=replace(each.task, overall=rule)) for each in parts]
        found = CampaignFindings(stated)
        assert found.tracks.rows[found.order[0]].name == first
        value = {
            "mean-score": "a mean accuracy of",
            "mean-rank": "a mean rank of",
            "borda": "a Borda count of",
        }[rule]
        assert (
            CampaignWords(found)
            .verdict()
            .startswith(f"{first} ranks first over the three tracks with {value} ")
        )
        assert campaign_data(found)["overall"] == rule
    unstated = CampaignFindings(parts)
    assert unstated.rule == "mean score"
    assert [choice.name for choice in unstated.other_rules] == ["mean rank", "Borda count"]


def test_who_shares_first_place_by_another_rule_is_told():
    """A is first by the mean score, A and B by the mean rank."""
    parts = [part(1, rights=(0.95, 0.5, 0.3)), part(2, rights=(0.5, 0.7, 0.3))]
    found = CampaignFindings(
        [replace(each, task=replace(each.task, overall="mean-score")) for each in parts]
    )
    by_rank, _ = found.other_rules
    said = CampaignWords(found).choice_sentence(by_rank)
    assert said == "A and B tie for first place by mean rank."


def test_a_correlation_over_three_teams_is_no_answer():
    """Three teams have six orders: too few to compare. Of four the section says how many."""
    few = CampaignFindings([part(1, rights=(0.9, 0.5, 0.3)), part(2, rights=(0.9, 0.5, 0.3))])
    assert few.n_common.tolist() == [[3, 3], [3, 3]]
    assert agreement_answer(few).startswith("Too few to compare: ")
    four = (0.9, 0.7, 0.5, 0.3)
    enough = CampaignFindings([part(1, rights=four), part(2, rights=four)])
    assert agreement_answer(enough) == "Yes: all correlations are 1.00 or higher, over 4 teams"


def agreement_answer(found):
    """The title of the section on how alike tracks rank."""
    sections = campaign_document(found).sections
    (section,) = (each for each in sections if each.id == "agreement")
    return section.answer[0]


def test_weights_decide_who_is_first():
    """And the page says what each test set counts."""
    parts = [part(1, rights=(0.95, 0.5, 0.4)), part(2, rights=(0.7, 0.9, 0.4))]
    by_weight = {}
    for weight in (1, 5):
        weighted = [replace(each, task=replace(each.task, overall="mean-score")) for each in parts]
        weighted[1] = replace(
            weighted[1],
            task=replace(weighted[1].task, weight=weight, part="second", title="T: second"),
        )
        found = CampaignFindings(weighted)
        by_weight[weight] = found.tracks.rows[found.order[0]].name
        scores = [each.scores_of(ScoreKey("accuracy")) for each in parts]
        np.testing.assert_allclose(
            found.tracks.summary.mean_score, np.average(scores, axis=0, weights=[1, weight])
        )
        said = CampaignWords(found).weighing()
        assert ("second 5" in said) == (weight == 5)
        assert [each["weight"] for each in campaign_data(found)["tracks"]] == [1, weight]
    assert by_weight == {1: "A", 5: "B"}


def test_a_mean_of_different_scores_is_there_where_it_was_announced():
    """Of one direction; of two there is none, and it is said what to do."""
    parts = [part(1), part(2, metric="averaged_f1")]
    assert np.isnan(family_of(parts).summary.mean_score).all()
    announced = [replace(each, task=replace(each.task, overall="mean-score")) for each in parts]
    family = family_of(announced)
    scores = [each.scores_of(each.task.ranking_metric) for each in parts]
    np.testing.assert_allclose(family.summary.mean_score, np.mean(scores, axis=0))
    with registered(ABSOLUTE_ERROR):
        mixed = [
            part(1, overall="mean-score"),
            part(2, metric=ABSOLUTE_ERROR.slug, overall="mean-score"),
        ]
        assert np.isnan(family_of(mixed).summary.mean_score).all()
        assert "State overall = “mean-rank”" in CampaignWords(CampaignFindings(mixed)).verdict()


def test_the_interval_is_that_of_a_sum_of_independent_estimates():
    """Of one test set its own; of several the squares of the halves add up; of a large and a small one, the small's."""
    one = part(1, rights=(0.9, 0.7, 0.5))
    alone = CampaignFindings([one]).means
    row = one.keys.index(ScoreKey("accuracy"))
    ends = one.certainty.intervals
    np.testing.assert_allclose(alone.lower, ends.lower[row])
    np.testing.assert_allclose(alone.upper, ends.upper[row])
    other = part(2, n_items=150)
    both = CampaignFindings([one, other])
    shares, found = (0.5, 0.5), both.means
    for end, name in ((found.lower, "lower"), (found.upper, "upper")):
        halves = [
            share
            * (getattr(each.certainty.intervals, name)[row] - each.scores_of(ScoreKey("accuracy")))
            for share, each in zip(shares, (one, other), strict=True)
        ]
        np.testing.assert_allclose(np.abs(end - both.tracks.summary.mean_score), np.hypot(*halves))


@slow("test_the_interval_is_that_of_a_sum_of_independent_estimates")
def test_the_interval_covers_the_mean_of_the_populations():
    """Drawn again and again from known accuracies: not far from 95%, within four Monte Carlo errors."""
    rng, rights, sizes, weights = (
        np.random.default_rng(7),
        (0.9, 0.6),
        (200, 120),
        np.array([2, 1]) / 3,
    )
    n_draws, inside = 200, 0
    truth = float(np.dot(weights, rights))
    gold = {size: (["a", "b"] * size)[:size] for size in sizes}
    flipped = {"a": "b", "b": "a"}
    for _ in range(n_draws // 20):
        parts = []
        for size, right, weight in zip(sizes, rights, (2, 1), strict=True):
            teams = {
                f"T{draw:02}": [
                    label if hit else flipped[label]
                    for label, hit in zip(gold[size], rng.random(size) < right, strict=True)
                ]
                for draw in range(20)
            }
            found = audit.evaluate(gold[size], teams, official_metric="accuracy")
            parts.append(replace(found, task=replace(found.task, part=f"p{size}", weight=weight)))
        interval = CampaignFindings(parts).means
        inside += int(((interval.lower <= truth) & (truth <= interval.upper)).sum())
    assert inside / n_draws == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / n_draws))


def test_who_skipped_one_has_no_interval_and_who_is_marked_has_none():
    """Nor where a score has none; the table shows a dash."""
    parts = [part(1), part(2)]
    entries = tuple(entry for entry in parts[1].entries if entry.team != "C")
    kept = [place for place, entry in enumerate(parts[1].entries) if entry.team != "C"]
    skipped = audit.evaluate(
        ["a", "b"] * 60,
        {"A": ["a", "b"] * 50 + ["b", "a"] * 10, "B": ["a", "a"] * 60},
        official_metric="accuracy",
    )
    assert (len(entries), len(kept)) == (2, 2)
    skipped = replace(skipped, task=replace(skipped.task, part="p2"))
    interval = CampaignFindings([parts[0], skipped]).means
    assert np.isnan(interval.lower).tolist() == [False, False, True]


@pytest.mark.parametrize("kind", ["no certainty", "shared items", "counted items"])
def test_why_there_is_no_interval(kind):
    """Only without certainty: what shared items add is known, and ids that only count are no sign of sharing."""
    parts = [part(1), part(2)]
    if kind == "no certainty":
        parts[0] = parts[0].given(certainty=None)
    else:
        names = "tweet-{}-x" if kind == "shared items" else "{}"
        ids = tuple(names.format(item) for item in range(400))
        parts = [replace(each, gold=replace(each.gold, item_ids=ids)) for each in parts]
    found = CampaignFindings(parts)
    assert found.means.reason == (
        "the certainty of a track was left out" if kind == "no certainty" else ""
    )
    assert bool(found.means.shared) == (kind == "shared items")
    assert np.isnan(found.means.lower).all() == (kind == "no certainty")
    method = " ".join(CampaignWords(found).method())
    assert ("No mean score has an interval" in method) == (kind == "no certainty")


TOML = """\
title = "T"
official_metric = "accuracy"
overall = "mean-score"

[subtask.english]
weight = 2
[subtask.english.gold]
path = "en/gold.csv"
[subtask.english.submissions]
files = "en/{team}.csv"

[subtask.german]
official_metric = "averaged_f1"
[subtask.german.gold]
path = "de/gold.csv"
[subtask.german.submissions]
files = "de/{team}.csv"
"""


def folder(root, toml=TOML):
    """Two test sets of two teams."""
    files = {"task.toml": toml}
    for part_, gold in (("en", "aabb"), ("de", "abab")):
        for name, labels in {"gold": gold, "X": gold[:3] + "a", "Y": "abba"}.items():
            rows = "".join(f"{part_}{item}x,{label}\n" for item, label in enumerate(labels))
            files[f"{part_}/{name}.csv"] = f"id,label\n{rows}"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def test_task_toml_says_it_and_the_store_keeps_it(tmp_path):
    """The rule at the top, a weight for a test set; the summary follows."""
    campaigns = read_campaigns(folder(tmp_path / "task"))
    assert [(each.task.overall, each.task.weight) for each in campaigns] == [
        ("mean-score", 2),
        ("mean-score", 1),
    ]
    with open_store(tmp_path / "audit.db") as store:
        store.save_campaigns(*campaigns)
        loaded = [store.load_campaign(each.task.slug) for each in campaigns]
    assert [each.task for each in loaded] == [each.task for each in campaigns]
    family = family_of([evaluate(each) for each in loaded])
    scores = [family.scores[:, place] for place in range(2)]
    np.testing.assert_allclose(
        family.summary.mean_score, np.average(scores, axis=0, weights=[2, 1])
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('overall = "mean-score"', 'overall = "sum"', 'overall = "sum"'),
        ("weight = 2", "weight = 0", "weight = 0"),
        ("weight = 2", "weight = 0.00000001", "weight ="),
    ],
)
def test_what_is_no_rule_or_weight_is_an_issue(tmp_path, old, new, words):
    """With its line."""
    with pytest.raises(InputError) as caught:
        read_campaigns(folder(tmp_path, TOML.replace(old, new)))
    assert {issue.slug for issue in caught.value.issues} == {"bad-setting"}
    assert words in caught.value.issues[0].found


def test_one_test_set_has_nothing_to_sum_up(tmp_path):
    """A rule over several is then a mistake."""
    root = folder(tmp_path, 'overall = "mean-rank"\nweight = 2\n[gold]\npath = "en/gold.csv"\n')
    with pytest.raises(InputError) as caught:
        read_campaigns(root)
    assert [issue.lines for issue in caught.value.issues] == [(1,), (2,)]
    assert all("[subtask.NAME]" in issue.expected for issue in caught.value.issues)
