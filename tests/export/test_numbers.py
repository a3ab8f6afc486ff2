"""One evaluation, four forms: the page, LaTeX, CSV and JSON print the same numbers, all of them and no other."""

import csv
import io
import json
import math
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import Role, ScoreKey
from audit.formats.campaign.campaigns import read_campaign
from audit.text import visible
from audit.writers.latex.numbers import unique_keys
from audit.writers.latex.tex import tex
from tests.campaigns.conftest import EMOJI, copied, folder_of
from tests.nightly import ALL, by_day
from tests.report.campaigns import random_campaign
from tests.report.document import grid, read

from .conftest import CASES, made, of_csv

BOTH = ("averaged_f1", "f1_of_averages")
DASH = "–"


def with_ties():
    """Byte-identical submissions on first place and below, one of them a baseline, one late, one that says nothing."""
    base = random_campaign(6, 300, 3, official_metric=ScoreKey("kappa", "balanced"))
    first, second, third, *_, last = base.submissions
    silent = replace(last, given=np.full_like(last.codes, 3))
    rows = (
        first,
        replace(first, team="twin"),
        second,
        replace(second, team="base", role=Role.BASELINE),
        third,
    )
    twin = replace(third, team="also late", role=Role.LATE)
    return replace(base, submissions=(*rows, twin, silent))


def undefined():
    """Ranked by the recall of a class that gold lacks: no score is defined."""
    base = random_campaign(3, 90, 3, official_metric=ScoreKey("recall[class 2]"))
    return replace(base, gold=replace(base.gold, codes=np.minimum(base.gold.codes, 1)))


def emoji(folder):
    """48 teams, 20 classes, 50,000 items."""
    source = folder_of("semeval2018-task2-emoji-en")
    gold, runs = (
        "tools/detailed_results/us_test.labels",
        "results/teams/english/*/english.output.txt",
    )
    root = copied(source, folder / "emoji", gold, runs)
    (root / "task.toml").write_text(
        EMOJI % ", ".join(f'"{label}"' for label in range(20)), encoding="utf-8"
    )
    return read_campaign(root)


@pytest.fixture(scope="module", params=[*CASES, "ties", "undefined", *["emoji"] * ALL])
def case(request, tmp_path_factory):
    """The export's cases, ties, nothing defined, and a real campaign where its files are."""
    if request.param in CASES:
        return request.getfixturevalue(request.param)
    own = {
        "ties": with_ties,
        "undefined": undefined,
        "emoji": lambda: emoji(tmp_path_factory.mktemp("emoji")),
    }
    return made(own[request.param]())


class Expected:
    """What is printed, by rules written down here once more, from evaluation.json alone."""

    def __init__(self, case):
        self.data = json.loads(case.files["evaluation.json"])
        self.teams, self.scores, self.ranks = (
            self.data[name] for name in ("teams", "scores", "ranks")
        )
        self.decimals = case.evaluation.task.printed_decimals
        self.official = self.data["official_metric"] or "averaged_f1"
        self.sure = self.data["certainty"]
        self.competes = {entry["name"]: entry["competes"] for entry in self.data["entries"]}
        whole = {
            entry["name"]
            for entry in self.data["entries"]
            if entry["items_scored"] == self.data["items"]
        }
        self.compared = [team for team in self.teams if self.competes[team] and team in whole]
        made = self.sure["comparisons"] if self.sure else ()
        self.comparisons = {each["metric"]: each for each in made}
        self.deciding = {each["metric"]: each for each in made if self.decides(each)}

    def decides(self, comparison):
        """Whether two entries can be told apart at all: two that were compared have a score, not the same answers."""
        scored = [
            team for team in self.compared if self.scores[comparison["metric"]][team] is not None
        ]
        return len(scored) > 1 and comparison["critical_value"] is not None

    def number(self, value, decimals=None):
        if value is None or math.isnan(value):
            return DASH
        shown = f"{abs(value):.{self.decimals if decimals is None else decimals}f}"
        sign = "−" if value < 0 and float(shown) else ""
        return sign + (shown[1:] if shown.startswith("0.") else shown)

    def score(self, metric, team):
        return self.number(self.scores[metric][team])

    def rank(self, metric, team):
        own = self.scores[metric][team]
        if own is None:
            return DASH
        taken = self.ranks[metric][team]
        if taken is None:
            others = (self.scores[metric][other] for other in self.teams if self.competes[other])
            return f"({1 + sum(other is not None and other > own + 1e-12 for other in others)})"
        return f"{taken}{'=' if Counter(self.ranks[metric].values())[taken] > 1 else ''}"

    def leads(self, metric, team):
        """Whether the interval is corrected: that of the leader, where teams were compared and it has one."""
        found = self.deciding.get(metric)
        return bool(found) and team in found["corrected_intervals"]

    def ends(self, metric, team):
        if self.leads(metric, team):
            return self.comparisons[metric]["corrected_intervals"][team]
        return self.sure["intervals"]["scores"][metric][team]

    def possible_ranks(self, metric, team):
        ends = self.comparisons[metric]["possible_ranks"][team]
        return DASH if ends is None else "–".join(map(str, dict.fromkeys(ends)))

    def could_be_best(self, metric, team):
        return "yes" if team in self.comparisons[metric]["could_be_best"] else "no"

    def adjusted(self, metric, first, second, decimals):
        return self.number(self.of_pair(metric, "adjusted_p", first, second), decimals)

    def of_pair(self, metric, what, first, second):
        row, column = sorted(self.teams.index(team) for team in (first, second))
        return self.comparisons[metric][what][row][column - row]


