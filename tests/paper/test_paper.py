"""LaTeX for the paper: it compiles as it stands, says what the evaluation says, and takes names for names."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from audit.domain import MARKS, ScoreKey
from audit.errors import InputError
from audit.evaluation import evaluate
from audit.formats.campaign.campaigns import read_campaign
from audit.ranking.ranks import printed_ranks
from audit.report.printing import INTERVAL_MARKS, WHY_MARKED, printing
from audit.resources import samples
from audit.vocabulary import CORRECTED_NOTE
from audit.workflow import export_task, load
from audit.writers.bundle.folder import ExportOptions
from audit.writers.latex import paper_files
from audit.writers.latex.numbers import key_of, unique_keys
from audit.writers.latex.tex import needs_lualatex, tex, text_width
from tests.report import campaigns


def test_a_name_that_pdflatex_lacks_is_refused_by_name():
    """Unless the organiser wrote TeX for it, or the export is for LuaLaTeX."""
    campaign = campaigns.random_campaign(3, 60, 2, names=["名前", "فريق", "Plain"])
    evaluation = evaluate(campaign)
    with pytest.raises(InputError) as caught:
        paper_files(evaluation)
    assert [issue.slug for issue in caught.value.issues] == ["unsettable-name"] * 2
    assert "名前" in caught.value.issues[0].found
    files = paper_files(evaluation, latex_names={"名前": r"\emph{Namae}", "فريق": "Fariq"})
    assert rb"\emph{Namae}" in files["main_table_wide.tex"]
    raw = paper_files(evaluation, engine="lualatex")["main_table_wide.tex"].decode()
    assert r"{\auditother 名前}" in raw
    assert r"{\auditrtl فريق}" in raw


def test_names_written_by_hand_come_from_task_toml_through_the_store(tmp_path):
    """What pdfLaTeX cannot set is refused at the export, and after [latex_names] was loaded it is set."""
    folder, store = tmp_path / "task", tmp_path / "audit.db"
    (folder / "submissions").mkdir(parents=True)
    for name, labels in (
        ("gold", "ab" * 30),
        ("submissions/名前", "ab" * 29 + "bb"),
        ("submissions/B", "ba" * 30),
    ):
        (folder / f"{name}.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    options = ExportOptions(figures=())
    load(folder, store)
    with pytest.raises(InputError, match="unsettable-name: the team 名前"):
        export_task("task", tmp_path / "out", store, options)
    assert not (tmp_path / "out").exists()
    (folder / "task.toml").write_text("[latex_names]\n'名前' = 'Nam\\ae'\n", encoding="utf-8")
    load(folder, store)
    export_task("task", tmp_path / "out", store, options)
    assert r"Nam\ae" in (tmp_path / "out" / "main_table_narrow.tex").read_text(encoding="utf-8")


def test_latex_written_by_hand_has_letters_that_pdflatex_has():
    """Otherwise nothing would be won."""
    evaluation = evaluate(campaigns.random_campaign(2, 60, 2, names=["名前", "Plain"]))
    with pytest.raises(InputError, match="the team 名前"):
        paper_files(evaluation, latex_names={"名前": r"\textbf{名前}"})


def test_a_label_that_pdflatex_lacks_is_refused_too():
    """Labels head the columns of the class table."""
    evaluation = evaluate(campaigns.random_campaign(2, 60, 2, labels=["良い", "bad"]))
    with pytest.raises(InputError, match="the label 良い"):
        paper_files(evaluation)


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_no_text_leaves_a_character_that_tex_would_act_on(text):
    """Outside the commands that we write ourselves, and with every brace closed."""
    made = tex(text)
    rest = re.sub(r"\\[A-Za-z]+|\\.", "", made.replace("$-$", "").replace("$'$", ""))
    assert not set(rest) & set("$&#%^_\\")
    assert rest.count("{") == rest.count("}")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x24F), max_size=20))
def test_latin_letters_are_ascii_commands(text):
    """Whatever the editor's encoding."""
    if not needs_lualatex(text):
        assert tex(text).isascii()


