"""No number and no decision depends on names: of teams, files, labels or groups, or on the order in which they come."""

import re

import numpy as np
import pytest

import audit
from audit.domain import Cells
from audit.domain.answer_order import class_order, entry_order
from audit.metrics import count_cells
from tests.nightly import by_day, whole_or

CAMPAIGNS = 10
RENAMINGS = whole_or(3, 100)  # of each campaign: by night 1,000 in all
P_ROUNDING = 3 / 4001  # draws whose largest value is a p's own, but for rounding


def random_campaign(seed):
    """Gold, answers of six or seven teams with a twin, a level pair and a constant system, and groups for every other.

    Classes are numbered; every fifth answer of the last team is none.
    """
    rng = np.random.default_rng(seed)
    n_classes, n_items = int(rng.integers(2, 5)), int(rng.integers(40, 120))
    shares = rng.dirichlet(np.full(n_classes, 3.0))
    gold = np.concatenate([np.arange(n_classes), rng.choice(n_classes, n_items, p=shares)])
    teams = []
    for accuracy in rng.uniform(0.4, 0.9, int(rng.integers(3, 5))):
        wrong = rng.integers(0, n_classes, gold.size)
        teams.append(np.where(rng.random(gold.size) < accuracy, gold, wrong))
    mirrored = gold.copy()
    right = np.flatnonzero(teams[0] == gold)
    # as many right as the first
    mirrored[: gold.size - right.size] = (gold[: gold.size - right.size] + 1) % n_classes
    teams += [mirrored, teams[1].copy(), np.zeros(gold.size, dtype=int)]
    teams[-2][::5] = -1
    groups = rng.integers(0, 25, gold.size) if seed % 2 else None
    return gold, teams, groups


def evaluated(campaign, rng=None):
    """What is said of a campaign, under names and in orders that chance gives; without chance as it stands."""
    gold, teams, groups = campaign
    n_classes, n_teams = int(gold.max()) + 1, len(teams)
    names, labels, order = np.arange(n_teams), np.arange(n_classes), np.arange(n_teams)
    if rng is not None:
        names, labels, order = (
            rng.permutation(n_teams),
            rng.permutation(n_classes),
            rng.permutation(n_teams),
        )
    prefix = "team" if rng is None else "".join(rng.choice(list("abcxyz"), 5))
    label_of = np.array([*(f"label{number}" for number in labels), ""], dtype=object)
    if groups is not None:
        groups = np.array(
            [f"g{number}" for number in (np.arange(25) if rng is None else rng.permutation(25))]
        )[groups]
    evaluation = audit.evaluate(
        label_of[gold],
        {f"{prefix}{names[team]}": label_of[teams[team]] for team in order},
        official_metric="averaged_f1",
        compare=["mcc"],
        groups=groups,
    )
    team_of = {f"{prefix}{name}": team for team, name in enumerate(names)}
    class_of = {f"label{label}": f"class {number}" for number, label in enumerate(labels)}
    return facts(evaluation, [team_of[name] for name in evaluation.names], class_of)


def facts(evaluation, teams, class_of):
    """Numbers and decisions by what they are of; teams by number, in whatever order the evaluation has them."""
    place = np.argsort(teams)

    def named(key):
        return re.sub(r"label\d", lambda found: class_of[found[0]], str(key))

    def numbered(entries):
        return sorted(teams[entry] for entry in entries)

    return {
        **of_scores(evaluation, place, named),
        **of_comparisons(evaluation, place, named, numbered),
        **of_other_choices(evaluation, place, named, numbered),
        "claim": evaluation.verdict.claim.value,
        "depends on": [(each.choice, each.state.value) for each in evaluation.verdict.depends_on],
        "to do": [each.about for each in evaluation.verdict.to_do],
        "findings": [(flag.slug, flag.severity) for flag in evaluation.flags],
    }


def of_scores(evaluation, place, named):
    said, intervals = {}, evaluation.certainty.intervals
    for row, key in enumerate(evaluation.keys):
        of_key = {"score": evaluation.values, "low": intervals.lower, "high": intervals.upper}
        of_key |= {"rank": evaluation.rank_values, "mark": intervals.marks}
        said |= {(what, named(key)): values[row][place] for what, values in of_key.items()}
        for baseline in evaluation.baselines:
            expected = baseline.values[row], baseline.standard_errors[row]
            said["baseline", baseline.slug, named(key)] = np.array(expected)
    return said


