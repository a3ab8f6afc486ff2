"""What scorers write for every item, read: files of ir_measures 0.4.3 and sacreBLEU 2.6.0, and texts of others."""

from pathlib import Path

import numpy as np
import pytest

import audit
from audit.errors import InputError, UsageError
from audit.formats.numbers.columns import direction_by_name
from audit.formats.numbers.score_formats import tables_in

FILES = Path(__file__).parent / "scorers"


def _only(path, text):
    (table,) = tables_in(path, text.encode())
    return table


def test_ir_measures_writes_query_measure_and_value_and_its_summary_is_left_out():
    scores = audit.read_scores(
        [FILES / "ir_measures-A.txt", FILES / "ir_measures-B.txt"], name="ir_measures-{team}"
    )
    assert list(scores) == ["A", "B"]
    assert scores["A"].loc["q2"].to_dict() == {"AP": 0.25, "P@5": 0.2, "nDCG@10": 0.3869}
    evaluation = audit.evaluate_scores(scores, official_metric="AP")
    assert evaluation.gold.n_items == 4
    # the mean that the program prints
    assert evaluation.scores.loc["A", "AP"] == pytest.approx(0.5208, abs=5e-5)


def test_sacrebleu_writes_a_signature_and_a_score_for_each_sentence():
    scores = audit.read_scores(
        [FILES / "sacrebleu-1.txt", FILES / "sacrebleu-2.txt"], name="sacrebleu-{team}"
    )
    assert scores["1"]["BLEU"].tolist() == [53.7, 40.9, 60.7]
    assert scores["2"]["BLEU"].tolist() == [14.6, 9.7, 39.7]


def test_trec_eval_pads_names_of_measures_and_writes_counts_beside_them():
    text = (
        "runid                 \tall\tmine\nmap                   \tq1\t0.5000\nnum_ret               \tq1\t3\n"
        "P_5                   \tq1\t0.2000\nmap                   \tq2\t0.2500\nP_5                   \tq2\t0.0\n"
        "map                   \tall\t0.3750\ngm_map                \tall\t0.35\n"
    )
    table = _only("a.eval", text)
    assert (table.items, table.columns) == (("q1", "q2"), ("map", "P_5"))
    assert table.values.tolist() == [[0.5, 0.2], [0.25, 0]]


def test_segment_scores_name_systems_and_none_is_missing():
    first, second = tables_in("COMET.seg.score", b"sysA\t0.5\nsysA\tNone\nsysB\t0.7\nsysB\t-0.2\n")
    assert (first.team, second.team, first.columns) == ("sysA", "sysB", ("COMET",))
    assert np.isnan(first.values[1, 0])
    assert second.values.tolist() == [[0.7], [-0.2]]


def test_documents_of_lm_eval_have_a_column_for_each_metric_and_filter():
    text = '{"doc_id": 0, "filter": "strict", "metrics": ["em", "acc"], "em": 1.0, "acc": true}\n'
    text += (
        '{"doc_id": 1, "filter": "strict", "metrics": ["em", "acc"], "em": null, "acc": false}\n'
    )
    table = _only("samples_task.jsonl", text)
    assert table.columns == ("em,strict", "acc,strict")
    assert table.values[:, 1].tolist() == [1, 0]
    assert np.isnan(table.values[1, 0])


def test_a_list_in_place_of_a_number_is_refused():
    with pytest.raises(InputError, match="is a list"):
        _only(
            "samples.jsonl",
            '{"doc_id": 0, "metrics": ["loglikelihood"], "loglikelihood": [1.0, 2.0]}\n',
        )


