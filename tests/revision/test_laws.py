"""What holds of the difference between any two campaigns: it is empty of itself, mirrored, and tells the two boards."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.domain import (
    Campaign,
    Claim,
    Evaluation,
    Flag,
    Gold,
    LabelSet,
    Options,
    Policies,
    Role,
    ScoreKey,
    Submission,
    Task,
)
from audit.evaluation import evaluate
from audit.findings.revision.changed_inputs import difference_of
from audit.findings.revision.difference import BoardRow, Difference, GoldChange, SubmissionFate
from audit.ranking.ranks import printed_ranks

LABELS = LabelSet(("a", "b", "c"))
POLICIES = Policies(), Policies(missing="drop"), Policies(runs="last"), Policies(baselines="ranked")
METRICS = None, ScoreKey("accuracy"), ScoreKey("averaged_f1"), ScoreKey("kappa", "balanced")

codes_of = st.lists(st.integers(0, 2), min_size=6, max_size=6)
answers_of = st.lists(st.integers(0, 4), min_size=6, max_size=6)
names = st.tuples(st.sampled_from(["Ann", "Ben", "Cem", "Dag"]), st.sampled_from([None, "1", "2"]))


@st.composite
def campaigns(draw):
    """Six of the eight items, three classes, up to five runs of four teams, some of which are the same files."""
    ids = tuple(draw(st.permutations([f"i{number}" for number in range(8)]))[:6])
    runs = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    submissions = tuple(
        Submission(
            team,
            np.array(draw(answers_of), np.uint8),
            run,
            role=draw(
                st.sampled_from(
                    [Role.PRIMARY, Role.PRIMARY, Role.LATE, Role.BASELINE, Role.WITHDRAWN]
                )
            ),
        )
        for team, run in sorted(runs, key=lambda name: (name[0], name[1] or ""))
    )
    task = Task(
        "task",
        "A task",
        LABELS,
        official_metric=draw(st.sampled_from(METRICS)),
        policies=draw(st.sampled_from(POLICIES)),
    )
    return Campaign(task, Gold(LABELS, np.array(draw(codes_of), np.uint8), ids), submissions)


QUICK = Options(certainty=False)


@st.composite
def evaluations(draw):
    """Evaluations without certainty, of campaigns in which something is shown."""
    shown = campaigns().filter(
        lambda made: any(each.role is not Role.WITHDRAWN for each in made.submissions)
    )
    return evaluate(draw(shown), QUICK)


@given(evaluations())
def test_nothing_differs_from_itself(evaluation):
    """No change, no move, and one sentence that says so."""
    found = difference_of(evaluation, evaluation)
    assert found.is_empty
    assert not found.moved
    assert (found.what_changed, len(found.erratum)) == ((), 1)


@given(evaluations(), evaluations())
def test_a_difference_is_mirrored_by_its_reverse(one, other):
    """What is new there is gone here, before is after, and nothing else is said of anything."""
    there, here = difference_of(one, other), difference_of(other, one)
    assert contents(there) == contents(here, mirrored=True)
    assert there.is_empty == here.is_empty
    assert there.ranks_differ == here.ranks_differ


MIRRORED = {
    SubmissionFate.ADDED: SubmissionFate.WITHDRAWN,
    SubmissionFate.WITHDRAWN: SubmissionFate.ADDED,
    SubmissionFate.COUNTED: SubmissionFate.UNCOUNTED,
    SubmissionFate.UNCOUNTED: SubmissionFate.COUNTED,
}


def contents(found: Difference, *, mirrored: bool = False) -> list[object]:
    """All that a difference says beside its words, without an order; looked at from its other side where wanted."""
    step = -1 if mirrored else 1
    gold = found.gold
    items = [(gold.n_before, gold.n_removed), (gold.n_after, gold.n_added)]
    return [
        (found.before, found.after)[::step],
        items[::step],
        gold.n_common,
        {(pair[::step], count) for pair, count in gold.relabelled.items()},
        {
            (
                MIRRORED.get(each.fate, each.fate) if mirrored else each.fate,
                (each.before, each.after)[::step],
                each.roles[::step],
                each.runs[::step],
                each.reason,
            )
            for each in found.submissions
        },
        [
            (each.slug, each.what, (each.before, each.after)[::step], each.matters)
            for each in found.settings
        ],
        {(row.before, row.after)[::step] for row in found.board},
        {
            (each.slug, *((flag and flag.sentence) for flag in (each.before, each.after)[::step]))
            for each in found.findings
        },
    ]


def sentence(flag: Flag | None) -> str | None:
    return flag and flag.sentence


@given(evaluations(), evaluations())
def test_the_board_tells_both_boards(one, other):
    """Every entry of either side once, with the rank and score that its own evaluation gives it; moves are those."""
    found = difference_of(one, other)
    columns = [row.before for row in found.board], [row.after for row in found.board]
    for evaluation, sides in zip((one, other), columns, strict=True):
        key = evaluation.task.ranking_metric
        printed = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
        told = {side.name: (side.printed_rank, side.score, side.competes) for side in sides if side}
        assert len(told) == sum(side is not None for side in sides)
        assert told == {
            name: (
                printed[place],
                None if np.isnan(score) else score,
                evaluation.entries[place].competes,
            )
            for place, (name, score) in enumerate(
                zip(evaluation.names, evaluation.scores_of(key), strict=True)
            )
        }
    assert [
        row
        for row in found.board
        if ranked(row) and row.before.printed_rank != row.after.printed_rank
    ] == [*found.moved]


def ranked(row: BoardRow) -> bool:
    """Whether a rank is taken, of a defined score, on both sides."""
    return all(
        side and side.competes and side.score is not None for side in (row.before, row.after)
    )


@given(evaluations())
def test_the_new_board_is_in_the_order_of_its_ranks(evaluation):
    """Ranks never rise from line to line."""
    found = difference_of(evaluation, evaluation)
    ranks = [row.after.rank for row in found.board if row.after.rank is not None]
    assert ranks == sorted(ranks)


@given(campaigns(), st.randoms(use_true_random=False))
def test_the_order_of_the_submissions_changes_nothing(made, random):
    """Neither against itself nor against another campaign."""
    if all(each.role is Role.WITHDRAWN for each in made.submissions):
        return
    mixed = list(made.submissions)
    random.shuffle(mixed)
    before, after = evaluate(made, QUICK), evaluate(replace(made, submissions=tuple(mixed)), QUICK)
    found = difference_of(before, after)
    assert (found.submissions, found.settings, found.moved, found.ranks_differ) == (
        (),
        (),
        (),
        False,
    )
    assert not any(row.changed for row in found.board)
    assert found.gold.is_empty


@given(campaigns(), st.permutations(range(6)))
def test_the_order_of_the_items_changes_nothing(made, order):
    """Items are known by their ids: gold in another order is the same gold, and nobody moves."""
    if all(each.role is Role.WITHDRAWN for each in made.submissions):
        return
    gold = replace(
        made.gold,
        codes=made.gold.codes[order],
        item_ids=tuple(made.gold.item_ids[at] for at in order),
    )
    teams = tuple(replace(each, given=each.codes[order]) for each in made.submissions)
    found = difference_of(
        evaluate(made, QUICK), evaluate(replace(made, gold=gold, submissions=teams), QUICK)
    )
    assert found.gold.is_empty
    assert (found.submissions, found.settings, found.moved) == ((), (), ())


@given(codes_of, codes_of, st.permutations(range(6)))
def test_items_are_counted_as_by_hand(old, new, order):
    """Four of six items are common, in any order; each with another label is counted once."""
    before = Gold(LABELS, np.array(old, np.uint8), tuple("abcdef"))
    ids = tuple("cdefgh"[at] for at in order)
    after = Gold(LABELS, np.array([new[at] for at in order], np.uint8), ids)
    found = difference_of(of_gold(before), of_gold(after)).gold
    labels_before, labels_after = (
        dict(zip("abcdef", old, strict=True)),
        dict(zip("cdefgh", new, strict=True)),
    )
    changed = sum(labels_before[item] != labels_after[item] for item in "cdef")
    assert (found.n_common, found.n_added, found.n_removed, found.n_relabelled) == (
        4,
        2,
        2,
        changed,
    )


def of_gold(gold: Gold, **task: object) -> Evaluation:
    """One team that answers everything by the first label."""
    team = Submission("Ann", np.zeros(gold.n_items, np.uint8))
    return evaluate(Campaign(Task("task", "A task", gold.label_set, **task), gold, (team,)), QUICK)


def test_items_without_ids_are_told_by_their_places_alone():
    """As many of them are the same items; of another number nothing is known, and nothing is claimed."""
    one, other, longer = (
        Gold(LABELS, np.array(codes, np.uint8)) for codes in ([0, 1, 2], [0, 2, 2], [0, 1, 2, 2])
    )
    assert difference_of(of_gold(one), of_gold(other)).gold.n_relabelled == 1
    found = difference_of(of_gold(one), of_gold(longer)).gold
    assert found == GoldChange(3, 4, None)
    assert (found.n_added, found.n_removed, found.is_empty) == (None, None, False)
    with_ids = replace(longer, codes=one.codes, item_ids=("x", "y", "z"))
    assert difference_of(of_gold(one), of_gold(with_ids)).gold.n_common is None


def test_a_label_is_known_by_its_text_and_not_by_its_place():
    """A label set in another order relabels nothing."""
    turned = LabelSet(("c", "b", "a"))
    one, other = (
        Gold(LABELS, np.array([0, 1, 2], np.uint8)),
        Gold(turned, np.array([2, 1, 0], np.uint8)),
    )
    found = difference_of(of_gold(one), of_gold(other))
    assert found.gold.is_empty
    assert not found.settings


@pytest.mark.parametrize("seed", range(3))
def test_what_the_test_set_tells_is_that_of_either_side(seed):
    """Possible ranks and who could be best, from the two comparisons; and the two claims."""
    one, other = sure(seed, n_wrong=0), sure(seed, n_wrong=9)
    found = difference_of(one, other)
    for side, evaluation in enumerate((one, other)):
        comparison = evaluation.comparison(evaluation.task.ranking_metric)
        for row in found.board:
            standing = (row.before, row.after)[side]
            place = evaluation.names.index(standing.name)
            assert standing.possible_ranks == tuple(comparison.possible_ranks[place])
            assert (
                standing.could_be_best
                == comparison.could_be_best[place]
                == (standing.possible_ranks[0] == 1)
            )
            assert standing.uncertain == comparison.uncertain[place]
        assert set(evaluation.verdict.could_be_best) == set(
            np.flatnonzero(comparison.could_be_best).tolist()
        )
        assert evaluation.verdict.claim in (Claim.BEST, Claim.OPEN, Claim.SHARED)


def sure(seed: int, n_wrong: int) -> Evaluation:
    """Four teams on 120 items of which so many have another label."""
    some = np.random.default_rng(seed)
    gold = some.integers(0, 3, 120)
    teams = tuple(
        Submission(
            name,
            np.where(some.random(120) < recall, gold, some.integers(0, 3, 120)).astype(np.uint8),
        )
        for name, recall in {"Ann": 0.8, "Ben": 0.75, "Cem": 0.6, "Dag": 0.2}.items()
    )
    labels = np.where(np.arange(120) < n_wrong, (gold + 1) % 3, gold).astype(np.uint8)
    return evaluate(Campaign(Task("task", "A task", LABELS), Gold(LABELS, labels), teams))