def of_comparisons(evaluation, place, named, numbered):
    said, pairs = {}, np.ix_(place, place)
    for each in evaluation.certainty.comparisons:
        chosen = np.stack([each.chosen_lower, each.chosen_upper])
        of_key = {
            "critical value": np.array([each.critical_value]),
            "error": each.standard_error[pairs],
        }
        of_key |= {
            "p": each.adjusted_p[pairs],
            "of the first": chosen[:, place],
            "ahead": each.ahead[pairs].tolist(),
        }
        of_key |= {
            "best": numbered(each.contenders),
            "possible ranks": each.possible_ranks[place].tolist(),
        }
        said |= {(what, named(each.key)): value for what, value in of_key.items()}
    for power in evaluation.power:
        needed = power.needed_as_pair or 0, power.needed_among_all or 0
        numbers = np.array([power.difference, power.standard_error, power.median_error, *needed])
        n_carrying = None if power.carried_by is None else power.carried_by.n_items
        said["power", named(power.key)] = numbers
        said["first two", named(power.key)] = numbered([power.first, power.second]), n_carrying
    return said


def of_other_choices(evaluation, place, named, numbered):
    said, shares = {}, evaluation.winner_map
    for change in evaluation.certainty.changes:
        keys = tuple(map(named, change.keys))
        said["state", change.kind, keys] = change.state.value, *map(numbered, change.winners)
    if shares is not None:
        said["distributions"] = np.stack([shares.uniform, shares.nearby])[:, place]
        said["nearest"] = np.array([np.nan if shares.nearest is None else shares.nearest.distance])
    return said | {
        ("rule", outcome.rule): outcome.values[place] for outcome in evaluation.elections
    }


def check_same(found, expected):
    """Decisions are the same, numbers to rounding; a p to the draws that rounding moves."""
    assert found.keys() == expected.keys()
    for what, value in expected.items():
        if isinstance(value, np.ndarray):
            tolerance = P_ROUNDING if what[0] == "p" else 1e-6
            np.testing.assert_allclose(
                found[what], value, rtol=1e-6, atol=tolerance, err_msg=str(what)
            )
        else:
            assert found[what] == value, what


@by_day(4)
@pytest.mark.parametrize("seed", range(CAMPAIGNS))
def test_no_name_and_no_order_changes_a_number_or_a_decision(seed):
    """Identical files under three sets of names gave 5,950, 5,960 and 5,980 items needed, and p of .152 and .153."""
    campaign = random_campaign(seed)
    expected = evaluated(campaign)
    rng = np.random.default_rng([seed, 1])
    for _ in range(RENAMINGS):
        check_same(evaluated(campaign, rng), expected)


def test_the_order_of_gold_s_lines_changes_no_decision_either():
    """Items have an order in gold, which breaks ties alone: draws are of confusions."""
    gold, teams, _ = random_campaign(4)
    mixed = np.random.default_rng(9).permutation(gold.size)
    found = evaluated((gold[mixed], [team[mixed] for team in teams], None))
    check_same(found, evaluated((gold, teams, None)))


def test_entries_are_ordered_by_confusions_then_by_answers():
    """Two teams with one confusion stand as their digests do; who has other errors stands by these."""
    gold = np.array([0, 0, 0, 1, 1])
    teams = [np.array([0, 0, 1, 1, 1]), np.array([1, 0, 0, 1, 1]), gold]
    cells = count_cells(gold, teams, 2)
    classes = class_order(gold, cells)
    assert classes.tolist() == [0, 1]
    assert entry_order(cells, classes, ["b", "a", "c"]).tolist() == [1, 0, 2]
    assert entry_order(cells.of_teams([2, 0, 1]), classes, ["c", "b", "a"]).tolist() == [2, 1, 0]
    assert class_order(
        1 - gold, count_cells(1 - gold, [1 - team for team in teams], 2)
    ).tolist() == [1, 0]


def test_classes_of_one_size_stand_by_answers_then_by_hits_then_as_they_appear():
    gold = np.array([3, 2, 1, 0])
    assert class_order(gold, count_cells(gold, [gold], 4)).tolist() == [3, 2, 1, 0]
    assert class_order(gold, count_cells(gold, [np.array([3, 2, 2, 2])], 4)).tolist() == [
        1,
        0,
        3,
        2,
    ]
    assert class_order(gold, count_cells(gold, [np.array([2, 3, 1, 0])], 4)).tolist() == [
        3,
        2,
        1,
        0,
    ]


def test_entries_without_a_scored_item_stand_by_their_digests():
    nothing = Cells.numbered(np.zeros((2, 0)), np.zeros(0, dtype=np.int64), 2)
    assert entry_order(nothing, np.arange(2), ["b", "a"]).tolist() == [1, 0]