@given(st.lists(st.text(max_size=8), max_size=12))
def test_keys_are_distinct_and_plain(names):
    """Letters, digits and hyphens, one for every name."""
    keys = unique_keys(names)
    assert len(set(keys)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]*", key) for key in keys)


def test_widths_grow_with_the_text():
    """More letters, wider letters, bold letters."""
    assert text_width("WW") > text_width("xx") > text_width("ii")
    assert text_width("_") >= 0.77  # of Computer Modern in the encoding T1, as TeX measures it
    assert text_width("Δ") == text_width("κ") == text_width("D")
    assert text_width("“a” · “b”") < text_width("a and b or c")


# The numbers


def table_rows(text):
    """The rows of a tabular, a list of plain cells each."""
    body = text.split(r"\midrule", 1)[1].split(r"\bottomrule")[0]
    lines = [line.removesuffix(r"\\").strip() for line in body.splitlines() if line.endswith(r"\\")]
    return [
        [re.sub(r"\\textbf\{(.*)\}$", r"\1", cell.strip()) for cell in re.split(r"(?<!\\)&", line)]
        for line in lines
    ]


def test_the_narrow_table_holds_the_ranking(flood, flood_files):
    """Rank, team and score of every team in order, with the interval."""
    key = flood.task.ranking_metric
    show, row = printing(flood), flood.keys.index(key)
    intervals, comparison = flood.certainty.intervals, flood.certainty.comparison(key)
    ranks = printed_ranks(flood.scores_of(key), flood.competing)
    rows = table_rows(flood_files["main_table_narrow.tex"])
    for team, cells in zip(flood.order(key), rows, strict=True):
        assert cells[0] == ranks[team]
        name = tex(flood.names[team])
        assert cells[1] == (name if flood.competing[team] else rf"\textit{{{name}}}")
        assert cells[2] == show.score(flood.scores_of(key)[team])
        ends, note = (intervals.lower[row, team], intervals.upper[row, team]), ""
        if team == comparison.leader:
            ends, note = comparison.leader_interval, "*"
        assert cells[3] == "[{}, {}]".format(*map(show.score, ends)) + note


def test_every_mark_behind_an_interval_is_explained_below(flood_files):
    """In both forms of the main table, and no mark is that does not stand in it."""
    for form in ("narrow", "wide"):
        body, notes = flood_files[f"main_table_{form}.tex"].split(r"\end{tabular}", maxsplit=1)
        assert body.count("]*") == 1
        assert tex(CORRECTED_NOTE) in notes
        assert not re.search(r"\\text\w+superior|\\textsuperscript", body + notes)
        assert (
            ("Ranks: possible ranks" in notes)
            == ("Behind the first: the difference" in notes)
            == (form == "wide")
        )


def test_every_mark_has_a_reason(flood):
    """Whatever keeps an interval from being printed, also that of the leader."""
    certainty = flood.certainty
    for mark in filter(None, MARKS):
        marks = np.full(certainty.intervals.marks.shape, MARKS.index(mark), dtype=np.uint8)
        nothing = np.full(marks.shape, np.nan)
        comparison = replace(
            certainty.comparisons[0], chosen_lower=nothing[0], chosen_upper=nothing[0]
        )
        intervals = replace(certainty.intervals, lower=nothing, upper=nothing, marks=marks)
        marked = replace(
            certainty, intervals=intervals, comparisons=(comparison, *certainty.comparisons[1:])
        )
        files = paper_files(flood.given(certainty=marked))
        table = files["main_table_narrow.tex"].decode()
        sign = INTERVAL_MARKS[mark]
        assert {cells[3] for cells in table_rows(table)} == {f"--{tex(sign)}"}
        assert table.count(tex(f"{sign} {WHY_MARKED[mark]}")) == 1
        assert (
            "Where simulation found no interval that holds its level"
            in files["methods.tex"].decode()
        )


