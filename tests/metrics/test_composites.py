"""Composites: the mean of scores of the same items, with the mean of what each item adds to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit
from audit.domain import BALANCED, OBSERVED, LabelSet, Reading, ScoreKey
from audit.errors import MetricNameError
from audit.metrics import (
    METRICS,
    Cells,
    Margins,
    chance_baselines,
    count_answers,
    gradient_of,
    influence,
    metric_name,
    named_metric,
    parse_reading,
    parse_score_key,
    phrase,
    registered,
    scale_of,
    score,
    score_readings,
)
from audit.metrics.composites import Term, composite_name, split_composite
from tests.further_metrics import ABSOLUTE_ERROR, MACRO_ABSOLUTE_ERROR

from .strategies import confusions, items_of, label_set_of

SLUGS = [slug for slug, metric in METRICS.items() if metric.terms != "product of recalls"]


@st.composite
def cases(draw):
    """A confusion, and two to four scores of it with weights."""
    confusion = draw(confusions(least_present=2))
    labels, names = label_set_of(confusion), []
    for slug in draw(st.lists(st.sampled_from(SLUGS), min_size=2, max_size=4, unique=True)):
        of_class = METRICS[slug].takes == "class"
        codes = (draw(st.integers(0, len(labels) - 1)),) if of_class else None
        names.append(metric_name(slug, codes, labels))
    weights = draw(
        st.lists(st.sampled_from([1, 2, 0.25, 3.5]), min_size=len(names), max_size=len(names))
    )
    return confusion, labels, names, weights


def composite(names, weights):
    """The name of a mean."""
    return composite_name([Term(weight, name) for weight, name in zip(weights, names, strict=True)])


def scored(confusion, names, labels, prevalence=OBSERVED):
    """Scores by some names."""
    keys = [ScoreKey(name, prevalence.name) for name in names]
    return score(np.asarray(confusion)[None], keys, [prevalence], labels)[:, 0]


@given(cases(), st.sampled_from([OBSERVED, BALANCED]))
def test_it_is_the_weighted_mean_and_undefined_with_any_of_them(case, prevalence):
    """At any class distribution; never 0 in place of an undefined score."""
    confusion, labels, names, weights = case
    terms = scored(confusion, names, labels, prevalence)
    found = scored(confusion, [composite(names, weights)], labels, prevalence)[0]
    assert np.isnan(found) == np.isnan(terms).any()
    assert found == pytest.approx(np.average(terms, weights=weights), nan_ok=True)


@given(cases())
def test_its_influence_is_the_mean_of_theirs(case):
    """Item by item: what is shared by scores of the same items is neither lost nor counted twice."""
    confusion, labels, names, weights = case
    cells = Cells.of(confusion[None])

    def of(name):
        found = influence(gradient_of(name, Margins.of_cells(cells), labels), cells)
        return found.at(cells.gold, cells.predicted)[0]

    expected = np.average([of(name) for name in names], axis=0, weights=weights)
    size = max(1.0, np.abs([of(name) for name in names]).max())
    np.testing.assert_allclose(of(composite(names, weights)), expected, atol=1e-12 * size)


@given(cases())
def test_its_name_is_read_back_as_it_is(case):
    """By every door, with and without a prevalence."""
    _, labels, names, weights = case
    for suffix in ("", "~", "@flat"):
        key = parse_score_key(composite(names, weights) + suffix, labels)
        assert parse_score_key(str(key), labels) == key
        reading = parse_reading(str(key), labels)
        assert (str(reading), reading.key) == (str(key), key)
    found = split_composite(composite(names, weights) + "~")
    assert ([term.name for term in found.terms], found.behind, found.of_ranks) == (
        names,
        "~",
        False,
    )


@given(cases())
def test_as_a_reading_it_has_the_same_score(case):
    """A published column may be one."""
    confusion, labels, names, weights = case
    gold, predicted = items_of(confusion)
    reading = parse_reading(composite(names, weights), labels)
    answers = count_answers(gold, [predicted], len(labels), [()])
    by_reading = score_readings(answers, [reading, Reading("accuracy")], [OBSERVED], labels)[0, 0]
    assert by_reading == pytest.approx(scored(confusion, [reading.metric], labels)[0], nan_ok=True)


LABELS = LabelSet(("a", 'b,"c', "d(e", "Other"), rest="Other")


def test_labels_and_readings_stand_in_terms_as_anywhere():
    """A comma in quotes, a parenthesis in a label, choices, a rest class that a term leaves out or does not."""
    name = 'mean(averaged_f1(all-but,undefined=1)["b,""c"],recall[d(e],averaged_f1(with-rest),macro_recall)'
    key = parse_score_key(name, LABELS)
    parts = named_metric(key.metric, LABELS).parts
    assert [part.metric.slug for part in parts] == [
        "averaged_f1",
        "recall",
        "averaged_f1",
        "macro_recall",
    ]
    rng = np.random.default_rng(3)
    confusion = rng.integers(1, 20, (4, 5))
    terms = [
        'averaged_f1(all-but,undefined=1)["b,""c"]',
        "recall[d(e]",
        "averaged_f1(with-rest)",
        "macro_recall",
    ]
    assert scored(confusion, [key.metric], LABELS)[0] == pytest.approx(
        scored(confusion, terms, LABELS).mean()
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mean(accuracy)", "is a mean of 1"),
        ("mean(accuracy,accuracy)", "names accuracy twice"),
        ("mean(accuracy,,kappa)", "empty term"),
        ("mean(accuracy,kappa", "does not close"),
        ("mean(accuracy,kappa)x", "behind the parenthesis"),
        ("mean(accuracy~,kappa)", "one class distribution"),
        ("mean(accuracy,mean(kappa,mcc))", "mean of a mean"),
        ("mean(accuracy,macro_f1)", "two metrics"),
        ("mean(0*accuracy,kappa)", "above 0"),
        ("mean(-1*accuracy,kappa)", "is no metric"),
        ("mean(accuracy,kappa)~@flat", "two prevalences"),
        (f"mean({','.join(f'averaged_f{number}' for number in range(2, 40))})", "2 to 20"),
    ],
)
def test_what_is_no_mean_is_refused_with_the_reason(name, words):
    """In a sentence that says what to write."""
    with pytest.raises(MetricNameError, match=words):
        parse_score_key(name, LabelSet(("a", "b")))


def test_scores_of_two_directions_have_no_mean():
    """Of two that are both better the lower there is one, and its scale is theirs."""
    labels = LabelSet(("a", "b"))
    with registered(ABSOLUTE_ERROR), registered(MACRO_ABSOLUTE_ERROR):
        errors = f"mean({ABSOLUTE_ERROR.slug},{MACRO_ABSOLUTE_ERROR.slug})"
        with pytest.raises(
            MetricNameError,
            match="two directions: higher is better by accuracy, lower is better by",
        ):
            parse_score_key(f"mean(accuracy,{ABSOLUTE_ERROR.slug})", labels)
        assert not scale_of(errors, labels).greater_is_better
        confusion = np.array([[3, 1, 0], [2, 4, 1]])
        terms = scored(confusion, [ABSOLUTE_ERROR.slug, MACRO_ABSOLUTE_ERROR.slug], labels)
        assert scored(confusion, [errors], labels)[0] == pytest.approx(terms.mean())
        cells = Cells.of(confusion[None])
        assert gradient_of(errors, Margins.of_cells(cells), labels).cells is not None


def test_names_and_ranges():
    """Weights as numbers, equal ones unsaid; kappa widens the range."""
    labels = LabelSet(("a", "b"))
    assert (
        str(parse_score_key(" mean( 2 * averaged_f1 , accuracy )~", labels))
        == "mean(2*averaged_f1,accuracy)~"
    )
    assert str(parse_score_key("mean(2*kappa,2*mcc)", labels)) == "mean(kappa,mcc)"
    assert (
        phrase(ScoreKey("mean(0.5*kappa,mcc)"), labels)
        == "weighted mean (0.5:1) of Cohen’s kappa and MCC"
    )
    assert (
        phrase(ScoreKey("mean(averaged_f1[a],accuracy)"), labels)
        == "mean of macro-averaged F1 over “a” and accuracy"
    )
    scale = scale_of("mean(3*kappa,accuracy)", labels)
    assert (scale.lower, scale.upper) == (-0.75, 1)


def test_baselines_of_chance_are_the_mean_of_theirs():
    """Exact where each has a closed form, drawn where one has none."""
    counts, labels = np.array([30, 20, 10]), LabelSet(("a", "b", "c"))
    names = ["averaged_f1", "recall[b]", "accuracy", "f1_of_averages", "averaged_f1(declared)"]
    keys = [
        *map(ScoreKey, names),
        ScoreKey("mean(2*averaged_f1,recall[b],accuracy)"),
        ScoreKey("mean(accuracy,f1_of_averages)"),
        ScoreKey("mean(accuracy,averaged_f1(declared))"),
    ]
    for baseline in chance_baselines(counts, keys, [OBSERVED], labels)[1:]:
        terms, (exact, drawn, read) = baseline.values[:5], baseline.values[5:]
        assert exact == pytest.approx(np.average(terms[:3], weights=[2, 1, 1]), abs=1e-12)
        errors = baseline.standard_errors
        assert errors[5] == 0 < errors[6]
        assert drawn == pytest.approx(terms[[2, 3]].mean(), abs=5 * (errors[3] + errors[6]))
        assert read == pytest.approx(terms[[2, 4]].mean(), abs=5 * (errors[4] + errors[7]))


def drawn_teams(n_items=500, seed=5):
    rng = np.random.default_rng(seed)
    labels = ["a", "b", "c"]
    gold = rng.choice(labels, n_items, p=[0.5, 0.3, 0.2]).tolist()

    def team(right):
        return [label if rng.random() < right else rng.choice(labels) for label in gold]

    return gold, {"One": team(0.8), "Two": team(0.77), "Three": team(0.5)}


def test_an_official_mean_has_all_that_an_official_score_has(tmp_path):
    """Ranking, an interval, comparisons, power, a page that links its definition, and the scores that it is made of."""
    gold, teams = drawn_teams()
    name = "mean(2*averaged_f1,accuracy)"
    evaluation = audit.evaluate(gold, teams, official_metric=name, title="T")
    key = evaluation.task.ranking_metric
    terms = [evaluation.scores_of(ScoreKey(term)) for term in ("averaged_f1", "accuracy")]
    np.testing.assert_allclose(evaluation.scores_of(key), np.average(terms, axis=0, weights=[2, 1]))
    assert evaluation.verdict.winners == evaluation.winners(key)
    row = evaluation.keys.index(key)
    intervals, scores = evaluation.certainty.intervals, evaluation.scores_of(key)
    assert (intervals.lower[row] < scores).all()
    assert (scores < intervals.upper[row]).all()
    assert evaluation.power[0].key == key
    page = audit.write_report(evaluation, tmp_path / "report.html").read_text(encoding="utf-8")
    slug = named_metric(key.metric, evaluation.task.label_set).metric.slug
    assert f'href="#metric-{slug}"' in page
    assert f'id="metric-{slug}"' in page
    assert "s1 is macro-averaged F1 and s2 is accuracy" in page


def test_its_errors_are_those_of_resampled_items():
    """The standard deviation of its differences against item weights, which know nothing of influence."""
    gold, teams = drawn_teams()
    evaluation = audit.evaluate(gold, teams, official_metric="mean(averaged_f1,kappa)")
    key = evaluation.task.ranking_metric
    rng = np.random.default_rng(1)
    codes = {label: code for code, label in enumerate(evaluation.task.label_set)}
    gold_codes, answers = ([codes[label] for label in labels] for labels in (gold, teams["One"]))
    others = [codes[label] for label in teams["Two"]]
    stack = np.zeros((2000, 2, 3, 4), dtype=np.int64)
    for draw in stack:
        items = rng.integers(0, len(gold), len(gold))
        for confusion, given_ in zip(draw, (answers, others), strict=True):
            np.add.at(confusion, (np.array(gold_codes)[items], np.array(given_)[items]), 1)
    scores = score(stack, [key], [OBSERVED], evaluation.task.label_set)[0]
    spread = (scores[:, 0] - scores[:, 1]).std()
    one, two = (evaluation.entry_number(name) for name in ("One", "Two"))
    assert evaluation.comparison(key).standard_error[one, two] == pytest.approx(spread, rel=0.1)


def test_what_has_no_interval_gives_none_to_the_mean():
    """A recall of 0 in a product does; a class that is hardly predicted does not."""
    gold, teams = drawn_teams()
    teams["Rare"] = [label if label != "c" or item < 5 else "a" for item, label in enumerate(gold)]
    teams["Never"] = ["a" if label == "c" else label for label in gold]
    names = [
        "mean(accuracy,averaged_f1)",
        "mean(accuracy,geometric_macro_recall)",
        "mean(accuracy,macro_recall)",
    ]
    evaluation = audit.evaluate(gold, teams, metrics=names)
    marks = evaluation.marks
    assert not marks.loc["Rare", [names[0], "averaged_f1"]].any()
    assert evaluation.intervals[names[0]].notna().all(axis=None)
    assert marks.loc["Never", names[1]] == "few-hits"
    assert not marks.loc["One", names].any()
    assert not marks.loc["Never", names[2]]


def test_a_term_may_take_the_rest_class():
    """It is said of this term alone, and the mean is that of the two scores."""
    labels = LabelSet(("a", "b", "c"), rest="c")
    key = parse_score_key("mean(accuracy, averaged_f1(with-rest))~", labels)
    assert str(key) == "mean(accuracy,averaged_f1(with-rest))~"
    assert phrase(key, labels) == (
        "mean of accuracy and macro-averaged F1 over the classes in gold, “c” too with balanced classes"
    )
    cells = np.array([[[5, 2, 1, 0], [1, 6, 2, 1], [3, 1, 9, 0]]])
    mean, accuracy, averaged = (
        named_metric(name, labels).score(Margins.of(cells))
        for name in ("mean(accuracy,averaged_f1(with-rest))", "accuracy", "averaged_f1(with-rest)")
    )
    np.testing.assert_allclose(mean, (accuracy + averaged) / 2)
