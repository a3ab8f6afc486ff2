"""Laws over the registry of flags: every rule fires and is silent where it should, and every flag is fit to print."""

import json
import unicodedata
from dataclasses import replace
from itertools import cycle

import pytest

import audit
from audit.domain import LabelSet, Severity
from audit.findings.catalogue import FLAG_KINDS, find_flags
from audit.metrics import all_keys
from audit.writers.data.export import flag_data
from tests.nightly import ALL, by_day

from .campaigns import evaluated, flag_of
from .cases import CASES

HOSTILE = (
    "<script>alert(1)</script>",
    "../x",
    "\u202eevil\u202c",
    "\u200f\u2066",
    "x" * 300,
    "%s %d {0}",
    "a\x00b",
    "one\ntwo\r\x85\u2028",
    "al\u200dice",
    "\x1b[31mred",
    '"quoted", [a]~@b',
    " ",
)


def words(flag):
    """What a reader sees of a flag."""
    return flag.sentence, flag.remedy, flag.paper


def invisible(text):
    """Characters that could rearrange the line they stand in."""
    return [
        character
        for character in text
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ]


@pytest.fixture(scope="module")
def hostile():
    """A campaign whose teams and labels are hostile, in which most rules have something to say."""
    gold = [label for label in HOSTILE[:-1] for _ in range(2)]
    n_items = len(gold)
    shifted = gold[2:] + gold[:2]
    predictions = {
        team: [shifted[item] if item % (number + 2) == 0 else gold[item] for item in range(n_items)]
        for number, team in enumerate(HOSTILE)
    }
    predictions[HOSTILE[0]] = predictions[HOSTILE[1]] = [HOSTILE[2]] * n_items
    predictions[HOSTILE[2]] = [*gold[:-3], None, "\u202estray\x00", "stray\x07"]
    return audit.evaluate(gold, predictions, labels=[*HOSTILE[:-1], "no gold\u202e"])


def disguised(evaluation, start):
    """The same evaluation under hostile names: labels, teams and stray labels, from a place in the list on."""
    names = [*HOSTILE[start:], *HOSTILE[:start]]
    of, n_labels = evaluation.task.label_set, len(evaluation.task.label_set)
    rest = names[n_labels - 1] if of.nothing_code is not None else None
    labels = LabelSet(
        tuple(names[:n_labels]), rest=rest, kind=of.kind, scale=of.scale, columns=of.columns
    )
    before, after = (
        all_keys(each, evaluation.prevalences) for each in (evaluation.task.label_set, labels)
    )
    renamed = dict(zip(before, after, strict=True))
    # what was asked for besides names no label
    renamed |= {key: key for key in evaluation.keys if key not in renamed}
    policies = evaluation.task.policies
    renamed_teams = dict(
        zip((entry.team for entry in evaluation.entries), reversed(names), strict=False)
    )
    entries = (
        replace(
            entry,
            name=name,
            team=name,
            unusable_labels=tuple((name, n) for _, n in entry.unusable_labels),
        )
        for entry, name in zip(evaluation.entries, reversed(names), strict=False)
    )
    uncounted = tuple(replace(run, team=renamed_teams[run.team]) for run in evaluation.uncounted)
    chosen = tuple(
        replace(run, team=names[0], run=names[1], reason=names[2][:40]) for run in policies.chosen
    )
    return replace(
        evaluation,
        uncounted=uncounted,
        task=replace(evaluation.task, label_set=labels, policies=replace(policies, chosen=chosen)),
        gold=replace(evaluation.gold, label_set=labels),
        entries=tuple(entries),
        keys=tuple(renamed[key] for key in evaluation.keys),
    ).given(
        agreement=replace(
            evaluation.agreement, keys=tuple(renamed[key] for key in evaluation.agreement.keys)
        )
    )


def test_every_rule_has_a_case_that_fires_and_one_that_is_silent():
    """A rule without both cannot enter the registry."""
    assert set(CASES) == set(FLAG_KINDS)


@pytest.mark.parametrize("slug", FLAG_KINDS)
def test_the_rule_fires(slug):
    """In its own campaign, under its own slug."""
    assert flag_of(CASES[slug].fires(), slug) is not None


@pytest.mark.parametrize("slug", FLAG_KINDS)
def test_the_rule_is_silent(slug):
    """In a campaign as near to the other as can be."""
    assert flag_of(CASES[slug].silent(), slug) is None


@pytest.mark.parametrize("slug", FLAG_KINDS)
def test_the_entry_of_the_registry_is_complete(slug):
    """Slug, title and an explanation that says when it fires."""
    kind = FLAG_KINDS[slug]
    assert kind.slug == slug
    assert kind.title
    assert "Fires when" in kind.explanation
    assert kind.severity in Severity


@pytest.mark.parametrize("slug", FLAG_KINDS)
def test_what_fires_is_fit_to_print(slug):
    """Every flag of the campaign has its words, a severity that its kind allows, and evidence that is plain data."""
    for flag in CASES[slug].fires().flags:
        assert all(text.strip() for text in words(flag))
        assert flag.sentence.endswith(".")
        assert flag.severity >= FLAG_KINDS[flag.slug].severity
        assert json.loads(json.dumps(flag_data(flag), allow_nan=False))["evidence"]


