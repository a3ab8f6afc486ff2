"""Columns of gold cut units with sets as they cut items: each part is the campaign of its units."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from audit.domain import ScoreKey
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.report.printing import printing
from audit.report.slices import section, slice_blocks
from audit.store.repository import open_store
from audit.writers.data.export import evaluation_data
from tests.sets.drawn import in_cell, matrices, written

SCORES = ("micro_f1", "averaged_f1", "f1_of_averages", "example_f1")
LANGUAGES = ("de", "en", "es")


def with_language(folder, gold, languages):
    """Write gold anew with a column of languages."""
    cell = in_cell(";")
    rows = [",".join((*cell(unit, row), languages[unit])) for unit, row in enumerate(gold.tolist())]
    (folder / "gold.csv").write_text("id,labels,lang\n" + "\n".join(rows) + "\n", encoding="utf-8")


def settings(further=""):
    """Settings of a campaign that a column cuts."""
    return (
        'kind = "sets"\nslug = "s"\nofficial_metric = "micro_f1"\n[gold]\nid = "id"\nlabel = "labels"\n'
        f'slices = ["lang"]\n[policies]\ngold_copy = "accept"\n{further}'
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A campaign of which every third unit is of one language, with a unit that a team leaves out."""
    gold, teams = matrices(9, n_units=120)
    folder = written(tmp_path_factory.mktemp("sets"), gold, teams, in_cell(";"))
    with_language(folder, gold, [LANGUAGES[unit % 3] for unit in range(len(gold))])
    path = folder / "submissions" / "t1.csv"
    path.write_text(
        "\n".join(path.read_text(encoding="utf-8").splitlines()[:-1]) + "\n", encoding="utf-8"
    )
    (folder / "task.toml").write_text(settings(), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def evaluation(folder):
    """Its evaluation."""
    return evaluate(read_campaign(folder))


def test_a_part_is_the_campaign_of_its_units(evaluation, tmp_path):
    """Its scores, intervals and verdict; and the mean over the parts is theirs."""
    gold, teams = matrices(9, n_units=120)
    (sliced,) = evaluation.slices
    assert (sliced.column, [part.value for part in sliced.slices]) == ("lang", list(LANGUAGES))
    keys = [ScoreKey(name) for name in SCORES if ScoreKey(name) in evaluation.keys]
    for code, part in enumerate(sliced.slices):
        inside = np.arange(len(gold)) % 3 == code
        alone = written(tmp_path / part.value, gold[inside], teams[:, inside], in_cell(";"))
        if code == (len(gold) - 1) % 3:  # the last unit is of it
            path = alone / "submissions" / "t1.csv"
            path.write_text(
                "\n".join(path.read_text(encoding="utf-8").splitlines()[:-1]) + "\n",
                encoding="utf-8",
            )
        (alone / "task.toml").write_text(
            'kind = "sets"\nofficial_metric = "micro_f1"\n[policies]\ngold_copy = "accept"\n',
            encoding="utf-8",
        )
        by_hand = evaluate(read_campaign(alone))
        assert part.n_items == by_hand.gold.n_units == inside.sum()
        for key in keys:
            values = part.values[evaluation.row(key)]
            assert values == pytest.approx(by_hand.scores_of(key), abs=1e-12)
        intervals, row = by_hand.certainty.intervals, by_hand.row(ScoreKey("micro_f1"))
        others = [entry for entry in range(3) if entry not in part.corrected]
        assert part.lower[others] == pytest.approx(intervals.lower[row, others], abs=1e-9)
        assert part.verdict.winners == by_hand.verdict.winners
        expected = f1_score(gold[inside], teams[0, inside], average="micro")
        assert part.values[evaluation.row(ScoreKey("micro_f1")), 0] == pytest.approx(expected)
    mean = np.mean([part.values for part in sliced.slices], axis=0)
    np.testing.assert_allclose(sliced.macro, mean, rtol=0, atol=1e-12)
    assert sliced.state is not None


def test_parts_of_sets_are_shown_and_kept(folder, evaluation, tmp_path):
    """On the page and by a command, with units; by JSON and from a store."""
    (sliced,) = evaluation.slices
    shown = section(printing(evaluation))
    table = shown.blocks[0].blocks[0]
    assert [column.label for column in table.columns][1] == "Units"
    assert [row[1].text for row in table.rows] == ["40"] * 3
    assert "(40 units)" in str(
        list(slice_blocks(evaluation, ScoreKey("micro_f1"), sliced.slices[0]))
    )
    assert [part["items"] for part in evaluation_data(evaluation)["slices"][0]["slices"]] == [
        40
    ] * 3
    with open_store(tmp_path / "audit.db", create=True) as store:
        store.save_campaigns(read_campaign(folder))
        again = evaluate(store.load_campaign("s"))
    assert evaluation_data(again)["slices"] == evaluation_data(evaluation)["slices"]


def test_a_part_whose_gold_sets_are_empty_is_no_average(tmp_path):
    """Its macro scores are undefined, and so is their mean over the parts; its micro F1 is 0."""
    gold, teams = matrices(9)
    gold[40:] = 0
    folder = written(tmp_path, gold, teams, in_cell(";"))
    with_language(folder, gold, ["de" if unit < 40 else "en" for unit in range(len(gold))])
    (folder / "task.toml").write_text(settings(), encoding="utf-8")
    evaluation = evaluate(read_campaign(folder))
    (sliced,) = evaluation.slices
    _, empty = sliced.slices
    assert empty.n_items == 20
    assert np.isnan(empty.values[evaluation.row(ScoreKey("averaged_f1"))]).all()
    assert np.isnan(sliced.macro[evaluation.row(ScoreKey("averaged_f1"))]).all()
    micro = empty.values[evaluation.row(ScoreKey("micro_f1"))]
    assert (np.isnan(micro) | (micro == 0)).all()


def rows_of_labels(folder, languages):
    """A campaign with a row for each label of four items, and the language of each row."""
    (folder / "submissions").mkdir(parents=True)
    ids, labels = ("1", "1", "2", "3", "4"), ("a", "b", "b", "a", "b")
    rows = [",".join(row) for row in zip(ids, labels, languages, strict=True)]
    (folder / "gold.csv").write_text("id,labels,lang\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "submissions" / "t.csv").write_text(
        "id,labels\n1,a\n2,b\n3,b\n4,b\n", encoding="utf-8"
    )
    (folder / "task.toml").write_text(settings('[sets]\nform = "rows"\n'), encoding="utf-8")
    return folder


def test_rows_of_one_item_are_in_one_part(tmp_path):
    """The value of its first row is that of all; another one is an issue with its line."""
    campaign = read_campaign(rows_of_labels(tmp_path / "one", ["en", "en", "en", "de", "de"]))
    (column,) = campaign.gold.slices
    of_units = column.codes[campaign.gold.is_unit]
    assert [column.values[code] for code in of_units] == ["en", "en", "de", "de"]
    with pytest.raises(InputError) as error:
        read_campaign(rows_of_labels(tmp_path / "two", ["en", "de", "en", "de", "de"]))
    issue = next(each for each in error.value.issues if each.slug == "gold-bad-slices")
    assert (issue.lines, issue.found) == (
        (3,),
        "1 row with another value in “lang” than the first of the item",
    )


def test_tokens_of_one_sequence_are_in_one_part(tmp_path):
    """A column beside tags cuts sequences; a blank cell is an issue as in any gold."""
    (tmp_path / "submissions").mkdir()
    gold = "token\ttag\tgenre\nAda\tB-PER\tnews\nran\tO\tnews\n\nOslo\tB-LOC\tweb\nis\tO\tweb\n"
    team = "token\ttag\nAda\tB-PER\nran\tO\n\nOslo\tB-PER\nis\tO\n"
    (tmp_path / "gold.tsv").write_text(gold, encoding="utf-8")
    (tmp_path / "submissions" / "t.tsv").write_text(team, encoding="utf-8")
    keys = 'format = "tokens"\nskip = 1\n'
    (tmp_path / "task.toml").write_text(
        f'kind = "sets"\nofficial_metric = "micro_f1"\n[gold]\n{keys}label = 2\nslices = [3]\n[submissions]\n{keys}',
        encoding="utf-8",
    )
    (sliced,) = evaluate(read_campaign(tmp_path)).slices
    assert [(part.value, part.n_items) for part in sliced.slices] == [("news", 1), ("web", 1)]
    (tmp_path / "gold.tsv").write_text(
        gold.replace("ran\tO\tnews", "ran\tO\tweb"), encoding="utf-8"
    )
    with pytest.raises(InputError, match="1 row with another value"):
        read_campaign(tmp_path)
