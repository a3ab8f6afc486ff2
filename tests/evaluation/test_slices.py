"""Parts of a test set: each is what a campaign of its items alone would be, and says whether it has another winner."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit
from audit.domain import (
    Claim,
    Mark,
    Options,
    Policies,
    Role,
    ScoreKey,
    SliceColumn,
    State,
    find_slice,
)
from audit.errors import UsageError
from audit.evaluation import evaluate
from audit.findings.claim import claim_of
from audit.findings.shown_intervals import shown_intervals
from audit.inference.differences import combined_differences, differences
from audit.inference.items import items_of
from audit.report.slices import slice_blocks
from tests.nightly import examples

from .campaigns import campaign, campaigns, submission

RANKING = ScoreKey("averaged_f1")
LARGE, SMALL = "ab" * 30, "ab" * 10


def cut(made, codes, name="language", values=("de", "en", "es")):
    """The campaign, cut by a column of these codes."""
    column = SliceColumn(name, tuple(values), np.asarray(codes, np.uint8))
    return replace(made, gold=replace(made.gold, slices=(*made.gold.slices, column)))


def alone(made, inside):
    """The campaign that has these items alone."""
    submissions = tuple(replace(each, given=each.codes[inside]) for each in made.submissions)
    gold = replace(made.gold, codes=made.gold.codes[inside], slices=())
    if gold.groups is not None:
        gold = replace(gold, groups=gold.groups[inside])
    return replace(made, gold=gold, submissions=submissions)


@st.composite
def cut_campaigns(draw):
    """Campaigns, some with groups, some with missing items dropped, cut into two or three parts."""
    made = draw(campaigns())
    n_items, n_parts = (
        made.gold.n_items,
        draw(st.integers(2, 3).filter(lambda n: n <= made.gold.n_items)),
    )
    codes = [
        *range(n_parts),
        *draw(
            st.lists(
                st.integers(0, n_parts - 1), min_size=n_items - n_parts, max_size=n_items - n_parts
            )
        ),
    ]
    if draw(st.booleans()):
        groups = draw(st.lists(st.integers(0, 3), min_size=n_items, max_size=n_items))
        made = replace(made, gold=replace(made.gold, groups=np.array(groups)))
    if draw(st.booleans()):
        made = replace(made, task=replace(made.task, policies=Policies(missing="drop")))
    return cut(made, codes, values=("de", "en", "es")[:n_parts])


@examples(5)
@given(cut_campaigns())
def test_a_part_is_the_campaign_of_its_items(made):
    """Every score, rank, interval of the ranking metric, and what may be said of the first place; no bit differs."""
    whole = evaluate(made)
    (sliced,) = whole.slices
    for code, part in enumerate(sliced.slices):
        inside = made.gold.slices[0].codes == code
        there = set(made.gold.codes[inside].tolist()) == set(made.gold.codes.tolist())
        rows = [row for row, key in enumerate(whole.keys) if there or key.prevalence != "named"]
        by_hand = alone(made, inside)
        by_hand = evaluate(
            by_hand if there else replace(by_hand, task=replace(made.task, prevalences=()))
        )
        np.testing.assert_array_equal(part.values[rows], by_hand.values)
        np.testing.assert_array_equal(part.rank_values[rows], by_hand.rank_values)
        assert np.isnan(np.delete(part.values, rows, axis=0)).all()
        assert part.class_counts.tolist() == by_hand.prevalence_counts.tolist()
        assert part.verdict == claim_of(by_hand.given(power=()))
        shown = shown_intervals(by_hand, RANKING)
        if not np.isnan(part.values[whole.keys.index(RANKING)]).all():
            np.testing.assert_array_equal([part.lower, part.upper], [shown.lower, shown.upper])
            assert (part.marks, part.corrected) == (shown.marks, shown.corrected)


@given(cut_campaigns())
def test_the_mean_of_the_parts_is_their_mean(made):
    """Undefined where a part is; accuracy of all items is the mean weighted by the parts' items."""
    made = replace(made, task=replace(made.task, policies=Policies()))
    whole = evaluate(made)
    (sliced,) = whole.slices
    stack = np.stack([part.values for part in sliced.slices])
    np.testing.assert_allclose(sliced.macro, stack.mean(axis=0), rtol=0, atol=1e-12)
    assert sum(part.n_items for part in sliced.slices) == made.gold.n_items
    row = whole.keys.index(ScoreKey("accuracy"))
    micro = np.average(stack[:, row], axis=0, weights=[part.n_items for part in sliced.slices])
    np.testing.assert_allclose(whole.values[row], micro, rtol=0, atol=1e-12)