def rows_of(text):
    """The lines of a table that are rows, its head left out."""
    return [line for line in text.splitlines() if line.endswith(r"\\")][1:]


def test_who_could_be_best_is_marked_and_no_other(flood, flood_files):
    """In both forms of the main table: all for whom rank 1 is possible."""
    comparison = flood.certainty.comparisons[0]
    order = flood.order(flood.task.ranking_metric)
    for form in ("narrow", "wide"):
        text = flood_files[f"main_table_{form}.tex"]
        assert [r"$\bullet$" in line for line in rows_of(text)] == [
            comparison.could_be_best[team] for team in order
        ]
        assert tex("● 95% confidence set for the best team.") in text
        assert r"$\circ$" not in text


OF_UNCERTAIN = "Submissions are called imprecise where", "Where a submission never predicts a class"


def test_who_is_imprecise_is_explained():
    """By F1 of averages Delta4 is: it never predicts a class, and takes the first place of nobody by that."""
    campaign = read_campaign(samples() / "flood-posts")
    evaluation = evaluate(
        replace(campaign, task=replace(campaign.task, official_metric=ScoreKey("f1_of_averages")))
    )
    files = {name: content.decode() for name, content in paper_files(evaluation).items()}
    comparison, order = (
        evaluation.certainty.comparisons[0],
        evaluation.order(evaluation.task.ranking_metric),
    )
    assert [evaluation.names[team] for team in np.flatnonzero(comparison.uncertain)] == ["Delta4"]
    for form in ("narrow", "wide"):
        text = files[f"main_table_{form}.tex"]
        assert [r"$\bullet$" in line for line in rows_of(text)] == [
            comparison.could_be_best[team] for team in order
        ]
        assert ("too imprecise" in text) == (comparison.could_be_best & comparison.uncertain).any()
    for words in OF_UNCERTAIN:
        assert words in files["methods.tex"]


def test_methods_say_of_a_class_never_predicted_only_what_matters(flood_files):
    """Macro-averaged F1 takes nothing from a class with a vanishing number of answers."""
    for words in OF_UNCERTAIN:
        assert words not in flood_files["methods.tex"]


def test_a_name_written_by_hand_stands_wherever_the_name_is_said():
    """In the table, its caption and its notes, also where it is part of no other word."""
    names = ["名前", "A", "名前2"]
    evaluation = evaluate(campaigns.random_campaign(3, 600, 2, names=names, quality=(0.95, 0.5)))
    files = paper_files(evaluation, latex_names={"名前": r"\emph{Namae}", "名前2": "Second"})
    assert evaluation.names[evaluation.order(evaluation.task.ranking_metric)[0]] == "名前"
    assert rb"\emph{Namae} ranked first" in files["results.tex"]
    for name, text in files.items():
        assert "名" not in "".join(
            line for line in text.decode().splitlines() if not line.startswith("%")
        ), name


def test_the_runs_of_a_team_whose_name_was_written_by_hand_are_told_apart():
    """Each has its run behind the name, and who has one run has the name alone."""
    campaign = campaigns.random_campaign(3, 60, 2, names=["名前", "again", "B"])
    first, second, other = campaign.submissions
    several = (
        replace(first, run="one"),
        replace(second, team="名前", run="two"),
        replace(other, run="only"),
    )
    evaluation = evaluate(replace(campaign, submissions=several))
    text = paper_files(evaluation, latex_names={"名前": "Namae", "B": "Bee"})[
        "main_table_wide.tex"
    ].decode()
    for name in ("Namae/one", "Namae/two", "Bee"):
        assert f" & {name} & " in text


