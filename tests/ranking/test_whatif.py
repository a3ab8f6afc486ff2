"""The winner map against brute force, closed forms and linear programming."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import linprog

import audit
from audit.domain import (
    BALANCED,
    OBSERVED,
    Campaign,
    Cells,
    Gold,
    LabelSet,
    Policies,
    Prevalence,
    ScoreKey,
    Submission,
    Task,
)
from audit.errors import UsageError
from audit.evaluation import evaluate
from audit.metrics import AGGREGATES, Holds, score
from audit.ranking import nearest, prevalence_shift
from audit.ranking.nearest import monte_carlo_interval, nearest_change, rays, transfers, winner_map
from audit.ranking.prevalence_shift import (
    drawn_nearby,
    drawn_uniformly,
    first_under,
    reference_shares,
    scenario,
    scores_under,
    total_variation,
)
from audit.ranking.ranks import competition_ranks, first_places

INVARIANT = [
    metric.slug for metric in AGGREGATES if metric.properties.prevalence_invariant is Holds.YES
]

ACCURACY = ScoreKey("accuracy")


def campaign_of(confusions, metric="accuracy", prevalences=()):
    """A campaign of submissions with these confusions."""
    confusions = np.asarray(confusions)
    labels = LabelSet(tuple("abcdefgh"[: confusions.shape[-2]]))
    gold = np.repeat(np.arange(len(labels)), confusions[0].sum(axis=-1)).astype(np.uint8)
    submissions = tuple(
        Submission(
            f"T{team}",
            np.concatenate([np.repeat(np.arange(row.size), row) for row in rows]).astype(np.uint8),
        )
        for team, rows in enumerate(confusions)
    )
    key = metric if isinstance(metric, ScoreKey) else ScoreKey(metric)
    return evaluate(
        Campaign(
            Task("t", "T", labels, official_metric=key, prevalences=prevalences),
            Gold(labels, gold),
            submissions,
        )
    )


def random_campaign(seed, n_teams=5, n_classes=3, metric="accuracy"):
    """Teams of about equal quality on a skewed gold, some answers missing."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(5, 60, n_classes)
    confusions = np.stack(
        [
            [
                rng.multinomial(size, rng.dirichlet(1 + 6 * np.eye(n_classes + 1)[code]))
                for code, size in enumerate(sizes)
            ]
            for _ in range(n_teams)
        ]
    )
    return campaign_of(confusions, metric)


def crossing():
    """Recall .9 and .5 against .6 and .7: accuracies are equal where two fifths of the items are of the first class."""
    return campaign_of([[[27, 3, 0], [5, 5, 0]], [[18, 12, 0], [3, 7, 0]]])


# Scores and winners


@given(st.integers(0, 10_000), st.sampled_from([metric.slug for metric in AGGREGATES]))
def test_winners_are_those_of_one_calibration_at_a_time(seed, metric):
    """Brute force: scale the rows, score, rank, and look who is first."""
    evaluation = random_campaign(seed)
    labels = evaluation.task.label_set
    shares = np.random.default_rng(seed).dirichlet(np.ones(3), 12)
    first = first_under(evaluation, shares, metric)
    for row, target in enumerate(shares):
        prevalence = Prevalence("named", tuple(zip(labels, target.tolist(), strict=True)))
        scores = score(evaluation.confusions, [ScoreKey(metric, "named")], [prevalence], labels)[0]
        assert (
            first[row].tolist() == ((competition_ranks(scores) == 1) & ~np.isnan(scores)).tolist()
        )


@pytest.mark.parametrize("cells", [1, 20, 10**6])
def test_who_is_first_does_not_depend_on_how_many_scores_are_held_at_once(monkeypatch, cells):
    """Nor is anything missing where there is no distribution."""
    evaluation = random_campaign(4)
    shares = np.random.default_rng(4).dirichlet(np.ones(3), 12)
    whole = first_under(evaluation, shares, "mcc")
    monkeypatch.setattr(prevalence_shift, "_BLOCK_CELLS", cells)
    assert (first_under(evaluation, shares, "mcc") == whole).all()
    assert first_under(evaluation, shares[:0], "mcc").shape == (0, len(evaluation.entries))