def test_who_is_first_by_the_mean_takes_no_rank_from_an_undefined_one():
    """Undefined means stand last, as any undefined score."""
    made = cut(
        campaign([0, 1, 0, 1], {"A": [0, 1, 2, 2], "B": [0, 0, 0, 0]}, "ab"),
        [0, 0, 1, 1],
        values="xy",
    )
    evaluation = evaluate(replace(made, task=replace(made.task, policies=Policies(missing="drop"))))
    (sliced,) = evaluation.slices
    row = evaluation.keys.index(ScoreKey("averaged_f1"))
    assert np.isnan(sliced.macro[row]).tolist() == [True, False]
    assert sliced.macro_ranks[row].tolist() == [2, 1]


# Whether a part has another winner


def of_two(large, small, **options):
    """Two teams that get so many right in a large and in a small part, and their evaluation."""
    gold = list(LARGE + SMALL)
    given = {}
    for team, rights in (("A", (large[0], small[0])), ("B", (large[1], small[1]))):
        parts = zip((LARGE, SMALL), rights, strict=True)
        given[team] = [
            label if place < right else "ba"["ab".index(label)]
            for part, right in parts
            for place, label in enumerate(part)
        ]
    values = ["large"] * len(LARGE) + ["small"] * len(SMALL)
    return audit.evaluate(
        gold, given, slices={"size": values}, official_metric="accuracy", **options
    )


SAME, SHOWN, OTHER = State.SAME_NOT_SHOWN, State.SAME_SHOWN, State.OTHER_NOT_SHOWN
STATES = {
    "the same": (of_two, ((50, 30), (13, 12)), {}, [SHOWN, SAME], []),
    "another, shown": (
        of_two,
        ((55, 30), (0, 20)),
        {},
        [SHOWN, State.OTHER_SHOWN_THERE],
        ["small"],
    ),
    "another, not shown": (of_two, ((50, 30), (14, 15)), {}, [SHOWN, OTHER], ["small"]),
    "not tested": (
        of_two,
        ((50, 30), (14, 15)),
        {"certainty": False},
        [State.NOT_TESTED] * 2,
        ["small"],
    ),
    "nobody ahead there": (of_two, ((50, 30), (15, 15)), {}, [SHOWN, None], []),
    "nobody ahead at all": (of_two, ((50, 45), (10, 15)), {}, [None, None], []),
}


@pytest.mark.parametrize("state", STATES)
def test_a_part_has_one_of_the_states(state):
    """Another first is shown where it is ahead on the part's items, and the first of all is ahead on all items."""
    make, rights, options, expected, crowning = STATES[state]
    evaluation = make(*rights, **options)
    (sliced,) = evaluation.slices
    assert [part.state for part in sliced.slices] == expected
    crowned = [part.value for part in sliced.slices if part.crowns_another]
    assert crowned == crowning
    flags = [flag for flag in evaluation.flags if flag.slug == "slice-crowns-another"]
    assert bool(flags) == bool(crowned)
    for flag in flags:
        assert flag.sentence.startswith(
            "In parts of the test set others than A rank first: B in “small” by “size” ("
        )
        assert [each["slice"] for each in flag.evidence["columns"][0]["slices"]] == [
            "large",
            "small",
        ]
    rows = [found for found in evaluation.verdict.depends_on if found.choice == "slice"]
    states = [found.state for found in rows if "mean" not in found.first]
    assert sorted(set(states), key=list(State).index) == [
        each for each in State if each in expected
    ]


