"""Mean scores over tracks that may share items: intervals and the relation; laws, closed forms, simulations."""

from dataclasses import replace

import numpy as np
import pytest

import audit
from audit.domain import (
    Campaign,
    CodeRows,
    Gold,
    LabelSet,
    ScoreKey,
    Submission,
    Task,
    temporary_file,
)
from audit.evaluation import evaluate
from audit.findings.campaign import CampaignFindings
from audit.inference.certainty_analysis import kept_answers
from audit.report.campaign_words import CampaignWords
from audit.writers.data.campaign_data import campaign_data
from tests.nightly import whole_or

LABELS = LabelSet(("a", "b", "c"))
BINARY = LabelSet(("no", "yes"))


def of_items(gold, teams, ids, part="en", metric="accuracy", **settings):
    """One of several test sets: codes by team, and the ids of its items."""
    weight = settings.pop("weight", 1)
    task = Task(
        f"t-{part}", f"T: {part}", LABELS, ScoreKey(metric), family="t", part=part, weight=weight
    )
    codes = {team: np.asarray(row, dtype=np.uint8) for team, row in teams.items()}
    submissions = tuple(Submission(team, row) for team, row in codes.items())
    item_ids = None if ids is None else tuple(f"tweet-{each}-x" for each in ids)
    made = Gold(LABELS, np.asarray(gold, dtype=np.uint8), item_ids=item_ids, **settings)
    return evaluate(Campaign(task, made, submissions))


def means_of(tracks):
    """The comparison by the mean scores."""
    return CampaignFindings(tracks).means


def answers(rng, gold, right):
    """As often right as is said, and otherwise with any class."""
    return np.where(rng.random(gold.size) < right, gold, rng.integers(0, 3, gold.size))


