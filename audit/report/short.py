"""The audit in short, for a terminal and a notebook: the verdict, its ranking, what to do, what was found."""

from collections.abc import Iterator
from dataclasses import replace

from audit.document import Block, Cell, Listing, Paragraph, Span
from audit.domain import Evaluation, Flag, Role, ScoreKey, Verdict
from audit.findings.against_baselines import by_score
from audit.findings.comparisons import comparison_of
from audit.findings.ranking_rows import SCORES_BESIDE, ranking_rows
from audit.findings.wording import gold_counted, of, score_beside
from audit.metrics import phrase
from audit.ranking.ranks import printed_ranks
from audit.report.baseline_rows import baseline_name, baseline_rank, baseline_score
from audit.report.printing import (
    best_text,
    entry_notes,
    further_texts,
    heading,
    interval_texts,
    marked_name,
    plain_table,
    printing,
    rank_notes,
    ranking_notes,
)
from audit.text import number, plural, visible
from audit.vocabulary import BEST_MARK

INTERVAL_HEAD = "95% CI"
_NOTE_LIMIT = 2000
_BLANK = Paragraph("", "lead")
MOST_ROWS = 15

Columns = dict[str, list[str]]  # the cells of every entry, by the head of their column


# The ranking


def _ranking(evaluation: Evaluation, key: ScoreKey) -> tuple[Columns, tuple[ScoreKey, ...]]:
    """The columns of the ranking by a score, what is needed most first; and the scores among them."""
    decimals = evaluation.task.printed_decimals
    beside = [ScoreKey(slug, key.prevalence) for slug in SCORES_BESIDE]
    keys = (key, *(each for each in beside if each != key and each in evaluation.keys))
    scores = {
        str(each): [number(score, decimals) for score in evaluation.scores_of(each).tolist()]
        for each in keys
    }
    other = score_beside(evaluation, key)
    rows = ranking_rows(evaluation, key)
    of_other = {}
    if other is not None:
        head = f"by {of(evaluation, other)}"
        of_other = {head: printed_ranks(evaluation.goodness_of(other), evaluation.competing)}
    comparison = comparison_of(evaluation, key)
    if evaluation.certainty:
        intervals = {INTERVAL_HEAD: interval_texts(printing(evaluation), key)}
    else:
        intervals = {}
    of_pairs = {}  # what was not computed has no column
    if comparison is not None:
        of_pairs[BEST_MARK] = [best_text(comparison, row.entry) for row in rows]
        of_pairs["possible ranks"] = [row.printed_possible_ranks for row in rows]
    published = [row.published_rank for row in rows]
    columns = {
        "rank": [row.printed_rank for row in rows],
        "team": [marked_name(evaluation, row.entry) for row in rows],
        str(key): scores.pop(str(key)),
        **intervals,
        **of_pairs,
        **of_other,
        **scores,
        "unanswered": [row.printed_unanswered for row in rows],
        **({"as published": published} if any(published) else {}),
        **further_texts(rows, decimals),
    }
    return columns, keys


def _apart(evaluation: Evaluation, key: ScoreKey) -> tuple[list[int], list[int]]:
    """The teams from best to worst, and the baselines that take no rank: their names would push columns out."""
    below = [entry.role == Role.BASELINE and not entry.competes for entry in evaluation.entries]
    order = evaluation.order(key)
    return [team for team in order if not below[team]], [team for team in order if below[team]]


def ranking_blocks(evaluation: Evaluation, key: ScoreKey) -> Iterator[Block]:
    """The ranking by one score, baselines in a table below, and what the marks mean."""
    columns, keys = _ranking(evaluation, key)
    teams, baselines = _apart(evaluation, key)
    yield plain_table("ranking", columns, teams)
    decimals = evaluation.task.printed_decimals
    computed = [
        {
            "rank": baseline_rank(evaluation, baseline, key),
            "team": baseline_name(baseline).text,
            **{
                str(each): baseline_score(baseline, evaluation.row(each), decimals) for each in keys
            },
        }
        for baseline in by_score(evaluation)
    ]
    if baselines or computed:
        yield _BLANK
        of_pairs = {BEST_MARK, "possible ranks"}
        few = {head: texts for head, texts in columns.items() if head not in of_pairs}
        below = plain_table("ranking", few, baselines)
        rows = (tuple(Cell(texts.get(head, "")) for head in few) for texts in computed)
        yield replace(below, rows=(*below.rows, *rows))
    notes = (
        *ranking_notes(evaluation, key, evaluation.order(key)),
        *entry_notes(evaluation),
        *rank_notes(evaluation, with_computed=True),
    )
    yield Listing(notes)