@pytest.fixture(scope="module")
def expected(case):
    return Expected(case)


@pytest.fixture(scope="module")
def page(case):
    return read(case.files["report.html"].decode())


@pytest.fixture(scope="module")
def order(case):
    """The teams from first to last, as scores.csv has them."""
    rows = list(csv.DictReader(io.StringIO(case.files["scores.csv"].decode(), newline="")))
    shown = [row["team"] for row in rows if row["role"] != "computed"]
    return [of_csv(name) for name in shown]


def plain(cell):
    """A cell of a LaTeX table as it is printed."""
    bare = re.sub(r"^\\textbf\{(.*)\}$", r"\1", cell.strip())
    return bare.replace("$-$", "−").replace("--", DASH)


def tabulars(case, name):
    """The tables of a LaTeX file: a list of rows of cells each, the head first."""
    found = []
    for body in re.findall(r"\\toprule\n(.*?)\\bottomrule", case.files[name].decode(), re.DOTALL):
        lines = [line.removesuffix(r" \\") for line in body.splitlines() if line.endswith(r"\\")]
        found.append([[plain(cell) for cell in re.split(r"(?<!\\)&", line)] for line in lines])
    return found


def is_named(cell, team):
    """Whether a cell of a LaTeX table is a team's name, with its marks, or what fits of it."""
    return printed(tex(visible(team, 10_000))) in printed(cell) or r"\dots\allowbreak{}" in cell


@by_day(3)
def test_every_look_up_is_a_number_of_the_json_and_every_number_has_one(case, expected):
    """Scores, ranks, ends of intervals, possible ranks, who could be best, p, of every team by every metric."""
    text = case.files["numbers.tex"].decode()
    lists = re.findall(r"^\\audit@set\{(.*?)\}\{(.*?)\}\{;(.*);\}$", text, re.MULTILINE)
    found = [
        (team, metric, *each.split(":"))
        for team, metric, values in lists
        for each in values.split(";")
    ]
    told = {(team, metric, what): plain(value) for team, metric, what, value in found}
    assert len(told) == len(found)
    assert {what for _, _, what, _ in found} <= set(
        re.findall(r"^\\audit@finds\{(\w+)\}$", text, re.MULTILINE)
    )
    data, wanted = expected.data, {}
    teams = dict(zip(data["teams"], unique_keys(data["teams"]), strict=True))
    metrics = dict(zip(data["scores"], unique_keys(list(data["scores"])), strict=True))
    for metric, metric_key in metrics.items():
        for team, key in teams.items():
            wanted[key, metric_key, "score"] = expected.score(metric, team)
            wanted[key, metric_key, "rank"] = expected.rank(metric, team)
            if expected.sure:
                lower, upper = expected.ends(metric, team)
                wanted[key, metric_key, "lower"] = expected.number(lower)
                wanted[key, metric_key, "upper"] = expected.number(upper)
    for metric in expected.comparisons:
        defined = [team for team in expected.compared if expected.scores[metric][team] is not None]
        leader = next((team for team in ranked(expected, metric) if team in defined), None)
        for team in expected.compared:
            key = teams[team], metrics[metric]
            if expected.comparisons[metric]["possible_ranks"][team]:
                wanted[*key, "possibleranks"] = expected.possible_ranks(metric, team)
                wanted[*key, "couldbebest"] = expected.could_be_best(metric, team)
                if leader is not None and team != leader:
                    wanted[*key, "p"] = expected.adjusted(metric, leader, team, 4)
    assert told == wanted