def test_observed_and_balanced_are_special_cases():
    """What-if at these two distributions gives the evaluation's own scores, for every metric of every team."""
    evaluation = random_campaign(3)
    names = [key.metric for key in evaluation.keys if key.prevalence == "observed"]
    shares = np.stack(
        [reference_shares(evaluation, ScoreKey("mcc", at)) for at in ("observed", "balanced")]
    )
    found = np.stack(
        [scores_under(evaluation.cells, shares, name, evaluation.task.label_set) for name in names]
    )
    for column, prevalence in enumerate((OBSERVED, BALANCED)):
        ours = [evaluation.scores_of(ScoreKey(name, prevalence.name)) for name in names]
        np.testing.assert_allclose(found[:, column], ours, atol=1e-12)
        there = scenario(evaluation, prevalence)
        keys = [ScoreKey(name, prevalence.name) for name in names]
        np.testing.assert_allclose(
            np.stack([there.scores_of(key) for key in keys]), ours, atol=1e-12
        )
        assert all(there.winners(key) == evaluation.winners(key) for key in keys)


def test_a_scenario_ranks_who_takes_a_rank():
    """A baseline has scores and no rank, and moves nobody down."""
    evaluation = crossing()
    entries = (replace(evaluation.entries[0], competes=False), evaluation.entries[1])
    found = scenario(
        replace(evaluation, entries=entries),
        Prevalence("named", (("a", 0.9), ("b", 0.1))),
        ["recall[a]"],
    )
    key = ScoreKey("accuracy", "named")
    assert found.scores_of(key).tolist() == pytest.approx([0.86, 0.61])
    assert found.ranks_of(key).tolist() == [0, 1]
    assert found.winners(key) == (1,)
    assert ScoreKey("recall[a]", "named") in found.keys


def test_a_scenario_needs_a_share_for_every_class():
    """As a named prevalence does."""
    with pytest.raises(UsageError, match="positive share to every class in gold"):
        scenario(crossing(), Prevalence("named", (("a", 1.0),)))


# The map


def test_shares_of_two_classes_are_lengths_on_a_line():
    """The first team wins from two fifths on, so it holds three fifths of the line, within the Monte Carlo error."""
    found = winner_map(crossing())
    lower, upper = monte_carlo_interval(found.holds_uniform, found.n_draws)
    assert found.winners == (0,)
    assert lower <= 0.6 <= upper
    assert found.uniform.tolist() == pytest.approx([found.holds_uniform, 1 - found.holds_uniform])


def test_shares_around_the_gold_are_those_of_a_beta_distribution():
    """With two classes the concentrated draws have a Beta marginal, whose tail says how often the winner holds."""
    found = winner_map(crossing())
    tail = stats.beta(0.75 * found.concentration, 0.25 * found.concentration).sf(0.4)
    assert found.holds_nearby == pytest.approx(tail, abs=0.01)


def triangle_rows(n_rows):
    """Centres of the small triangles that a triangle falls into, row by row, shape (2 (n_rows - row) - 1, 3).

    Barycentric coordinates; the third grows from row to row, the second along a row.
    """
    rows = []
    for row in range(n_rows):
        place = np.arange(2 * (n_rows - row) - 1)
        upright = place % 2 == 0
        second = place // 2 + np.where(upright, 1, 2) / 3
        third = row + np.where(upright, 1, 2) / 3
        rows.append(np.stack([n_rows - second - third, second, third], axis=-1) / n_rows)
    return rows


@given(st.integers(0, 10_000))
def test_shares_of_three_classes_agree_with_a_grid(seed):
    """The share of the simplex by drawing and by counting small triangles: within five Monte Carlo errors."""
    evaluation = random_campaign(seed, metric="averaged_f1")
    found = winner_map(evaluation)
    first = first_under(evaluation, np.concatenate(triangle_rows(60)), "averaged_f1")
    np.testing.assert_allclose(found.uniform, first.mean(axis=0), atol=5 * 0.5 / 2_000**0.5)


def test_the_same_seed_gives_the_same_map():
    """And another seed another one, within the error."""
    evaluation = random_campaign(5, metric="kappa")
    one, again, other = (
        winner_map(evaluation),
        winner_map(evaluation),
        winner_map(evaluation, seed=7),
    )
    assert (one.uniform == again.uniform).all()
    assert one.nearest.distance == again.nearest.distance
    assert (one.uniform != other.uniform).any()
    np.testing.assert_allclose(one.uniform, other.uniform, atol=0.06)


def test_of_many_classes_fewer_distributions_are_drawn_and_the_shares_say_so():
    """Of 201 alike: right on all but one item of its own each, either is ahead where the other's class is larger."""
    gold = [f"{number}" for number in range(201)]
    found = winner_map(
        audit.evaluate(gold, {"one": ["1", *gold[1:]], "other": [gold[0], "0", *gold[2:]]}),
        ScoreKey("accuracy"),
    )
    assert (found.n_draws, len(found.winners)) == (500, 2)
    lower, upper = monte_carlo_interval(float(found.uniform[0]), found.n_draws)
    assert lower <= 0.5 <= upper


