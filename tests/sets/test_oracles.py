"""Sets are scored as scikit-learn scores several labels, and seqeval spans."""

import warnings

import numpy as np
import pytest
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.scheme import IOB2
from sklearn.metrics import precision_recall_fscore_support as of_labels

from audit.domain import ScoreKey
from audit.domain.tags import spans_of
from audit.errors import InputError, MetricNameError, UsageError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.metrics import parse_score_key
from tests.sets.drawn import LABELS, in_cell, matrices, tag_file, tag_sequences, written

FORMS = {
    ",": "",
    "json": "",
    ";": '[sets]\nseparator = ";"\n',
}


def scored(folder, text=""):
    """The evaluation of a folder of sets."""
    (folder / "task.toml").write_text(
        f'kind = "sets"\nofficial_metric = "micro_f1"\n{text}', encoding="utf-8"
    )
    return evaluate(read_campaign(folder))


def values(evaluation, *slugs):
    """Scores of every entry."""
    return np.array([evaluation.scores_of(ScoreKey(slug)) for slug in slugs]).T


@pytest.mark.parametrize("separator", FORMS)
def test_all_averages_are_those_of_scikit_learn(tmp_path, separator):
    """Micro over all labels, macro and weighted over those in gold, whatever the form of the cells."""
    gold, teams = matrices(7)
    evaluation = scored(written(tmp_path, gold, teams, in_cell(separator)), FORMS[separator])
    in_gold = np.flatnonzero(gold.any(axis=0))
    for team, row in zip(
        teams, values(evaluation, "micro_precision", "micro_recall", "micro_f1"), strict=True
    ):
        assert row == pytest.approx(
            of_labels(gold, team, average="micro", zero_division=0)[:3], abs=1e-12
        )
    macro = values(evaluation, "macro_precision", "macro_recall", "averaged_f1")
    for team, row in zip(teams, macro, strict=True):
        found = of_labels(gold, team, average="macro", labels=in_gold, zero_division=0)[:3]
        assert row == pytest.approx(found, abs=1e-12)
    for team, (score,) in zip(teams, values(evaluation, "weighted_f1"), strict=True):
        assert score == pytest.approx(
            of_labels(gold, team, average="weighted", zero_division=0)[2], abs=1e-12
        )
    by_label = [f"f1[{LABELS[code]}]" for code in in_gold]
    for team, row in zip(teams, values(evaluation, *by_label), strict=True):
        assert row == pytest.approx(of_labels(gold, team, zero_division=0)[2][in_gold], abs=1e-12)


def test_columns_and_rows_say_what_lists_say(tmp_path):
    """A column for each label, in any order, and a row for each label, are the same sets."""
    gold, teams = matrices(3)
    teams[:, :, 3] = 0  # no file of rows has the label
    gold_of_rows, of_rows = gold.copy(), teams.copy()
    for each in (gold_of_rows, *of_rows):
        each[each.sum(axis=1) == 0, 1] = 1  # a unit without rows is not known
    listed = scored(written(tmp_path / "lists", gold_of_rows, of_rows, in_cell(",")))
    columns = written(
        tmp_path / "columns",
        gold_of_rows,
        of_rows,
        lambda unit, row: (f"m{unit}", *row),
        ("id", *LABELS),
    )
    stated = f"label = {list(LABELS[::-1])}\n"
    in_columns = scored(columns, f"[gold]\n{stated}[submissions]\n{stated}")
    rows = tmp_path / "rows"
    (rows / "submissions").mkdir(parents=True)
    for source in sorted((tmp_path / "lists").glob("**/*.csv")):
        lines = source.read_text(encoding="utf-8").splitlines()[1:]
        pairs = [
            (line.split(",")[0], label.strip('"'))
            for line in lines
            for label in line.split(",")[1:]
        ]
        text = "id,label\n" + "".join(f"{unit},{label}\n" for unit, label in pairs)
        (rows / source.relative_to(tmp_path / "lists")).write_text(text, encoding="utf-8")
    in_rows = scored(rows, '[sets]\nform = "rows"\n')
    slugs = ("micro_f1", "averaged_f1", "f1_of_averages")
    assert (values(listed, *slugs) == values(in_columns, *slugs)).all()
    assert (values(listed, *slugs) == values(in_rows, *slugs)).all()


