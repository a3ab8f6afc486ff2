"""Tables of several test sets: every team's score and rank in each, and their summary."""

import math
from collections.abc import Sequence

import numpy as np

from audit.domain import Baseline, Entry, Evaluation, Role
from audit.flags.wording import NAME_LIMIT
from audit.metrics import phrase
from audit.ranking import Family, Row, printed_ranks, would_be_rank
from audit.report.baseline_rows import COMPUTED
from audit.report.page import Cell, Column, Table
from audit.report.table_printing import FEWER_MARK, LATE_MARK, marks
from audit.text import distinct, listed, number, plural, visible

_RULES = {"mean score": "Mean score", "mean rank": "Mean rank", "Borda count": "Borda"}
_DIGITS = {"mean rank": 2, "Borda count": 1}  # of what is no score


def family_table(family: Family) -> Table:
    """The rows of a family: those with an overall rank, best first, those without, what stands beside, baselines."""
    columns = (Column("Team", numeric=False), *(Column(*head) for head in _heads(family)))
    return Table("table-family", _caption(family), columns, _rows(family), note=_legend(family))


def part_key(evaluation: Evaluation) -> str:
    """A test set's name for programs: that of the part, or of the task."""
    return evaluation.task.part or evaluation.task.slug


def part_name(evaluation: Evaluation) -> str:
    """A test set's name for readers: its own title where it has one, else that of the part."""
    title, part = evaluation.task.title, evaluation.task.part
    return part if part and title.endswith(f": {part}") else title


def _caption(family: Family) -> str:
    n_all = int((family.n_parts == len(family.evaluations)).sum())
    n_rows, n_parts = rows_in_words(family), plural(len(family.evaluations), "test set")
    order = f"by {family.announced}, as announced" if family.announced else "that of the mean ranks"
    skipped = "" if family.summary.ranked.all() else f". {_BELOW}"
    return f"{n_all} of {n_rows} took part in all {n_parts}; the order is {order}{skipped}."


_BELOW = (
    "Rows without an overall rank stand below all others, whatever their mean rank, which is over fewer test sets: "
    "first those in most test sets"
)


def rows_in_words(family: Family) -> str:
    """How many rows compete: teams, or runs where a team has several rows."""
    has_runs = any(row.run for row in family.rows)
    return plural(len(family.rows), "run" if has_runs else "team")


def sum_text(family: Family, rule: str, row: int) -> str:
    """A sum as printed: a score like scores, a rank or a count with its zero before the point."""
    if rule in _DIGITS:
        values = {"mean rank": family.summary.mean_rank, "Borda count": family.summary.borda}[rule]
        return f"{values[row]:.{_DIGITS[rule]}f}"
    return number(float(family.summary.mean_score[row]), _decimals(family))


def _decimals(family: Family) -> int:
    return max(evaluation.task.printed_decimals for evaluation in family.evaluations)


def _heads(family: Family) -> list[tuple[str, str]]:
    """Label and title of every column but the first."""
    parts = [
        head
        for evaluation in family.evaluations
        for head in ((visible(part_name(evaluation), NAME_LIMIT), _by_metric(evaluation)), ("rank", "Rank there"))
    ]
    rules = {
        "mean score": "Mean of the scores",
        "mean rank": "Mean of the ranks",
        "Borda count": "For each test set the teams below, and half of those level",
    }
    sums = [head for rule, title in rules.items() for head in ((_RULES[rule], title), ("rank", f"Rank by {rule}"))]
    if has_intervals(family):
        taken = "common items counted" if family.mean_interval.shared else "the test sets taken as independent samples"
        sums.insert(1, ("95% interval", f"Of the mean score, {taken}"))
    return [*parts, ("Test sets", "How many the team took part in"), *sums]


def _by_metric(evaluation: Evaluation) -> str:
    return f"{visible(part_name(evaluation), 200)}: {phrase(evaluation.task.ranking_metric, evaluation.task.label_set)}"


def _rows(family: Family) -> tuple[tuple[Cell, ...], ...]:
    printed = {rule: printed_ranks(values) for rule, values in family.summary.rules.items()}
    columns = [_part_cells(family, part) for part in range(len(family.evaluations))]
    rows = [
        (
            Cell(_marked(family, row)),
            *(cell for column in columns for cell in column[row]),
            Cell(str(family.n_parts[row])),
            *(cell for rule, ranks in printed.items() for cell in _sum_cells(family, rule, row, ranks[row])),
        )
        for row in family.order
    ]
    beside = [_beside_row(family, row, places) for row, places in family.unranked]
    slugs = dict.fromkeys(baseline.slug for evaluation in family.evaluations for baseline in evaluation.baselines)
    computed = (_computed_row(family, slug) for slug in slugs)
    return (*rows, *beside, *(row for row in computed if row))


def _sum_cells(family: Family, rule: str, row: int, rank: str) -> tuple[Cell, ...]:
    best = "best" if rank.rstrip("=") == "1" else ""
    interval = (Cell(interval_text(family, row)),) if rule == "mean score" and has_intervals(family) else ()
    return Cell(sum_text(family, rule, row), style=best), *interval, Cell(rank, style="quiet")


def has_intervals(family: Family) -> bool:
    """Whether some mean score has an interval."""
    return bool((~np.isnan(family.mean_interval.lower)).any())


def _counts_shared(family: Family) -> bool:
    return has_intervals(family) and bool(family.mean_interval.shared)