def drawn(seed, n_items=300, rights=(0.85, 0.7, 1.0)):
    """Gold, and three teams, of which the last errs nowhere."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n_items)
    return gold, {f"T{place}": answers(rng, gold, right) for place, right in enumerate(rights)}


@pytest.mark.parametrize(
    "metric", ["accuracy", "averaged_f1", "mcc", "f1[b]", "mean(averaged_f1,accuracy)"]
)
@pytest.mark.parametrize("groups", [None, np.arange(300) // 3])
def test_the_same_items_with_the_same_answers_have_the_interval_of_one(metric, groups):
    """However often, in whatever order the items stand, and whatever the weights are; a team without an error too."""
    gold, teams = drawn(1)
    one = of_items(gold, teams, range(300), metric=metric, groups=groups)
    order = np.random.default_rng(2).permutation(300)
    shuffled = {team: row[order] for team, row in teams.items()}
    grouped = None if groups is None else groups[order]
    other = of_items(gold[order], shuffled, order, "de", metric, weight=3, groups=grouped)
    found, alone = means_of([one, other, one]), means_of([one])
    np.testing.assert_allclose(found.lower, alone.lower, atol=1e-9)
    np.testing.assert_allclose(found.upper, alone.upper, atol=1e-9)
    assert [each.n_items for each in found.shared] == [300, 300, 300]


def test_no_common_item_is_as_ever():
    """Nor do ids that only count; the distances of independent scores are squared and added."""
    gold, teams = drawn(3)
    other_gold, other_teams = drawn(4)
    apart = CampaignFindings(
        [
            of_items(gold, teams, range(300)),
            of_items(other_gold, other_teams, range(300, 600), "de"),
        ]
    )
    counted = CampaignFindings(
        [of_items(gold, teams, None), of_items(other_gold, other_teams, None, "de")]
    )
    assert apart.means.shared == counted.means.shared == ()
    np.testing.assert_array_equal(apart.means.lower, counted.means.lower)
    assert "no item in common" in " ".join(
        CampaignWords(CampaignFindings(apart.evaluations)).method()
    )


def test_half_the_items_in_common_have_the_correlation_of_their_answers():
    """By hand, of accuracy: the sum of products of hits less their means over the common items."""
    gold, teams = drawn(5, 400)
    first = of_items(gold[:300], {team: row[:300] for team, row in teams.items()}, range(300))
    rng = np.random.default_rng(6)
    answered = {
        team: np.where(rng.random(400) < 0.8, row, rng.integers(0, 3, 400))
        for team, row in teams.items()
    }
    second = of_items(
        gold[200:], {team: row[200:] for team, row in answered.items()}, range(200, 400), "de"
    )
    family = CampaignFindings([first, second])
    assert [(each.first, each.second, each.n_items) for each in family.means.shared] == [
        (0, 1, 100)
    ]
    for place, team in enumerate(("T0", "T1")):
        hits = (
            (teams[team] == gold)[:300].astype(float),
            (answered[team] == gold)[200:].astype(float),
        )
        added = [(each - each.mean()) / each.size for each in hits]
        correlation = (added[0][200:] @ added[1][:100]) / np.sqrt(
            (added[0] @ added[0]) * (added[1] @ added[1])
        )
        for end in ("lower", "upper"):
            halves = [
                getattr(each.certainty.intervals, end)[each.keys.index(ScoreKey("accuracy")), place]
                / 2
                - each.scores_of(ScoreKey("accuracy"))[place] / 2
                for each in (first, second)
            ]
            expected = np.sqrt(
                halves[0] ** 2 + halves[1] ** 2 + 2 * correlation * halves[0] * halves[1]
            )
            found = getattr(family.means, end)[place] - family.tracks.summary.mean_score[place]
            assert abs(found) == pytest.approx(expected)


def test_a_third_test_set_without_common_items_is_independent():
    """Its distances are squared and added to those of the other two."""
    gold, teams = drawn(7)
    one, other_drawn = of_items(gold, teams, range(300)), drawn(8, 200)
    other = of_items(*other_drawn, range(1000, 1200), "fr")
    two = means_of([one, one])
    three = CampaignFindings([one, other, one])
    means = [
        family.tracks.summary.mean_score
        for family in (CampaignFindings([one]), CampaignFindings([other]))
    ]
    halves = (2 / 3 * (means[0] - two.lower), 1 / 3 * (means[1] - means_of([other]).lower))
    np.testing.assert_allclose(
        three.tracks.summary.mean_score - three.means.lower, np.hypot(*halves)
    )


def test_groups_with_a_common_item_are_one_draw():
    """Two halves of the same documents: no item is common but the first of each."""
    gold, teams = drawn(9, 400)
    documents = np.arange(400) // 4
    kept = [np.flatnonzero(np.isin(np.arange(400) % 4, some)) for some in ((0, 1), (0, 2, 3))]
    parts = [
        of_items(
            gold[items],
            {team: row[items] for team, row in teams.items()},
            items,
            part,
            groups=documents[items],
        )
        for items, part in zip(kept, ("en", "de"), strict=True)
    ]
    found = CampaignFindings(parts)
    hits = [(teams["T1"] == gold)[items].astype(float) for items in kept]
    sums = [
        np.bincount(documents[items], (each - each.mean()) / each.size)
        for each, items in zip(hits, kept, strict=True)
    ]
    correlation = sums[0] @ sums[1] / np.sqrt((sums[0] @ sums[0]) * (sums[1] @ sums[1]))
    alone = [CampaignFindings([each]) for each in parts]
    halves = [(each.tracks.summary.mean_score - each.means.lower)[1] / 2 for each in alone]
    expected = np.sqrt(halves[0] ** 2 + halves[1] ** 2 + 2 * correlation * halves[0] * halves[1])
    assert (found.tracks.summary.mean_score - found.means.lower)[1] == pytest.approx(expected)


def scored(seed, metric, part, ids):
    """A test set of two labels with scores of items."""
    rng = np.random.default_rng(seed)
    positive = np.arange(len(ids)) % 3 == 0
    rows = [
        1 / (1 + np.exp(-(rng.normal(size=positive.size) + 2 * (positive - 0.5)))) for _ in range(2)
    ]
    task = Task(
        f"t-{part}",
        f"T: {part}",
        BINARY,
        ScoreKey(metric),
        family="t",
        part=part,
        scored_labels=("yes",),
    )
    submissions = tuple(
        Submission(f"T{place}", (row > 0.5).astype(np.uint8), scores=row)
        for place, row in enumerate(rows)
    )
    gold = Gold(
        BINARY, positive.astype(np.uint8), item_ids=tuple(f"tweet-{each}-x" for each in ids)
    )
    return evaluate(Campaign(task, gold, submissions))


@pytest.mark.parametrize(
    "metric", ["auc", "brier", "average_precision", "mean(averaged_f1,average_precision)"]
)
def test_scores_of_single_items_are_correlated_too(metric):
    """The law, and a narrower interval where half the items are others."""
    one = scored(1, metric, "en", range(200))
    both, alone = means_of([one, one]), means_of([one])
    np.testing.assert_allclose(both.lower, alone.lower, atol=1e-9)
    half = CampaignFindings([one, scored(1, metric, "de", [*range(100), *range(500, 600)])]).means
    apart = CampaignFindings([one, scored(1, metric, "de", range(500, 700))]).means
    assert (apart.lower > half.lower).all()
    assert (half.lower > both.lower).all()


def test_where_nothing_says_what_items_add_there_is_no_interval():
    """With the reason on the page, for a mean of ranks."""
    one = scored(1, "mean_rank(auc,accuracy)", "en", range(120))
    found = CampaignFindings([one, one])
    assert np.isnan(found.means.lower).all()
    assert "nothing says what each item of en adds to" in found.means.reason
    assert found.means.reason in " ".join(
        CampaignWords(CampaignFindings(found.evaluations)).method()
    )


def test_a_team_of_which_it_is_not_known_has_none():
    """A geometric mean of recalls has no slope where one is 0; the others have an interval."""
    gold, teams = drawn(10)
    teams["T1"] = np.where(teams["T1"] == 2, 1, teams["T1"])
    one = of_items(gold, teams, range(300), metric="geometric_macro_recall")
    found = means_of([one, one])
    assert np.isnan(found.lower).tolist() == [False, True, False]


def test_what_was_not_kept_is_said(monkeypatch):
    """Where an evaluation is too large to keep its answers, or is of a single test set."""
    gold, teams = drawn(11)
    single = replace(of_items(gold, teams, range(300)))
    single = replace(single, task=replace(single.task, part=None))
    assert "was not kept" in means_of([single, single]).reason
    monkeypatch.setattr("audit.inference.certainty_analysis._MOST_ANSWERS", 100)
    large = of_items(gold, teams, range(300))
    assert "was not kept" in means_of([large, large]).reason
    assert "was not kept" in means_of([large]).reason


def test_a_settled_evaluation_has_it_and_no_certainty_needs_none():
    """The answers go with it, as the summary is made when all test sets are done."""
    gold, teams = drawn(12)
    one = of_items(gold, teams, range(300))
    settled = one.settled()
    np.testing.assert_array_equal(means_of([settled, settled]).lower, means_of([one, one]).lower)
    assert audit.evaluate(["a", "b"], {"A": ["a", "b"]}).kept_answers is None


def test_mapped_answers_outlive_their_file():
    """A large campaign's codes are in a file that is gone when the summary is made."""
    gold, teams = drawn(16)
    one = of_items(gold, teams, range(300))
    rows = [row.astype(np.uint8) for row in teams.values()]
    with temporary_file(rows) as path:
        mapped = CodeRows(path, (len(rows), 300), np.dtype(np.uint8), tuple(range(len(rows))))
        kept = kept_answers(one, mapped)
    for mine, given in zip(kept, one.kept_answers, strict=True):
        np.testing.assert_array_equal(mine, given)


