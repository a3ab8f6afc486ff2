"""Who wins over several test sets? The winners by each rule, and every score and rank in each of them."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote

import numpy as np

from audit.document import Block, Cell, Column, Listing, Paragraph, Span, Summary, Table, Text, row_names
from audit.domain import POLICY_KINDS, Evaluation, Role
from audit.questions.against_baselines import COMPUTED
from audit.questions.printing import FEWER_MARK, IN_PARENTHESES, LATE_MARK, marks
from audit.questions.wording import NAME_LIMIT, gold_counted, names, of
from audit.ranking.families import Family, Row, family_of
from audit.ranking.ranks import printed_ranks, would_be_rank
from audit.text import agreeing, decimal_text, distinct, listed, number, plural, range_text, visible


def summary_of(evaluations: Sequence[Evaluation], reports: Sequence[str] = ()) -> Summary:
    """The summary of several test sets."""
    family = family_of(evaluations)
    columns = (row_names("Team"), *(Column(*head) for head in _heads(family)))
    return Summary(
        title=_title(family),
        facts=(plural(len(family.evaluations), "test set"), rows_in_words(family)),
        answer=tuple(_sentences(family)),
        table=Table("table-family", _caption(family), columns, _rows(family), note=_legend(family)),
        parts=Listing(tuple(_part(family, place, reports) for place in range(len(family.evaluations)))),
        method=_method(family),
    )


def summary_blocks(evaluations: Sequence[Evaluation]) -> tuple[Block, ...]:
    """The same for a command: score and rank in each test set, and who wins by which rule."""
    summary = summary_of(evaluations)
    table = replace(summary.table, caption="", note="")
    sentences = filter(None, (*summary.answer, summary.method[0], summary.table.note))
    return Paragraph(summary.title, "heading"), table, Listing(tuple(sentences))


# The answer


def _title(family: Family) -> str:
    task = family.evaluations[0].task
    together = task.title.removesuffix(f": {task.part}") if task.part else ""
    return visible(together if together != task.title and together else task.family or "Several test sets", 200)


def _sentences(family: Family) -> list[str]:
    """Sentences on who wins by which rule, whether the rules agree, and which winners skipped a test set."""
    winners = {rule: rows for rule, rows in family.summary.winners.items() if rows}
    if not len(family.rows):
        return ["No team competes."]
    if not winners:
        return [f"No team took part in all {len(family.evaluations)} test sets: there is no overall ranking."]
    if family.announced in winners:
        first, shown = _by_announced(family, winners), set(winners[family.announced])
    else:
        first, shown = _by_every_rule(family, winners), {row for rows in winners.values() for row in rows}
    absent = [row for row in sorted(shown) if family.n_parts[row] < len(family.evaluations)]
    took_part = (
        f"{_names(family, [row])} took part in {family.n_parts[row]} of {len(family.evaluations)} test sets."
        for row in absent
    )
    return [*first, *took_part, *_without_rank(family), *_no_mean(family)]


def _by_every_rule(family: Family, winners: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Who is first by which rule, where none is announced."""
    rules_of: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for rule, rows in winners.items():
        rules_of[rows].append(rule)
    clauses = [f"{_names(family, rows)} by {_rule_words(family, rows, rules)}" for rows, rules in rules_of.items()]
    if len(clauses) > 1:
        return [f"The winner depends on how the test sets are summed up: {'; '.join(clauses)}. The paper must say how."]
    (rows,) = rules_of
    verb = agreeing(len(rows), "is", "are")
    return [f"{_names(family, rows)} {verb} first by {_rule_words(family, rows, [*winners])}."]


