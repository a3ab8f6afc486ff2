"""The summary of a campaign with several test sets: a page, a table for the terminal, JSON and CSV."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import numpy as np

from audit.domain import POLICY_KINDS, Baseline, Evaluation, Role
from audit.metrics import phrase
from audit.ranking import Family, Row, family_of, printed_ranks, would_be_rank
from audit.report.export import csv_line, csv_number, csv_text
from audit.report.html import render
from audit.report.page import Cell, Column, FamilyPage, PartLink, Table
from audit.report.printing import FEWER_MARK, LATE_MARK, NAME_LIMIT, marks
from audit.report.tables.baselines import COMPUTED
from audit.resources import templates
from audit.text import listed, number, plural, visible

_RULES = {"mean score": "Mean score", "mean rank": "Mean rank", "Borda count": "Borda"}
_DIGITS = {"mean rank": 2, "Borda count": 1}


@dataclass(frozen=True)
class FamilyRows:
    """The summary as text: what the terminal prints.

    Parameters
    ----------
    title : str
        The campaign.
    heads : tuple of str
        The columns.
    rows : tuple of tuple of str
        Every team from best to worst, then what stands beside.
    sentences : tuple of str
        Who wins by which rule, and how a skipped test set counts.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]


def render_family(evaluations: Sequence[Evaluation], reports: Sequence[str] = ()) -> str:
    """The summary of several test sets as one HTML document that needs no network.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        One for each test set.
    reports : sequence of str
        Each test set's own report, as a path relative to the summary's; none for no links.
    """
    folder = templates()
    style = (folder / "style.css").read_text(encoding="utf-8")
    script = (folder / "table.js").read_text(encoding="utf-8")
    return render("family.html.j2", family_page(evaluations, reports, style=style, script=script))


def family_page(
    evaluations: Sequence[Evaluation], reports: Sequence[str] = (), *, style: str = "", script: str = ""
) -> FamilyPage:
    """The page of a summary of several test sets; parameters are those of :func:`render_family`."""
    family = family_of(evaluations)
    rows = _rows(family)
    columns = (Column("Team", numeric=False), *(Column(*head) for head in _heads(family)))
    table = Table("table-family", _caption(family), columns, rows, note=_legend(family))
    return FamilyPage(
        title=_title(family),
        facts=(plural(len(family.evaluations), "test set"), plural(len(family.rows), "team")),
        answer=tuple(_sentences(family)),
        table=table,
        parts=tuple(_part(family, place, reports) for place in range(len(family.evaluations))),
        method=_method(family),
        style=style,
        script=script,
    )


def family_rows(evaluations: Sequence[Evaluation]) -> FamilyRows:
    """The summary of several test sets as rows of text."""
    family = family_of(evaluations)
    rows = tuple(tuple(cell.text for cell in row) for row in _rows(family))
    legend = _legend(family)
    sentences = (*_sentences(family), _method(family)[0], *((legend,) if legend else ()))
    return FamilyRows(_title(family), ("team", *(head for head, _ in _heads(family))), rows, sentences)