def test_a_winner_that_takes_part_in_no_comparison_is_not_tested():
    """The first of a part dropped an item of it, or the first of all did so elsewhere."""
    gold, wrong = [0, 1] * 40, [1, 0] * 20
    good = gold[:40]
    for place in (39, 79):
        given = {"A": [*wrong, *good], "B": [*good, *wrong[:20], *good[:20]], "C": [0] * 80}
        given["A"][:38] = gold[:20] + wrong[:18]
        given["A"][40:] = good
        given["B"][40:] = wrong
        given["B"][place] = 2
        made = cut(campaign(gold, given, "ab"), [0] * 40 + [1] * 40, values="xy")
        evaluation = evaluate(
            replace(made, task=replace(made.task, policies=Policies(missing="drop")))
        )
        assert [part.state for part in evaluation.slices[0].slices] == [
            State.NOT_TESTED,
            State.SAME_SHOWN,
        ]


def test_the_runs_are_those_that_count_in_the_whole():
    """The best run of all items is not the best of every part, and a baseline takes a rank in none."""
    made = campaign([0, 1] * 20, {}, "ab", policies=Policies(runs="best"))
    good, bad = [0, 1] * 10, [1, 0] * 10
    answers = {
        "A/1": [*good, *[0, 1] * 9, 1, 0],
        "A/2": [*bad, *good],
        "B": [0] * 40,
        "base": good + good,
    }
    roles = {"base": Role.BASELINE}
    given = tuple(
        submission(name, codes, made.task.label_set, role=roles.get(name, Role.PRIMARY))
        for name, codes in answers.items()
    )
    evaluation = evaluate(cut(replace(made, submissions=given), [0] * 20 + [1] * 20, values="xy"))
    assert evaluation.names == ("A", "B", "base")
    for part in evaluation.slices[0].slices:
        assert part.verdict.winners == (0,)
        assert part.rank_values[0].tolist() == [1, 2, 1]


def test_a_part_of_one_class_or_item_is_scored_and_claims_nothing():
    """Averages run over the class that occurs; no interval is given where none holds its level."""
    gold = [0, 1] * 20 + [0] * 9 + [1]
    given = {"A": gold, "B": [0] * 50}
    evaluation = evaluate(cut(campaign(gold, given, "ab"), [0] * 40 + [1] * 9 + [2]))
    whole, one_class, one_item = evaluation.slices[0].slices
    row = evaluation.keys.index(ScoreKey("averaged_f1"))
    assert one_class.values[row].tolist() == [1, 1]
    assert one_class.verdict.claim == one_item.verdict.claim.__class__("level")
    assert one_item.values[row].tolist() == [1, 0]
    assert one_item.n_items == 1
    assert one_item.verdict.claim in {Claim.OPEN, Claim.UNDECIDED, Claim.BEST}
    assert one_item.marks[0] is not Mark.NONE or not np.isnan(one_item.lower[0])
    assert whole.verdict.claim is Claim.BEST


def test_with_many_entries_nothing_is_tested():
    """A comparison of a thousand takes seconds, and there may be thirty parts."""
    rng = np.random.default_rng(0)
    gold = [0, 1] * 10
    given = {f"T{team:03}": rng.integers(0, 2, 20).tolist() for team in range(201)}
    evaluation = evaluate(cut(campaign(gold, given, "ab"), [0] * 10 + [1] * 10, values="xy"))
    for part in evaluation.slices[0].slices:
        assert part.verdict.claim in {Claim.NOT_TESTED, Claim.SHARED}
        assert np.isnan(part.lower).all()
        assert part.corrected == ()


def test_a_value_that_is_an_item_id_is_withheld():
    """Values are the organiser's data; ids of a test set in use stay in the house."""
    made = campaign([0, 1] * 2, {"A": [0, 1] * 2}, "ab")
    made = replace(
        made, gold=replace(made.gold, item_ids=("tweet-17", "tweet-18", "tweet-19", "tweet-20"))
    )
    (sliced,) = evaluate(cut(made, [0, 0, 1, 1], values=("spring", "tweet-18"))).slices
    assert [part.value for part in sliced.slices] == ["spring", "an item id (2)"]