def _by_announced(family: Family, winners: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Sentences on who is first by the announced rule, with the interval, and who would be by other rules."""
    rule = family.announced or ""
    rows = winners[rule]
    interval = interval_text(family, rows[0])
    shown = f", 95% interval {interval}" if rule == "mean score" and len(rows) == 1 and interval != "–" else ""
    are = agreeing(len(rows), "is", "are")
    reached = f"{rule} ({sum_text(family, rule, rows[0])}{shown})"
    sentences = [f"{_names(family, rows)} {are} first by {reached}, the announced rule."]
    others = [(other, first) for other, first in winners.items() if other != rule and first != rows]
    if others:
        clauses = [f"{_names(family, first)} by {_rule_words(family, first, [other])}" for other, first in others]
        is_another = all(set(rows).isdisjoint(first) for _, first in others)
        another = "another would be first" if is_another else "first would be"
        sentences.append(f"Summed up otherwise {another}: {listed(clauses)}.")
    return sentences


def _without_rank(family: Family) -> list[str]:
    """The number of rows that have no overall rank, where some have none."""
    n_without = int((~family.summary.ranked).sum())
    if not n_without:
        return []
    skipped = "skipped a test set and has" if n_without == 1 else "skipped some test set and have"
    noun = "run" if any(row.run for row in family.rows) else "team"
    return [f"{plural(n_without, noun)} {skipped} no overall rank."]


def _names(family: Family, rows: Sequence[int]) -> str:
    return listed([row_name(family, family.rows[row]) for row in rows], limit=5)


def _rule_words(family: Family, rows: Sequence[int], rules: Sequence[str]) -> str:
    return listed([f"{rule} ({sum_text(family, rule, rows[0])})" for rule in rules])


def _no_mean(family: Family) -> list[str]:
    if family.has_mean:
        return []
    if family.announced == "mean score":
        reason = (
            "A mean score was announced, and there is none: by the official metric of some test sets higher is better, "
        )
        return [f"{reason}by that of others lower. Turn one of them, or announce a mean rank."]
    return ["The test sets have different official metrics, so there is no mean score."]


# Method, links, data


def _method(family: Family) -> tuple[str, ...]:
    skipped = POLICY_KINDS["skipped"]
    borda = "it has no point from it" if family.skipped == "left-out" else "all that skipped share the last rank"
    sums = (
        "Mean rank: the mean of the ranks among the teams that compete. Borda count: over the test sets, the teams "
        f"below and half of those level, summed. {_weighing(family)}"
    )
    rows = (
        "A team with one row in each test set is one row, whatever its runs are called; where a team has several in "
        "some test set, each run is a row, but those with the same answers everywhere."
    )
    first = f"{skipped.title}: {skipped.values[family.skipped]}; in the Borda count {borda}."
    return first, sums, rows, *_on_intervals(family)


def _weighing(family: Family) -> str:
    if len(set(family.weights)) == 1:
        return "The mean score weighs every test set alike, whatever its size."
    pairs = zip(family.evaluations, family.weights, strict=True)
    weights = listed([f"{visible(part_name(evaluation), 80)} {decimal_text(weight)}" for evaluation, weight in pairs])
    return f"Test sets count by their weights in all three, whatever their size: {weights}."


def _on_intervals(family: Family) -> Iterator[str]:
    """How the intervals of mean scores are made, or why there is none."""
    if has_intervals(family):
        yield (
            f"{_of_test_sets(family)} It is not corrected for a team’s having been chosen as the first. A team has "
            "none where one of its scores has none."
        )
    elif family.has_mean:
        reason = family.mean_interval.reason or "in each row some score has none"
        yield f"No mean score has an interval: {reason}."
    yield "Mean ranks and Borda counts have no interval: how a team ranks depends on every other team."


def _of_test_sets(family: Family) -> str:
    """How the interval of a mean score is made of those of the scores: of independent samples, or with items shared."""
    if not family.mean_interval.shared:
        return (
            "The 95% interval of a mean score takes the test sets as independent samples: the squared distances of the "
            "scores from the ends of their intervals add up, with the squares of the weights (Zou and Donner 2008)."
        )
    names = [visible(part_name(evaluation), 80) for evaluation in family.evaluations]
    pairs = [f"{names[each.first]} and {names[each.second]} {each.n_items:,}" for each in family.mean_interval.shared]
    return (
        f"Test sets have items in common ({listed(pairs, limit=5)}). In the 95% interval of a mean score the squared "
        "distances of the scores from the ends of their intervals add up, with the squares of the weights, and so do "
        "their products, times the correlation of the two scores: that of what the items of each add to it, 0 where no "
        "item is common (Zou 2007)."
    )


def _part(family: Family, place: int, reports: Sequence[str]) -> Text:
    evaluation = family.evaluations[place]
    key = evaluation.task.ranking_metric
    winners, won = evaluation.winners(key), f"nobody wins by {of(evaluation, key)}"
    if winners:
        best = number(evaluation.scores_of(key)[winners[0]], evaluation.task.printed_decimals)
        are = agreeing(len(winners), "is", "are")
        won = f"{names(evaluation, winners)} {are} first by {of(evaluation, key)} ({best})"
    name = Span(visible(part_name(evaluation), 200), "strong", quote(reports[place]) if reports else "")
    return name, f": {listed(gold_counted(evaluation))}, {won}; {plural(len(evaluation.flags), 'finding')}."


_RULES = {"mean score": "Mean score", "mean rank": "Mean rank", "Borda count": "Borda"}
_DIGITS = {"mean rank": 2, "Borda count": 1}  # of what is no score


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
    """The number of rows that compete: teams, or runs where a team has several rows."""
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
    parts = [
        head
        for evaluation in family.evaluations
        for head in (
            (
                visible(part_name(evaluation), NAME_LIMIT),
                f"{visible(part_name(evaluation), 200)}: {of(evaluation, evaluation.task.ranking_metric)}",
            ),
            ("rank", "Rank there"),
        )
    ]
    rules = {
        "mean score": "Mean of the scores",
        "mean rank": "Mean of the ranks",
        "Borda count": "For each test set the teams below, and half of those level",
    }
    sums = [head for rule, title in rules.items() for head in ((_RULES[rule], title), ("rank", f"Rank by {rule}"))]
    if has_intervals(family):
        sums.insert(1, ("95% interval", "Of the mean score"))
    return [*parts, ("Test sets", "How many the team took part in"), *sums]


def _rows(family: Family) -> tuple[tuple[Cell, ...], ...]:
    printed = {rule: printed_ranks(values) for rule, values in family.summary.rules.items()}
    columns = [_part_cells(family, part) for part in range(len(family.evaluations))]
    rows = [
        (
            Cell(_marked(family, family.rows[row], family.entries[row])),
            *(cell for column in columns for cell in column[row]),
            Cell(str(family.n_parts[row])),
            *(cell for rule, ranks in printed.items() for cell in _sum_cells(family, rule, row, ranks[row])),
        )
        for row in family.order
    ]
    beside = [_beside_row(family, row, places) for row, places in family.unranked]
    slugs = dict.fromkeys(baseline.slug for evaluation in family.evaluations for baseline in evaluation.baselines)
    return (*rows, *beside, *(_computed_row(family, slug) for slug in slugs))


def _sum_cells(family: Family, rule: str, row: int, rank: str) -> tuple[Cell, ...]:
    best = "best" if rank.rstrip("=") == "1" else ""
    interval = (Cell(interval_text(family, row)),) if rule == "mean score" and has_intervals(family) else ()
    return Cell(sum_text(family, rule, row), style=best), *interval, Cell(rank, style="quiet")


def has_intervals(family: Family) -> bool:
    """Whether some mean score has an interval."""
    return bool((~np.isnan(family.mean_interval.lower)).any())


def interval_text(family: Family, row: int) -> str:
    """The interval of a mean score as printed; a dash where there is none."""
    lower, upper = (float(end[row]) for end in (family.mean_interval.lower, family.mean_interval.upper))
    return range_text(lower, upper, _decimals(family))


def _part_cells(family: Family, part: int) -> list[tuple[Cell, Cell]]:
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


def _marked(family: Family, row: Row, places: np.ndarray, role: str = "") -> str:
    """A row's name with the marks that it has in any test set."""
    pairs = zip(family.evaluations, places.tolist(), strict=True)
    entries = (evaluation.entries[place] for evaluation, place in pairs if place >= 0)
    return row_name(family, row) + role + "".join(dict.fromkeys(mark for entry in entries for mark in marks(entry)))


def _beside_row(family: Family, row: Row, places: np.ndarray) -> tuple[Cell, ...]:
    """A baseline, or a late or unofficial run: its scores, and in parentheses the ranks that it would take."""
    pairs = zip(family.evaluations, places.tolist(), strict=True)
    scores = [
        float(each.scores_of(each.task.ranking_metric)[place]) if place >= 0 else math.nan for each, place in pairs
    ]
    role = " (baseline)" if row.role == Role.BASELINE else ""
    return _unranked_row(family, _marked(family, row, places, role), scores)


def _computed_row(family: Family, slug: str) -> tuple[Cell, ...]:
    """A built-in baseline: its scores, and in parentheses the ranks that it would take; none of the oracle."""
    found = [{baseline.slug: baseline for baseline in each.baselines}.get(slug) for each in family.evaluations]
    title = next(baseline.title for baseline in found if baseline is not None)
    scores = [
        math.nan if baseline is None else float(baseline.values[each.row(each.task.ranking_metric)])
        for each, baseline in zip(family.evaluations, found, strict=True)
    ]
    return _unranked_row(family, f"{title} ({COMPUTED})", scores, has_rank=slug != "oracle")


def _unranked_row(family: Family, name: str, scores: Sequence[float], *, has_rank: bool = True) -> tuple[Cell, ...]:
    """A row that takes no rank: italic, with a mean score where there is one."""
    parts, weighed = [], []
    for evaluation, score, weight in zip(family.evaluations, scores, family.weights, strict=True):
        key, is_scored = evaluation.task.ranking_metric, not math.isnan(score)
        others = evaluation.goodness_of(key)[evaluation.competing]
        rank = f"({would_be_rank(others, evaluation.goodness(key, score))})" if is_scored and has_rank else ""
        text = number(score, evaluation.task.printed_decimals) if is_scored else ""
        parts += [Cell(text, style="beside"), Cell(rank, style="quiet")]
        weighed += [(score * weight, weight)] if is_scored else []
    total = sum(weight for _, weight in weighed)
    mean = sum(score for score, _ in weighed) / total if weighed and family.has_mean else math.nan
    interval = (Cell(""),) if has_intervals(family) else ()
    sums = (Cell(number(mean, _decimals(family)), style="beside"), *interval, *[Cell("")] * 5)
    return (Cell(name, style="beside"), *parts, Cell(str(len(weighed))), *sums)


def _legend(family: Family) -> str:
    entries = [entry for evaluation in family.evaluations for entry in evaluation.entries]
    late = sorted({entry.role.value for entry in entries if LATE_MARK in marks(entry)})
    computed = any(evaluation.baselines for evaluation in family.evaluations)
    explanations = (
        IN_PARENTHESES if family.unranked or computed else "",
        f"{LATE_MARK} {listed(late, 'or')}." if late else "",
        f"{FEWER_MARK} scored on fewer items in some test set." if any(entry.n_dropped for entry in entries) else "",
    )
    return " ".join(filter(None, explanations))
