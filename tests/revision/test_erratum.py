"""What an erratum says, for each kind of change; numbers and names are those of the two boards."""

import re
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import (
    ChosenRun,
    Gold,
    LabelSet,
    Options,
    Origin,
    Policies,
    Prevalence,
    Role,
    ScoreKey,
    SliceColumn,
)
from audit.findings.revision.changed_inputs import difference_of
from audit.findings.revision.difference import SubmissionFate
from audit.writers.data.difference_data import difference_data
from tests.report.saying import pattern_of, templates
from tests.report.test_sentences import STATISTICAL, longest_first, without

from .campaigns import ANN, BEN, CEM, LABELS, N_ITEMS, evaluated, team, truth

pytestmark = pytest.mark.usefixtures("computed_once")  # what stays as it is, is analysed once

IDS = tuple(f"i{place}" for place in range(N_ITEMS))


@pytest.fixture(scope="module")
def before():
    """Ann is first with 170 of 200 right, Ben second with 168, Cem third with 120."""
    return evaluated()


def errata(before, after):
    """The sentences, after a look at whether their statistics are the registry's."""
    found = difference_of(before, after)
    told = " ".join(found.erratum)
    patterns = list(map(pattern_of, templates("claim", "erratum")))
    said = {match.group() for pattern in patterns for match in pattern.finditer(told)}
    assert not STATISTICAL.search(without(told, longest_first(said))), told
    return found, found.erratum


def test_corrected_gold_crowns_another(before):
    """Seven labels that Ben had right and Ann wrong: both scores, both ranks, and what the test set tells of them."""
    wrong = range(165, 172)  # of which Ann has three wrong now that she had right, and so on
    after = evaluated(gold=Gold(LABELS, truth(*wrong), IDS))
    n_right = {each.team: int((each.codes == truth(*wrong)).sum()) for each in (ANN, BEN, CEM)}
    assert n_right["Ben"] > n_right["Ann"]
    now = {name: f"{count / N_ITEMS:.3f}".removeprefix("0") for name, count in n_right.items()}
    _, told = errata(before, after)
    assert told == (
        "After 7 of 200 gold labels were corrected, the first place changes.",
        "Before: Ann ranks first with an accuracy of .850, but its lead is not statistically significant.",
        f"Now: Ben ranks first with an accuracy of {now['Ben']}, but its lead is not statistically significant.",
        "Of the 3 teams ranked before and now, 2 change rank: Ben from 2 to 1 and Ann from 1 to 2.",
        f"The score that changes most is that of Cem, from .600 to {now['Cem']}.",
    )


def test_one_label_that_moves_nobody(before):
    """In the singular, with the score before and now."""
    found, told = errata(before, evaluated(gold=Gold(LABELS, truth(199), IDS)))
    assert found.gold.n_relabelled == 1
    assert told[:3] == (
        (
            "After 1 of 200 gold labels was corrected, the first place stays, and only scores change in what is said "
            "of it: Ann ranks first with an accuracy of .855, but its lead is not statistically significant."
        ),
        "Before: Ann ranks first with an accuracy of .850, but its lead is not statistically significant.",
        "Of the 3 teams ranked before and now, none changes rank.",
    )


