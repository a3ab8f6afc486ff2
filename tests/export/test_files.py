"""The files of an export say the same numbers, and the same evaluation gives the same bytes."""

import csv
import io
import json
import math
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from audit.evaluation import evaluate
from audit.metrics import AGGREGATES
from audit.report.figures.figure_kinds import FIGURE_KINDS
from audit.writers.bundle import sheets
from audit.writers.bundle.archive import SUMS, evaluation_document, schema_text
from audit.writers.bundle.folder import export_files
from audit.writers.bundle.sheets import correlations_csv, pairs_csv, ranks_csv, slices_csv
from audit.writers.data import export
from audit.writers.data import plain as plain_data
from audit.writers.data.export import csv_text, scores_csv, to_json
from audit.writers.data.plain import sliced_data
from tests.nightly import by_day, slow
from tests.report.campaigns import hostile_campaign
from tests.report.document import grid, read

from .conftest import SHEETS, of_csv


def table(case, name):
    """A CSV file, every cell as text."""
    return pd.read_csv(io.BytesIO(case.files[name]), dtype=str, keep_default_na=False)


def table_of(text):
    """A CSV text, every cell as text."""
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def of_pair(triangle, i, j):
    """What an upper triangle with its diagonal says of two entries."""
    return triangle[min(i, j)][abs(i - j)]


def same(cell, value):
    """Whether a cell holds a number of the JSON, to the last digit; nothing stands for what is undefined."""
    return cell == "" if value is None else float(cell) == value


@pytest.fixture
def document(case):
    """evaluation.json."""
    return json.loads(case.files["evaluation.json"])


@by_day(1)
def test_scores_and_ranks_are_those_of_the_json(case, document):
    """Every metric of every entry, and no other."""
    for name, what in (("scores.csv", "scores"), ("ranks.csv", "ranks")):
        rows = table(case, name)
        rows = rows[rows["role"] != "computed"]
        teams = list(map(of_csv, rows["team"]))
        assert sorted(teams) == sorted(document["teams"])
        heads = [of_csv(head) for head in rows.columns]
        assert [head for head in heads if head in document[what]] == list(document[what])
        for column, key in zip(rows.columns, heads, strict=True):
            if key in document[what]:
                cells = zip(teams, rows[column].tolist(), strict=True)
                assert all(same(cell, document[what][key][team]) for team, cell in cells), (
                    name,
                    key,
                )


@by_day(2)
def test_built_in_baselines_are_those_of_the_json(case, document):
    """They come last in the scores, and have no rank."""
    rows = table(case, "scores.csv")
    computed = rows[rows["role"] == "computed"]
    assert list(computed["team"]) == [baseline["title"] for baseline in document["baselines"]]
    assert set(computed["rank"]) <= {""}
    for (_, row), baseline in zip(computed.iterrows(), document["baselines"], strict=True):
        values = {of_csv(column): row[column] for column in rows.columns}
        assert all(same(values[key], value) for key, value in baseline["scores"].items())


def test_correlations_are_those_of_the_json(case, document):
    """Each pair of metrics once, both ways the same."""
    agreement = document["agreement"]
    metrics = agreement["metrics"]
    rows = table(case, "correlations.csv")
    assert len(rows) == math.comb(len(metrics), 2)
    for row, (i, j) in zip(rows.itertuples(), combinations(range(len(metrics)), 2), strict=True):
        assert (of_csv(row.metric), of_csv(row.other_metric)) == (metrics[i], metrics[j])
        assert same(row.spearman, agreement["spearman"][i][j])
        assert same(row.kendall_tau_b, agreement["kendall_tau_b"][i][j])
        assert row.equal_by_identity == str(agreement["equal_by_identity"][i][j]).lower()


