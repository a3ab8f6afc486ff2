"""Flags about certainty: what they claim is what the comparison says, in words that claim no more."""

import itertools
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from audit.domain import ScoreKey, Severity
from audit.flags import find_flags
from audit.report import build_page
from audit.text import number

from .campaigns import noisy, resampled, scored

OURS = (
    *("winner-not-separable", "possible-winners", "no-adjacent-pair-separable", "macro-f1-flip-supported"),
    *("macro-f1-flip-not-supported", "cannot-resolve-decimals", "too-few-gold-items", "few-groups"),
)
AVERAGED, AVERAGES = ScoreKey("averaged_f1"), ScoreKey("f1_of_averages")


def counted(rows):
    """Codes of gold and of answers that have these counts, gold × predicted, a last column unanswered."""
    cells = [(g, p) for g, row in enumerate(rows) for p, n in enumerate(row) for _ in range(n)]
    return np.array(cells).T


def of(confusions, **settings):
    teams = {team: counted(rows) for team, rows in confusions.items()}
    gold = next(iter(teams.values()))[0]
    return resampled(gold, {team: given for team, (_, given) in teams.items()}, len(set(gold)), **settings)


def flag_of(evaluation, slug):
    return next((flag for flag in evaluation.flags if flag.slug == slug), None)


def fired(evaluation):
    return {flag.slug for flag in evaluation.flags} & {*OURS}


@pytest.fixture(scope="module")
def close():
    """Four teams, of which the first two are close and the last is far behind."""
    rng = np.random.default_rng(31)
    gold = rng.choice(3, 600, p=[0.5, 0.3, 0.2])
    teams = dict(zip(("Ann", "Ben", "Cem", "Dag"), noisy(rng, gold, 3, [0.74, 0.73, 0.7, 0.4]), strict=True))
    return resampled(gold, teams, 3, n_replicates=400)


@pytest.fixture(scope="module")
def clear():
    """Three teams that are far apart."""
    rng = np.random.default_rng(32)
    gold = rng.choice(2, 6000)
    return resampled(gold, noisy(rng, gold, 2, [0.9, 0.7, 0.5]), 2, n_replicates=200, official_decimals=1)


@pytest.fixture(scope="module")
def supported():
    """A macro F1 flip that 4,400 items support."""
    return of({"X": [[200, 200], [2000, 2000]], "Y": [[400, 0], [3600, 400]]})


@pytest.fixture(scope="module")
def unsupported():
    """The papers' flip, on thirty items."""
    return of({"X": [[5, 5], [10, 10]], "Y": [[1, 9], [1, 19]]})


def test_nothing_is_said_where_nothing_was_resampled():
    """Every rule needs replicates."""
    gold = np.arange(60) % 2
    assert not fired(scored(gold, [gold, 1 - gold, gold * 0], 2))


def test_a_clear_field_is_left_in_peace(clear):
    """Teams far apart, many items, one decimal: nothing to say."""
    assert fired(clear) == set()


def test_the_rivals_of_the_winner_are_those_not_separable_from_it(close):
    """With their adjusted p and that of the single comparison; best first."""
    flag = flag_of(close, "winner-not-separable")
    comparison = close.uncertainty.comparisons[0]
    (first,) = close.winners(AVERAGED)
    rivals = [team for team in close.order(AVERAGED) if comparison.adjusted_p[first, team] > 0.05 and team != first]
    assert flag.evidence["metric"] == "averaged_f1"
    assert flag.evidence["first"] == close.names[first]
    assert [entry["team"] for entry in flag.evidence["not_separable"]] == [close.names[team] for team in rivals]
    for entry, team in zip(flag.evidence["not_separable"], rivals, strict=True):
        assert entry["adjusted_p"] == comparison.adjusted_p[first, team]
        assert entry["randomization_p"] == comparison.randomization_p[team]
    assert 0 < len(rivals) < 3
    assert "family-wise error 5%" in flag.sentence
    assert f"{len(rivals)} other team" in flag.sentence


def test_possible_winners_are_those_whose_rank_set_holds_1(close):
    """Nobody is separable from, and above, them."""
    comparison = close.uncertainty.comparisons[0]
    expected = [team for team in close.order(AVERAGED) if not comparison.separable[:, team].any()]
    flag = flag_of(close, "possible-winners")
    assert [entry["team"] for entry in flag.evidence["teams"]] == [close.names[team] for team in expected]
    assert all(entry["rank_set"][0] == 1 for entry in flag.evidence["teams"])
    assert len(expected) >= 2


def test_neighbours_need_three_teams(unsupported):
    """Two teams have one pair, and another flag says what there is to say."""
    assert flag_of(unsupported, "no-adjacent-pair-separable") is None
    assert flag_of(unsupported, "winner-not-separable") is not None


