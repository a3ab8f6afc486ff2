"""The audit in short, for a terminal and a notebook: the verdict, its ranking, what to do, what was found."""

from collections.abc import Iterator
from dataclasses import replace

from audit.document import Block, Cell, Listing, Paragraph, Span
from audit.domain import Evaluation, Flag, Role, ScoreKey, Severity, Verdict
from audit.metrics import BOTH_MACRO_F1, phrase
from audit.questions.against_baselines import baseline_name, baseline_rank, baseline_score, by_score
from audit.questions.comparisons import comparison_of
from audit.questions.first_place import is_said_by
from audit.questions.flag_kind import KINDS
from audit.questions.printing import (
    BEST_MARK,
    best_text,
    entry_notes,
    heading,
    interval_texts,
    marked_name,
    plain_table,
    printing,
    rank_notes,
    ranking_notes,
    tier_text,
)
from audit.questions.shown_intervals import possible_ranks_text
from audit.questions.verdict import MOST_TO_DO
from audit.questions.wording import gold_counted, of, other_macro_f1
from audit.ranking.ranks import printed_ranks, published_ranks
from audit.text import listed, number, plural, visible

INTERVAL_HEAD = "95% interval"
_OTHER_HEAD = "other F1"
_NOTE_LIMIT = 2000
_MOST_OF_RUN = 3  # requests: what a run ends with fits 25 lines
_BLANK = Paragraph("", "lead")
MOST_ROWS = 15

Columns = dict[str, list[str]]  # the cells of every entry, by the head of their column


# The ranking


def _ranking(evaluation: Evaluation, key: ScoreKey) -> tuple[Columns, tuple[ScoreKey, ...]]:
    """The columns of the ranking by a score, what is needed most first; and the scores among them."""
    decimals = evaluation.task.printed_decimals
    beside = [ScoreKey(slug, key.prevalence) for slug in (*BOTH_MACRO_F1, "accuracy")]
    keys = (key, *(each for each in beside if each != key and each in evaluation.keys))
    scores = {str(each): [number(score, decimals) for score in evaluation.scores_of(each).tolist()] for each in keys}
    ranks = [printed_ranks(evaluation.goodness_of(each), evaluation.competing) for each in (key, other_macro_f1(key))]
    comparison, teams = comparison_of(evaluation, key), range(len(evaluation.entries))
    intervals = {INTERVAL_HEAD: interval_texts(printing(evaluation), key)} if evaluation.certainty else {}
    of_pairs, tiers = {}, {}  # what was not computed has no column
    if comparison is not None:
        texts = {BEST_MARK: best_text, "possible ranks": possible_ranks_text}
        of_pairs = {head: [text(comparison, team) for team in teams] for head, text in texts.items()}
        tiers = {"tier": [tier_text(comparison, team) for team in teams]}
    published = published_ranks(evaluation) if key == evaluation.task.ranking_metric else None
    columns = {
        "rank": ranks[0],
        "team": [marked_name(evaluation, team) for team in teams],
        str(key): scores.pop(str(key)),
        **intervals,
        **of_pairs,
        _OTHER_HEAD: ranks[1],
        **tiers,
        **scores,
        "unanswered": [f"{entry.n_unanswered:,}" if entry.n_unanswered else "" for entry in evaluation.entries],
        **({"as published": published} if published else {}),
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
            **{str(each): baseline_score(baseline, evaluation.row(each), decimals) for each in keys},
        }
        for baseline in by_score(evaluation)
    ]
    if baselines or computed:
        yield _BLANK
        of_pairs = {BEST_MARK, "possible ranks", "tier"}
        few = {head: texts for head, texts in columns.items() if head not in of_pairs}
        below = plain_table("ranking", few, baselines)
        rows = (tuple(Cell(texts.get(head, "")) for head in few) for texts in computed)
        yield replace(below, rows=(*below.rows, *rows))
    notes = (
        *ranking_notes(evaluation, key, evaluation.order(key)),
        *entry_notes(evaluation),
        *rank_notes(evaluation, with_computed=True),
        f"{_OTHER_HEAD}: rank by {of(evaluation, other_macro_f1(key))}",
    )
    yield Listing(notes)


# In a terminal