def test_pairs_are_those_of_the_json(case, document):
    """Each pair of comparable entries once for each metric, the better one first, with what the JSON says of it."""
    rows = table(case, "pairs.csv")
    teams, scores = document["teams"], document["scores"]
    comparable = [
        entry["competes"] and entry["items_scored"] == document["items"]
        for entry in document["entries"]
    ]
    sure = document["certainty"]
    comparisons = {each["metric"]: each for each in sure["comparisons"]} if sure else {}
    metrics = len(comparisons) if sure else 1
    assert len(rows) == metrics * math.comb(sum(comparable), 2)
    for row in rows.itertuples():
        metric, first, second = map(of_csv, (row.metric, row.first, row.second))
        i, j = teams.index(first), teams.index(second)
        assert comparable[i]
        assert comparable[j]
        ends = scores[metric][first], scores[metric][second]
        assert same(row.difference, None if None in ends else ends[0] - ends[1])
        assert None in ends or ends[0] >= ends[1] - 1e-12
        comparison = comparisons.get(metric)
        assert same(row.standard_error, comparison and of_pair(comparison["standard_error"], i, j))
        assert same(row.adjusted_p, comparison and of_pair(comparison["adjusted_p"], i, j))
        lower, upper = (
            comparison and of_pair(comparison[f"difference_{end}"], i, j)
            for end in ("lower", "upper")
        )
        if i > j and comparison:  # the triangle has the pair the other way round
            lower, upper = (None if end is None else -end for end in (upper, lower))
        assert same(row.lower, lower)
        assert same(row.upper, upper)
        ahead_of = comparison["ahead_of"] if comparison else {first: [], second: []}
        ahead = [name for name, other in ((first, j), (second, i)) if other in ahead_of[name]]
        assert [of_csv(row.ahead)] == (ahead or [""])


def test_confusions_are_those_of_the_json(case, document):
    """Every cell of every entry, in the order of gold and predicted classes."""
    rows = table(case, "confusions.csv")
    labels = document["labels"]
    assert list(map(of_csv, rows.columns[2:])) == [
        *(f"predicted {label}" for label in labels),
        "unanswered",
    ]
    assert len(rows) == len(document["teams"]) * len(labels)
    for start in range(0, len(rows), len(labels)):
        of_team = rows.iloc[start : start + len(labels)]
        (team,) = set(map(of_csv, of_team["team"]))
        assert list(map(of_csv, of_team["gold"])) == list(map(of_csv, map(csv_text, labels)))
        assert of_team.iloc[:, 2:].astype(int).to_numpy().tolist() == document["confusions"][team]


@pytest.mark.parametrize("most", [10**6, 50, 20])
def test_there_are_never_more_pairs_than_a_spreadsheet_takes(flood, monkeypatch, most):
    """First the other metrics go, then the pairs of the last entries; what stays is as it was."""
    monkeypatch.setattr(sheets, "MOST_ROWS", most)
    whole, kept = table(flood, "pairs.csv"), table_of(sheets.pairs_csv(flood.evaluation))
    assert len(kept) <= most
    official = whole[whole["metric"] == str(flood.evaluation.task.ranking_metric)]
    assert len(official) == math.comb(11, 2)
    best = set(official["first"].drop_duplicates()[: {10**6: 11, 50: 10, 20: 6}[most]])
    expected = official[
        official["first"].isin(best) & (official["second"].isin(best) | (most == 10**6))
    ]
    pd.testing.assert_frame_equal(
        kept[kept["metric"] == official["metric"].iloc[0]].reset_index(drop=True),
        expected.reset_index(drop=True),
    )
    assert (set(kept["metric"]) == set(whole["metric"])) is (most == 10**6)


def test_matrices_of_pairs_stand_in_the_json_up_to_a_number_of_entries(flood, monkeypatch):
    """Beyond, they are null; the rest of the document is the same."""
    whole = json.loads(flood.files["evaluation.json"])
    monkeypatch.setattr(export, "MOST_PAIRED", len(whole["teams"]) - 1)
    cut = json.loads(to_json(evaluation_document(flood.evaluation)))
    Draft202012Validator(json.loads(schema_text())).validate(cut)
    of_pairs = ("adjusted_p", "standard_error", "ahead_of", "ahead_given_never_predicted")
    of_pairs += ("difference_lower", "difference_upper")
    for comparison in whole["certainty"]["comparisons"]:
        assert None not in [comparison[name] for name in of_pairs]
        comparison.update(dict.fromkeys(of_pairs))
    assert cut == whole


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(JSON_VALUES)
def test_json_is_read_back_as_it_was(value):
    """Whatever stands in it."""
    assert json.loads(to_json(value)) == value


def test_json_has_no_number_that_json_lacks():
    """An undefined number is null, wherever it stands."""
    nan, infinite = float("nan"), float("inf")
    said = to_json(
        {
            "a": nan,
            "b": [0.5, infinite, None],
            "c": [{"d": -infinite}],
            "e": ["x", nan],
            "f": [[nan]],
        }
    )
    assert json.loads(said) == {
        "a": None,
        "b": [0.5, None, None],
        "c": [{"d": None}],
        "e": ["x", None],
        "f": [[None]],
    }