def ranked(expected, metric):
    """The teams from first to last by a metric, equal ones in the order in which they are listed."""
    return sorted(
        expected.teams, key=lambda team: expected.ranks[metric][team] or len(expected.teams) + 1
    )


def test_the_facts_are_those_of_the_json(case, expected):
    """Of the campaign as a whole."""
    facts = dict(
        re.findall(r"audit@fact@(\w+)\\endcsname\{(.*)\}", case.files["numbers.tex"].decode())
    )
    data = expected.data
    contending = [
        each for each in data["entries"] if each["competes"] and each["role"] != "baseline"
    ]
    wanted = {
        "items": f"{data['units']:,}",
        "classes": str(sum(count > 0 for count in data["gold_items"].values())),
        "submissions": str(len(data["teams"])),
        "teams": str(len({each["team"] for each in contending})),
        "metric": unique_keys([expected.official])[0],
    }
    if expected.official in expected.deciding:
        comparison = expected.deciding[expected.official]
        wanted |= {
            "seed": str(expected.sure["seed"]),
            "couldbebest": str(len(comparison["could_be_best"])),
            "separablepairs": f"{sum(map(len, comparison['ahead_of'].values())):,}",
        }
    assert facts == wanted


def test_the_ranking_is_one_in_latex_html_csv_and_json(case, expected, page, order):
    """Order, rank and score of every team, in two LaTeX tables and on the page; in LaTeX all that is sure, too."""
    metric = expected.official
    wanted = [
        {
            "": expected.rank(metric, team),
            "Score": expected.score(metric, team),
            **{
                SHORT.get(head, head): text
                for head, text in certain_cells(expected, metric, team).items()
            },
        }
        for team in order
    ]
    assert sorted(order) == sorted(expected.teams)
    html = grid(page, "table-ranking")
    for team, row, cells in zip(order, wanted, html.rows, strict=True):
        at = dict(zip(html.heads, cells, strict=True))
        assert " ".join(visible(team, 40).split()) in at["Team"]
        assert [at["Rank"], cells[2]] == [row[""], row["Score"]]
    for form in ("narrow", "wide"):
        ((head, *rows),) = tabulars(case, f"main_table_{form}.tex")
        for team, row, cells in zip(
            order[: n_shown(order, rows)], wanted, map(head_of(head), rows), strict=False
        ):
            assert is_named(cells["Team"], team)
            told = {name: cells[name] for name in wanted[0] if name in cells}
            assert told == {name: value for name, value in row.items() if name in cells}
            assert set(cells) >= (
                {"", "Score", *CERTAIN[form]} if expected.deciding.get(metric) else {"", "Score"}
            )


CERTAIN = {"narrow": ("95% CI", "●"), "wide": ("95% CI", "●", "Ranks", "Behind", "p")}


def n_shown(entries, rows):
    """How many entries a table has: all of up to 22, of more at least the first 15."""
    return len(rows) if 15 <= len(rows) < len(entries) > 22 else len(entries)


def head_of(head):
    """A row by the heads of its cells."""
    names = [printed(cell) for cell in head]
    return lambda row: dict(zip(names, map(printed, row), strict=True))


def printed(cell):
    """A cell as it is printed, with the signs of the page."""
    for command, sign in SIGNS.items():
        cell = cell.replace(command, sign)
    return cell