@pytest.mark.parametrize("metric", INVARIANT)
def test_a_prevalence_invariant_metric_has_one_winner_everywhere(metric):
    """And no nearest change."""
    found = winner_map(random_campaign(8), ScoreKey(metric))
    assert (found.holds_uniform, found.holds_nearby, found.nearest) == (1, 1, None)


def test_a_metric_that_states_its_prevalence_starts_there():
    """The reference of a calibrated metric is balanced, of a named one what task.toml says."""
    named = Prevalence("named", (("a", 0.2), ("b", 0.8)))
    evaluation = campaign_of(crossing().confusions, ScoreKey("accuracy", "named"), (named,))
    assert evaluation.winner_map.reference.tolist() == [0.2, 0.8]
    assert (
        evaluation.winner_map.winners == evaluation.winners(evaluation.task.ranking_metric) == (1,)
    )
    assert reference_shares(evaluation, ScoreKey("mcc", "balanced")).tolist() == [0.5, 0.5]


def test_who_takes_no_rank_wins_nowhere():
    """A baseline that would win half of the line is not on the map."""
    evaluation = crossing()
    third = campaign_of([*evaluation.confusions, [[29, 1, 0], [6, 4, 0]]])
    entries = (*third.entries[:2], replace(third.entries[2], competes=False))
    found = winner_map(replace(third, entries=entries))
    assert found.uniform[2] == found.nearby[2] == 0
    assert found.uniform[:2].tolist() == winner_map(evaluation).uniform.tolist()


def test_there_is_no_map_where_nobody_else_could_win():
    """One team; one class."""
    assert campaign_of(crossing().confusions[:1]).winner_map is None
    assert winner_map(campaign_of([[[3, 0]], [[2, 1]]]), ACCURACY) is None


def test_a_score_that_is_undefined_everywhere_crowns_nobody():
    """The recall of a class that gold lacks."""
    labels = LabelSet(("a", "b", "c"))
    gold, answers = np.array([0, 0, 1], np.uint8), np.array([0, 1, 1], np.uint8)
    task = Task("t", "T", labels, official_metric=ScoreKey("recall[c]"))
    evaluation = evaluate(
        Campaign(task, Gold(labels, gold), (Submission("X", answers), Submission("Y", gold)))
    )
    assert evaluation.winner_map is None
    assert nearest_change(evaluation, ScoreKey("recall[c]")) is None


def test_who_has_lost_a_class_has_no_score_under_other_distributions():
    """Its rows as rates are unknown; where every team has lost one, there is no score at all."""
    lost = [[[0, 0, 0], [5, 5, 0]], [[6, 4, 0], [0, 0, 0]]]
    whole = [[9, 1, 0], [5, 5, 0]]
    shares, labels = np.array([[0.5, 0.5], [0.3, 0.7]]), LabelSet(("a", "b"))
    for cells in (lost, lost[:1], [lost[0], lost[0]]):  # also where all have lost the same
        assert np.isnan(scores_under(Cells.of(np.array(cells)), shares, "accuracy", labels)).all()
    assert (
        np.isnan(
            scores_under(Cells.of(np.array([*lost, whole])), shares, "accuracy", labels)
        ).tolist()
        == [[True, True, False]] * 2
    )


def test_wilsons_interval_is_that_of_scipy():
    """At the ends of the range too, beyond which none reaches."""
    for n_first in (0, 3, 1000, 2000):
        peer = stats.binomtest(n_first, 2000).proportion_ci(0.95, method="wilson")
        assert monte_carlo_interval(n_first / 2000, 2000) == pytest.approx(
            (peer.low, peer.high), abs=1e-12
        )
    for n_draws in range(1, 500):
        assert 0 <= monte_carlo_interval(0.0, n_draws)[0] < 1e-12
        assert monte_carlo_interval(1.0, n_draws)[1] <= 1


def test_first_places_are_rank_one():
    """Chains of scores that are close to one another included, as in the ranking."""
    close = np.array([[0.5, 0.5 - 0.8e-12, 0.5 - 1.6e-12, 0.4], [np.nan, 0.1, np.nan, 0.1]])
    assert first_places(close).tolist() == (competition_ranks(close) == 1).tolist()
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (500, 6)) / 4
    assert (first_places(scores) == (competition_ranks(scores) == 1)).all()


# The nearest change