def test_scores_that_print_alike_are_told_apart():
    """Where three decimals hide a change, more are printed."""
    many = 6000
    gold = Gold(LABELS, (np.arange(many) % 2).astype(np.uint8), tuple(map(str, range(many))))
    turned = replace(gold, codes=np.where(np.arange(many) == 1, 0, gold.codes).astype(np.uint8))
    teams = tuple(replace(each, given=np.tile(each.codes, many // N_ITEMS)) for each in (ANN, CEM))
    quick = Options(certainty=False)
    found = difference_of(
        evaluated(*teams, gold=gold, options=quick), evaluated(*teams, gold=turned, options=quick)
    )
    assert found.erratum[-1] == "The score that changes most is that of Ann, from .8500 to .8498."


def test_a_late_submission_takes_the_first_place(before):
    """Who it is, that it was not ranked, and that all others fall by one; no score of theirs changes."""
    found, told = errata(before, evaluated(ANN, BEN, CEM, team("Dag", 190, role=Role.LATE)))
    assert told == (
        "After the late submission of Dag was added, the first place changes.",
        "Before: Ann ranks first with an accuracy of .850, but its lead is not statistically significant.",
        "Now: Dag ranks first with an accuracy of .950, significantly ahead of all three other teams.",
        "Of the 3 teams ranked before and now, 3 change rank: Ann from 1 to 2, Ben from 2 to 3 and Cem from 3 to 4.",
        "No score changes.",
    )
    assert [(row.name, row.before) for row in found.board if row.before is None] == [("Dag", None)]


@pytest.mark.parametrize(
    "after", [(BEN, CEM), (replace(ANN, role=Role.WITHDRAWN), BEN, CEM)], ids=["gone", "said so"]
)
def test_the_winner_withdraws(before, after):
    """Whether its file is gone or has the role *withdrawn*."""
    found, told = errata(before, evaluated(*after))
    assert told[:3] == (
        "After the submission of Ann was withdrawn, the first place changes.",
        "Before: Ann ranks first with an accuracy of .850, but its lead is not statistically significant.",
        "Now: Ben ranks first with an accuracy of .840, significantly ahead of the only other team.",
    )
    assert [change.fate for change in found.submissions] == [SubmissionFate.WITHDRAWN]
    assert found.board[-1].after is None


def test_several_that_come_are_told_by_their_roles(before):
    """Teams in one clause, baselines in another."""
    further = team("Eve", 10), team("Fay", 20), team("Gus", 9, role=Role.BASELINE)
    _, told = errata(before, evaluated(ANN, BEN, CEM, *further))
    assert told[0].startswith(
        "After the submissions of Eve and Fay were added and the baseline submission of Gus was added, the first"
    )


def test_one_entry_alone_has_nobody_to_be_held_against(before):
    """The rank of one is no rank that could change, and nothing is said of it."""
    _, told = errata(before, evaluated(ANN))
    assert told == (
        (
            "After the submissions of Ben and Cem were withdrawn, the first place stays, and what can be said of it "
            "changes."
        ),
        "Before: Ann ranks first with an accuracy of .850, but its lead is not statistically significant.",
        "Now: Ann is the only team in the ranking, with an accuracy of .850.",
    )
    assert errata(evaluated(ANN), evaluated(ANN, team("Zoe", 199)))[1][0].startswith(
        "After the submission of Zoe"
    )


def test_a_replaced_file_ties_with_the_first(before):
    """A rank that is shared now is told as that, not as a change of rank."""
    _, told = errata(before, evaluated(ANN, team("Ben", 170), CEM))
    assert told[0] == "After the submission of Ben was replaced, the first place changes."
    assert told[2].startswith("Now: Ann and Ben tie for first place with an accuracy of .850.")
    assert told[3] == (
        "Of the 3 teams ranked before and now, 1 changes rank: Ben from 2 to 1 (shared). Ann now shares rank 1."
    )
    _, back = errata(evaluated(ANN, team("Ben", 170), CEM), before)
    assert back[1] == f"Before: {told[2].removeprefix('Now: ')}"
    assert back[3].endswith("Ben from 1 (shared) to 2. Ann no longer shares rank 1.")


def test_a_first_place_that_stays_shared():
    """As before, in the words of the verdict."""
    shared = evaluated(ANN, team("Ben", 170), CEM)
    _, told = errata(shared, evaluated(ANN, team("Ben", 170), team("Cem", 121)))
    assert told[0].startswith(
        "After the submission of Cem was replaced, the first place is as before: Ann and Ben tie for first place with"
    )


def test_a_team_under_another_name_is_renamed_where_its_file_is_the_same(before):
    """With another file it is one team that goes and another that comes."""
    found, told = errata(before, evaluated(ANN, replace(BEN, team="Benjamin"), CEM))
    assert told[0].startswith(
        "After Ben was renamed Benjamin, the first place is as before: Ann ranks first"
    )
    assert not found.moved
    assert [
        (row.before.name, row.after.name)
        for row in found.board
        if row.before.name != row.after.name
    ] == [("Ben", "Benjamin")]
    found, _ = errata(before, evaluated(ANN, team("Benjamin", 167), CEM))
    assert {(change.fate, change.name) for change in found.submissions} == {
        (SubmissionFate.WITHDRAWN, "Ben"),
        (SubmissionFate.ADDED, "Benjamin"),
    }


def test_another_confidence_set_is_said_where_the_first_sentence_stays(before):
    """Ann's lead is as it was, and who else may be as good is another team."""
    _, told = errata(before, evaluated(ANN, team("Benjamin", 167), CEM))
    assert told[0].endswith("and other teams may be equally good as the first or better.")
    assert told[1:3] == ("Before: Ben.", "Now: Benjamin.")


def test_two_teams_with_the_same_file_are_not_taken_for_each_other():
    """Which of them was renamed nobody can tell: two went, two came."""
    pair = [team(name, 150, file=b"the same") for name in ("Kim", "Lou")]
    others = [replace(each, team=name) for each, name in zip(pair, ("Max", "Ned"), strict=True)]
    found = difference_of(evaluated(ANN, *pair), evaluated(ANN, *others))
    fates = sorted((change.fate.value, change.name) for change in found.submissions)
    assert fates == [("added", "Max"), ("added", "Ned"), ("withdrawn", "Kim"), ("withdrawn", "Lou")]


def test_a_renaming_is_seen_in_answers_that_came_from_no_file():
    """Where items and labels are the same on both sides."""
    bare = [replace(each, source=None) for each in (ANN, BEN, CEM)]
    renamed = [bare[0], replace(bare[1], team="Benjamin"), bare[2]]
    found = difference_of(evaluated(*bare), evaluated(*renamed))
    assert [change.fate for change in found.submissions] == [SubmissionFate.RENAMED]


def test_the_same_answers_in_another_file_are_no_change(before):
    """A comment in it, say."""
    assert difference_of(
        before, evaluated(ANN, replace(BEN, source=team("Ben", 1).source), CEM)
    ).is_empty


def test_answers_are_held_against_other_items_by_their_files(before):
    """With other items the codes are others; the file says whether the submission is."""
    half = Gold(LABELS, truth()[:100], IDS[:100])
    teams = [replace(each, given=each.codes[:100]) for each in (ANN, BEN, CEM)]
    found, told = errata(before, evaluated(*teams, gold=half))
    assert not found.submissions
    assert told[0].startswith("After 100 of 200 items were taken out of the test set, ")
    found, told = errata(evaluated(*teams, gold=half), before)
    assert told[0].startswith("After 100 items were added to the test set, the first place ")
    assert told[2].startswith("Now: Ann ranks first with an accuracy of .850")
    other = replace(teams[1], source=team("Ben", 3).source)
    found = difference_of(before, evaluated(teams[0], other, teams[2], gold=half))
    assert [(change.fate, change.name) for change in found.submissions] == [
        (SubmissionFate.CHANGED, "Ben")
    ]


def test_gold_whose_items_nobody_can_match(before):
    """Without ids and of another number; or with other ids altogether."""
    teams = [replace(each, given=each.codes[:100]) for each in (ANN, BEN, CEM)]
    _, told = errata(before, evaluated(*teams, gold=Gold(LABELS, truth()[:100])))
    assert told[0].startswith(
        "After the gold labels were replaced by others (200 items before, 100 now), "
    )
    _, told = errata(
        before,
        evaluated(gold=Gold(LABELS, truth(), tuple(f"new{place}" for place in range(N_ITEMS)))),
    )
    assert told[0].startswith(
        "After the test set was replaced (200 items before, 200 now), the first place is"
    )


def test_a_role_that_takes_no_rank(before):
    """The first stands beside the ranking now."""
    _, told = errata(before, evaluated(replace(ANN, role=Role.UNOFFICIAL), BEN, CEM))
    assert (
        told[0]
        == "After the role of Ann was changed from primary to unofficial, the first place changes."
    )
    assert told[2].startswith("Now: Ben ranks first with an accuracy of .840")


def test_another_policy():
    """Named by what it is on and by what it does; the first is then compared with nobody, which is said."""
    short = team("Ann", 170, n_missing=20)
    drop = Policies(missing="drop")
    _, told = errata(evaluated(short, BEN, CEM), evaluated(short, BEN, CEM, policies=drop))
    assert told[0] == (
        "After the policy on missing items was changed from “wrong” (count as unanswered) to “drop” (left out of "
        "that submission’s scores), the first place stays, and what can be said of it changes."
    )
    assert told[2].endswith(
        "Ann ranks first with an accuracy of .944, but is scored on fewer items than the others and compared with none "
        "of them."
    )


def test_another_metric(before):
    """Scores by two metrics are not set against each other, and who is first by which is said."""
    _, told = errata(before, evaluated(official_metric=ScoreKey("recall[no]")))
    assert told[0].startswith(
        "After the official metric was changed from accuracy to recall of “no”, the first place stays"
    )
    assert (told[1].partition(", ")[0], told[2].partition(", ")[0]) == (
        "Before: Ann ranks first with an accuracy of .850",
        "Now: Ann ranks first with a recall of “no” of .850",
    )
    assert not [sentence for sentence in told if "score" in sentence]
    _, told = errata(before, evaluated(official_metric=None))
    assert told[0].startswith(
        "After the official metric was no longer stated (before: accuracy), the first place"
    )


def test_another_metric_with_another_winner():
    """The former first is told with the metric that it was first by."""
    eager = replace(CEM, given=np.zeros(N_ITEMS, np.uint8))
    one, other = (
        evaluated(ANN, eager, official_metric=ScoreKey(name)) for name in ("accuracy", "recall[no]")
    )
    _, told = errata(one, other)
    assert told[1].startswith("Before: Ann ranks first with an accuracy of .850")
    assert told[2].startswith("Now: Cem ranks first with a recall of “no” of 1.000")


def test_other_runs_count():
    """By policy, or because the organiser chose one: each said for the run that it is about."""
    runs = team("Ann", 150, run="1"), team("Ann", 170, run="2"), BEN
    last, every = evaluated(*runs, policies=Policies(runs="last")), evaluated(*runs)
    _, told = errata(last, every)
    assert told[0].startswith(
        "After Ann/1, which was not counted before (not the last by name), was counted and the"
    )
    assert "Of the 2 runs ranked before and now, none changes rank." in told
    _, told = errata(every, last)
    assert told[0].startswith(
        "After Ann/1 was no longer counted (not the last by name) and the policy on several"
    )
    chosen = Policies(runs="last", chosen=(ChosenRun("Ann", "1", "They wrote so."),))
    found, told = errata(last, evaluated(*runs, policies=chosen))
    assert told[0].startswith(
        "After the run “1” of Ann was counted in place of the run “2” and the run that counts"
    )
    assert [(row.name, row.before.rank, row.after.rank) for row in found.moved] == [
        ("Ben", 2, 1),
        ("Ann", 1, 2),
    ]
    _, told = errata(evaluated(team("Ann", 170), BEN), evaluated(team("Ann", 150, run="1"), BEN))
    assert told[0].startswith(
        "After the run “1” of Ann was counted in place of the run without a name, the first"
    )


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"official_decimals": 1}, "the number of published decimals was set to 1"),
        ({"labels": LabelSet(("no", "yes"), rest="no")}, "the rest class was set to “no”"),
        ({"overall": "mean-rank"}, "the rule that sums up the test sets was set to mean rank"),
        ({"weight": 2.5}, "what the test set counts among several was set to 2.5"),
        (
            {"options": Options(certainty=False)},
            "the certainty was changed from computed to left out",
        ),
        ({"options": Options(seed=7)}, "the seed of the draws was changed from 1 to 7"),
        (
            {"prevalences": (Prevalence("news", (("no", 0.25), ("yes", 0.75))),)},
            "the class distribution “news” was set to no 0.25, yes 0.75",
        ),
    ],
)
def test_other_settings_are_named_with_what_they_were(before, change, clause):
    """In words that say what it is about."""
    found, told = errata(before, evaluated(**change))
    assert found.what_changed == (clause,)
    assert told[0].startswith(f"After {clause}, the first place ")