def test_no_pair_of_neighbours_is_separable():
    """Teams that climb in small steps: the ends may be separable, the neighbours are not."""
    rng = np.random.default_rng(33)
    gold = rng.choice(2, 500)
    evaluation = resampled(gold, noisy(rng, gold, 2, np.linspace(0.8, 0.6, 7)), 2, n_replicates=300)
    comparison, order = evaluation.uncertainty.comparisons[0], evaluation.order(AVERAGED)
    assert comparison.separable.any()
    assert not any(comparison.separable[a, b] for a, b in itertools.pairwise(order))
    assert flag_of(evaluation, "no-adjacent-pair-separable").evidence["adjacent_pairs"] == 6


def test_a_supported_flip_names_who_is_above_by_which(supported):
    """X is separable from Y by averaged F1, Y from X by F1 of averages; both are winners, so the winner changes."""
    flag = flag_of(supported, "macro-f1-flip-supported")
    by = {comparison.key: comparison.separable for comparison in supported.uncertainty.comparisons}
    assert by[AVERAGED].tolist() == [[False, True], [False, False]]
    assert by[AVERAGES].tolist() == [[False, False], [True, False]]
    assert flag.evidence["pairs"] == [["X", "Y"]]
    assert flag.severity is Severity.WINNER
    assert flag_of(supported, "macro-f1-flip-not-supported") is None


def test_a_supported_flip_behind_the_winner_changes_the_order_only():
    """A third team wins by both."""
    flip = {"X": [[200, 200], [2000, 2000]], "Y": [[400, 0], [3600, 400]]}
    flag = flag_of(of({**flip, "Z": [[399, 1], [1, 3999]]}), "macro-f1-flip-supported")
    assert flag.evidence["pairs"] == [["X", "Y"]]
    assert flag.severity is Severity.ORDER


def test_a_flip_that_the_data_do_not_support_is_said_to_be_none(unsupported):
    """With the share of replicates that disagree, which is a description."""
    flag = flag_of(unsupported, "macro-f1-flip-not-supported")
    assert flag.evidence["winners"] == {"averaged_f1": ["X"], "f1_of_averages": ["Y"]}
    share = flag.evidence["share_of_replicates_that_disagree"]
    assert share == unsupported.uncertainty.macro_f1_disagreement
    assert f"the winners differ in {number(share, 2)} of the replicates" in flag.sentence
    assert "separable neither by averaged F1 nor by F1 of averages" in flag.sentence
    assert (
        flag.paper == "By averaged F1 X is first, by F1 of averages Y; the test set does not separate them both ways."
    )
    assert flag_of(unsupported, "macro-f1-flip-supported") is None


def test_joint_winners_are_all_named():
    """X wins one macro F1 alone and the other together with Y: the change is from X to X and Y, not from X to X."""
    even, uneven = [[5, 5], [10, 10]], [[3, 7], [6, 14]]  # F1 of averages 1/2 twice, averaged F1 .486 and .499
    flag = flag_of(of({"X": uneven, "Y": even}), "macro-f1-flip-not-supported")
    assert "from X to X and Y" in flag.sentence
    assert flag.evidence["winners"] == {"averaged_f1": ["X"], "f1_of_averages": ["X", "Y"]}


@pytest.mark.parametrize("decimals", [None, 0, 1, 2, 3, 4])
def test_printed_decimals_are_held_against_what_the_test_set_resolves(decimals):
    """Neighbours that print differently, and differ by less than a tenth of the resolution; by hand from the scores."""
    rng = np.random.default_rng(34)
    gold = rng.choice(2, 3000)
    evaluation = resampled(
        gold, noisy(rng, gold, 2, [0.8, 0.8, 0.8, 0.79, 0.5]), 2, n_replicates=200, official_decimals=decimals
    )
    comparison, scores = evaluation.uncertainty.comparisons[0], evaluation.scores_of(AVERAGED)
    errors = sorted(comparison.standard_error[a, b] for a in range(5) for b in range(a))
    resolution = (errors[4] + errors[5]) / 2 * comparison.critical_value
    order, digits = np.argsort(-scores), 3 if decimals is None else decimals
    expected = [
        [evaluation.names[above], evaluation.names[below]]
        for above, below in pairwise(order)
        if scores[above] - scores[below] < resolution / 10
        and f"{scores[above]:.{digits}f}" != f"{scores[below]:.{digits}f}"
    ]
    flag = flag_of(evaluation, "cannot-resolve-decimals")
    assert bool(expected) == (digits > 2)
    assert (flag is not None) == bool(expected)
    if flag:
        assert [pair["teams"] for pair in flag.evidence["neighbours"]] == expected
        assert flag.evidence["resolution"] == pytest.approx(resolution)
        assert flag.evidence["decimals"] == digits