def test_confusions_add_up_to_gold_and_to_accuracy(document):
    """Rows are gold, the last column is unanswered: what the scores are made of is in the document."""
    for entry in document["entries"]:
        confusion = np.array(document["confusions"][entry["name"]])
        assert confusion.shape == (len(document["labels"]), len(document["labels"]) + 1)
        assert confusion.sum() == entry["items_scored"]
        right = np.trace(confusion[:, :-1])
        assert document["scores"]["accuracy"][entry["name"]] == pytest.approx(
            right / confusion.sum(), abs=1e-15
        )


def test_the_report_prints_the_scores_of_the_json(flood):
    """report.html, read back: the ranking's scores are those of the document, rounded."""
    document = json.loads(flood.files["evaluation.json"])
    rows = grid(read(flood.files["report.html"].decode()), "table-ranking")
    scores = document["scores"][document["official_metric"]]
    printed = dict(zip(rows.column("Team"), (row[2] for row in rows.rows), strict=True))
    shown = {team: f"{scores[team]:.3f}"[1:] for team in document["teams"]}
    assert {
        team.removesuffix(" (baseline)"): score for team, score in printed.items() if team in shown
    } == shown


def test_no_file_has_the_name_that_codabench_serves_to_anybody(flood):
    """The report prints how many items of each class gold has; and the list of files says for whom it is."""
    assert not any("detailed_results" in name for name in flood.files)
    row = next(
        line
        for line in flood.files["README.txt"].decode().splitlines()
        if line.startswith("report.html")
    )
    assert "for organisers" in row


def test_no_cell_is_a_formula():
    """Whatever a team is called; numbers may be negative."""
    evaluation = evaluate(hostile_campaign())
    scores = scores_csv(evaluation, evaluation.keys, by=evaluation.task.ranking_metric)
    for text in (
        scores,
        ranks_csv(evaluation),
        correlations_csv(evaluation),
        pairs_csv(evaluation),
    ):
        for row in csv.reader(io.StringIO(text, newline="")):
            for cell in row:
                assert not re.match(r"[=+@\t\r]|-(?![\d.])", cell), cell


def test_the_readme_lists_every_file_once_with_what_it_is(case):
    """And no file that is not there."""
    lines = case.files["README.txt"].decode().split("\n\n")[-1].splitlines()
    listed = [re.fullmatch(r"(\S+) {2,}(\S.*)", line).group(1, 2) for line in lines]
    assert [name for name, _ in listed] == sorted({*case.files, SUMS})
    said = [what for _, what in listed]
    assert len(set(said)) == len(said)


def fonts_of(content, path):
    """The kind of each font of a PDF, and whether it is embedded; at least one."""
    path.write_bytes(content)
    listing = subprocess.run(
        ["pdffonts", path], capture_output=True, check=True, text=True
    ).stdout.splitlines()[2:]
    assert listing
    return {(line[37:].split()[0], line.split()[-5]) for line in listing}


@slow("figures/test_figures::test_every_figure_is_drawn_wherever_it_is_possible")
def test_every_possible_figure_is_there_in_two_widths_and_two_formats(flood, tmp_path):
    """PDF with embedded fonts and without a clock, SVG as wide as its name says."""
    progress = []
    options = replace(SHEETS, figures=("pdf", "svg"))
    files = export_files(
        flood.evaluation, flood.campaign, options, on_progress=lambda *step: progress.append(step)
    )
    figures = {name: content for name, content in files.items() if name.startswith("figures/")}
    possible = [slug for slug, kind in FIGURE_KINDS.items() if kind.possible(flood.evaluation)]
    assert progress == [(done, len(possible)) for done in range(1, len(possible) + 1)]
    assert sorted(figures) == sorted(
        f"figures/{slug}-{size}.{ending}"
        for slug in possible
        for size in ("narrow", "wide")
        for ending in ("pdf", "svg")
    )
    if shutil.which("pdffonts"):
        for name, content in figures.items():
            if name.endswith(".pdf"):
                assert fonts_of(content, tmp_path / "figure.pdf") <= {
                    ("TrueType", "yes"),
                    ("CID", "yes"),
                }, name
    for name, content in figures.items():
        if name.endswith(".pdf"):
            assert content.startswith(b"%PDF-")
            assert b"/FontFile2" in content
            assert b"CreationDate" not in content
        else:
            width = float(re.search(rb'<svg[^>]* width="([\d.]+)pt"', content)[1])
            assert width == pytest.approx(72 * (6.3 if "-wide" in name else 3.03), abs=0.5)
    assert all(
        files[name] == content for name, content in flood.files.items() if name != "README.txt"
    )