def test_a_certainty_that_is_left_out_says_so(before):
    """In place of what the test set tells."""
    _, told = errata(before, evaluated(options=Options(certainty=False)))
    assert told[2].endswith("; whether its lead is significant was not tested.")


def test_labels_that_come_and_go():
    """Each by its name."""
    wider = LabelSet(("no", "yes", "maybe"))
    one, other = evaluated(), evaluated(labels=wider, gold=Gold(wider, truth(), IDS))
    assert difference_of(one, other).what_changed == (
        "the label “maybe” was added to the label set",
    )
    assert difference_of(other, one).what_changed == (
        "the label “maybe” was taken out of the label set",
    )


def test_other_groups_of_items(before):
    """Whether there are any, and what they are called; other items in as many groups too."""
    plain = Gold(LABELS, truth(), IDS)
    by_author = replace(plain, groups=np.arange(N_ITEMS) // 4, unit="author")
    grouped = evaluated(gold=by_author)
    told = "items were taken in 50 groups by “author” in place of one by one"
    assert difference_of(before, grouped).what_changed == (told,)
    other = evaluated(gold=replace(by_author, groups=np.arange(N_ITEMS) % 50, unit=None))
    assert difference_of(grouped, other).what_changed == (
        "items were taken in 50 groups in place of in 50 groups by “author”",
    )
    stratified = evaluated(gold=replace(plain, stratified=True))
    assert difference_of(before, stratified).what_changed == (
        "how the test set was drawn was set to a fixed number of items of each class",
    )


def test_other_parts_of_the_test_set(before):
    """The column by which it is cut; one that is called like an item keeps the id for itself."""
    half = np.arange(N_ITEMS, dtype=np.int64) // 100
    cut = replace(
        before.gold, slices=(SliceColumn("language", ("de", "en"), half.astype(np.uint8)),)
    )
    assert difference_of(before, evaluated(gold=cut)).what_changed == (
        "the parts by “language” was set to 2 parts",
    )
    ids = tuple(f"tweet-{place}-{place * place}" for place in range(N_ITEMS))
    secret = Gold(LABELS, truth(), ids)
    named = replace(secret, slices=(SliceColumn(ids[7], ("de", "en"), half.astype(np.uint8)),))
    (clause,) = difference_of(evaluated(gold=secret), evaluated(gold=named)).what_changed
    assert ids[7] not in clause


def test_what_has_no_weight_is_no_cause(before):
    """A title, a note, names of labels, an affiliation: an erratum has nothing to say of them."""
    renamed = replace(LABELS, names=("off", "on"))
    after = evaluated(title="Another title", note="A note.", labels=renamed)
    found, told = errata(before, after)
    assert [change.slug for change in found.settings] == [
        "label_name",
        "label_name",
        "title",
        "note",
    ]
    assert not any(change.matters for change in found.settings)
    assert told == (
        "Nothing was changed that a rank, a score or a finding depends on, and all of them are as before.",
    )
    assert not found.is_empty
    moved = replace(ANN, origin=Origin("Elsewhere", None))
    assert difference_of(before, evaluated(moved, BEN, CEM)).is_empty


def test_numbers_that_another_version_gives_are_told_so(before):
    """Evaluations are told apart by the version that computed them."""
    other = replace(before, signature=re.sub("version:.*", "version:9.9", before.signature))
    found = difference_of(before, other)
    assert [(change.slug, change.after) for change in found.settings] == [("version", "9.9")]


def test_a_result_that_nothing_explains_is_told_without_a_cause(before):
    """Findings that are others by no change of the data: the sentence begins with the result."""
    found = difference_of(before, before.given(flags=()))
    assert found.erratum[0].startswith(
        "The first place is as before: Ann ranks first with an accuracy of .850"
    )


def test_nobody_is_ahead():
    """Where everybody has the same score, or nobody is ranked."""
    same = [replace(each, given=ANN.codes) for each in (ANN, BEN)]
    level, usual = evaluated(*same), evaluated(ANN, BEN)
    _, told = errata(usual, level)
    assert told[0] == "After the submission of Ben was replaced, the first place changes."
    assert told[2].startswith(
        "Now: The teams cannot be ranked: both teams have an accuracy of .850."
    )
    beside = evaluated(replace(ANN, role=Role.BASELINE), replace(BEN, role=Role.BASELINE))
    _, told = errata(usual, beside)
    assert told[2] == (
        "Now: The teams cannot be ranked: no team competes. Give those that compete the role “primary”."
    )


def test_scores_that_are_undefined_have_no_difference():
    """A class that gold lacks has no recall: nothing is ranked by it, and no score is said to change."""
    wider = LabelSet(("no", "yes", "maybe"))
    settings = {"labels": wider, "official_metric": ScoreKey("recall[maybe]")}
    one = evaluated(gold=Gold(wider, truth(), IDS), **settings)
    other = evaluated(gold=Gold(wider, truth(3), IDS), **settings)
    found, told = errata(one, other)
    nobody = one.verdict.sentence
    assert told == (
        f"After 1 of 200 gold labels was corrected, the first place is as before: {nobody}",
    )
    assert {row.after.score for row in found.board} == {None}


def test_names_of_users_are_data():
    """Direction marks are shown as escapes, long names cut; markup is for the page to escape."""
    hostile = team("\u202eevil" + "x" * 300, 190)
    _, told = errata(evaluated(ANN, BEN), evaluated(ANN, BEN, hostile))
    assert "\u202e" not in " ".join(told)
    assert "\\u202e" in told[0]
    assert max(map(len, told)) < 500


def test_findings_come_and_go():
    """By their slugs; one with other numbers is changed, one that says the same is not there."""
    tied, apart = evaluated(ANN, team("Ben", 170), CEM), evaluated()
    found = difference_of(tied, apart)
    flags = [{flag.slug: flag.sentence for flag in side.flags} for side in (tied, apart)]
    for state, names in {
        "new": flags[1].keys() - flags[0].keys(),
        "gone": flags[0].keys() - flags[1].keys(),
        "changed": {
            slug for slug in flags[0].keys() & flags[1].keys() if flags[0][slug] != flags[1][slug]
        },
    }.items():
        assert {change.slug for change in found.findings if change.state == state} == names, state
    assert any(change.state == "gone" for change in found.findings)


def test_the_result_is_that_of_the_evaluations_of_a_whole_campaign(before):
    """Nothing is scored again: evaluations without their predictions give the same."""
    after = evaluated(gold=Gold(LABELS, truth(165, 199), IDS))
    settled = difference_of(before.settled(), after.settled())
    assert difference_data(settled) == difference_data(difference_of(before, after))