def test_a_fine_resolution_is_not_printed_as_nothing():
    """Two teams that err on 21 and 20 of 20,000 items resolve less than .001, and no sentence says .000."""
    gold = np.arange(20_000) % 2
    one, other = gold.copy(), gold.copy()
    one[:21], other[20:40] = 1 - gold[:21], 1 - gold[20:40]
    evaluation = resampled(gold, [one, other], 2, n_replicates=100, official_decimals=6)
    flag = flag_of(evaluation, "cannot-resolve-decimals")
    assert flag.evidence["resolution"] < 1e-3
    assert not re.search(r"\.0+ ", flag.sentence)
    assert number(flag.evidence["resolution"], 6) in flag.sentence


def test_identical_teams_leave_nothing_to_resolve():
    """No pair ever differs."""
    gold = np.arange(40) % 2
    team = np.where(np.arange(40) < 30, gold, 1 - gold)
    evaluation = resampled(gold, [team, team.copy()], 2, n_replicates=50)
    assert np.isnan(evaluation.uncertainty.comparisons[0].resolution)
    assert flag_of(evaluation, "cannot-resolve-decimals") is None


def test_classes_are_named_whose_recall_is_uncertain():
    """Those with a median interval wider than .3, the widest first, with their gold items."""
    rng = np.random.default_rng(35)
    gold = rng.permutation(np.repeat([0, 1, 2], [150, 16, 24]))
    evaluation = resampled(gold, noisy(rng, gold, 3, [0.7, 0.6, 0.5]), 3, n_replicates=300)
    uncertainty, found = evaluation.uncertainty, {}
    for code in range(3):
        row = evaluation.keys.index(ScoreKey(f"recall[c{code:02}]"))
        found[f"c{code:02}"] = sorted(uncertainty.upper[row] - uncertainty.lower[row])[1]
    flag = flag_of(evaluation, "too-few-gold-items")
    named = flag.evidence["classes"]
    assert {entry["label"]: entry["width"] for entry in named} == {
        label: pytest.approx(width) for label, width in found.items() if width > 0.3
    }
    assert [entry["width"] for entry in named] == sorted((entry["width"] for entry in named), reverse=True)
    assert {entry["label"]: entry["gold_items"] for entry in named}.items() <= {"c01": 16, "c02": 24}.items()
    assert "c00" not in flag.sentence


def test_replicates_that_are_left_out_are_said_without_a_wide_class():
    """A class of nine items that every team has right: narrow intervals, and one replicate in 2,000 or so lost."""
    gold = np.repeat([0, 1], [9, 400])
    evaluation = resampled(gold, [gold, np.where(np.arange(409) < 380, gold, 0)], 2, n_replicates=6000)
    flag = flag_of(evaluation, "too-few-gold-items")
    share = evaluation.uncertainty.share_left_out
    assert 0 < share < 5e-4
    assert flag.evidence == {"classes": [], "share_of_replicates_left_out": share}
    for text in (flag.sentence, flag.paper):
        assert number(share, 4) in text
        assert not re.search(r"\b0 classes|\.000 ", text)


@pytest.mark.parametrize(("n_groups", "fires"), [(2, True), (19, True), (20, False), (150, False)])
def test_fewer_than_twenty_groups_are_few(n_groups, fires):
    """And items alone are never groups."""
    rng = np.random.default_rng(36)
    gold = rng.choice(2, 300)
    teams = noisy(rng, gold, 2, [0.7, 0.6])
    evaluation = resampled(gold, teams, 2, n_replicates=50, groups=np.arange(300) % n_groups)
    flag = flag_of(evaluation, "few-groups")
    assert (flag is not None) == fires
    if fires:
        assert flag.evidence == {"groups": n_groups}
    assert flag_of(resampled(gold, teams, 2, n_replicates=50), "few-groups") is None


# Wording is part of the work


ALLOWED = ("equal scores", "no probability of being right")


def overclaims(text):
    """Words that say more than the procedure does."""
    for phrase in ALLOWED:
        text = text.replace(phrase, "")
    return re.findall(r"significan\w*|\bequal\w*|\btied?\b|\bties\b|probabilit\w*|\blikely\b", text, re.IGNORECASE)


@pytest.mark.parametrize("name", ["close", "clear", "supported", "unsupported"])
def test_no_sentence_claims_more_than_the_procedure(request, name):
    """In the flags about certainty and the section on it nothing is significant, equal, tied or probable."""
    evaluation = request.getfixturevalue(name)
    ours = [flag for flag in evaluation.flags if flag.slug in OURS]
    texts = [text for flag in ours for text in (flag.sentence, flag.remedy, flag.paper)]
    certainty = build_page(evaluation, style="", script="").certainty
    texts += [*certainty.statements, *certainty.method]
    texts += [table.caption for table in (certainty.table, certainty.separable, certainty.rank_shares) if table]
    assert [(found, text) for text in texts for found in overclaims(text)] == []
    assert len(texts) > 8


