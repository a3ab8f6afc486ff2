"""The summary of a campaign with several test sets: a page, a table for the terminal, JSON and CSV."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from audit.domain import POLICY_KINDS, Evaluation
from audit.flags.wording import shown_name
from audit.metrics import phrase, without_rest
from audit.ranking import Family, family_of
from audit.report.data.export import csv_line, csv_number, csv_text
from audit.report.html import render
from audit.report.page import FamilyPage, PartLink
from audit.report.tables.family_tables import (
    family_table,
    has_intervals,
    interval_text,
    part_key,
    part_name,
    row_name,
    rows_in_words,
    sum_text,
)
from audit.resources import templates
from audit.text import agreeing, decimal_text, listed, number, plural, sentence_case, visible


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
    return FamilyPage(
        title=_title(family),
        facts=(plural(len(family.evaluations), "test set"), rows_in_words(family)),
        answer=tuple(_sentences(family)),
        table=family_table(family),
        parts=tuple(_part(family, place, reports) for place in range(len(family.evaluations))),
        method=_method(family),
        style=style,
        script=script,
    )


def family_rows(evaluations: Sequence[Evaluation]) -> FamilyRows:
    """The summary of several test sets as rows of text."""
    family = family_of(evaluations)
    table = family_table(family)
    rows = tuple(tuple(cell.text for cell in row) for row in table.rows)
    sentences = (*_sentences(family), _method(family)[0], table.note)
    return FamilyRows(
        _title(family), tuple(column.label for column in table.columns), rows, tuple(filter(None, sentences))
    )


def family_data(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """The summary of several test sets as plain data; undefined values are None."""
    family = family_of(evaluations)
    summary, ranks = family.summary, family.summary.ranks
    return {
        "family": family.evaluations[0].task.family,
        "skipped": family.skipped,
        "overall": family.evaluations[0].task.overall,
        "no_mean_interval": family.mean_interval.reason or None,
        "shared_items": [
            {
                "test_sets": [part_key(family.evaluations[place]) for place in (each.first, each.second)],
                "items": each.n_items,
            }
            for each in family.mean_interval.shared
        ],
        "test_sets": [
            {
                "task": evaluation.task.slug,
                "part": part_key(evaluation),
                "metric": str(evaluation.task.ranking_metric),
                "items": evaluation.gold.n_items,
                "weight": evaluation.task.weight,
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
                "mean_score_lower": _nullable(float(family.mean_interval.lower[row])),
                "mean_score_upper": _nullable(float(family.mean_interval.upper[row])),
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
    parts = [csv_text(part_key(evaluation)) for evaluation in family.evaluations]
    heads = [f"{part} {kind}" for part in parts for kind in ("score", "rank")]
    summary = family.summary
    lines = [
        csv_line(
            ["team", *heads, "test_sets", "mean_score", "mean_score_lower", "mean_score_upper", "mean_rank", "borda"]
        )
    ]
    for row in family.order:
        pairs = zip(family.scores[row].tolist(), family.ranks[row].tolist(), strict=True)
        cells = [cell for score, rank in pairs for cell in (csv_number(score), rank or "")]
        ends = family.mean_interval.lower, family.mean_interval.upper
        columns = (summary.mean_score, *ends, summary.mean_rank, summary.borda)
        sums = (csv_number(column[row].item()) for column in columns)
        lines.append(csv_line([csv_text(family.rows[row].name), *cells, int(family.n_parts[row]), *sums]))
    return "".join(lines)


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
        return [*_by_announced(family, winners), *_without_rank(family), *_no_mean(family)]
    rules_of: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for rule, rows in winners.items():
        rules_of[rows].append(rule)
    clauses = [f"{_names(family, rows)} by {_rule_words(family, rows, rules)}" for rows, rules in rules_of.items()]
    if len(clauses) == 1:
        (rows,) = rules_of
        verb = agreeing(len(rows), "is", "are")
        first = f"{_names(family, rows)} {verb} first by {_rule_words(family, rows, [*winners])}."
    else:
        first = f"The winner depends on how the test sets are summed up: {'; '.join(clauses)}. The paper must say how."
    absent = {row for rows in rules_of for row in rows if family.n_parts[row] < len(family.evaluations)}
    return [first, *(_took_part(family, row) for row in sorted(absent)), *_without_rank(family), *_no_mean(family)]


def _by_announced(family: Family, winners: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Sentences on who is first by the announced rule, with the interval, and who would be by other rules."""
    rule = family.announced or ""
    rows = winners[rule]
    interval = interval_text(family, rows[0])
    shown = f", 95% interval {interval}" if rule == "mean score" and len(rows) == 1 and interval != "–" else ""
    are = agreeing(len(rows), "is", "are")
    sentences = [
        f"{_names(family, rows)} {are} first by {rule} ({sum_text(family, rule, rows[0])}{shown}), the announced rule."
    ]
    others = [(other, first) for other, first in winners.items() if other != rule and first != rows]
    if others:
        clauses = listed(
            [f"{_names(family, first)} by {_rule_words(family, first, [other])}" for other, first in others]
        )
        another = (
            "another would be first" if all(set(rows).isdisjoint(first) for _, first in others) else "first would be"
        )
        sentences.append(f"Summed up otherwise {another}: {clauses}.")
    return [*sentences, *(_took_part(family, row) for row in rows if family.n_parts[row] < len(family.evaluations))]


def _without_rank(family: Family) -> list[str]:
    """How many rows have no overall rank, where some have none."""
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


def _took_part(family: Family, row: int) -> str:
    name = row_name(family, family.rows[row])
    return f"{name} took part in {family.n_parts[row]} of {len(family.evaluations)} test sets."


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
    return first, sums, rows, *_on_rest_classes(family), *_on_intervals(family)


def _weighing(family: Family) -> str:
    if len(set(family.weights)) == 1:
        return "The mean score weighs every test set alike, whatever its size."
    pairs = zip(family.evaluations, family.weights, strict=True)
    weights = listed([f"{visible(part_name(evaluation), 80)} {decimal_text(weight)}" for evaluation, weight in pairs])
    return f"Test sets count by their weights in all three, whatever their size: {weights}."


def _on_rest_classes(family: Family) -> Iterator[str]:
    """Which rest class averages leave out: in all test sets alike, or in which of them."""
    clauses = [without_rest(evaluation.task.label_set) for evaluation in family.evaluations]
    if len(set(clauses)) == 1:
        yield from (f"{sentence_case(clause)}." for clause in clauses[:1] if clause)
        return
    pairs = zip(family.evaluations, clauses, strict=True)
    yield from (f"{visible(part_name(evaluation), 80)}: {clause}." for evaluation, clause in pairs if clause)


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


def _part(family: Family, place: int, reports: Sequence[str]) -> PartLink:
    evaluation = family.evaluations[place]
    key = evaluation.task.ranking_metric
    winners, by = evaluation.winners(key), phrase(key, evaluation.task.label_set)
    names = listed([shown_name(evaluation, team) for team in winners], limit=5)
    best = number(evaluation.scores_of(key)[winners[0]], evaluation.task.printed_decimals) if winners else "–"
    n_flags = plural(len(evaluation.flags), "finding")
    won = f"{names} {agreeing(len(winners), 'is', 'are')} first by {by} ({best})" if winners else f"nobody wins by {by}"
    return PartLink(
        name=visible(part_name(evaluation), 200),
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