def run_blocks(evaluation: Evaluation) -> Iterator[Block]:
    """What a run ends with, in 25 lines: the verdict, the best of the ranking, and what to do first."""
    key, verdict, task = evaluation.task.ranking_metric, evaluation.verdict, visible(evaluation.task.slug)
    yield from _heading(evaluation, key)
    yield Paragraph(verdict.sentence, "heading")
    (columns, _), (teams, _) = _ranking(evaluation, key), _apart(evaluation, key)
    yield plain_table("ranking", columns, teams[:MOST_ROWS])
    cut = f"The first {MOST_ROWS} of {len(teams):,}. " if len(teams) > MOST_ROWS else ""
    best = f"{BEST_MARK} could be best; " if BEST_MARK in columns else ""
    other = f"{_OTHER_HEAD}: rank by {of(evaluation, other_macro_f1(key))}"
    yield Paragraph(f"{cut}{best}{other}. More, and every mark: audit show {task}", "lead")
    yield from _requests(verdict, task, _MOST_OF_RUN)


def show_blocks(evaluation: Evaluation, key: ScoreKey, *, in_full: bool = False) -> Iterator[Block]:
    """The verdict and what it depends on, the whole ranking by one score, then the findings."""
    has_verdict = key == evaluation.task.ranking_metric
    yield from _heading(evaluation, key)
    if has_verdict:
        verdict = evaluation.verdict
        yield Paragraph(verdict.sentence, "heading")
        if verdict.more:
            yield Paragraph(verdict.more, "lead")
        yield Listing(tuple(dependence.sentence for dependence in verdict.depends_on))
        yield from _requests(verdict, None if in_full else visible(evaluation.task.slug))
    yield _BLANK
    yield from ranking_blocks(evaluation, key)
    yield _BLANK
    shown = evaluation.verdict if has_verdict and not in_full else Verdict()
    yield from _findings(evaluation, shown, in_full=in_full)


def _heading(evaluation: Evaluation, key: ScoreKey) -> Iterator[Block]:
    yield Paragraph(heading(evaluation, key), "heading")
    if evaluation.task.note:
        yield Paragraph(f"Note: {visible(evaluation.task.note, _NOTE_LIMIT)}", "caution")


def _requests(verdict: Verdict, task: str | None, most: int = MOST_TO_DO) -> Iterator[Block]:
    """What to do; where a task is named, the first of it, and the command that prints all."""
    requests = tuple(to_do.text for to_do in verdict.to_do)
    shown = requests if task is None else requests[:most]
    rest = "" if shown == requests else f" (the first {most} of {len(requests)}; all: audit show {task} --notes)"
    if requests:
        yield Paragraph(f"Before you publish{rest}:", "lead")
        yield Listing(shown)


def _findings(evaluation: Evaluation, verdict: Verdict, *, in_full: bool) -> Iterator[Block]:
    """What each finding changes and says; those that the verdict says already by their names; notes by their titles."""
    notes = [flag for flag in evaluation.flags if flag.severity is Severity.NOTE]
    said = [flag for flag in evaluation.flags if is_said_by(verdict, flag)]
    others = [flag for flag in evaluation.flags if flag not in (*notes, *said)]
    if said:
        names = listed([flag.slug for flag in said])
        yield Paragraph((_severity(said[0]), f"  {names}: see the verdict"), "lead")
        yield _BLANK
    elif not others:
        nothing = "No finding changes winner or order." if notes else "The audit’s rules found nothing to report."
        yield Paragraph(nothing, "lead")
        yield _BLANK
    for flag in (*others, *(notes if in_full else ())):
        yield Paragraph((_severity(flag), f"  {flag.slug}"), "lead")
        yield Paragraph(flag.sentence)
        yield _BLANK
    if notes and not in_full:
        full = f"in full in the report and by: audit show {visible(evaluation.task.slug)} --notes"
        yield Paragraph(f"{plural(len(notes), 'note')}, {full}", "lead")
        width, worded = max(len(flag.slug) for flag in notes), evaluation.task.label_set.worded
        titles = (
            (f"{flag.slug:<{width}}  ", Span(worded(KINDS[flag.slug].title), f"severity-{int(flag.severity)}"))
            for flag in notes
        )
        yield Listing(tuple(titles))


def _severity(flag: Flag) -> Span:
    return Span(flag.severity.label, f"severity-{int(flag.severity)}")


# In a notebook


def short_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    """An evaluation on half a screen: the verdict, what the first place depends on, the first rows of the ranking."""
    key, verdict = evaluation.task.ranking_metric, evaluation.verdict
    columns, _ = _ranking(evaluation, key)
    by = {str(key): phrase(key, evaluation.task.label_set)}
    few = ("rank", "team", str(key), INTERVAL_HEAD, BEST_MARK, "possible ranks", "tier")
    shown = {by.get(head, head): columns[head] for head in few if head in columns}
    n_entries, n_labels = len(evaluation.entries), evaluation.task.label_set.n_scored
    size = f"{plural(n_entries, 'submission')} × {gold_counted(evaluation)[0]} × {plural(n_labels, 'label')}"
    first = f", the first {MOST_ROWS} shown" if n_entries > MOST_ROWS else ""
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