def test_the_law_of_wording_catches_what_it_should():
    """Each of the words, and not the allowed phrases."""
    assert overclaims("A is significantly different") == ["significantly"]
    assert overclaims("They are equal, or tied with probability of .9") == ["equal", "tied", "probability"]
    assert overclaims("more than equal scores; it is no probability of being right") == []


def test_the_section_says_what_was_resampled_and_what_it_does_not_cover(close):
    """Items, the family of comparisons, the anchor, exchangeability, and annotation errors."""
    method = " ".join(build_page(close, style="", script="").certainty.method)
    for words in ("over items", "12 ordered pairs", "family-wise", "exchangeable", "anchor", "gold labels", "seed 1"):
        assert words in method


def test_a_supported_flip_of_prevalence_names_who_is_above_where():
    """X is separable as better by accuracy at observed, Y at balanced prevalence."""
    confusions = {"X": [[1800, 0], [100, 100]], "Y": [[1530, 270], [0, 200]]}
    evaluation = of(confusions, official_metric=ScoreKey("accuracy"))
    flag = flag_of(evaluation, "prevalence-flip-supported")
    assert flag.evidence["pairs"] == [["X", "Y"]]
    assert flag.severity == Severity.WINNER
    assert "between observed and balanced prevalence" in flag.sentence
    assert "X is separable as better than Y by accuracy at observed prevalence, and Y than X by" in flag.sentence
    assert flag_of(evaluation, "prevalence-flip-not-supported") is None


def test_several_supported_flips_are_told_pair_by_pair():
    """Two teams like X and four like Y: five of the eight pairs are shown, so that each can be read as one."""
    x, y = [[1800, 0], [100, 100]], [[1530, 270], [0, 200]]
    teams = {**{f"X{n}": x for n in range(2)}, **{f"Y{n}": y for n in range(4)}}
    flag = flag_of(of(teams, official_metric=ScoreKey("accuracy")), "prevalence-flip-supported")
    assert "supports 8 flips" in flag.sentence
    assert "(X0 – Y0; X0 – Y1; X0 – Y2; X0 – Y3; X1 – Y0; and 3 more)" in flag.sentence


def test_a_flip_that_one_side_lacks_says_which():
    """Nearly every replicate shows the change of winner, and yet accuracy separates the two one way only."""
    confusions = {"X": [[1800, 0], [100, 100]], "Y": [[1735, 65], [40, 160]]}
    evaluation = of(confusions, official_metric=ScoreKey("accuracy"))
    flag = flag_of(evaluation, "prevalence-flip-not-supported")
    assert "they are not separable by accuracy at observed prevalence" in flag.sentence
    assert ", although the winners differ in" in flag.sentence


def test_joint_winners_of_whom_no_pair_is_separable_both_ways():
    """X1 from Y1 by the one, Y2 from X2 by the other: each side separates somebody, and no two both ways."""
    even, skewed = [[5, 5], [10, 10]], [[1, 9], [1, 19]]
    evaluation = of({"X1": even, "X2": even, "Y1": skewed, "Y2": skewed})
    pairs = {AVERAGED: (0, 2), AVERAGES: (3, 1)}
    compared = tuple(
        replace(each, separable=np.isin(np.arange(16), np.ravel_multi_index(pairs[each.key], (4, 4))).reshape(4, 4))
        if each.key in pairs
        else each
        for each in evaluation.uncertainty.comparisons
    )
    found = replace(evaluation, uncertainty=replace(evaluation.uncertainty, comparisons=compared))
    (flag,) = (flag for flag in find_flags(found) if flag.slug == "macro-f1-flip-not-supported")
    assert ": no two of them are separable both ways (" in flag.sentence
    assert flag.paper.startswith("By averaged F1 X1 and X2 are first, by F1 of averages Y1 and Y2; ")


def test_a_flip_of_prevalence_that_few_items_do_not_support_is_said_to_be_none():
    """The same shares on twenty items."""
    evaluation = of({"X": [[18, 0], [1, 1]], "Y": [[15, 3], [0, 2]]}, official_metric=ScoreKey("accuracy"))
    flag = flag_of(evaluation, "prevalence-flip-not-supported")
    assert flag.evidence["winners"] == {"accuracy": ["X"], "accuracy~": ["Y"]}
    assert 0 <= flag.evidence["share_of_replicates_that_disagree"] <= 1
    assert flag_of(evaluation, "prevalence-flip-supported") is None