def least_transport(weights, reference):
    """By linear programming: the least total variation at which a weighted sum of the shares is not above 0."""
    n = len(reference)
    # shares = reference + gained − lost; minimise what is gained
    costs = np.concatenate([np.ones(n), np.zeros(n)])
    equal = np.concatenate([np.ones(n), -np.ones(n)])[None]
    within = np.concatenate([weights, -weights])[None]
    bounds = [(0, None)] * n + [(0, share) for share in reference]
    solved = linprog(
        costs, A_ub=within, b_ub=[-weights @ reference], A_eq=equal, b_eq=[0], bounds=bounds
    )
    assert solved.success
    return solved.fun


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_the_nearest_change_by_accuracy_is_that_of_linear_programming(seed, n_classes):
    """A lead in accuracy is a weighted sum of the shares, and the weights are differences of recall."""
    evaluation = random_campaign(seed, n_classes=n_classes)
    recall = np.diagonal(evaluation.confusions, axis1=1, axis2=2) / evaluation.prevalence_counts
    reference = reference_shares(evaluation, ACCURACY)
    winner = evaluation.winners(ACCURACY)[0]
    leads = [recall[winner] - recall[team] for team in range(len(recall)) if team != winner]
    # where a rival is nowhere better, it is level at most where a class has disappeared
    exact = min(
        (least_transport(lead, reference) for lead in leads if lead.min() < 0), default=None
    )
    found = nearest_change(evaluation, ACCURACY)
    if exact is None:
        assert found is None
    elif len(evaluation.winners(ACCURACY)) == 1:
        assert found.distance == pytest.approx(exact, abs=2e-5)


@given(st.integers(0, 10_000), st.sampled_from([metric.slug for metric in AGGREGATES]))
def test_the_nearest_change_is_one_and_nothing_drawn_is_nearer(seed, metric):
    """Brute force: the winner there is another, and of many random distributions no nearer one changes the winner."""
    evaluation = random_campaign(seed, metric=metric)
    key = ScoreKey(metric)
    found = nearest_change(evaluation, key)
    reference = reference_shares(evaluation, key)
    # some near, some far: mixtures of the reference with anything
    rng = np.random.default_rng(seed)
    anything = rng.dirichlet(np.ones(3), 3_000)
    draws = reference + rng.random((3_000, 1)) * (anything - reference)
    held = set(evaluation.winners(key))
    changed = ~first_under(evaluation, draws, metric)[:, sorted(held)].any(axis=1)
    nearest_drawn = min(total_variation(draws[changed], reference), default=np.inf)
    # of several that share the first place each has to be overtaken, and the slope is that of one
    farther = 1.1 if len(held) > 1 else 1
    assert (1 if found is None else found.distance) <= farther * nearest_drawn + 1e-3
    if found is not None:
        assert set(np.flatnonzero(first_under(evaluation, found.shares[None], metric)[0])) == set(
            found.winners
        )
        assert not held & set(found.winners)
        assert found.distance == pytest.approx(float(np.abs(found.shares - reference).sum() / 2))
        assert found.shares.sum() == pytest.approx(1)


def test_a_distribution_known_to_change_the_winner_is_a_way():
    """Towards it, and no farther than it."""
    evaluation = random_campaign(21, metric="mcc")
    draws = drawn_uniformly(evaluation.present, 500, 1)
    held = list(evaluation.winners(ScoreKey("mcc")))
    changed = draws[~first_under(evaluation, draws, "mcc")[:, held].any(axis=1)]
    reference = reference_shares(evaluation, ScoreKey("mcc"))
    found = nearest_change(evaluation, ScoreKey("mcc"), changed)
    assert found.distance <= total_variation(changed, reference).min()


def test_many_classes_are_searched_without_every_pair():
    """Thirty classes have 870 pairs; the slopes and random ways still find a change."""
    rng = np.random.default_rng(4)
    labels = LabelSet(tuple(map(str, range(30))))
    gold = np.repeat(np.arange(30), 20).astype(np.uint8)
    answers = [
        np.where(rng.random(600) < 0.6, gold, rng.integers(0, 30, 600)).astype(np.uint8)
        for _ in range(4)
    ]
    task = Task("t", "T", labels, official_metric=ACCURACY)
    evaluation = evaluate(
        Campaign(
            task,
            Gold(labels, gold),
            tuple(Submission(str(n), codes) for n, codes in enumerate(answers)),
        )
    )
    assert 0 < evaluation.winner_map.nearest.distance < 0.2


# Distributions