def test_page_and_document_say_it():
    """How many items are common, in which test sets."""
    gold, teams = drawn(13)
    parts = [of_items(gold, teams, range(300)), of_items(gold, teams, range(100, 400), "de")]
    assert "have items in common (en and de 200)" in " ".join(
        CampaignWords(CampaignFindings(parts)).method()
    )
    assert "Zou 2007" in " ".join(CampaignWords(CampaignFindings(parts)).method())
    assert campaign_data(CampaignFindings(parts))["shared_items"] == [
        {"tracks": ["en", "de"], "items": 200}
    ]


def test_names_change_no_number():
    """Teams called otherwise, and in another order: the same p, confidence set and possible ranks."""
    rights = (0.85, 0.8, 0.7, 0.6)
    one, two = drawn(21, 200, rights), drawn(22, 150, rights)
    other = {"T0": "Z", "T1": "B", "T2": "A", "T3": "M"}
    pairs = []
    for renamed in (False, True):
        parts = []
        for (gold, teams), ids, part in ((one, range(200), "en"), (two, range(100, 250), "de")):
            named = {other[team] if renamed else team: row for team, row in teams.items()}
            parts.append(of_items(gold, named, ids, part))
        found = CampaignFindings(parts)
        names = [row.name for row in found.tracks.rows]
        order = [names.index(other[team] if renamed else team) for team in other]
        comparison = found.comparison
        pairs.append(
            (
                comparison.adjusted_p[np.ix_(order, order)],
                comparison.difference_lower[np.ix_(order, order)],
                comparison.possible_ranks[order],
                comparison.could_be_best[order],
                found.means.shown_ends[0][order],
            )
        )
    for first, second in zip(*pairs, strict=True):
        np.testing.assert_array_equal(first, second)