def test_trials_of_helm_are_averaged_and_perturbed_instances_left_out():
    stat = '{"name": {"name": "em", "split": "test"}, "count": 1, "sum": %s}'
    text = ", ".join(
        [
            f'{{"instance_id": "i1", "train_trial_index": 0, "stats": [{stat % 1.0}]}}',
            f'{{"instance_id": "i1", "train_trial_index": 1, "stats": [{stat % 0.0}]}}',
            f'{{"instance_id": "i1", "perturbation": {{"name": "typos"}}, "stats": [{stat % 0.0}]}}',
            '{"instance_id": "i2", "stats": [{"name": {"name": "em", "split": "train"}, "count": 1, "sum": 1}]}',
        ]
    )
    table = _only("per_instance_stats.json", f"[{text}]")
    assert (table.items, table.columns, table.values.tolist()) == (("i1",), ("em",), [[0.5]])


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("id,BLEU,TER\nx,1,2\ny,3,4\n", ("x", "y")),
        ("BLEU\tTER\n1\t2\n3\t4\n", ("1", "2")),
        ("segment;BLEU;TER\nx;1;2\ny;3;4\n", ("x", "y")),
    ],
)
def test_a_table_has_a_column_for_each_metric(text, items):
    table = _only("a.csv", text)
    assert (table.team, table.items, table.columns) == ("", items, ("BLEU", "TER"))
    assert table.values.tolist() == [[1, 2], [3, 4]]


def test_an_empty_cell_of_a_table_is_missing_and_a_column_of_teams_names_them():
    one, other = tables_in("a.csv", b"team,id,BLEU\nA,x,1\nA,y,\nB,x,3\nB,y,4\n")
    assert (one.team, other.team) == ("A", "B")
    assert np.isnan(one.values[1, 0])
    long, _ = tables_in("b.csv", b"system,item,metric,score\nA,x,BLEU,1\nB,x,BLEU,3\n")
    assert (long.team, long.items, long.columns) == ("A", ("x",), ("BLEU",))
    assert _only("c.csv", "metric,score\nBLEU,1\nBLEU,2\nTER,3\nTER,4\n").values.tolist() == [
        [1, 3],
        [2, 4],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,BLEU\nx,high\n", "“high” where a number is expected"),
        ("id,BLEU\nx,1\nx,2\n", "item “x” has two numbers as “BLEU”"),
        ("id,BLEU\nx,inf\n", "“inf” where a number is expected"),
        ("just text\n", "no scorer's output is known to look so"),
        ("", "no content"),
        ("{broken\n", "no scorer's output is known to look so"),
    ],
)
def test_what_cannot_be_read_is_said(text, message):
    with pytest.raises(InputError, match=message):
        _only("a.csv", text)


def test_a_line_of_segment_scores_with_another_cell_is_refused():
    with pytest.raises(InputError, match="system and score"):
        tables_in("COMET.seg.score", b"sysA 0.5 1\n")


def test_files_of_one_team_are_refused_and_a_pattern_names_teams(tmp_path):
    for name in ("run-a.csv", "run-b.csv"):
        (tmp_path / name).write_text("id,BLEU\nx,1\n")
    assert list(audit.read_scores(sorted(tmp_path.iterdir()), name="run-{team}")) == ["a", "b"]
    (tmp_path / "run-c.csv").write_text("team,id,BLEU\na,x,1\n")
    with pytest.raises(UsageError, match="Two files are of “a”"):
        audit.read_scores(sorted(tmp_path.iterdir()), name="run-{team}")
    with pytest.raises(UsageError, match="no file"):
        audit.read_scores([])


def test_items_that_only_some_teams_have_are_missing_for_the_others(tmp_path):
    (tmp_path / "a.csv").write_text("id,BLEU\nx,1\ny,2\n")
    (tmp_path / "b.csv").write_text("id,BLEU\ny,3\nz,4\n")
    scores = audit.read_scores(sorted(tmp_path.iterdir()))
    with pytest.raises(UsageError, match="no number for 1 item"):
        audit.evaluate_scores(scores)
    evaluation = audit.evaluate_scores(scores, missing="drop")
    assert evaluation.gold.n_items == 3
    assert evaluation.scores["BLEU"].tolist() == [1.5, 3.5]


def test_directions_are_told_by_words_of_a_name_and_by_neither_of_two():
    names = {
        "map": True,
        "ndcg_cut_10": True,
        "P@5": True,
        "chrF2++": True,
        "WER": False,
        "MQM": None,
    }
    assert {name: direction_by_name(name) for name in names} == names
    assert direction_by_name("error accuracy") is None
