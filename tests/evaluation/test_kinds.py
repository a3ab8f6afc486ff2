"""A kind of task declares what it supports, and nothing else asks which kind a task is of."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import audit
from audit.domain import (
    SHARE,
    Feature,
    Kind,
    LabelSet,
    Needs,
    Scale,
    ScoreColumn,
    ScoreKey,
    supported,
)
from audit.errors import MetricNameError, UsageError
from audit.metrics import METRICS, metric_of, parse_score_key, voters_on
from audit.report.page import document_of, sections

PACKAGE = Path(audit.__file__).parent
NAMES_OF_KINDS = {kind.name for kind in Kind}


def _names_a_kind(node):
    """Whether an expression is a kind by its name, such as ``Kind.SPANS``."""
    is_name = isinstance(node, ast.Attribute) and node.attr in NAMES_OF_KINDS
    return is_name and ast.unparse(node.value).rpartition(".")[2] == "Kind"


def _asks_by_name(tree):
    """Where a kind's name decides: in a comparison, or as the key of a mapping."""
    for node in ast.walk(tree):
        compared = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        keys = node.keys if isinstance(node, ast.Dict) else []
        patterns = [node.value] if isinstance(node, ast.MatchValue) else []
        inside = [
            part
            for each in (*compared, *keys, *patterns)
            if each is not None
            for part in ast.walk(each)
        ]
        yield from (part.lineno for part in inside if _names_a_kind(part))


@pytest.mark.parametrize(
    "source",
    ["a if kind is Kind.SPANS else b", "{Kind.LABELS: 1}", "kind in (domain.Kind.CLASSES, other)"],
)
def test_the_search_finds_who_asks_for_a_kind_by_name(source):
    assert list(_asks_by_name(ast.parse(source)))


def test_nothing_outside_the_domain_asks_for_a_kind_by_name():
    files = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "domain"]
    found = {}
    for path in files:
        source = path.read_text(encoding="utf-8")
        asked = list(_asks_by_name(ast.parse(source)))
        if asked:
            found[str(path.relative_to(PACKAGE))] = asked
    assert len(files) > 200
    assert not found


def test_every_kind_has_words_and_a_slug_of_its_own():
    assert [Kind(str(kind)) for kind in Kind] == list(Kind)
    for kind in Kind:
        traits = kind.traits
        assert traits.label
        assert traits.labels != traits.label
        lacks = (
            set(Feature)
            - traits.supports
            - {Feature.UNITS, Feature.BOUNDARIES, Feature.COLUMNS, Feature.NUMBERS}
        )
        assert bool(traits.left_out) == bool(traits.undefined) == bool(lacks)


@pytest.fixture
def without(monkeypatch):
    """A function that takes features from tasks of classes, for one test."""

    def take(*features: Feature) -> None:
        left = Kind.CLASSES.traits.supports - set(features)
        changed = replace(
            Kind.CLASSES.traits,
            supports=left,
            undefined="is not defined here.",
            left_out="something",
        )
        monkeypatch.setattr(Kind.CLASSES, "traits", changed)

    return take


GOLD = ["a", "b", "a", "b", "c", "a", "b", "a", "c", "a"]
TEAMS = {
    "half": ["a", "b", "a", "b", "a", "b", "a", "b", "c", "a"],
    "constant": ["a"] * 10,
    "worse": ["c", "a", "c", "a", "b", "c", "a", "c", "a", "b"],
}


def test_without_chance_there_are_no_baselines_and_no_flags_on_chance(without):
    of_chance = {"at-or-below-chance", "not-significantly-above-chance"}
    before = audit.evaluate(GOLD, TEAMS)
    assert before.baselines
    assert of_chance & {flag.slug for flag in before.flags}
    without(Feature.CHANCE)
    after = audit.evaluate(GOLD, TEAMS)
    assert after.baselines == ()
    assert not of_chance & {flag.slug for flag in after.flags}
    assert {flag.slug for flag in before.flags} - of_chance <= {flag.slug for flag in after.flags}


def test_without_other_class_distributions_there_is_no_winner_map_and_no_section_on_it(without):
    before = audit.evaluate(GOLD, TEAMS)
    assert before.winner_map is not None
    assert "class-distributions" in {section.id for section in document_of(before).sections}
    without(Feature.PREVALENCES)
    after = audit.evaluate(GOLD, TEAMS)
    assert after.winner_map is None
    assert "class-distributions" not in {section.id for section in document_of(after).sections}
    assert {key.prevalence for key in after.keys} == {"observed"}


def test_a_section_is_asked_where_the_kind_supports_all_that_it_needs(without):
    without(Feature.CLASSES)
    asked = supported(sections(), Kind.CLASSES)
    assert {Feature.CLASSES} <= {feature for section in sections() for feature in section.needs}
    assert asked == tuple(section for section in sections() if Feature.CLASSES not in section.needs)


def test_what_is_left_out_is_said_once(without):
    without(Feature.CHANCE, Feature.PROPERTIES)
    method = next(
        each for each in document_of(audit.evaluate(GOLD, TEAMS)).sections if each.id == "method"
    )
    assert str(method).count("something") == 1


def test_a_metric_that_needs_what_a_kind_lacks_is_refused_with_the_reason(without):
    labels = LabelSet(("a", "b"))
    assert metric_of("accuracy", labels).needs == Needs({Feature.ANSWERS})
    without(Feature.ANSWERS)
    with pytest.raises(MetricNameError, match=r"kappa.* is not defined here\."):
        parse_score_key("kappa", LabelSet(("a", "b", "c")))


def test_voters_are_a_kinds_own_metrics_and_those_that_it_supports():
    spans = LabelSet(("PER", "nothing"), rest="nothing", kind=Kind.SPANS)
    slugs = [metric.slug for metric in voters_on(spans)]
    assert slugs[:3] == ["micro_precision", "micro_recall", "micro_f1"]
    assert all(METRICS[slug].needs <= Kind.SPANS.traits.supports for slug in slugs)
    assert "accuracy" not in slugs


class TestColumns:
    """A task may bring its own metrics, and then needs no labels."""

    TER = ScoreColumn("TER [tok]", Scale(0.0, 2.0, greater_is_better=False))

    @pytest.fixture
    def scored(self, monkeypatch):
        traits = replace(
            Kind.CLASSES.traits, supports=frozenset({Feature.COLUMNS}), undefined="needs labels."
        )
        monkeypatch.setattr(Kind.CLASSES, "traits", traits)
        return LabelSet((), columns=(ScoreColumn("COMET"), self.TER))

    def test_they_are_found_by_their_names_as_they_stand(self, scored):
        assert parse_score_key("TER [tok]", scored) == ScoreKey("TER [tok]")
        assert metric_of("TER [tok]", scored).scale == self.TER.scale
        assert metric_of("COMET", scored).scale == SHARE

    def test_they_are_all_that_every_evaluation_has(self, scored):
        assert [metric.slug for metric in voters_on(scored)] == ["COMET", "TER [tok]"]
        assert not metric_of("COMET", scored).of_labels

    def test_metrics_of_labels_are_refused(self, scored):
        with pytest.raises(MetricNameError, match=r"needs labels\."):
            parse_score_key("accuracy", scored)

    def test_a_label_set_without_labels_is_refused_elsewhere(self):
        with pytest.raises(UsageError, match="at least one label"):
            LabelSet(())

    def test_labels_have_no_columns_beside_them(self):
        with pytest.raises(UsageError, match="no scores of items"):
            LabelSet(("a", "b"), columns=(self.TER,))