def test_a_track_twice_decides_as_one_track_does():
    """The same items with the same answers: p, possible ranks and the corrected interval of the single task."""
    gold, teams = drawn(23, 250, (0.9, 0.85, 0.6))
    one = of_items(gold, teams, range(250))
    twice = CampaignFindings([one, one])
    alone = one.certainty.comparison(one.task.ranking_metric)
    np.testing.assert_allclose(twice.comparison.standard_error, alone.standard_error, atol=1e-12)
    np.testing.assert_allclose(twice.comparison.adjusted_p, alone.adjusted_p, atol=0.002)
    np.testing.assert_array_equal(twice.comparison.possible_ranks, alone.possible_ranks)
    np.testing.assert_allclose(twice.comparison.leader_interval, alone.leader_interval, atol=1e-4)


def test_items_of_one_group_tell_nothing():
    """With the track's name in the reason."""
    gold, teams = drawn(24)
    one = of_items(gold, teams, range(300), groups=np.zeros(300, dtype=np.int64))
    other = of_items(gold, teams, range(300, 600), "de")
    assert means_of([one, other]).reason == "all items of en are in one group"


def test_tracks_with_and_without_groups_are_compared_together():
    """By signs of the groups and one normal sum of the items; a clear difference is found."""
    gold, teams = drawn(25, 300, (0.95, 0.6, 0.55))
    grouped = of_items(gold, teams, range(300), groups=np.arange(300) // 10)
    plain = of_items(*drawn(26, 200, (0.95, 0.6, 0.55)), range(900, 1100), "de")
    found = CampaignFindings([grouped, plain])
    assert found.means.has_groups
    assert found.is_significant
    assert found.comparison.n_draws == 40_000


def test_where_lower_is_better_the_upper_end_is_corrected():
    """By the Brier score the better team has the lower mean, and its upper end moves up."""
    tracks = [
        scored(seed, "brier", part, ids)
        for seed, part, ids in ((1, "en", range(200)), (2, "de", range(500, 700)))
    ]
    found = CampaignFindings(tracks)
    (first,) = found.winners
    assert found.tracks.summary.mean_score[first] == found.tracks.summary.mean_score.min()
    lower, upper = found.comparison.leader_interval
    assert upper > found.means.upper[first]
    assert lower == pytest.approx(found.means.lower[first], abs=1e-9)


def test_a_row_that_skipped_one_leaves_the_others_theirs():
    """Only who took part everywhere has a mean over all."""
    gold, teams = drawn(14)
    parts = [
        of_items(gold, teams, range(300)),
        of_items(gold, {"T0": teams["T0"]}, range(300), "de"),
    ]
    assert np.isnan(means_of(parts).lower).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("metric", "n_common"), [("accuracy", 60), ("averaged_f1", 120), ("averaged_f1", 150)]
)
def test_intervals_cover_the_mean_of_the_populations(metric, n_common):
    """Two questions about items of which some are common, answered alike where one is hard."""
    rng, n_items, n_draws = np.random.default_rng([15, n_common]), 150, whole_or(8, 250)
    n_teams, n_all = 10, 2 * n_items - n_common

    def of_population(size):
        gold = rng.integers(0, 3, size)
        hard = rng.random(size) < 0.5
        return gold, [
            np.where(rng.random(size) < np.where(hard, 0.5, 0.95), gold, rng.integers(0, 3, size))
            for _ in range(2)
        ]

    big = of_population(400_000)
    truth = np.mean(
        [
            of_items(big[0], {"T": row}, None, metric=metric).scores_of(ScoreKey(metric))[0]
            for row in big[1]
        ]
    )
    inside = 0
    for _ in range(n_draws):
        gold, hard = rng.integers(0, 3, n_all), rng.random(n_all) < 0.5
        spans, parts = (slice(0, n_items), slice(n_items - n_common, n_all)), []
        for part, span in zip(("en", "de"), spans, strict=True):
            right = rng.random((n_teams, n_all)) < np.where(hard, 0.5, 0.95)
            rows = np.where(right, gold, rng.integers(0, 3, (n_teams, n_all)))
            named = {f"T{place}": row[span] for place, row in enumerate(rows)}
            parts.append(of_items(gold[span], named, np.arange(n_all)[span], part, metric))
        found = means_of(parts)
        inside += int(((found.lower <= truth) & (truth <= found.upper)).sum())
    # of one draw they are correlated, so its own number is what counts
    n_intervals = n_draws * n_teams
    assert inside / n_intervals == pytest.approx(
        0.955, abs=0.015 + 2 * np.sqrt(0.05 * 0.95 / n_draws)
    )