@pytest.mark.parametrize("slug", FLAG_KINDS)
def test_flags_come_by_severity_each_once(slug):
    """The most consequential first, the registry's order among equals, and the same ones when asked again."""
    evaluation = CASES[slug].fires()
    order = list(FLAG_KINDS)
    places = [(flag.severity, order.index(flag.slug)) for flag in evaluation.flags]
    assert places == sorted(set(places))
    assert find_flags(evaluation) == evaluation.flags


def test_severities_are_in_words():
    """The three that the report groups by, the gravest first."""
    assert [severity.label for severity in sorted(Severity)] == [
        "changes the winner",
        "changes the order",
        "note",
    ]


def orders_and_rules(is_whole):
    """Places in the list of hostile names to begin at, with rules: each with each, or each rule with one place.

    Every third of all pairs would be the same third of the rules at each place: their number is a multiple of three.
    """
    starts = range(0, len(HOSTILE), 2)
    if is_whole:
        return [(start, slug) for start in starts for slug in FLAG_KINDS]
    return list(zip(cycle(starts), FLAG_KINDS, strict=False))


def test_a_part_of_the_orders_leaves_out_no_rule():
    """Each rule once by day, and all orders among them; by night everything with everything."""
    starts, slugs = zip(*orders_and_rules(is_whole=False), strict=True)
    assert sorted(slugs) == sorted(FLAG_KINDS)
    assert set(starts) == {start for start, _ in orders_and_rules(is_whole=True)}
    assert set(orders_and_rules(is_whole=True)) == {
        (start, slug) for start in set(starts) for slug in FLAG_KINDS
    }


@pytest.mark.parametrize(("start", "slug"), orders_and_rules(is_whole=ALL))
def test_names_change_no_finding(slug, start):
    """Markup, paths, marks of direction, format signs, NUL and line breaks are names like any other, to every rule.

    In the gate every rule meets one of six orders of the names.
    """
    evaluation = CASES[slug].fires()
    flags = find_flags(disguised(evaluation, start))
    assert [(flag.slug, flag.severity) for flag in flags] == [
        (flag.slug, flag.severity) for flag in evaluation.flags
    ]
    assert [
        (flag.slug, found) for flag in flags for text in words(flag) if (found := invisible(text))
    ] == []
    assert not any("x" * 50 in text for flag in flags for text in words(flag))
    for flag in flags:
        assert json.loads(json.dumps(flag_data(flag), allow_nan=False)) == flag_data(flag)


def test_no_character_that_moves_others_reaches_a_sentence(hostile):
    """Control and direction characters are shown as escapes, in every text that a reader sees."""
    assert [
        (flag.slug, found)
        for flag in hostile.flags
        for text in words(flag)
        if (found := invisible(text))
    ] == []


def test_long_names_are_whole_in_evidence(hostile):
    """A name of 300 characters does not flood a sentence; the data has it as it stands."""
    assert not any("x" * 50 in text for flag in hostile.flags for text in words(flag))
    assert "x" * 300 in json.dumps(flag_data(flag_of(hostile, "class-without-gold")))


def test_hostile_evidence_is_plain_data(hostile):
    """Names in evidence are exactly as they stand, and come back from JSON so."""
    for flag in hostile.flags:
        assert json.loads(json.dumps(flag_data(flag), allow_nan=False)) == flag_data(flag)
    stray = flag_of(hostile, "unanswered-items").evidence["submissions"][0]
    assert stray["team"] == "\u202eevil\u202c"
    assert stray["unusable_labels"] == {"\u202estray\x00": 1, "stray\x07": 1}
    assert (stray["missing"], stray["unusable"]) == (1, 2)


@pytest.mark.parametrize("label", HOSTILE)
@pytest.mark.parametrize("metric", ["recall", "averaged_f1"])
@by_day(11)
def test_a_hostile_label_in_the_official_metric_breaks_no_rule(label, metric):
    """Two teams share first place by a score of a class with a hostile name."""
    name = '"' + label.replace('"', '""') + '"'
    gold, given = [label, label, "b", "b"], [label, "b", "b", label]
    evaluation = audit.evaluate(gold, {"X": given, "Y": given}, official_metric=f"{metric}[{name}]")
    flag = flag_of(evaluation, "tied-winners")
    assert ".500" in flag.sentence
    assert not any(map(invisible, words(flag)))


def test_evidence_has_no_undefined_number_as_json():
    """NaN, which JSON has not, becomes null."""
    flag = flag_of(evaluated("aabb", {"X": "aabb", "Y": "...."}), "at-or-below-chance")
    assert flag_data(flag)["evidence"]["submissions"][0]["kappa"] == 0
    assert flag_data(type(flag)("s", Severity.NOTE, "s", "r", "p", {"x": [float("nan"), (1.5,)]}))[
        "evidence"
    ] == {"x": [None, [1.5]]}
