"""Tables of 48 entries and 20 classes with long names: what each file has to say for itself."""

import re
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import Options, SliceColumn
from audit.evaluation import evaluate
from audit.writers.latex import paper_files
from audit.writers.latex.tex import tex
from tests.report.campaigns import random_campaign

LABELS = [f"a_long_label_of_class_number_{place:02}" for place in range(20)]
TABLES = (
    "main_table_narrow.tex",
    "main_table_wide.tex",
    "macro_f1.tex",
    "per_class.tex",
    "metric_agreement.tex",
)
OF_TEAMS = TABLES[:-1]


@pytest.fixture(scope="module", params=[47, 48, 93])
def files(request):
    """Numbers of entries that leave one or two for the last page where pages are filled one after the other."""
    names = [f"Wolverhampton at Task 2, submission {place:02} WW" for place in range(request.param)]
    evaluation = evaluate(random_campaign(request.param, 600, 20, names=names, labels=LABELS))
    return {name: content.decode() for name, content in paper_files(evaluation).items()}


def parts(text):
    """The rows of every tabular of a file."""
    bodies = re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.DOTALL)
    return [[line for line in body.splitlines() if line.endswith(r"\\")] for body in bodies]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_fits_a_page(files, name):
    """Labels of twenty classes are cut until it does; no part is a row or two."""
    assert sum(map(len, parts(files[name]))) <= 46
    assert all(len(rows) >= 9 for rows in parts(files[name]))


@pytest.mark.parametrize("name", OF_TEAMS)
def test_of_many_entries_the_best_stand_in_the_table_and_its_caption_says_where_all_are(
    files, name
):
    """Fifteen, on to the last in the confidence set or named."""
    text = files[name]
    source = "evaluation.json" if name.startswith("main_table") else "scores.csv"
    cut = rf"The first (\d+) of \d+(?:, and \d+ more that [a-z ]+)?; all: {re.escape(source)}"
    n_rows = int(re.search(cut, text).group(1))
    more = int((re.findall(r", and (\d+) more", text) or ["0"])[0])
    assert {len(rows) for rows in parts(text)} == {n_rows + more}
    assert n_rows >= 15


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_its_caption_and_its_label(files, name):
    """One of each, and no label twice."""
    labels = re.findall(r"^\\auditcaption\{.+\}\{(tab:[a-z0-9-]+)\}$", files[name], re.MULTILINE)
    assert labels == [f"tab:random-{name.removesuffix('.tex').replace('_', '-')}"]


@pytest.mark.parametrize("name", TABLES)
def test_every_head_that_is_short_is_explained_below(files, name):
    """Metrics, intervals and ranks; labels of classes, names of teams and words stand for themselves."""
    text = files[name]
    heads = re.search(r"\\toprule\n(.*?) \\\\\n", text).group(1).split(" & ")
    below = text.rsplit(r"\par\smallskip", maxsplit=1)[1]
    own = {"", "Team", "Metric", "Macro-averaged F1", "F1 of averages", "rank", "MCC", "p"}
    notes = {
        r"$\bullet$": r"$\bullet$ 95\% confidence set for the best team",
        "Behind": "Behind the first: the difference",
    }
    for head in heads:
        if head not in own:
            assert notes.get(head, f"{head}: ") in below, head


@pytest.mark.parametrize("name", TABLES)
def test_bold_is_explained_wherever_it_stands(files, name):
    """Below the table."""
    body, below = files[name].rsplit(r"\par\smallskip", maxsplit=1)
    assert (r"\textbf" in body) == ("Bold: " in below)


def test_where_nothing_was_compared_the_first_is_bold():
    """And nothing is said of who may be the best."""
    text = paper_files(evaluate(random_campaign(3, 60, 2), Options(certainty=False)))[
        "main_table_wide.tex"
    ].decode()
    assert text.count(r"\textbf") > 0
    assert "may be the best" not in text


def test_labels_cut_short_stay_apart(files):
    """Heads of twenty classes that begin and end alike are twenty heads."""
    heads = re.findall(r"\\toprule\n(.*?) \\\\\n", files["per_class.tex"])
    labels = [head for line in heads for head in line.split(" & ")[1:]]
    assert len(labels) == len(set(labels)) == 20
    for head, label in zip(labels, LABELS, strict=True):
        assert f"{head}: {tex(label)}" in files["per_class.tex"]


def winning_a_slice(team, n_teams=60):
    """Many teams, of whom a poor one answers everything right in one of three parts of the test set."""
    campaign = random_campaign(n_teams, 600, 3)
    part = (np.arange(600) % 3).astype(np.uint8)
    submissions = list(campaign.submissions)
    codes = np.where(part == 2, campaign.gold.codes, submissions[team].codes).astype(
        submissions[team].codes.dtype
    )
    submissions[team] = replace(submissions[team], given=codes)
    gold = replace(campaign.gold, slices=(SliceColumn("part", ("a", "b", "c"), part),))
    return evaluate(replace(campaign, gold=gold, submissions=tuple(submissions)))


@pytest.mark.parametrize("team", [20, 55])
def test_who_is_first_in_a_slice_stands_in_its_table(team):
    """However far down in the whole: a flag names that team, and its column has no other in bold."""
    evaluation = winning_a_slice(team)
    name = evaluation.names[team]
    assert any(
        name in flag.sentence for flag in evaluation.flags if flag.slug == "slice-crowns-another"
    )
    text = paper_files(evaluation)["slices.tex"].decode()
    (rows,) = parts(text)
    (row,) = [row for row in rows if row.startswith(name)]
    assert r"\textbf" in row
    assert row == rows[-1] or team == 20
    assert "all: slices.csv" in text
    n_first, n_all = map(int, re.search(r"The first (\d+) of (\d+)", text).groups())
    assert n_all == 60
    assert len(rows) == n_first + (", and 1 more that are best in a column" in text)


def test_names_cut_for_a_column_stay_apart():
    """Also those that only their middle tells apart, and in the sentences of the results."""
    names = [f"Team {'W' * 20}{place}{'M' * 20} y2" for place in range(12)]
    evaluation = evaluate(random_campaign(12, 60, 2, names=names))
    files = {name: content.decode() for name, content in paper_files(evaluation).items()}
    for table in OF_TEAMS:
        shown = [
            next(cell for cell in row.split(" & ") if "Te" in cell)
            for row in parts(files[table])[0]
        ]
        assert len(set(shown)) == len(shown) == 12, table