def test_each_table_of_slices_has_a_label_of_its_own():
    """The first one that of its file, and the others are counted."""
    slices = {"half": ["even", "odd"] * 40, "quarter": ["a", "b", "c", "d"] * 20}
    text = paper_files(campaigns.spotless_evaluation(slices=slices))["slices.tex"].decode()
    assert re.findall(r"\{tab:[^}]*(slices[^}]*)\}", text) == ["slices", "slices-2"]


# Words


def test_results_name_both_winners_where_the_definitions_differ(flood_files):
    """And that the test set does not show it."""
    text = flood_files["results.tex"]
    assert "Kingfisher ranked first (.755, 95" in text
    assert ": Plumbline ranks first by F1 of averages (" in text


@pytest.mark.parametrize("change", ["none", "several"])
def test_results_have_words_for_one_winner_several_and_none(flood, change):
    """Without a defined score there is no winner; with equal scores nobody is ahead."""
    values = flood.values.copy()
    values[:] = np.nan if change == "none" else 0.5
    changed = replace(
        flood, values=values, rank_values=np.ones(values.shape, dtype=np.int64)
    ).given(certainty=None)
    text = paper_files(changed)["results.tex"].decode()
    expected = (
        "no team has a defined score" if change == "none" else "The teams cannot be ranked: all"
    )
    assert expected in text


def test_a_single_submission_is_compared_with_nobody():
    """And no sentence or column says otherwise."""
    files = paper_files(evaluate(campaigns.random_campaign(1, 60, 2)))
    for name in ("main_table_wide.tex", "results.tex"):
        assert not re.search("confidence set|Behind", files[name].decode())


def test_key_words():
    """Calibrated metrics have a key of their own."""
    assert key_of("averaged_f1~") != key_of("averaged_f1")


def test_the_matrix_of_pairs_has_a_filled_mark_where_the_better_team_is_significantly_ahead(
    flood, flood_files
):
    """Each pair once, below the diagonal; the caption counts them."""
    comparison = flood.certainty.comparisons[0]
    order = [team for team in flood.order(flood.task.ranking_metric) if flood.comparable[team]]
    for place, (team, row) in enumerate(
        zip(order, cells_of(flood_files["pairs.tex"]), strict=True)
    ):
        assert row[1] == tex(flood.names[team])
        marks = row[2 : 2 + place]
        assert marks == [
            r"$\bullet$" if comparison.ahead[better, team] else r"$\circ$"
            for better in order[:place]
        ]
        assert not any(row[2 + place :])
    n_pairs = len(order) * (len(order) - 1) // 2
    caption = f"{int(comparison.ahead.sum())} of {n_pairs} pairwise differences are significant"
    assert caption in flood_files["pairs.tex"]


def test_the_table_of_classes_has_gold_counts_and_the_best_f1_of_scikit_learn(flood_files):
    """As the sample's gold file has them."""
    campaign = read_campaign(samples() / "flood-posts")
    gold = np.array(campaign.gold.label_set.labels)[campaign.gold.codes]
    counts = dict(zip(*np.unique(gold, return_counts=True), strict=True))
    of_teams = [
        f1_score(gold, answers, labels=list(counts), average=None)
        for answers in answers_of(campaign)
    ]
    shown = (f"{value:.3f}".removeprefix("0") for value in np.max(of_teams, axis=0))
    found = {
        row[0].replace("\\", ""): (int(row[1]), row[4])
        for row in cells_of(flood_files["classes.tex"])
    }
    assert found == {
        label: (counts[label], text) for label, text in zip(counts, shown, strict=True)
    }


def cells_of(text):
    """The cells of every row."""
    return [
        [cell.strip() for cell in line.removesuffix(r" \\").split("&")] for line in rows_of(text)
    ]


def answers_of(campaign):
    """The answers of each team that competes, none as an empty text."""
    labels = np.array([*campaign.gold.label_set.labels, "", "", ""])
    ranked = [each for each in campaign.submissions if each.role.value == "primary"]
    return [labels[each.codes] for each in ranked]