# In a terminal


def show_blocks(evaluation: Evaluation, key: ScoreKey) -> Iterator[Block]:
    """All of it: the verdict and what it depends on, the whole ranking by one score, then every finding."""
    yield from _heading(evaluation, key)
    if key == evaluation.task.ranking_metric:
        verdict = evaluation.verdict
        yield Paragraph(verdict.sentence, "heading")
        if verdict.more:
            yield Paragraph(verdict.more, "lead")
        yield Listing(tuple(dependence.sentence for dependence in verdict.depends_on))
        yield from _requests(verdict)
    yield _BLANK
    yield from ranking_blocks(evaluation, key)
    yield _BLANK
    yield from _findings(evaluation)


def _heading(evaluation: Evaluation, key: ScoreKey) -> Iterator[Block]:
    yield Paragraph(heading(evaluation, key), "heading")
    if evaluation.task.note:
        yield Paragraph(f"Note: {visible(evaluation.task.note, _NOTE_LIMIT)}", "caution")


def _requests(verdict: Verdict) -> Iterator[Block]:
    """What to do before the results are published."""
    requests = tuple(to_do.text for to_do in verdict.to_do)
    if requests:
        yield Paragraph("Before you publish:", "lead")
        yield Listing(requests)


def _findings(evaluation: Evaluation) -> Iterator[Block]:
    """What each finding changes and says."""
    if not evaluation.flags:
        yield Paragraph("The audit’s rules found nothing to report.", "lead")
        yield _BLANK
    for flag in evaluation.flags:
        yield Paragraph((_severity(flag), f"  {flag.slug}"), "lead")
        yield Paragraph(flag.sentence)
        yield _BLANK


def _severity(flag: Flag) -> Span:
    return Span(flag.severity.label, f"severity-{int(flag.severity)}")


# In a notebook


def short_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    """An evaluation on half a screen: the verdict, what the first place depends on, the first rows of the ranking."""
    key = evaluation.task.ranking_metric
    verdict = evaluation.verdict
    columns, _ = _ranking(evaluation, key)
    by = {str(key): phrase(key, evaluation.task.label_set)}
    few = ("rank", "team", str(key), INTERVAL_HEAD, BEST_MARK, "possible ranks")
    shown = {by.get(head, head): columns[head] for head in few if head in columns}
    n_entries = len(evaluation.entries)
    n_labels = evaluation.task.label_set.n_scored
    size = f"{plural(n_entries, 'submission')} × {gold_counted(evaluation)[0]}"
    if n_labels:
        size += f" × {plural(n_labels, 'label')}"
    else:
        size += ""
    if n_entries > MOST_ROWS:
        first = f", the first {MOST_ROWS} shown"
    else:
        first = ""
    where = f"{plural(len(evaluation.flags), 'flag')} in .flags; see also .ranking, .compare(…), .plot, .scores."
    notes = (
        *ranking_notes(evaluation, key, evaluation.order(key)),
        *entry_notes(evaluation),
        *rank_notes(evaluation),
        f"{size}{first}. {where}",
    )
    return (
        Paragraph(heading(evaluation, key), "heading"),
        Paragraph((Span(verdict.sentence, "strong"), f" {verdict.more}".rstrip()), "lead"),
        Listing(tuple(dependence.sentence for dependence in verdict.depends_on)),
        _BLANK,
        plain_table("ranking", shown, evaluation.order(key)[:MOST_ROWS]),
        _BLANK,
        *(Paragraph(note, "lead") for note in notes),
    )