def test_the_digest_of_gold_knows_its_slices():
    """Another column, value or cut is another gold, and so another signature."""
    made = campaign([0, 1] * 2, {"A": [0, 1] * 2}, "ab")
    cuts = [
        made,
        cut(made, [0, 0, 1, 1], values="xy"),
        cut(made, [0, 1, 1, 1], values="xy"),
        cut(made, [0, 0, 1, 1], values="xz"),
        cut(made, [0, 0, 1, 1], "domain", "xy"),
    ]
    assert (
        len({each.gold.digest() for each in cuts})
        == len({evaluate(each).signature for each in cuts})
        == len(cuts)
    )


def test_slices_are_made_when_they_are_asked_for():
    """And kept where all analyses are."""
    made = cut(campaign([0, 1] * 2, {"A": [0, 1] * 2}, "ab"), [0, 0, 1, 1], values="xy")
    evaluation = evaluate(made, Options(certainty=False))
    assert callable(vars(evaluation)["slices"])  # a function of the evaluation until it is read
    assert evaluation.settled().slices is evaluation.slices
    assert evaluate(replace(made, gold=made.gold.of_items(np.ones(4, bool)))).slices == ()


def test_a_slice_is_found_by_its_name():
    """Column and value, whatever stands in them; else the message says what there is."""
    made = cut(campaign([0, 1] * 2, {"A": [0, 1] * 2}, "ab"), [0, 0, 1, 1], "a=b", ("c=d", "e"))
    cuts = evaluate(made, Options(certainty=False)).slices
    assert find_slice(cuts, "a=b") == (cuts[0], None)
    assert find_slice(cuts, "a=b=c=d") == (cuts[0], cuts[0].slices[0])
    with pytest.raises(UsageError, match=r"no slice “a=b=f”.*Did you mean “a=b=e”"):
        find_slice(cuts, "a=b=f")
    with pytest.raises(UsageError, match=r"No column cuts the test set\..*slices ="):
        find_slice((), "a=b")


def test_a_mean_that_is_undefined_for_all_crowns_nobody():
    """A score of a class that one of the parts lacks."""
    gold = [0, 1] * 10 + [0, 2] * 10
    given = {"A": gold, "B": [0] * 40}
    evaluation = evaluate(
        cut(
            campaign(gold, given, official_metric=ScoreKey("recall[c]")),
            [0] * 20 + [1] * 20,
            values="xy",
        )
    )
    (sliced,) = evaluation.slices
    assert np.isnan(sliced.macro[evaluation.keys.index(ScoreKey("recall[c]"))]).all()
    assert [part.state for part in sliced.slices] == [None, State.SAME_SHOWN]
    assert sliced.slices[0].verdict.claim is Claim.NOBODY
    found = [each.first for each in evaluation.verdict.depends_on if each.choice == "slice"]
    assert found == ["A wins in “y” by “language”"]


def test_parts_of_a_tie_have_leaders_or_none():
    """Two that are as good as each other on all items may each lead a part; that is no change of the winner."""
    gold, halves = ["a", "b"] * 20, {"half": ["first"] * 20 + ["second"] * 20}
    right, wrong = gold[:20], ["b", "a"] * 5 + ["a", "b"] * 5
    for teams, leaders in (
        ({"X": right + wrong, "Y": wrong + right}, [(0,), (1,)]),
        ({"X": right + wrong, "Y": right + wrong}, [(), ()]),
    ):
        evaluation = audit.evaluate(
            gold, teams, slices=halves, official_metric="accuracy", certainty=False
        )
        (found,) = evaluation.slices
        assert not any(part.crowns_another for part in found.slices)
        assert [part.verdict.winners for part in found.slices] == leaders
        assert "slice" not in {each.choice for each in evaluation.verdict.depends_on}


# The mean of the parts


def of_mean(made):
    """The state by the mean of the parts by the only column, and the reason where there is none."""
    evaluation = evaluate(made)
    rows = [
        each
        for each in evaluation.verdict.depends_on
        if each.choice == "slice" and "mean" in each.first
    ]
    return evaluation.slices[0].state, [(row.state, row.reason) for row in rows]