@by_day(2)
def test_the_same_evaluation_gives_the_same_bytes(case):
    """All files, the archive too."""
    again = export_files(case.evaluation, case.campaign, SHEETS)
    assert again == case.files


def test_the_archive_has_no_clock_and_a_fixed_order(case):
    """Every entry is from the first moment that a zip can name, and the names are sorted."""
    with zipfile.ZipFile(io.BytesIO(case.files["bundle.zip"])) as archive:
        entries = archive.infolist()
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    names = [entry.filename for entry in entries]
    assert names == sorted(names)


def test_the_archive_holds_what_its_readme_says(flood, lone):
    """Settings as loaded and a digest for every input; no task.toml where there is none."""
    with zipfile.ZipFile(io.BytesIO(flood.files["bundle.zip"])) as archive:
        assert archive.read("task.toml") == flood.campaign.settings.content
        assert archive.read("evaluation.json") == flood.files["evaluation.json"]
        manifest = json.loads(archive.read("manifest.json"))
        names = set(archive.namelist())
    readme = archive_readme(flood)
    assert {name for name in names if name not in readme} == {"README.txt"}
    assert len(manifest["inputs"]) == len(flood.campaign.submissions) + 2
    with zipfile.ZipFile(io.BytesIO(lone.files["bundle.zip"])) as archive:
        assert "task.toml" not in archive.namelist()
        assert json.loads(archive.read("manifest.json"))["inputs"] == []


def archive_readme(case):
    with zipfile.ZipFile(io.BytesIO(case.files["bundle.zip"])) as archive:
        return archive.read("README.txt").decode()


def test_slices_are_those_of_the_json(case, document):
    """A row for each part and entry, and for the mean over the parts; no table where nothing cuts the test set."""
    assert ("slices.csv" in case.files) == bool(document["slices"])
    if not document["slices"]:
        return
    rows = table(case, "slices.csv")
    key = str(case.evaluation.task.ranking_metric)
    for sliced in document["slices"]:
        of_column = rows[rows["column"].map(of_csv) == sliced["column"]]
        assert len(of_column) == len(document["teams"]) * (len(sliced["slices"]) + 1)
        for part in (
            *sliced["slices"],
            {**sliced["macro"], "slice": "", "items": "", "intervals": None},
        ):
            of_part = of_column[of_column["slice"].map(of_csv) == part["slice"]]
            assert set(of_part["items"]) == {str(part["items"])}
            for row in of_part.to_dict("records"):
                team = of_csv(row["team"])
                assert same(row["rank"], part["ranks"][key][team])
                assert all(
                    same(row[column], part["scores"][of_csv(column)][team])
                    for column in rows.columns[10:]
                )
                interval = part["intervals"] and part["intervals"][team]
                ends = interval["interval"] if interval else [None, None]
                assert all(map(same, (row["lower"], row["upper"]), ends))
                assert row["no_interval_because"] == (
                    (interval and interval["no_interval_because"]) or ""
                )


def test_of_many_scores_the_parts_have_the_main_metrics(case, monkeypatch):
    """And the ranking metric, in the table as in the JSON; all of them where all their scores are as many as may be."""
    cuts = [sliced_data(case.evaluation, each) for each in case.evaluation.slices]
    scores = [
        scores
        for cut in cuts
        for part in (*cut["slices"], cut["macro"])
        for scores in part["scores"].values()
    ]
    monkeypatch.setattr(plain_data, "MOST_PART_SCORES", sum(map(len, scores)))
    assert list(plain_data.rows_of_parts(case.evaluation)) == list(range(len(case.evaluation.keys)))
    monkeypatch.setattr(plain_data, "MOST_PART_SCORES", sum(map(len, scores)) - 1)
    ranking = case.evaluation.task.ranking_metric.metric
    main = {ranking, *(metric.slug for metric in AGGREGATES)}
    expected = [str(key) for key in case.evaluation.keys if key.metric in main]
    for sliced in (sliced_data(case.evaluation, each) for each in case.evaluation.slices):
        assert all(
            list(part["scores"]) == expected for part in (*sliced["slices"], sliced["macro"])
        )
    rows = table_of(
        slices_csv(case.evaluation, case.evaluation.slices)
        .encode("utf-8", "backslashreplace")
        .decode("utf-8")
    )
    assert list(map(of_csv, rows.columns[10:])) == expected
