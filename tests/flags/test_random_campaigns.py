"""On random campaigns the rules about winners and orders say what scikit-learn and naive counting say."""

import json

from hypothesis import given
from hypothesis import strategies as st

from audit.domain import Severity
from audit.findings.catalogue import find_flags
from audit.writers.data.export import flag_data

from .campaigns import (
    Oracle,
    evaluated,
    flag_of,
    naive_ranks,
    naive_winners,
    naively_crowned,
    swaps,
)
from .test_macro_f1 import over_union


@st.composite
def campaigns(draw):
    """Gold of two or three classes, and one to four teams that answer with them, other labels, or not at all."""
    labels = draw(st.sampled_from(["ab", "abc"]))
    gold = labels + draw(st.text(labels, max_size=7))
    length = {"min_size": len(gold), "max_size": len(gold)}
    # or the system is refused
    some = st.text(labels + "z.", **length).filter(lambda text: set(text) & set(labels))
    answers = some | st.text(labels, **length)
    return gold, dict(zip("TUVW", draw(st.lists(answers, min_size=1, max_size=4)), strict=False))


def found(evaluation, slug):
    """The winners by each score that a finding names."""
    flag = flag_of(evaluation, slug)
    return (
        {}
        if flag is None
        else {by: each["teams"] for each in flag.evidence["winners"] for by in each["metrics"]}
    )


def changed(winners):
    """Those by which somebody is first, where these differ."""
    crowning = {slug: first for slug, first in winners.items() if first}
    return crowning if len(set(map(tuple, crowning.values()))) > 1 else {}


@given(
    campaigns(),
    st.sampled_from([None, "accuracy", "averaged_f1", "kappa"]),
    st.sampled_from([None, 0, 1, 3]),
)
def test_findings_are_those_of_a_naive_recomputation(campaign, official, decimals):
    """Who wins by which metric and prevalence, who moves, who swaps, who is tied, whether the class set matters."""
    gold, predictions = campaign
    evaluation = evaluated(gold, predictions, official_metric=official, official_decimals=decimals)
    teams, unanswered = list(predictions), str.maketrans("z", ".")
    observed, balanced = (
        [
            Oracle(gold, text.translate(unanswered), balanced=balanced).scores()
            for text in predictions.values()
        ]
        for balanced in (False, True)
    )
    column = {slug: [team[slug] for team in observed] for slug in observed[0]}
    winners = {slug: naively_crowned(teams, scores) for slug, scores in column.items()}
    at_balance = {
        slug: naively_crowned(teams, [team[slug] for team in balanced]) for slug in column
    }

    both, by = ("averaged_f1", "f1_of_averages"), official or "averaged_f1"
    others = {
        slug: first for slug, first in winners.items() if slug == by or not {slug, by} <= set(both)
    }
    assert found(evaluation, "winner-depends-on-metric") == changed(others)
    assert found(evaluation, "winner-depends-on-macro-f1") == changed(
        {slug: winners[slug] for slug in both}
    )
    assert found(evaluation, "winner-depends-on-prevalence") == changed(
        {by: winners[by], f"{by}~": at_balance[by]}
    )

    flag = flag_of(evaluation, "tied-winners")
    official_scores = column[official or "averaged_f1"]
    first = naive_winners(teams, official_scores)
    tied = len(first) > 1 and max(official_scores) > 1e-9
    assert (flag and flag.evidence["teams"]) == (first if tied else None)

    flag = flag_of(evaluation, "order-depends-on-macro-f1")
    ranks = [naive_ranks(column[slug]) for slug in ("averaged_f1", "f1_of_averages")]
    moved = sum(a != b for a, b in zip(*ranks, strict=True))
    assert (0 if flag is None else flag.evidence["teams_moved"]) == moved
    pairs = (
        set()
        if flag is None
        else {
            (pair["ahead_by_averaged_f1"], pair["ahead_by_f1_of_averages"])
            for pair in flag.evidence["pairs"]
        }
    )
    assert pairs == swaps(teams, column["averaged_f1"], column["f1_of_averages"])

    flag = flag_of(evaluation, "class-set-matters")
    union = naive_ranks([over_union(gold, text) for text in predictions.values()])
    assert (flag is not None) == (union != ranks[0])
    first_moves = [rank == 1 for rank in union] != [rank == 1 for rank in ranks[0]]
    assert flag is None or (flag.severity is Severity.WINNER) == first_moves


@given(
    campaigns(),
    st.sampled_from([None, "mcc~", "recall[a]", "averaged_f1[a,b]"]),
    st.sampled_from([None, 0, 2, 15]),
)
def test_no_campaign_breaks_a_rule(campaign, official, decimals):
    """Whatever is undefined, constant, tied or empty: the rules return flags that are plain data."""
    evaluation = evaluated(*campaign, official_metric=official, official_decimals=decimals)
    assert find_flags(evaluation) == evaluation.flags
    for flag in evaluation.flags:
        assert json.loads(json.dumps(flag_data(flag), allow_nan=False)) == flag_data(flag)