def test_the_mean_of_the_parts_has_one_of_the_states():
    """A is right on the large part, B on the small one: by the mean another is first, which enough items show."""
    for n_items, state in ((40, State.OTHER_NOT_SHOWN), (400, State.OTHER_SHOWN)):
        gold = np.tile([0, 1], n_items).astype(np.uint8)
        small = np.arange(2 * n_items) >= 2 * n_items * 3 // 4
        right = {
            "A": ~small | (np.arange(gold.size) % 10 < 5),
            "B": small | (np.arange(gold.size) % 10 < 7),
        }
        answers = {
            team: np.where(is_right, gold, 1 - gold).tolist() for team, is_right in right.items()
        }
        made = campaign(gold.tolist(), answers, "ab", official_metric=ScoreKey("accuracy"))
        assert of_mean(cut(made, small, values="xy")) == (state, [(state, "")])
    crossing = replace(made, gold=replace(made.gold, groups=np.arange(gold.size) % 40))
    untested = [(State.NOT_TESTED, "a group of items is in several of them")]
    assert of_mean(cut(crossing, small, values="xy")) == (None, untested)
    nested = replace(made, gold=replace(made.gold, groups=np.arange(gold.size) // 10))
    assert of_mean(cut(nested, small, values="xy"))[0] is not None


def test_differences_of_a_mean_are_those_of_independent_parts():
    """Of two accuracies: a quarter of the sum of the variances, and D²/N of each beside it; of one part, its own."""
    rng = np.random.default_rng(4)
    gold = [0, 1] * 60
    given = {
        name: np.where(rng.random(120) < share, gold, 0).tolist()
        for name, share in (("A", 0.8), ("B", 0.6))
    }
    made = [
        campaign(gold[part], {team: codes[part] for team, codes in given.items()}, "ab")
        for part in (slice(50), slice(50, 120))
    ]
    key, parts, scores = ScoreKey("accuracy"), [], []
    for each in map(evaluate, made):
        answers = [submission.codes for submission in made[len(parts)].submissions]
        parts.append(differences(each, key, items_of(each, answers)))
        scores.append(each.scores_of(key))
    half = np.full(2, 0.5)
    both = combined_differences([(part, half) for part in parts], np.mean(scores, axis=0))
    variance = sum(part.error[0, 1] ** 2 for part in parts) / 4
    assert both.error[0, 1] ** 2 == pytest.approx(variance, rel=1e-12)
    by_hand = 0.0
    for each, codes in zip(made, (slice(50), slice(50, 120)), strict=True):
        right = [np.array(given[team][codes]) == np.array(gold[codes]) for team in "AB"]
        lead = right[0].astype(float) - right[1]
        by_hand += (lead.var() + lead.mean() ** 2) / each.gold.n_items / 4
    assert variance == pytest.approx(by_hand, rel=1e-9)
    alone = combined_differences([(parts[0], np.ones(2))], scores[0])
    assert np.array_equal(alone.spread, parts[0].spread)
    assert alone.error == pytest.approx(parts[0].error, rel=1e-12)


def test_a_part_says_who_is_only_too_uncertain_to_exclude():
    """By macro precision a team that never predicts a class is uncertain among five."""
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 3, 240)
    given = {
        f"T{number}": np.where(rng.random(240) < 0.6, gold, rng.integers(0, 3, 240)).tolist()
        for number in range(4)
    }
    given["Shy"] = np.where(gold == 2, 0, gold).tolist()
    made = campaign(gold.tolist(), given, official_metric=ScoreKey("macro_precision"))
    evaluation = evaluate(cut(made, [0] * 120 + [1] * 120, values="xy"))
    shy = evaluation.names.index("Shy")
    part = evaluation.slices[0].slices[0]
    assert part.verdict.uncertain == (shy,)
    *_, table = slice_blocks(evaluation, evaluation.task.ranking_metric, part)
    marks = {row[1].text: row[3].text for row in table.rows}
    assert marks["Shy"] == "●"
    assert "●" in marks.values() or set(part.verdict.could_be_best) == {shy}
    assert "too imprecise: Shy" in table.note
