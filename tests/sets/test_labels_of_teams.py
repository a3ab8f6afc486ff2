"""Labels that only teams use: none of the label set, false alarms, one code however many they are."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, hamming_loss, precision_score

from audit.domain import Kind, LabelSet, Reading, ScoreKey
from audit.domain.reading import ClassSet
from audit.domain.sets import NOTHING, OTHER
from audit.errors import InputError, UsageError
from audit.evaluation import evaluate
from audit.findings.macro_f1 import union_sizes
from audit.formats.campaign import set_files
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.campaign.single_file import check_submission, read_key
from audit.formats.files.tree import Tree
from audit.metrics import score_readings

GOLD_LABELS, STRAYS = ("anger", "fear", "joy"), ("pride", "trust")
EVERY = (*GOLD_LABELS, *STRAYS)


@pytest.fixture(scope="module")
def matrices():
    """Gold with three labels, and two teams: one that uses two others, and one that uses gold's alone."""
    rng = np.random.default_rng(43)
    gold = rng.random((80, len(EVERY))) < (0.5, 0.3, 0.2, 0, 0)
    noise = rng.random((2, *gold.shape)) < 0.2
    teams = gold ^ noise
    teams[1, :, len(GOLD_LABELS) :] = False
    return gold.astype(int), teams.astype(int)


def folder_of(folder, gold, teams, further="", labels=EVERY):
    """A campaign with a list in each cell."""
    (folder / "submissions").mkdir(parents=True)
    files = {
        "gold.csv": gold,
        **{f"submissions/t{number}.csv": team for number, team in enumerate(teams)},
    }
    for name, matrix in files.items():
        cells = [";".join(np.array(labels)[row.astype(bool)]) for row in matrix]
        text = "".join(f"m{unit},{cell}\n" for unit, cell in enumerate(cells))
        (folder / name).write_text(f"id,labels\n{text}", encoding="utf-8")
    settings = f'kind = "sets"\nofficial_metric = "micro_f1"\n{further}\n[policies]\ngold_copy = "accept"\n'
    (folder / "task.toml").write_text(settings, encoding="utf-8")
    return folder


def test_the_label_set_is_that_of_gold_and_other_labels_are_said_to_be_the_teams(
    tmp_path, matrices
):
    """In the assumptions, beside the file that has them, and in the journal; they are in no list taken from gold."""
    campaign = read_campaign(folder_of(tmp_path, *matrices))
    label_set = campaign.task.label_set
    assert (label_set.labels, label_set.other) == ((*GOLD_LABELS, OTHER, NOTHING), OTHER)
    assert (label_set.n_scored, label_set.other_code) == (3, 3)
    taken = next(told for told in campaign.task.assumptions if "taken from gold" in told)
    assert taken == "The label set is taken from gold, in sorted order: “anger”, “fear” and “joy”."
    told = next(told for told in campaign.task.assumptions if "Teams use" in told)
    assert told.endswith(
        "Teams use 2 labels that the label set lacks: “pride” and “trust”. All are false alarms, “other”."
    )
    first, second = campaign.submissions
    n_things = int(matrices[1][0, :, 3:].sum())
    assert dict(first.unusable_labels) == {
        "pride": matrices[1][0, :, 3].sum(),
        "trust": matrices[1][0, :, 4].sum(),
    }
    assert [(each.slug, each.fatal) for each in first.issues] == [("unusable-label", False)]
    assert first.issues[0].found.startswith(
        f"{n_things} things with labels that gold lacks, false alarms: "
    )
    assert (second.unusable_labels, second.issues) == ((), ())
    assert f"{n_things} things with labels that the label set lacks: false alarms." in [
        e.text for e in campaign.journal
    ]


def test_they_are_false_alarms_of_sums_and_of_units_and_join_no_average(tmp_path, matrices):
    """Two in one unit are two; means of labels run over gold's, as scikit-learn has it for these columns."""
    gold, teams = matrices
    evaluation = evaluate(
        read_campaign(folder_of(tmp_path, gold, teams)),
        also=("example_f1", "averaged_f1(declared)"),
    )
    for number, team in enumerate(teams):
        expected = {
            "micro_f1": f1_score(gold, team, average="micro"),
            "micro_precision": precision_score(gold, team, average="micro"),
            "averaged_f1": f1_score(gold[:, :3], team[:, :3], average="macro"),
            "averaged_f1(declared)": f1_score(gold[:, :3], team[:, :3], average="macro"),
            "macro_precision": precision_score(gold[:, :3], team[:, :3], average="macro"),
            "example_f1": f1_score(gold, team, average="samples", zero_division=1),
        }
        found = {name: evaluation.scores_of(ScoreKey(name))[number] for name in expected}
        assert found == pytest.approx(expected, abs=1e-12)
    assert not any("other" in str(key) for key in evaluation.keys)
    assert "class-without-gold" not in {flag.slug for flag in evaluation.flags}


