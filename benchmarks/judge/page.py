"""The table: benchmarks/coverage.md from what was counted."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from string import Template

import numpy as np

from benchmarks.judge.cells import CLASSES, COMPARED, FEW_ITEMS, SIZES, Cell
from benchmarks.judge.findings import MEAN_COVERAGE, Finding, all_findings, pooled_errors, settled
from benchmarks.judge.judging import REASONS, Outcome
from benchmarks.judge.populations import DISTRIBUTIONS, KINDS
from benchmarks.judge.truths import AGGREGATES, CLASS_SCORES, GAP, quotient

TEMPLATE = Path(__file__).parents[1] / "coverage.template.md"
NOTHING = "–"
SCORES = (*AGGREGATES, *(f"{name}~" for name in AGGREGATES), GAP)
FAULTS = {
    "score outside": "scores outside their interval",
    "beyond range": "ends of intervals beyond the score’s range",
    "no reason": "defined scores with neither interval nor reason",
    "other score": "scores that differ from the judge’s own by more than 1e-9",
}


def page(first: Sequence[Outcome], again: Sequence[Outcome], seed: int) -> str:
    """The whole page.

    Parameters
    ----------
    first, again : sequence of Outcome
        The first look at every cell, and the second looks.
    seed : int
        What the run was seeded by.

    Returns
    -------
    str
        Markdown.
    """
    findings = all_findings([*first, *again])
    final = settled(findings)
    systems = [
        finding for finding in final if finding.cell.of_systems and finding.claim == "interval"
    ]
    plain = [
        finding
        for finding in systems
        if finding.cell.group_size == 1 and not finding.cell.stratified
    ]
    outcomes = [outcome for outcome in first if outcome.cell.of_systems]
    plain_outcomes = [
        item for item in outcomes if item.cell.group_size == 1 and not item.cell.stratified
    ]
    supported = [finding for finding in plain if finding.supported]
    few = [finding for finding in plain if not finding.supported]
    blocks = {
        "seed": str(seed),
        "n_test_sets": f"{_test_sets(first):,}",
        "n_cells": str(len(first)),
        "n_second": f"{_test_sets(again):,}",
        "n_looked": str(len(again)),
        "counted": _counted(plain),
        "n_copies": str(max((outcome.cell.n_teams for outcome in outcomes), default=0)),
        "few_items": str(FEW_ITEMS),
        "compared": f"Metrics: {', '.join(map(_code, COMPARED))}.",
        "summary": _summary(final, first),
        "failures": _failures([finding for finding in final if finding.fails]),
        "suspects": _suspects(findings, final),
        "by_size": _by_size(plain, plain_outcomes),
        "by_score": _by_score(supported, plain_outcomes, supported=True),
        "by_class_score": _by_class_score(plain),
        "by_score_few": _by_score(few, plain_outcomes, supported=False),
        "by_reason": _by_reason(plain_outcomes),
        "widths": _widths(supported),
        "grouped": _by_cell(
            [finding for finding in systems if finding.cell.group_size > 1], outcomes
        ),
        "stratified": _by_cell(
            [finding for finding in systems if finding.cell.stratified], outcomes
        ),
        "pooled": _pooled(first),
        "decisions": _decisions(final, first),
        "identical": str(
            int(sum(outcome.decision_sum("identical separated").sum() for outcome in first))
        ),
        "power": _power(first),
    }
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(blocks)


def _test_sets(outcomes: Iterable[Outcome]) -> int:
    return sum(outcome.cell.n_repetitions for outcome in outcomes)


def _counted(findings: Sequence[Finding]) -> str:
    """How many intervals a cell has."""
    counts = [finding.n for finding in findings if finding.look == 0 and finding.marked == 0] or [0]
    return f"{min(counts)} to {max(counts)}"


# What holds and what does not


def _summary(final: Sequence[Finding], first: Sequence[Outcome]) -> str:
    lines = [
        *_mean_lines(final),
        *_limit_lines(final),
        _pooled_line(first),
        *_fault_lines(first),
        _power_line(first),
    ]
    return "\n".join(f"- {line}" for line in lines)


def _mean_lines(final: Sequence[Finding]) -> list[str]:
    """Mean coverage of aggregate scores: the one that has limits, and the others."""
    supported = [
        item for item in final if item.supported and item.score in SCORES and not item.constant
    ]
    sorts = {
        "independent items": [item for item in supported if _is_plain_interval(item)],
        "items in groups": [
            item for item in supported if item.claim == "interval" and item.cell.group_size > 1
        ],
        "class counts fixed": [
            item for item in supported if item.claim == "interval" and item.cell.stratified
        ],
    }
    lines = []
    for sort, items in sorts.items():
        if items:
            mean = float(np.mean([item.share for item in items]))
            lines.append(
                f"Mean coverage, {sort}: {_percent(mean)}% over {_number(len(items))} cells{_asked(sort, mean)}."
            )
    return lines


def _asked(sort: str, mean: float) -> str:
    if sort != "independent items":
        return ""
    low, high = MEAN_COVERAGE
    return f"; between {low:.0%} and {high:.0%} is asked: {'holds' if low <= mean <= high else '**fails**'}"


def _is_plain_interval(finding: Finding) -> bool:
    cell = finding.cell
    return finding.claim == "interval" and cell.group_size == 1 and not cell.stratified


_SORTS: dict[str, Callable[[Finding], bool]] = {
    "Intervals of aggregate scores, independent items": lambda item: (
        _is_plain_interval(item) and item.score in SCORES and item.supported
    ),
    f"likewise, a class with fewer than {FEW_ITEMS} expected items": lambda item: (
        _is_plain_interval(item) and item.score in SCORES and not item.supported
    ),
    "Intervals of class scores, independent items": lambda item: (
        _is_plain_interval(item) and item.score not in SCORES
    ),
    "Intervals, items in groups": lambda item: (
        item.claim == "interval" and item.cell.group_size > 1
    ),
    "Intervals, class counts fixed": lambda item: item.claim == "interval" and item.cell.stratified,
    "Family-wise error": lambda item: item.claim == "false claim",
    "Best set": lambda item: item.claim == "best set",
    "Leader’s interval": lambda item: item.claim == "leader",
}


def _limit_lines(final: Sequence[Finding]) -> list[str]:
    lines = []
    for name, belongs in _SORTS.items():
        judged = [finding for finding in final if belongs(finding)]
        if judged:
            failing = sum(finding.fails for finding in judged)
            suspicious = sum(finding.suspect and not finding.fails for finding in judged)
            fails = f"**{failing} fail**" if failing else "none fails"
            lines.append(
                f"{name}: {fails} of {len(judged):,} cells; {suspicious} more are beyond the limit within error."
            )
    return lines


def _pooled_line(first: Sequence[Outcome]) -> str:
    pooled = pooled_errors(first)
    failing = [f"{item.design} by {_code(item.metric)}" for item in pooled if item.fails]
    verdict = f"**beyond 6.5%: {', '.join(failing)}**" if failing else "none lies beyond 6.5%"
    highest = max((item.share for item in pooled), default=0.0)
    return f"Family-wise error over all cells of a field, by metric: {verdict}; the highest is {_percent(highest)}%."


def _fault_lines(first: Sequence[Outcome]) -> list[str]:
    defined = int(sum(outcome.interval_sum("defined").sum() for outcome in first))
    counts = {
        fault: int(sum(outcome.interval_sum(fault).sum() for outcome in first)) for fault in FAULTS
    }
    return [
        f"{what[0].upper()}{what[1:]}: {counts[fault]:,} of {defined:,}."
        for fault, what in FAULTS.items()
    ]


def _power_line(first: Sequence[Outcome]) -> str:
    worse = [
        outcome.cell.design
        for outcome in first
        if _is_power(outcome) and _advantage(outcome)[1] < 0
    ]
    return (
        f"Power for accuracy below Holm–McNemar’s: {', '.join(worse) if worse else 'in no design'}."
    )


def _failures(failing: Sequence[Finding]) -> str:
    if not failing:
        return "Nothing."
    rows = [
        _finding_row(finding) for finding in sorted(failing, key=lambda finding: -finding.shortfall)
    ]
    return _table(
        ["population", "system", "score", "claim", "share", "99% interval", "marked", "counted"],
        rows,
    )


def _suspects(findings: Sequence[Finding], final: Sequence[Finding]) -> str:
    """Suspects of the first look, and what became of them."""
    first = {
        finding.place: finding for finding in findings if finding.look == 0 and finding.suspect
    }
    latest = {finding.place: finding for finding in final}
    again = [place for place in first if latest[place].look == 1]
    cleared = [place for place in again if not latest[place].suspect]
    failed = [place for place in again if latest[place].fails]
    within = len(again) - len(cleared) - len(failed)
    return (
        f"Of {len(first):,} suspects {len(again):,} were looked at again: {len(failed)} fail, {within} stay beyond the "
        f"limit within error, {len(cleared)} do not. The others, which lie less far beyond, were not."
    )


def _finding_row(finding: Finding) -> list[str]:
    return [
        finding.cell.name,
        finding.kind,
        _code(finding.score),
        finding.claim,
        _percent(finding.share),
        f"{_percent(finding.lower)}–{_percent(finding.upper)}",
        f"{100 * finding.marked:.0f}",
        f"{finding.n:,}{'' if finding.look else ' (first look)'}",
    ]


# Intervals


def _by_size(findings: Sequence[Finding], outcomes: Sequence[Outcome]) -> str:
    blocks = []
    for distribution in DISTRIBUTIONS:
        rows = []
        for n_classes in CLASSES:
            cells = [(n_classes, n_items, distribution) for n_items in SIZES]
            rows.append([str(n_classes), *(_size_cell(findings, outcomes, cell) for cell in cells)])
        blocks.append(
            f"**{distribution[0].upper()}{distribution[1:]}**\n\n"
            + _table(["C", *map(_number, SIZES)], rows)
        )
    return "\n\n".join(blocks)


def _size_cell(
    findings: Sequence[Finding], outcomes: Sequence[Outcome], size: tuple[int, int, str]
) -> str:
    chosen = [item for item in findings if _size(item.cell) == size and item.score in SCORES]
    counted = [item for item in outcomes if _size(item.cell) == size]
    return _shown(chosen, _marked_share(counted, SCORES, None)) if counted else ""


def _size(cell: Cell) -> tuple[int, int, str]:
    return (cell.n_classes, cell.n_items, cell.distribution)


def _by_score(findings: Sequence[Finding], outcomes: Sequence[Outcome], *, supported: bool) -> str:
    counted = [item for item in outcomes if (item.cell.expected_items >= FEW_ITEMS) == supported]
    rows = []
    for score in SCORES:
        cells = [
            _shown(
                [item for item in findings if item.score == score and item.kind == kind],
                _marked_share(counted, [score], kind),
            )
            for kind in KINDS
        ]
        rows.append([_code(score), *cells])
    return _table(["score", *KINDS], rows)


def _by_class_score(findings: Sequence[Finding]) -> str:
    """Coverage of recall, precision and F1 of the commonest, a middle and the rarest class."""
    rows = []
    for kind_of_score in CLASS_SCORES:
        for tilde in ("", "~"):
            for position in ("commonest", "middle", "rarest"):
                chosen = [
                    item
                    for item in findings
                    if _class_score(item) == (kind_of_score, tilde, position)
                ]
                by_kind = [
                    _shown([item for item in chosen if item.kind == kind], 0) for kind in KINDS
                ]
                rows.append([f"`{kind_of_score}[{position}]{tilde}`", *by_kind])
    return _table(["score", *KINDS], rows)


def _class_score(finding: Finding) -> tuple[str, str, str] | None:
    name, bracket, rest = finding.score.partition("[")
    if not bracket:
        return None
    label, _, tilde = rest.partition("]")
    code = finding.cell.labels.index(label)
    last = finding.cell.n_classes - 1
    return (name, tilde, "commonest" if code == 0 else "rarest" if code == last else "middle")


def _shown(findings: Sequence[Finding], marked: float) -> str:
    """Mean coverage, the lowest, and what is marked; bold where a cell fails."""
    varying = [finding for finding in findings if not finding.constant]
    note = f"; {100 * marked:.0f}% marked" if marked >= 0.005 else ""
    if not varying:
        return "constant" + note if findings else note.removeprefix("; ") or NOTHING
    shares = [finding.share for finding in varying]
    text = f"{_percent(np.mean(shares))} ({_percent(min(shares))}{note})"
    return f"**{text}**" if any(finding.fails for finding in varying) else text


def _marked_share(outcomes: Sequence[Outcome], scores: Iterable[str], kind: str | None) -> float:
    return _share_of("marked", outcomes, scores, kind)


def _share_of(
    count: str, outcomes: Sequence[Outcome], scores: Iterable[str], kind: str | None
) -> float:
    chosen = set(scores)
    counted = defined = 0.0
    for outcome in outcomes:
        rows = [row for row, score in enumerate(outcome.cell.scores) if score in chosen]
        kinds = list(dict.fromkeys(outcome.cell.team_kinds))
        columns = [column for column, name in enumerate(kinds) if kind in {None, name}]
        if rows and columns:
            counted += float(outcome.interval_sum(count)[np.ix_(rows, columns)].sum())
            defined += float(outcome.interval_sum("defined")[np.ix_(rows, columns)].sum())
    return float(quotient(np.array(counted), np.array(defined)))


def _by_reason(outcomes: Sequence[Outcome]) -> str:
    reasons = (*REASONS, "other reason")
    rows = [
        [
            _code(score),
            *(f"{100 * _share_of(reason, outcomes, [score], None):.1f}" for reason in reasons),
        ]
        for score in SCORES
        if _marked_share(outcomes, [score], None) > 0
    ]
    return _table(["score", *reasons], rows) if rows else "Nothing is marked."


def _widths(findings: Sequence[Finding]) -> str:
    widths = np.array(
        [item.width for item in findings if item.score in SCORES[:-1] and not np.isnan(item.width)]
    )
    if not widths.size:
        return "Nothing was judged."
    low, middle, high = np.quantile(widths, [0.05, 0.5, 0.95])
    return (
        "Mean width of an interval, in units of what the true standard deviation of the score needs (2 × 1.96 of it), "
        f"over cells whose rarest class is expected to have {FEW_ITEMS} items or more: median {middle:.2f}; nine cells "
        f"in ten lie between {low:.2f} and {high:.2f}."
    )


def _by_cell(findings: Sequence[Finding], outcomes: Sequence[Outcome]) -> str:
    """A row for each population: aggregates, class scores and Δ."""
    if not findings:
        return "Not judged: `audit.evaluate` does not offer it."
    rows = []
    judged = {finding.cell.name for finding in findings}
    for cell in [outcome.cell for outcome in outcomes if outcome.cell.name in judged]:
        own = [item for item in findings if item.cell.name == cell.name]
        counted = [item for item in outcomes if item.cell.name == cell.name]
        aggregates = [item for item in own if item.score in SCORES]
        classes = [item for item in own if item.score not in SCORES]
        of_classes = [score for score in cell.scores if score not in SCORES]
        rows.append(
            [
                f"C = {cell.n_classes}, N = {_number(cell.n_items)}, {cell.distribution}"
                + (f", groups of {cell.group_size}" if cell.group_size > 1 else ""),
                _shown(aggregates, _marked_share(counted, SCORES, None)),
                _shown(classes, _marked_share(counted, of_classes, None)),
            ]
        )
    return _table(["population", "aggregate scores", "class scores"], rows)


# Comparisons


def _pooled(first: Sequence[Outcome]) -> str:
    pooled = pooled_errors(first)
    rows = []
    for design in dict.fromkeys(item.design for item in pooled):
        own = [item for item in pooled if item.design == design]
        texts = [
            f"{_percent(item.share)} ({_percent(item.lower)}–{_percent(item.upper)})"
            for item in own
        ]
        shown = [
            f"**{text}**" if item.fails else text for item, text in zip(own, texts, strict=True)
        ]
        rows.append([design, *shown, _number(own[0].n)])
    return _table(["field", *map(_code, COMPARED), "test sets"], rows)


def _decisions(final: Sequence[Finding], first: Sequence[Outcome]) -> str:
    outcome_of = {outcome.cell.name: outcome for outcome in first}
    judged = [
        finding for finding in final if finding.claim != "interval" and not finding.cell.of_systems
    ]
    rows = []
    for name in dict.fromkeys(finding.cell.name for finding in judged):
        own = [finding for finding in judged if finding.cell.name == name]
        cell = own[0].cell
        if cell.design.startswith("power"):
            continue
        errors = {finding.score: finding for finding in own if finding.claim == "false claim"}
        rows.append(
            [
                cell.design,
                str(cell.n_teams),
                f"{cell.n_classes}, {_number(cell.n_items)}",
                *(
                    _marked_bold(errors[metric]) if metric in errors else NOTHING
                    for metric in COMPARED
                ),
                _mean_and_lowest([finding for finding in own if finding.claim == "best set"]),
                _mean_and_lowest([finding for finding in own if finding.claim == "leader"]),
                _uncorrected(outcome_of[name]),
                f"{max(finding.n for finding in errors.values()):,}",
            ]
        )
    errors_by = [f"error, {_code(name)}" for name in COMPARED]
    return _table(
        ["field", "T", "C, N", *errors_by, "best", "leader", "uncorrected", "test sets"], rows
    )


def _uncorrected(outcome: Outcome) -> str:
    """How often the first team's ordinary interval holds, over the metrics."""
    given = outcome.decision_sum("leader given")
    shares = quotient(outcome.decision_sum("uncorrected covered"), given)[given > 0]
    return _percent(shares.mean()) if shares.size else NOTHING