@pytest.mark.parametrize("repair", ["conll", "strict"])
def test_spans_are_those_of_seqeval(tmp_path, repair):
    """Broken tags too, in both of its modes; its averages run over the types of gold and of the team."""
    gold, *teams = (tag_sequences(seed) for seed in (1, 2, 3))
    rng = np.random.default_rng(5)
    lengths = [len(tags) for tags in gold]
    teams = [
        [[tag if rng.random() < 0.8 else "I-PER" for tag in tags] for tags in gold],
        [rng.choice(["O", "B-LOC", "I-LOC", "I-ORG"], length).tolist() for length in lengths],
    ]
    (tmp_path / "submissions").mkdir()
    tag_file(tmp_path / "gold.txt", gold)
    for number, team in enumerate(teams):
        tag_file(tmp_path / "submissions" / f"t{number}.txt", team)
    text = f'[gold]\nformat = "tokens"\n[submissions]\nformat = "tokens"\n[sets]\nrepair = "{repair}"\n'
    evaluation = scored(tmp_path, text)
    strictly = {"mode": "strict", "scheme": IOB2} if repair == "strict" else {}
    found = values(evaluation, "micro_precision", "micro_recall", "micro_f1")
    for team, row in zip(teams, found, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            measures = (precision_score, recall_score, f1_score)
            expected = [
                each(gold, team, average="micro", zero_division=0, **strictly) for each in measures
            ]
        assert row == pytest.approx(expected, abs=1e-12)


def test_a_unit_that_a_team_leaves_out_is_no_false_alarm(tmp_path):
    """Its gold labels are missed, it is counted as one unit, and an empty cell is an answer."""
    (tmp_path / "submissions").mkdir()
    (tmp_path / "gold.csv").write_text('id,labels\n1,"a,b"\n2,a\n3,\n4,b\n', encoding="utf-8")
    (tmp_path / "submissions" / "x.csv").write_text('id,labels\n1,"a,c"\n2,\n', encoding="utf-8")
    (tmp_path / "submissions" / "y.csv").write_text(
        'id,labels\n4,b\n1,"b,a"\n2,a\n3,\n', encoding="utf-8"
    )
    evaluation = scored(tmp_path)
    assert [entry.n_missing for entry in evaluation.entries] == [2, 0]
    assert values(evaluation, "micro_precision", "micro_recall")[0].tolist() == [1 / 2, 1 / 4]
    assert values(evaluation, "micro_f1", "averaged_f1")[1].tolist() == [1, 1]
    assert evaluation.gold.n_units == 4


@pytest.mark.parametrize("name", ["accuracy", "kappa", "mcc", "macro_specificity", "averaged_f1~"])
def test_what_needs_a_number_of_non_things_is_refused(tmp_path, name):
    """With the reason."""
    gold, teams = matrices(1)
    evaluation = scored(written(tmp_path, gold, teams, in_cell(",")))
    with pytest.raises(MetricNameError, match="not defined for sets"):
        parse_score_key(name, evaluation.task.label_set)


@pytest.mark.parametrize(
    ("cell", "form", "found"),
    [
        ("[a", "list", "no list of labels"),
        ("{1: 2}", "list", "no list of labels"),
        ('[{"start": "x", "end": 2, "label": "L"}]', "spans", "is no span"),
        ("[7]", "spans", "is no span"),
        ('[{"start": 1, "end": 2}]', "spans", "is no span"),
    ],
)
def test_a_cell_that_is_no_set_is_refused_with_its_line(tmp_path, cell, form, found):
    """With what was found in it."""
    (tmp_path / "submissions").mkdir()
    good = '[{"start": 0, "end": 2, "label": "L"}]' if form == "spans" else "a"
    for name, second in (("gold", cell), ("submissions/x", "")):
        text = f"id\tlabels\n1\t{good}\n2\t{second}\n3\t\n"
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        scored(tmp_path, f'[sets]\nform = "{form}"\n[gold]\nquote = ""\n')
    (issue,) = error.value.issues
    assert (issue.slug, issue.lines) == ("bad-set", (3,))
    assert found in issue.found


def test_spans_of_json_and_of_tags_are_the_same(tmp_path):
    """Objects, and triples in any order, beside the tags that they are."""
    gold, team = tag_sequences(11), tag_sequences(12)
    team = [list((tags * 9)[: len(other)]) for tags, other in zip(team, gold, strict=True)]
    for folder, ending in (("tags", "txt"), ("json", "jsonl")):
        (tmp_path / folder / "submissions").mkdir(parents=True)
        for name, sequences in (
            ("gold", gold),
            ("submissions/t", team),
            ("submissions/u", [*gold[:-1], team[-1]]),
        ):
            path = tmp_path / folder / f"{name}.{ending}"
            if folder == "tags":
                tag_file(path, sequences)
                continue
            lines = []
            for unit, tags in enumerate(sequences):
                spans = [
                    {"start": at[0], "end": at[1], "label": label}
                    for label, at in spans_of(tags, "conll", closed=False)
                ]
                triples = [[each["start"], each["end"], each["label"]] for each in spans]
                lines.append(
                    f'{{"id": "u{unit}", "spans": {triples if unit % 2 else spans!s}}}'.replace(
                        "'", '"'
                    )
                )
            path.write_text("\n".join(lines), encoding="utf-8")
    of_tags = scored(
        tmp_path / "tags", '[gold]\nformat = "tokens"\n[submissions]\nformat = "tokens"\n'
    )
    stated = '[gold]\nlabel = "spans"\n[submissions]\nlabel = "spans"\n[sets]\nform = "spans"\n'
    of_json = scored(tmp_path / "json", stated)
    slugs = ("micro_f1", "averaged_f1", "f1_of_averages")
    assert (values(of_tags, *slugs) == values(of_json, *slugs)).all()
    assert of_tags.task.label_set == of_json.task.label_set
    assert (of_tags.cells.counts == of_json.cells.counts).all()


def test_settings_of_the_other_kind_are_refused(tmp_path):
    """Sets without the kind, and a rest class with it."""
    gold, teams = matrices(1)
    folder = written(tmp_path, gold, teams, in_cell(","))
    for text, found in (
        ("[sets]\n", "without kind"),
        ('kind = "sets"\nrest_label = "x"\n', "rest_label beside"),
    ):
        (folder / "task.toml").write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as error:
            read_campaign(folder)
        assert any(found in issue.found for issue in error.value.issues)
    assert issubclass(MetricNameError, UsageError)