def test_draws_are_distributions_of_the_classes_in_gold():
    """Positive where gold has items, 0 elsewhere, summing to 1; uniform draws have the moments of Dirichlet(1)."""
    present = np.array([True, False, True, True])
    draws = drawn_uniformly(present, 20_000, 3)
    assert (draws[:, present] > 0).all()
    assert not draws[:, 1].any()
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    np.testing.assert_allclose(draws[:, present].mean(axis=0), 1 / 3, atol=0.01)
    np.testing.assert_allclose(draws[:, present].var(axis=0), 1 / 18, atol=0.002)


def test_draws_around_a_distribution_have_its_mean():
    """And the variance p (1 − p) / (concentration + 1)."""
    reference = np.array([0.6, 0.0, 0.3, 0.1])
    draws = drawn_nearby(reference, 20_000, 3, concentration=20)
    np.testing.assert_allclose(draws.mean(axis=0), reference, atol=0.005)
    np.testing.assert_allclose(draws.var(axis=0), reference * (1 - reference) / 21, atol=0.001)


def test_the_small_triangles_fill_the_large_one():
    """As many as the square of the rows, each centre inside, in the middle on average."""
    rows = triangle_rows(7)
    centres = np.concatenate(rows)
    assert len(centres) == 49
    assert (centres > 0).all()
    np.testing.assert_allclose(centres.sum(axis=1), 1)
    np.testing.assert_allclose(centres.mean(axis=0), 1 / 3)


def test_ways_lead_as_far_as_they_are_asked():
    """At every distance a distribution at that total variation distance, until a class has given all."""
    reference = np.array([0.5, 0.0, 0.2, 0.3])
    weights = np.random.default_rng(0).standard_normal((30, 4))
    distances = np.array([0.05, 0.15])
    points = transfers(reference, weights)(distances)
    np.testing.assert_allclose(points.sum(axis=-1), 1)
    np.testing.assert_allclose(total_variation(points, reference), np.tile(distances, (30, 1)))
    assert (points[..., [0, 2, 3]] > 0).all()
    ends = drawn_uniformly(reference > 0, 30, 0)
    np.testing.assert_allclose(rays(reference, ends)(np.array([2.0]))[:, 0], ends)


def test_a_submission_that_dropped_a_class_has_no_score_elsewhere():
    """Where missing items are left out and all of a class are, nothing says how the team answers that class."""
    labels = LabelSet(("a", "b"))
    gold = np.array([0, 0, 1, 1], np.uint8)
    answers = {"X": [0, 0, 2, 2], "Y": [0, 1, 1, 1], "Z": [0, 0, 1, 0], "nothing": [2, 2, 2, 2]}
    submissions = tuple(
        Submission(team, np.array(codes, np.uint8)) for team, codes in answers.items()
    )
    task = Task("t", "T", labels, official_metric=ACCURACY, policies=Policies(missing="drop"))
    evaluation = evaluate(Campaign(task, Gold(labels, gold), submissions))
    shares = np.array([[0.3, 0.7]])
    scores = scores_under(evaluation.cells, shares, "accuracy", labels)[0]
    by_name = dict(zip(evaluation.names, scores.tolist(), strict=True))
    assert {name for name, value in by_name.items() if np.isnan(value)} == {"X", "nothing"}
    assert (by_name["Y"], by_name["Z"]) == (pytest.approx(0.85), pytest.approx(0.65))
    found = scenario(evaluation, Prevalence("there", (("a", 0.3), ("b", 0.7))))
    np.testing.assert_allclose(found.scores_of(ScoreKey("accuracy", "there")), scores)
    assert {evaluation.names[team] for team in winner_map(evaluation).winners} == {"Y", "Z"}


@pytest.mark.parametrize(
    "metric", ["accuracy", "averaged_f1", "macro_precision", "f1_of_averages", "mcc", "kappa"]
)
def test_slopes_are_those_of_a_little_more_of_each_class(metric):
    """Of a lead in the share of every class, tried by turns."""
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 6, 2_000)
    teams = [
        np.where(rng.random(2_000) < share, gold, rng.integers(0, 6, 2_000))
        for share in (0.5, 0.6, 0.7)
    ]
    evaluation = audit.evaluate(
        gold, {f"T{team}": codes for team, codes in enumerate(teams)}, certainty=False
    )
    start = nearest._Start.of(evaluation, ScoreKey(metric))
    shares = rng.dirichlet(np.full(6, 20.0))
    near = shares + 1e-4 * (np.eye(6) - shares)
    scores = scores_under(
        evaluation.cells, np.stack([shares, *near]), metric, evaluation.task.label_set
    )
    leads = scores[:, [int(start.winners.argmax())]] - scores
    tried = 1e4 * (leads[1:] - leads[0]).T
    np.testing.assert_allclose(start.slopes(shares), tried, atol=2e-3 * np.abs(tried).max())