def _marked_bold(finding: Finding) -> str:
    return f"**{_percent(finding.share)}**" if finding.fails else _percent(finding.share)


def _mean_and_lowest(findings: Sequence[Finding]) -> str:
    if not findings:
        return NOTHING
    shares = [finding.share for finding in findings]
    text = f"{_percent(np.mean(shares))} ({_percent(min(shares))})"
    return f"**{text}**" if any(finding.fails for finding in findings) else text


def _is_power(outcome: Outcome) -> bool:
    return outcome.cell.design.startswith("power")


def _power(first: Sequence[Outcome]) -> str:
    rows = []
    for outcome in filter(_is_power, first):
        differences = outcome.decision_sum("true differences")[0]
        found = ("found", "found by Holm–McNemar", "found by exact Holm–McNemar")
        shares = [f"{100 * outcome.decision_sum(name)[0] / differences:.1f}" for name in found]
        mean, upper = _advantage(outcome)
        cell = outcome.cell
        rows.append(
            [
                f"T = {cell.n_teams}, C = {cell.n_classes}, N = {_number(cell.n_items)}",
                *shares,
                f"{100 * mean:+.1f} (below {100 * upper:+.1f})",
                str(cell.n_repetitions),
            ]
        )
    heads = [
        "design",
        "ours",
        "Holm–McNemar, χ²",
        "Holm–McNemar, exact",
        "ours − χ² (99% upper end)",
        "test sets",
    ]
    return _table(heads, rows)


def _advantage(outcome: Outcome) -> tuple[float, float]:
    """Mean difference in power from Holm–McNemar by χ², and the upper end of its 99% interval."""
    n = outcome.cell.n_repetitions
    mean = outcome.decision_sum("advantage")[0] / n
    variance = max(0.0, outcome.decision_sum("advantage²")[0] / n - mean**2)
    return float(mean), float(mean + 2.576 * np.sqrt(variance / n))


# Text


def _percent(share: float | np.floating) -> str:
    return f"{100 * float(share):.1f}"


def _number(value: int) -> str:
    return f"{value:,}"


def _code(name: str) -> str:
    return "Δ" if name == GAP else f"`{name}`"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