SIGNS = {
    r"\textonesuperior{}": "¹",
    r"\texttwosuperior{}": "²",
    r"\textthreesuperior{}": "³",
    r"\textsuperscript{4}": "⁴",
    r"$\bullet$": "●",
    r"$\circ$": "○",
    r"\textpm{}": "±",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"$\Delta$": "Δ",
    r"$\leq$": "≤",
    r"\%": "%",
    r"$'$": "′",
    r"\textasciitilde{}": "~",
}


def test_the_other_columns_of_the_main_table_are_those_of_the_json(case, expected, order):
    """Accuracy, MCC and balanced macro-averaged F1, as far as they are not the score and find room."""
    columns = {"Acc": "accuracy", "MCC": "mcc", "F1~": "averaged_f1~"}
    ((head, *rows),) = tabulars(case, "main_table_wide.tex")
    shown = {name: metric for name, metric in columns.items() if name in map(printed, head)}
    assert shown or expected.official in columns.values() or len(head) > 9
    for team, cells in zip(order[: n_shown(order, rows)], map(head_of(head), rows), strict=False):
        assert {name: cells[name] for name in shown} == {
            name: expected.score(metric, team) for name, metric in shown.items()
        }


def test_both_macro_f1s_are_those_of_the_json(case, expected, order):
    """With their ranks and the gap between them, to four digits."""
    ((head, *rows),) = tabulars(case, "macro_f1.tex")
    gap = list(map(printed, head)).index("Δ")
    for team, cells in zip(order[: n_shown(order, rows)], rows, strict=False):
        assert is_named(cells[0], team)
        assert cells[1:5] == [
            say(metric, team) for metric in BOTH for say in (expected.score, expected.rank)
        ]
        one, other = (expected.scores[metric][team] for metric in BOTH)
        digits = max(expected.decimals, 4)
        assert printed(cells[gap]).partition(" ")[0].rstrip("¹²³⁴") == expected.number(
            other - one, digits
        )


ON_PAGE = {"rare-class": "¹", "few-hits": "²", "few-groups": "³", "mean-of-ranks": "⁴"}


SHORT = {
    "95% interval": "95%",
    "Could be best": "●",
    "Possible ranks": "Ranks",
    "Behind the first": "Behind",
}
SHORT |= {"Adjusted p": "p"}


def certain_cells(expected, metric, team):
    """The cells of a row that the certainty fills, by their heads, as the page prints them."""
    if not expected.sure:
        return {}
    lower, upper = expected.ends(metric, team)
    mark = expected.sure["intervals"]["marks"].get(metric, {}).get(team)
    found = DASH if lower is None else f"[{expected.number(lower)}, {expected.number(upper)}]"
    cells = {
        "95% CI": found + ("*" if expected.leads(metric, team) else "") + ON_PAGE.get(mark, "")
    }
    if metric in expected.deciding:
        best = team in expected.deciding[metric]["could_be_best"]
        cells["In the confidence set"] = "●" if best else ""
        cells["Possible ranks"] = expected.possible_ranks(metric, team)
        cells |= behind_cells(expected, metric, team)
    return cells


def test_what_the_page_says_of_certainty_is_that_of_the_json(page, expected, order):
    """Interval with its mark, confidence set, possible ranks and distance to the first of every team."""
    if not expected.sure:
        assert not {"95% CI", "In the confidence set", "Possible ranks"} & set(
            grid(page, "table-ranking").heads
        )
        return
    shown = grid(page, "table-ranking")
    for team, cells in zip(order, shown.rows, strict=True):
        at = dict(zip(shown.heads, cells, strict=True))
        wanted = certain_cells(expected, expected.official, team)
        assert {head: at.get(head) for head in wanted} == wanted