def interval_text(family: Family, row: int) -> str:
    """The interval of a mean score as printed; a dash where there is none."""
    ends = (float(end[row]) for end in (family.mean_interval.lower, family.mean_interval.upper))
    shown = [number(end, _decimals(family)) for end in ends if not math.isnan(end)]
    return f"[{', '.join(shown)}]" if shown else "–"


def _part_cells(family: Family, part: int) -> list[tuple[Cell, Cell]]:
    """Score and rank of every row in one test set."""
    decimals = family.evaluations[part].task.printed_decimals
    ranks, scores = family.ranks[:, part].tolist(), family.scores[:, part].tolist()
    level = {rank for rank in ranks if ranks.count(rank) > 1}
    took_part = (family.entries[:, part] >= 0).tolist()
    return [
        (
            Cell(number(score, decimals) if took else "", style="best" if took and rank == 1 else ""),
            Cell(f"{rank}{'=' if rank in level else ''}" if rank else "", style="quiet"),
        )
        for score, rank, took in zip(scores, ranks, took_part, strict=True)
    ]


def row_name(family: Family, row: Row) -> str:
    """A row's name, safe and short, unlike any other's."""
    rows = [*family.rows, *(each for each, _ in family.unranked)]
    return distinct(tuple(each.name for each in rows), NAME_LIMIT)[rows.index(row)]


def _marked(family: Family, row: int) -> str:
    """A row's name with the marks that it has in any test set."""
    entries = _entries(family, family.entries[row])
    signs = "".join(dict.fromkeys(mark for entry in entries for mark in marks(entry)))
    return row_name(family, family.rows[row]) + signs


def _entries(family: Family, places: np.ndarray) -> list[Entry]:
    pairs = zip(family.evaluations, places.tolist(), strict=True)
    return [evaluation.entries[place] for evaluation, place in pairs if place >= 0]


def _beside_row(family: Family, row: Row, places: np.ndarray) -> tuple[Cell, ...]:
    """A baseline, or a late or unofficial run: its scores, and in parentheses the ranks that it would take."""
    scores, ranks = [], []
    for evaluation, place in zip(family.evaluations, places.tolist(), strict=True):
        key = evaluation.task.ranking_metric
        scores.append(float(evaluation.scores_of(key)[place]) if place >= 0 else math.nan)
        ranks.append(f"({evaluation.ranks_of(key)[place]})" if place >= 0 else "")
    signs = "".join(dict.fromkeys(mark for entry in _entries(family, places) for mark in marks(entry)))
    name = row_name(family, row) + (" (baseline)" if row.role == Role.BASELINE else "") + signs
    return _unranked_row(family, name, scores, ranks)


def _computed_row(family: Family, slug: str) -> tuple[Cell, ...] | None:
    """A built-in baseline: its scores, and in parentheses the ranks that it would take."""
    baselines = [_baseline(evaluation, slug) for evaluation in family.evaluations]
    title = next(baseline.title for baseline in baselines if baseline)
    scores, ranks = [], []
    for evaluation, baseline in zip(family.evaluations, baselines, strict=True):
        key = evaluation.task.ranking_metric
        value = float(baseline.values[evaluation.row(key)]) if baseline else math.nan
        scores.append(value)
        takes_rank = slug != "oracle" and not math.isnan(value)
        others, goodness = evaluation.goodness_of(key)[evaluation.competing], evaluation.goodness(key, value)
        ranks.append(f"({would_be_rank(others, goodness)})" if takes_rank else "")
    return _unranked_row(family, f"{title} ({COMPUTED})", scores, ranks)


def _baseline(evaluation: Evaluation, slug: str) -> Baseline | None:
    return next((baseline for baseline in evaluation.baselines if baseline.slug == slug), None)


def _unranked_row(family: Family, name: str, scores: Sequence[float], ranks: Sequence[str]) -> tuple[Cell, ...]:
    """A row that takes no rank: italic, with a mean score where there is one."""
    counted = [pair for pair in zip(scores, family.weights, strict=True) if not math.isnan(pair[0])]
    present = [score for score, _ in counted]
    total = sum(weight for _, weight in counted)
    mean = sum(score * weight for score, weight in counted) / total if present and family.has_mean else math.nan
    decimals = [evaluation.task.printed_decimals for evaluation in family.evaluations]
    parts = [
        (Cell("" if math.isnan(score) else number(score, digits), style="beside"), Cell(rank, style="quiet"))
        for score, rank, digits in zip(scores, ranks, decimals, strict=True)
    ]
    blank = (Cell(""), Cell(""))
    interval = (Cell(""),) if has_intervals(family) else ()
    sums = (Cell(number(mean, _decimals(family)), style="beside"), *interval, Cell(""), *blank, *blank)
    return (
        Cell(name, style="beside"),
        *(cell for part in parts for cell in part),
        Cell(str(len(present))),
        *sums,
    )


def _legend(family: Family) -> str:
    """The meaning of marks and parentheses, for as many of them as there are."""
    entries = [entry for evaluation in family.evaluations for entry in evaluation.entries]
    late = sorted({entry.role.value for entry in entries if LATE_MARK in marks(entry)})
    computed = any(evaluation.baselines for evaluation in family.evaluations)
    explanations = (
        "In parentheses: the rank that a row would take; it takes none." if family.unranked or computed else "",
        f"{LATE_MARK} {listed(late, 'or')}." if late else "",
        f"{FEWER_MARK} scored on fewer items in some test set." if any(entry.n_dropped for entry in entries) else "",
        "Test sets have items in common, which the intervals count." if _counts_shared(family) else "",
    )
    return " ".join(filter(None, explanations))