def test_a_union_counts_each_of_them(tmp_path, matrices):
    """As seqeval averages by default: over the labels of gold and of the team itself."""
    gold, teams = matrices
    evaluation = evaluate(read_campaign(folder_of(tmp_path, gold, teams)))
    readings = [
        Reading("averaged_f1", classes=each) for each in (ClassSet.UNION_PER_TEAM, ClassSet.UNION)
    ]
    label_set = evaluation.task.label_set
    own, of_all = score_readings(evaluation.answers, readings, evaluation.prevalences, label_set)
    macro = [f1_score(gold, team, average="macro", zero_division=0) for team in teams]
    alone = f1_score(gold[:, :3], teams[1, :, :3], average="macro")
    assert own == pytest.approx([macro[0], alone])
    assert of_all == pytest.approx(macro)
    assert union_sizes(evaluation).tolist() == [5, 3]
    for name in ("micro_f1", "micro_precision", "averaged_f1"):
        found = score_readings(
            evaluation.answers, [Reading(name)], evaluation.prevalences, label_set
        )[0]
        assert found == pytest.approx(evaluation.scores_of(ScoreKey(name)), abs=1e-12)
    with pytest.raises(UsageError, match="Declare them as labels too"):
        evaluate(read_campaign(tmp_path), also=("averaged_f1(union-per-team)",))


def test_hamming_loss_is_of_the_declared_labels(tmp_path, matrices):
    """Wrong labels of teams are errors, and the loss is a share of units and declared labels."""
    gold, teams = matrices
    folder = folder_of(tmp_path, gold, teams, 'labels = ["joy", "anger", "fear"]')
    evaluation = evaluate(read_campaign(folder), also=("hamming",))
    assert evaluation.task.label_set.labels == ("joy", "anger", "fear", OTHER, NOTHING)
    expected = [hamming_loss(gold, team) * len(EVERY) / 3 for team in teams]
    assert evaluation.scores_of(ScoreKey("hamming")) == pytest.approx(expected)


@pytest.mark.parametrize("n_labels", [1_200, 20_000])
def test_thousands_of_junk_labels_are_one_code(tmp_path, n_labels):
    """400 items; every score is that of as many false alarms, and nothing grows with their number but the items."""
    rng = np.random.default_rng(1)
    gold = (rng.random((400, 4)) < 0.4).astype(int)
    folder = folder_of(tmp_path, gold, [gold, gold[::-1]], labels=("a", "b", "c", "d"))
    path = folder / "submissions" / "t0.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    for unit in range(400):
        lines[1 + unit] += "".join(f";junk{label}" for label in range(unit, n_labels, 400))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    evaluation = evaluate(read_campaign(folder))
    assert len(evaluation.task.label_set) == 6
    assert evaluation.cells.gold.size <= 6 * 7
    assert evaluation.scores_of(ScoreKey("micro_precision"))[0] == pytest.approx(
        gold.sum() / (gold.sum() + n_labels)
    )
    assert evaluation.scores_of(ScoreKey("averaged_f1"))[0] == 1
    assert len(evaluation.entries[0].unusable_labels) == n_labels
    assert evaluation.verdict.sentence


def test_the_name_for_them_is_that_of_no_label(tmp_path, matrices):
    """Where gold has the labels other and nothing, they stay labels."""
    names = ("nothing", "other", "joy", "pride", "trust")
    labels = read_campaign(folder_of(tmp_path, *matrices, labels=names)).task.label_set
    assert labels.labels == ("joy", "nothing", "other", "(other)", "(nothing)")
    with pytest.raises(UsageError, match="stands before"):
        LabelSet(("a", "other", "b", "nothing"), rest="nothing", kind=Kind.LABELS, other="other")


def test_a_team_with_them_is_rejected_where_the_policy_says_so(tmp_path, matrices):
    """As a class outside the label set is."""
    folder = folder_of(tmp_path, *matrices)
    settings = folder / "task.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8") + 'unusable = "reject"\n', encoding="utf-8"
    )
    with pytest.raises(InputError, match="labels that gold lacks"):
        read_campaign(folder)


def test_a_label_of_gold_outside_the_declared_ones_is_an_error(tmp_path, matrices):
    """With the label that may be meant; and so are more labels than are scored."""
    folder = folder_of(tmp_path, *matrices, 'labels = ["angers", "fear", "joy"]')
    with pytest.raises(InputError) as error:
        read_campaign(folder)
    (issue,) = error.value.issues
    assert issue.slug == "gold-unknown-label"
    assert issue.found == "the label “anger”. Did you mean “angers”?"


def test_more_labels_of_gold_than_are_scored_are_refused(tmp_path, matrices, monkeypatch):
    """As for classes."""
    monkeypatch.setattr(set_files, "MOST_LABELS", 2)
    with pytest.raises(InputError, match="3 different labels, and at most 2 are scored"):
        read_campaign(folder_of(tmp_path, *matrices))


def test_a_check_counts_them_as_given_and_as_false_alarms(tmp_path, matrices):
    """What is missed are gold's labels alone."""
    gold, teams = matrices
    folder = folder_of(tmp_path, gold, teams)
    with Tree(folder) as tree:
        key = read_key(tree)
    checked = check_submission("x.csv", (folder / "submissions" / "t0.csv").read_bytes(), key)
    counts = checked.counts(key.gold.label_set, key.gold)
    right = int((gold & teams[0]).sum())
    assert (counts["given"], counts["right"]) == (teams[0].sum(), right)
    assert (counts["missed"], counts["false_alarms"]) == (
        gold.sum() - right,
        teams[0].sum() - right,
    )


def test_fixed_class_counts_are_no_setting_of_sets(tmp_path, matrices):
    """It is refused, not dropped in silence."""
    folder = folder_of(tmp_path, *matrices, "[gold]\nstratified = true\n")
    with pytest.raises(InputError, match='stratified beside kind = "sets"'):
        read_campaign(folder)