def behind_cells(expected, metric, team):
    """The difference from the leader with the interval of the deciding test, and the adjusted p, as printed."""
    comparison = expected.deciding[metric]
    leader = comparison["leader"]
    error = None if team == leader else expected.of_pair(metric, "standard_error", leader, team)
    behind = p = ""
    if error is not None:
        is_first = expected.teams.index(leader) < expected.teams.index(
            team
        )  # ends are of the pair in the order of teams
        ends = [
            expected.of_pair(metric, f"difference_{end}", leader, team)
            for end in ("lower", "upper")
        ]
        lower, upper = ends if is_first else (-ends[1], -ends[0])
        difference = expected.number(
            expected.scores[metric][leader] - expected.scores[metric][team]
        )
        behind = f"{difference} ({expected.number(lower)} to {expected.number(upper)})"
    if (
        team != leader
        and comparison["possible_ranks"][team]
        and expected.scores[metric][team] is not None
    ):
        exact = expected.of_pair(metric, "adjusted_p", leader, team)
        p = (
            "<.001"
            if exact < 0.001
            else ">.99"
            if exact > 0.99
            else expected.number(exact, 3 if exact < 0.1 else 2)
        )
    return {"Behind the first": behind, "Adjusted p": p}


@pytest.mark.parametrize("prevalence", ["observed", "balanced"])
def test_every_metric_on_the_page_is_that_of_the_json(page, expected, order, prevalence):
    """Twenty scores a team."""
    table = page.by_id(f"table-metrics-{prevalence}")
    keys = [head.attributes["title"].split(":")[0] for head in table.one("thead").all("th")[1:]]
    rows = grid(page, f"table-metrics-{prevalence}").rows
    assert [row[1:] for row in rows] == [
        [expected.score(key, team) for key in keys] for team in order
    ]


def test_the_class_table_holds_f1_of_every_class_in_gold(case, expected, order):
    """Of each team, in blocks of classes."""
    metrics = [
        metric for metric in expected.scores if metric.startswith("f1[")
    ]  # of the labels in order, observed first
    of_gold = [
        metric
        for metric, count in zip(metrics, expected.data["gold_items"].values(), strict=False)
        if count
    ]
    blocks = [rows for _, *rows in tabulars(case, "per_class.tex")]
    shown = order[: n_shown(order, blocks[0])]
    for place, team in enumerate(shown):
        assert all(is_named(rows[place][0], team) for rows in blocks)
        cells = [cell for rows in blocks for cell in rows[place][1:]]
        assert cells == [expected.score(metric, team) for metric in of_gold]


def test_the_slices_table_holds_the_official_score_in_every_part(case, expected, order):
    """Of all items together, the mean over the parts, and each part, for every column that cuts the test set."""
    cuts = expected.data["slices"]
    if not cuts:
        assert "slices.tex" not in case.files
        return
    rows = [cells[1:] for _, *rows in tabulars(case, "slices.tex") for cells in rows]
    told = Counter(cell for cells in rows for cell in cells)
    shown = order[: len(rows) // len(tabulars(case, "slices.tex"))]
    official = expected.official
    stated = Counter(
        cell
        for cut in cuts
        for team in shown
        for cell in (
            *(
                expected.number(part[official][team])
                for part in (expected.scores, cut["macro"]["scores"])
            ),
            *(expected.number(part["scores"][official][team]) for part in cut["slices"]),
            expected.rank(official, team),
        )
    )
    assert not stated - told
    assert (told - stated).total() == len(shown) * len(cuts)  # the ranks by the mean


def test_the_agreement_of_metrics_is_that_of_json_and_csv(case, expected):
    """Every pair of the ten observed metrics, to two digits; ≡ for those that are equal by identity."""
    agreement = expected.data["agreement"]
    shown = [at for at, metric in enumerate(agreement["metrics"]) if re.fullmatch(r"\w+", metric)]
    ((_, *rows),) = tabulars(case, "metric_agreement.tex")
    assert len(rows) == len(shown)
    csv_rows = csv.DictReader(io.StringIO(case.files["correlations.csv"].decode(), newline=""))
    in_csv = {(row["metric"], row["other_metric"]): row["spearman"] for row in csv_rows}
    for place, cells in zip(shown, rows, strict=True):
        for column, cell in zip(shown, cells[1:], strict=True):
            value = agreement["spearman"][place][column]
            identical = agreement["equal_by_identity"][place][column] and value is not None
            wanted = (
                "" if place == column else r"$\equiv$" if identical else expected.number(value, 2)
            )
            assert cell == wanted
            if column < place:
                key = agreement["metrics"][column], agreement["metrics"][place]
                assert in_csv[key] == ("" if value is None else repr(value))
