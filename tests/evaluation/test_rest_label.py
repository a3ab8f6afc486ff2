"""A task with a rest class: from files and from memory, through store, page, LaTeX, data and verification."""

import json
import re

import numpy as np
import pytest
from sklearn.metrics import f1_score

import audit
from audit.domain import LabelSet, ScoreKey
from audit.errors import InputError, UsageError
from audit.evaluation import evaluate
from audit.findings.handed_in import chance_levels
from audit.formats.campaign.campaigns import read_campaign
from audit.readings.macro_f1_wording import definition
from audit.report.page import document_of
from audit.report.paper_prose import methods_of, plain_prose
from audit.report.short import short_blocks
from audit.store import open_store
from audit.writers.data.export import evaluation_data
from tests.report.parts import fold_of, terms_of

LABELS = ("happy", "sad", "angry", "others")
REST = "others"


def drawn(seed=4, n_items=600, labels=LABELS, shares=(0.1, 0.08, 0.07, 0.75)):
    """Gold with a large rest class; a careful team, and one that answers other classes too often."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(labels, n_items, p=shares)

    def team(right, careful):
        wrong = np.where(
            rng.random(n_items) < careful, labels[-1], rng.choice(labels[:-1], n_items)
        )
        return np.where(rng.random(n_items) < right, gold, wrong).tolist()

    return gold.tolist(), {
        "Careful": team(0.85, 0.9),
        "Eager": team(0.9, 0.3),
        "Poor": team(0.6, 0.6),
    }


def evaluated(metric="micro_f1", **said):
    """The evaluation of the same task from memory."""
    gold, teams = drawn()
    return audit.evaluate(gold, teams, labels=LABELS, official_metric=metric, **said)


@pytest.fixture
def folder(tmp_path):
    """The campaign as files."""
    gold, teams = drawn()
    (tmp_path / "submissions").mkdir()
    for path, labels in {
        "gold": gold,
        **{f"submissions/{name}": found for name, found in teams.items()},
    }.items():
        rows = "".join(f"{item},{label}\n" for item, label in enumerate(labels))
        (tmp_path / f"{path}.csv").write_text(f"id,label\n{rows}", encoding="utf-8")
    said = (
        f'labels = {json.dumps(LABELS)}\nrest_label = "{REST}"\nofficial_metric = "averaged_f1"\n'
    )
    (tmp_path / "task.toml").write_text(said, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("metric", "average"), [("micro_f1", "micro"), ("averaged_f1", "macro")])
def test_the_ranking_is_that_of_scikit_learn(metric, average):
    """Which is another one than with the rest class."""
    gold, teams = drawn()
    evaluation = evaluated(metric, rest_label=REST)
    expected = {
        name: f1_score(gold, found, labels=LABELS[:3], average=average)
        for name, found in teams.items()
    }
    found = dict(zip(evaluation.names, evaluation.scores_of(ScoreKey(metric)), strict=True))
    assert found == pytest.approx(expected, abs=1e-12)
    assert sorted(expected, key=expected.get, reverse=True) == [
        evaluation.names[team] for team in evaluation.order(ScoreKey(metric))
    ]


def test_intervals_and_comparisons_are_those_of_the_other_classes_by_name():
    """Of every macro score: the same numbers as with the classes in brackets and no rest class."""
    named = "[happy,sad,angry]"
    for metric in ("averaged_f1", "macro_recall", "micro_f1", "f1_of_averages", "macro_precision"):
        rest, plain = evaluated(metric, rest_label=REST), evaluated(metric + named)
        rows = [each.keys.index(each.task.ranking_metric) for each in (rest, plain)]
        ours, theirs = (
            (
                each.certainty.intervals.lower[row],
                each.certainty.intervals.upper[row],
                each.certainty.intervals.marks[row],
            )
            for each, row in zip((rest, plain), rows, strict=True)
        )
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(
            rest.comparison(rest.task.ranking_metric).standard_error,
            plain.comparison(plain.task.ranking_metric).standard_error,
        )


def test_the_gap_and_what_has_a_recall_of_zero_leave_it_out():
    """Δ and its upper end are those of the other classes; a rest class that is never found makes no product 0."""
    gold, teams = drawn()
    teams["Never"] = [LABELS[0] if label == REST else label for label in gold]
    evaluation = audit.evaluate(gold, teams, rest_label=REST)
    never = evaluation.entry_number("Never")
    geometric, gap = (
        evaluation.scores_of(ScoreKey("geometric_macro_recall")),
        evaluation.certainty.intervals.gap_upper,
    )
    assert geometric[never] == 1
    averaged, of_averages = (
        evaluation.scores_of(ScoreKey(name)) for name in ("averaged_f1", "f1_of_averages")
    )
    shown = ~np.isnan(gap)
    assert shown.any()
    assert (gap[shown] >= (of_averages - averaged)[shown] - 1e-12).all()
    missed = audit.evaluate(
        gold,
        {**teams, "Missed": [REST if label == "sad" else label for label in gold]},
        rest_label=REST,
    )
    row, team = missed.keys.index(ScoreKey("geometric_macro_recall")), missed.entry_number("Missed")
    intervals = missed.certainty.intervals
    assert intervals.lower[row, team] == 0 < intervals.upper[row, team] < 1


def _expected_of_chance(metric, gold, answers, averaged):
    """What answers that are drawn without a look at the items score on average, from shares, shape (A,)."""
    right = gold * answers
    recall, precision = (right / gold)[:, averaged], right[:, averaged] / answers[:, averaged]
    f1 = (2 * right / (gold + answers))[:, averaged]
    p, r = precision.mean(axis=1), recall.mean(axis=1)
    return {
        "macro_recall": r,
        "geometric_macro_recall": recall.prod(axis=1) ** (1 / len(averaged)),
        "macro_precision": p,
        "averaged_f1": f1.mean(axis=1),
        "f1_of_averages": 2 * p * r / (p + r),
    }[metric]


@pytest.mark.parametrize("prevalence", ["observed", "balanced"])
@pytest.mark.parametrize(
    "metric",
    ["macro_recall", "geometric_macro_recall", "macro_precision", "averaged_f1", "f1_of_averages"],
)
def test_chance_is_the_most_that_is_in_reach_beside_a_rest_class(metric, prevalence):
    """No answer without a look at the items is expected to score more, and some come close: far from 1/3 by F1."""
    evaluation = evaluated("averaged_f1", rest_label=REST)
    level = chance_levels(evaluation, ScoreKey(metric, prevalence))
    counts = evaluation.prevalence_counts
    gold = counts / counts.sum() if prevalence == "observed" else np.full(4, 1 / 4)
    averaged = [code for code, label in enumerate(evaluation.task.label_set) if label != REST]
    answers = np.zeros((20_000, 4))
    answers[:, averaged] = np.random.default_rng(1).dirichlet(np.ones(3), 20_000)
    answers[:, evaluation.task.label_set.rest_code] = 1e-9
    best = _expected_of_chance(metric, gold, answers, averaged).max()
    assert best - 1e-6 <= level.min() == pytest.approx(level.max())
    assert level.max() == pytest.approx(best, rel=0.01)


def test_nobody_is_below_chance_who_is_above_it():
    """A team far above what chance gives beside a large rest class is not said to be at chance."""
    evaluation = evaluated("averaged_f1", rest_label=REST)
    scores = dict(
        zip(evaluation.names, evaluation.scores_of(ScoreKey("averaged_f1")).tolist(), strict=True)
    )
    (level,) = set(chance_levels(evaluation, ScoreKey("averaged_f1")).tolist())
    rest = (
        evaluation.prevalence_counts[evaluation.task.label_set.rest_code] / evaluation.gold.n_items
    )
    assert level == pytest.approx(2 * (1 - rest) / ((2 - rest) * 3))
    assert level < min(scores.values())
    assert "at-or-below-chance" not in {flag.slug for flag in evaluation.flags}


def test_no_bound_where_one_class_is_left():
    """Always answering it has all of its recall."""
    gold, teams = drawn(labels=("yes", "no"), shares=(0.3, 0.7))
    evaluation = audit.evaluate(gold, teams, rest_label="no")
    assert np.isnan(chance_levels(evaluation, ScoreKey("averaged_f1"))).all()
    binary = [f1_score(gold, teams[name], pos_label="yes") for name in evaluation.names]
    for metric in ("averaged_f1", "f1_of_averages", "weighted_f1"):
        assert evaluation.scores_of(ScoreKey(metric)) == pytest.approx(binary)


def test_files_store_and_memory_agree(folder, tmp_path):
    """The same scores; what was loaded has its rest class, and history says when it came."""
    campaign = read_campaign(folder)
    assert campaign.task.label_set == LabelSet(LABELS, declared=True, rest=REST)
    assert campaign.gold.label_set == campaign.task.label_set
    in_memory = evaluated("averaged_f1", rest_label=REST)
    np.testing.assert_array_equal(evaluate(campaign).values, in_memory.values)
    with open_store(tmp_path / "audit.db") as store:
        plain = (folder / "task.toml").read_text(encoding="utf-8")
        (folder / "task.toml").write_text(re.sub("rest_label.*\n", "", plain), encoding="utf-8")
        store.save_campaigns(read_campaign(folder))
        (folder / "task.toml").write_text(plain, encoding="utf-8")
        store.save_campaigns(campaign)
        assert store.load_campaign(campaign.task.slug).task.label_set == campaign.task.label_set
        changes = [
            change for event in store.history(campaign.task.slug) for change in event.changes
        ]
    assert (None, REST) in [
        (change.before, change.after) for change in changes if change.what == "rest class"
    ]


def test_page_paper_and_data_say_what_is_averaged():
    """Once in the head, in the methods, among the rules, and in JSON."""
    evaluation = evaluated("averaged_f1", rest_label=REST)
    document = document_of(evaluation)
    assert "averages over classes leave out the rest class “others”" in document.facts
    averaged = terms_of(fold_of(document, "rules"))["Averaging set"]
    assert averaged.startswith("the 3 classes in gold but “others” (happy, sad and angry)")
    heading = "ranked by macro-averaged F1; averages over classes leave out the rest class “others”"
    assert short_blocks(evaluation)[0].text.endswith(heading)
    methods = plain_prose(methods_of(evaluation))
    assert "Averages over classes leave out the rest class “others”." in methods
    assert evaluation_data(evaluation)["rest_label"] == REST
    assert evaluation_data(evaluated())["rest_label"] is None
    said = definition(evaluation.macro_f1.base, evaluation.task.label_set, 3)
    assert "macro-averaged F1 over the classes in gold but “others” (here 3)" in said
    assert "in-gold(4-of-4),but(others)" in evaluation.signature


def test_findings_count_the_averaged_classes():
    """A label that gold lacks makes the union larger than the averaged classes, in which the rest class is not."""
    gold, teams = drawn()
    labels = (*LABELS, "spare")
    teams["Careful"] = ["spare", *teams["Careful"][1:]]
    teams["Close"] = [*teams["Careful"][:30], *gold[30:45], *teams["Careful"][45:]]
    evaluation = audit.evaluate(gold, teams, labels=labels, rest_label=REST)
    flags = {flag.slug: flag for flag in evaluation.flags}
    assert (
        "Averages run over the 3 classes that occur in gold but “others”."
        in flags["class-without-gold"].paper
    )
    found = flags["class-set-matters"]
    assert "than over the 3 classes in gold but “others”" in found.sentence
    union = (*LABELS[:3], "spare")
    expected = {
        entry["team"]: f1_score(
            gold, teams[entry["team"]], labels=union, average="macro", zero_division=0
        )
        for entry in found.evidence["teams"]
        if entry["classes_in_union"] == len(union)
    }
    assert expected
    assert expected == pytest.approx(
        {
            each["team"]: each["averaged_f1_over_union"]
            for each in found.evidence["teams"]
            if each["team"] in expected
        }
    )


def test_weighted_f1_is_compared_as_an_average():
    """Its null variance is that of an average over some classes, as of micro F1 over the same."""
    evaluation = evaluated("weighted_f1", rest_label=REST)
    assert (evaluation.comparison(evaluation.task.ranking_metric).standard_error[0, 1:] > 0).all()


def test_a_published_column_is_found_with_and_without_the_rest_class(folder):
    """By its reading, which says which of both it is."""
    gold, teams = drawn()
    for reading, labels in (("averaged_f1", LABELS[:3]), ("averaged_f1(with-rest)", LABELS)):
        scores = [
            (name, f1_score(gold, found, labels=labels, average="macro"))
            for name, found in teams.items()
        ]
        rows = "".join(f"{name},{score:.5f}\n" for name, score in scores)
        (folder / "published.csv").write_text(f"team,macro F1\n{rows}", encoding="utf-8")
        said = (folder / "task.toml").read_text(encoding="utf-8").partition("[published]")[0]
        (folder / "task.toml").write_text(
            f'{said}[published]\npath = "published.csv"\n', encoding="utf-8"
        )
        (column,) = evaluate(read_campaign(folder)).published.columns
        assert reading in {str(each) for match in column.matches for each in match.readings}


def test_readings_try_it_with_and_without_the_rest_class():
    """The nearest change that a scorer makes which is told of none."""
    evaluation = evaluated("averaged_f1", rest_label=REST)
    groups = {str(group.reading): group for group in evaluation.macro_f1.groups}
    gold, teams = drawn()
    expected = [f1_score(gold, teams[name], average="macro") for name in evaluation.macro_f1.teams]
    assert groups["averaged_f1(with-rest)"].scores == pytest.approx(expected)
    assert groups["averaged_f1(with-rest)"].changed == ("named classes",)


def test_a_part_without_other_classes_has_no_average(tmp_path):
    """All of its items are of the rest class: undefined, and the page is made all the same."""
    gold, teams = drawn()
    parts = ["b" if label == REST and item % 2 else "a" for item, label in enumerate(gold)]
    evaluation = audit.evaluate(
        gold, teams, rest_label=REST, slices={"part": parts}, official_metric="micro_f1"
    )
    (column,) = evaluation.slices
    part = next(each for each in column.slices if each.value == "b")
    for metric in ("micro_f1", "averaged_f1", "weighted_f1", "geometric_macro_recall"):
        assert np.isnan(part.values[evaluation.keys.index(ScoreKey(metric))]).all()
    assert not np.isnan(part.values[evaluation.keys.index(ScoreKey("accuracy"))]).any()
    page = audit.write_report(evaluation, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "part" in page


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('rest_label = "Others"', "“Others” is no label here. Did you mean “others”?"),
        ("rest_label = 3", "rest_label = 3"),
    ],
)
def test_what_is_no_rest_class_is_an_issue_with_its_line(folder, toml, words):
    """And nothing is scored."""
    said = (
        (folder / "task.toml").read_text(encoding="utf-8").replace(f'rest_label = "{REST}"', toml)
    )
    (folder / "task.toml").write_text(said, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_campaign(folder)
    (issue,) = caught.value.issues
    assert words in issue.found
    assert issue.lines == (2,)


def test_two_labels_are_said_to_be_binary(folder):
    """Among what was assumed; a label that is alone has no average beside the rest class."""
    gold, teams = drawn(labels=("yes", "no"), shares=(0.3, 0.7))
    for path, labels in {
        "gold": gold,
        **{f"submissions/{name}": found for name, found in teams.items()},
    }.items():
        rows = "".join(f"{item},{label}\n" for item, label in enumerate(labels))
        (folder / f"{path}.csv").write_text(f"id,label\n{rows}", encoding="utf-8")
    (folder / "task.toml").write_text(
        'labels = ["yes", "no"]\nrest_label = "no"\n', encoding="utf-8"
    )
    assert any(
        "the F1 of it alone" in sentence for sentence in read_campaign(folder).task.assumptions
    )


def test_in_memory_it_is_a_label_too():
    """Said as every other wrong call is."""
    with pytest.raises(UsageError, match="no label here"):
        evaluated(rest_label="x")


def test_what_is_seldom_predicted_counts_only_where_it_is_averaged():
    """A rest class that is hardly ever answered widens no interval of macro precision that leaves it out."""
    gold, teams = drawn()
    teams["Rarely"] = [
        label if label != REST or item < 4 else LABELS[item % 3] for item, label in enumerate(gold)
    ]
    evaluation = audit.evaluate(
        gold, teams, rest_label=REST, metrics=["macro_precision(with-rest)"]
    )
    without, with_rest = (
        np.ptp(evaluation.intervals.loc["Rarely", name])
        for name in ("macro_precision", "macro_precision(with-rest)")
    )
    assert with_rest > 1.5 * without