def family_data(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """The summary of several test sets as plain data; undefined values are None."""
    family = family_of(evaluations)
    summary, ranks = family.summary, family.summary.ranks
    return {
        "family": family.evaluations[0].task.family,
        "skipped": family.skipped,
        "test_sets": [
            {
                "task": evaluation.task.slug,
                "part": _part_name(evaluation),
                "metric": str(evaluation.task.ranking_metric),
                "items": evaluation.gold.n_items,
                "signature": evaluation.signature,
            }
            for evaluation in family.evaluations
        ],
        "teams": [
            {
                "name": family.rows[row].name,
                "scores": list(map(_nullable, family.scores[row].tolist())),
                "ranks": [rank or None for rank in family.ranks[row].tolist()],
                "test_sets": int(family.n_parts[row]),
                "mean_score": _nullable(float(summary.mean_score[row])),
                "mean_rank": float(summary.mean_rank[row]),
                "borda": float(summary.borda[row]),
                **{f"rank_by_{_slug(rule)}": _rank(family, rule, row) for rule in ranks},
            }
            for row in family.order
        ],
        "winners": {_slug(rule): [family.rows[row].name for row in rows] for rule, rows in summary.winners.items()},
    }


def family_csv(evaluations: Sequence[Evaluation]) -> str:
    """The summary of several test sets as CSV: a row for each team, scores and ranks of each test set, the rules."""
    family = family_of(evaluations)
    parts = [csv_text(_part_name(evaluation)) for evaluation in family.evaluations]
    heads = [f"{part} {what}" for part in parts for what in ("score", "rank")]
    summary = family.summary
    lines = [csv_line(["team", *heads, "test_sets", "mean_score", "mean_rank", "borda"])]
    for row in family.order:
        pairs = zip(family.scores[row].tolist(), family.ranks[row].tolist(), strict=True)
        cells = [cell for score, rank in pairs for cell in (csv_number(score), rank or "")]
        sums = map(
            csv_number, (summary.mean_score[row].item(), summary.mean_rank[row].item(), summary.borda[row].item())
        )
        lines.append(csv_line([csv_text(family.rows[row].name), *cells, int(family.n_parts[row]), *sums]))
    return "".join(lines)


# The answer


def _title(family: Family) -> str:
    return visible(family.evaluations[0].task.family or "Several test sets", 200)


def _part_name(evaluation: Evaluation) -> str:
    return evaluation.task.part or evaluation.task.title


def _sentences(family: Family) -> list[str]:
    """Who wins by which rule, whether the rules agree, and who of them skipped a test set."""
    winners = {rule: rows for rule, rows in family.summary.winners.items() if rows}
    if not winners:
        return ["No team competes."]
    rules_of: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for rule, rows in winners.items():
        rules_of[rows].append(rule)
    clauses = [f"{_names(family, rows)} by {_by(family, rows, rules)}" for rows, rules in rules_of.items()]
    if len(clauses) == 1:
        (rows,) = rules_of
        first = f"{_names(family, rows)} {'is' if len(rows) == 1 else 'are'} first by {_by(family, rows, [*winners])}."
    else:
        first = f"The winner depends on how the test sets are summed up: {'; '.join(clauses)}. The paper must say how."
    absent = [row for row in {row for rows in rules_of for row in rows} if not _took_all(family, row)]
    return [first, *(_took_part(family, row) for row in sorted(absent)), *_no_mean(family)]


def _names(family: Family, rows: Sequence[int]) -> str:
    return listed([visible(family.rows[row].name, NAME_LIMIT) for row in rows], limit=5)


def _by(family: Family, rows: Sequence[int], rules: Sequence[str]) -> str:
    return listed([f"{rule} ({_value(family, rule, rows[0])})" for rule in rules])


def _value(family: Family, rule: str, row: int) -> str:
    values = {"mean score": family.summary.mean_score, "mean rank": family.summary.mean_rank}
    value = float(values.get(rule, family.summary.borda)[row])
    return number(value, _DIGITS.get(rule, _decimals(family)))


def _decimals(family: Family) -> int:
    return max(evaluation.task.printed_decimals for evaluation in family.evaluations)


def _took_all(family: Family, row: int) -> bool:
    return bool(family.n_parts[row] == len(family.evaluations))


def _took_part(family: Family, row: int) -> str:
    name = visible(family.rows[row].name, NAME_LIMIT)
    return f"{name} took part in {family.n_parts[row]} of {len(family.evaluations)} test sets."


def _no_mean(family: Family) -> list[str]:
    if family.has_one_metric:
        return []
    return ["The test sets have different official metrics, so there is no mean score."]


def _caption(family: Family) -> str:
    n_all = sum(_took_all(family, row) for row in range(len(family.rows)))
    n_rows, n_parts = plural(len(family.rows), "team"), plural(len(family.evaluations), "test set")
    return f"{n_all} of {n_rows} took part in all {n_parts}; the order is that of the mean ranks."


# The table


def _heads(family: Family) -> list[tuple[str, str]]:
    """Label and title of every column but the first."""
    parts = [
        head
        for evaluation in family.evaluations
        for head in ((visible(_part_name(evaluation), NAME_LIMIT), _by_metric(evaluation)), ("rank", "Rank there"))
    ]
    rules = {
        "mean score": "Mean of the scores",
        "mean rank": "Mean of the ranks",
        "Borda count": "For each test set the teams below, and half of those level",
    }
    sums = [head for rule, title in rules.items() for head in ((_RULES[rule], title), ("rank", f"Rank by {rule}"))]
    return [*parts, ("Test sets", "How many the team took part in"), *sums]


def _by_metric(evaluation: Evaluation) -> str:
    return (
        f"{visible(_part_name(evaluation), 200)}: {phrase(evaluation.task.ranking_metric, evaluation.task.label_set)}"
    )


def _rows(family: Family) -> tuple[tuple[Cell, ...], ...]:
    printed = {rule: printed_ranks(values) for rule, values in family.summary.rules.items()}
    columns = [_part_cells(family, part) for part in range(len(family.evaluations))]
    rows = [
        (
            Cell(_marked(family, row)),
            *(cell for column in columns for cell in column[row]),
            Cell(str(family.n_parts[row])),
            *(
                cell
                for rule, ranks in printed.items()
                for cell in (Cell(_value(family, rule, row), style=_best(ranks[row])), Cell(ranks[row], style="quiet"))
            ),
        )
        for row in family.order
    ]
    beside = [_beside_row(family, row, places) for row, places in family.beside]
    slugs = dict.fromkeys(baseline.slug for evaluation in family.evaluations for baseline in evaluation.baselines)
    computed = (_computed_row(family, slug) for slug in slugs)
    return (*rows, *beside, *(row for row in computed if row))


def _best(rank: str) -> str:
    return "best" if rank.rstrip("=") == "1" else ""


def _part_cells(family: Family, part: int) -> list[tuple[Cell, Cell]]:
    """Score and rank of every row in one test set."""
    decimals = family.evaluations[part].task.printed_decimals
    ranks, scores = family.ranks[:, part].tolist(), family.scores[:, part].tolist()
    level = {rank for rank in ranks if ranks.count(rank) > 1}
    there = (family.entries[:, part] >= 0).tolist()
    return [
        (
            Cell(number(score, decimals) if took else "", style="best" if took and rank == 1 else ""),
            Cell(f"{rank}{'=' if rank in level else ''}" if rank else "", style="quiet"),
        )
        for score, rank, took in zip(scores, ranks, there, strict=True)
    ]


def _marked(family: Family, row: int) -> str:
    """A row's name with the marks that it has in any test set."""
    entries = _entries(family, family.entries[row])
    found = "".join(dict.fromkeys(mark for entry in entries for mark in marks(entry)))
    return visible(family.rows[row].name, NAME_LIMIT) + found


def _entries(family: Family, places: np.ndarray) -> list[Any]:
    pairs = zip(family.evaluations, places.tolist(), strict=True)
    return [evaluation.entries[place] for evaluation, place in pairs if place >= 0]


def _beside_row(family: Family, row: Row, places: np.ndarray) -> tuple[Cell, ...]:
    """A baseline, or a late or unofficial run: its scores, and in parentheses the ranks that it would take."""
    scores, ranks = [], []
    for evaluation, place in zip(family.evaluations, places.tolist(), strict=True):
        key = evaluation.task.ranking_metric
        scores.append(float(evaluation.scores_of(key)[place]) if place >= 0 else math.nan)
        ranks.append(f"({evaluation.ranks_of(key)[place]})" if place >= 0 else "")
    found = "".join(dict.fromkeys(mark for entry in _entries(family, places) for mark in marks(entry)))
    name = visible(row.name, NAME_LIMIT) + (" (baseline)" if row.role == Role.BASELINE else "") + found
    return _aside(family, name, scores, ranks)


def _computed_row(family: Family, slug: str) -> tuple[Cell, ...] | None:
    """A built-in baseline: its scores, and in parentheses the ranks that it would take."""
    found = [_baseline(evaluation, slug) for evaluation in family.evaluations]
    title = next(baseline.title for baseline in found if baseline)
    scores, ranks = [], []
    for evaluation, baseline in zip(family.evaluations, found, strict=True):
        key = evaluation.task.ranking_metric
        value = float(baseline.values[evaluation.keys.index(key)]) if baseline else math.nan
        scores.append(value)
        takes_rank = slug != "oracle" and not math.isnan(value)
        ranks.append(f"({would_be_rank(evaluation.scores_of(key)[evaluation.competing], value)})" if takes_rank else "")
    return _aside(family, f"{title} ({COMPUTED})", scores, ranks)


def _baseline(evaluation: Evaluation, slug: str) -> Baseline | None:
    return next((baseline for baseline in evaluation.baselines if baseline.slug == slug), None)


def _aside(family: Family, name: str, scores: Sequence[float], ranks: Sequence[str]) -> tuple[Cell, ...]:
    """A row that takes no rank: italic, with a mean score where there is one."""
    there = [score for score in scores if not math.isnan(score)]
    mean = sum(there) / len(there) if there and family.has_one_metric else math.nan
    decimals = [evaluation.task.printed_decimals for evaluation in family.evaluations]
    parts = [
        (Cell("" if math.isnan(score) else number(score, digits), style="beside"), Cell(rank, style="quiet"))
        for score, rank, digits in zip(scores, ranks, decimals, strict=True)
    ]
    blank = (Cell(""), Cell(""))
    sums = (Cell(number(mean, _decimals(family)), style="beside"), Cell(""), *blank, *blank)
    return (
        Cell(name, style="beside"),
        *(cell for part in parts for cell in part),
        Cell(str(len(there))),
        *sums,
    )


def _legend(family: Family) -> str:
    """What marks and parentheses mean, for as many of them as there are."""
    entries = [entry for evaluation in family.evaluations for entry in evaluation.entries]
    late = sorted({entry.role.value for entry in entries if LATE_MARK in marks(entry)})
    computed = any(evaluation.baselines for evaluation in family.evaluations)
    said = (
        "Italic rows take no rank; in parentheses the rank that they would take." if family.beside or computed else "",
        f"{LATE_MARK} {listed(late, 'or')}." if late else "",
        f"{FEWER_MARK} scored on fewer items in some test set." if any(entry.n_dropped for entry in entries) else "",
    )
    return " ".join(filter(None, said))


# Method, links, data


def _method(family: Family) -> tuple[str, ...]:
    skipped = POLICY_KINDS["skipped"]
    borda = "it has no point from it" if family.skipped == "left-out" else "all that skipped share the last rank"
    sums = (
        "Mean rank: the mean of the ranks among the teams that compete. Borda count: over the test sets, the teams "
        "below and half of those level, summed. The mean score weighs every test set alike, whatever its size."
    )
    rows = (
        "A team with one counted run in each test set is one row, whatever its runs are called; where a team has "
        "several in some test set, each run is a row."
    )
    return f"{skipped.title}: {skipped.values[family.skipped]}; in the Borda count {borda}.", sums, rows


def _part(family: Family, place: int, reports: Sequence[str]) -> PartLink:
    evaluation = family.evaluations[place]
    key = evaluation.task.ranking_metric
    winners, by = evaluation.winners(key), phrase(key, evaluation.task.label_set)
    names = listed([visible(evaluation.names[team], NAME_LIMIT) for team in winners], limit=5)
    best = number(evaluation.scores_of(key)[winners[0]], evaluation.task.printed_decimals) if winners else "–"
    n_flags = plural(len(evaluation.flags), "finding")
    won = (
        f"{names} {'is' if len(winners) == 1 else 'are'} first by {by} ({best})" if winners else f"nobody wins by {by}"
    )
    return PartLink(
        name=visible(_part_name(evaluation), 200),
        href=quote(reports[place]) if reports else "",
        text=f"{plural(evaluation.gold.n_items, 'item')}, {won}; {n_flags}.",
    )


def _slug(rule: str) -> str:
    return rule.lower().replace(" count", "").replace(" ", "_")


def _rank(family: Family, rule: str, row: int) -> int | None:
    undefined = math.isnan(float(family.summary.rules[rule][row]))
    return None if undefined else int(family.summary.ranks[rule][row])


def _nullable(value: float) -> float | None:
    return None if math.isnan(value) else value
