"""What the command line prints: tables and findings. Colour only on terminals, plain text everywhere else."""

import sys
from collections.abc import Mapping, Sequence
from itertools import accumulate

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audit.cli.shortening import counted, shortened
from audit.domain import (
    Baseline,
    Evaluation,
    Flag,
    Identification,
    IdentifiedColumn,
    MacroF1Audit,
    PairComparison,
    Role,
    ScoreKey,
    Severity,
    Slice,
    Sliced,
    Verdict,
)
from audit.flags import FLAG_KINDS
from audit.flags.rules.first_place_rules import is_said_by
from audit.flags.rules.slice_rules import slices_statement
from audit.metrics import BOTH_MACRO_F1, phrase, without_rest
from audit.ranking import printed_ranks, published_ranks
from audit.readings.macro_f1_wording import definition, statements, winner_rows
from audit.report import (
    BEST_MARK,
    INTERVAL_HEAD,
    MOST_TO_DO,
    baseline_rank,
    baseline_score,
    best_notes,
    briefs_of,
    by_score,
    certainty_columns,
    family_rows,
    interval_notes,
    marked_name,
    names_said,
    notes_on_entries,
    pair_sentences,
)
from audit.sentences import say
from audit.store import LoadSummary
from audit.text import agreeing, listed, number, plural, quoted, visible

_PIPE_WIDTH = 10_000  # a pipe has no width: nothing is cut or wrapped for it
_NAME_LIMIT = 40
_FILES_LISTED = 5
_MATCHES_LISTED = 5
_NOTE_LIMIT = 2000
_STYLES = {Severity.WINNER: "bold red", Severity.ORDER: "yellow", Severity.NOTE: "dim"}


def console() -> Console:
    """Standard output. Users' text is never read as markup, emoji codes or numbers to highlight."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(width=width, markup=False, emoji=False, highlight=False, soft_wrap=False)


def print_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: frozenset[int] = frozenset(), keep: int = 2
) -> None:
    """A table; the columns with these numbers are set right.

    On a terminal that is too narrow, columns are left out from the right, all but the first ones that are kept, and a
    line says which.
    """
    out = console()
    texts = [[visible(cell, 200) for cell in row] for row in (heads, *rows)]
    n_shown = max(keep, _fitting([max(map(len, column)) for column in zip(*texts, strict=True)], out.width))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, head in enumerate(texts[0][:n_shown]):
        table.add_column(Text(head), justify="right" if column in numeric else "left", no_wrap=n_shown > keep)
    for row in texts[1:]:
        table.add_row(*map(Text, row[:n_shown]))
    out.print(table)
    if n_shown < len(heads):
        left_out = f"Left out for want of width: {listed(texts[0][n_shown:])}. A wider window, --json or the report has"
        out.print(Padding(Text(f"{left_out} all."), (0, 0, 0, 4), expand=False))


_BETWEEN_COLUMNS = 3


def _fitting(widths: Sequence[int], width: int) -> int:
    """How many columns of these widths fit."""
    ends = [end - _BETWEEN_COLUMNS for end in accumulate(column + _BETWEEN_COLUMNS for column in widths)]
    return sum(end <= width for end in ends)


def print_evaluation(evaluation: Evaluation, key: ScoreKey, *, in_full: bool = False) -> None:
    """Print an evaluation: the verdict, the ranking it is about, then the findings.

    Notes are lines with a title each, unless they are wanted in full.
    """
    out = console()
    out.print(heading(evaluation, key))
    if evaluation.task.note:
        out.print(Text(f"Note: {visible(evaluation.task.note, _NOTE_LIMIT)}", style="yellow"))
    has_verdict = key == evaluation.task.ranking_metric
    if has_verdict:
        print_verdict(evaluation.verdict, None if in_full else evaluation.task.slug)
    out.print()
    print_ranking(evaluation, key)
    out.print()
    notes = [flag for flag in evaluation.flags if flag.severity is Severity.NOTE]
    shown = evaluation.verdict if has_verdict and not in_full else Verdict()
    verdict_flags = [flag for flag in evaluation.flags if is_said_by(shown, flag)]
    if verdict_flags:
        print_verdict_flags(verdict_flags)
    others = [flag for flag in evaluation.flags if flag not in (*notes, *verdict_flags)]
    print_findings(others, n_notes=None if verdict_flags else len(notes))
    if notes:
        print_findings(notes) if in_full else print_titles(notes, evaluation.task.slug)


def print_verdict(verdict: Verdict, task: str | None = None) -> None:
    """Print who may be called the winner, what that depends on, and what to do before it is published.

    Where a task is named, only the first requests are printed, and the command that prints the others.
    """
    out = console()
    out.print(Text(verdict.sentence, style="bold"))
    if verdict.more:
        out.print(Text(verdict.more))
    for dependence in verdict.depends_on:
        out.print(Padding(Text(dependence.sentence), (0, 0, 0, 4), expand=False))
    if verdict.to_do:
        out.print(Text("Before you publish:"))
    requests = [to_do.text for to_do in verdict.to_do]
    n_more = len(requests) - MOST_TO_DO
    if task is not None and n_more > 0:
        requests[MOST_TO_DO:] = [f"… and {n_more} more: audit show {visible(task)} --notes"]
    for request in requests:
        out.print(Padding(Text(request), (0, 0, 0, 4), expand=False))


def heading(evaluation: Evaluation, key: ScoreKey) -> Text:
    """The task, and by what it is ranked."""
    labels = evaluation.task.label_set
    rest = without_rest(labels)
    return Text(
        f"{visible(evaluation.task.title)}, ranked by {phrase(key, labels)}{rest and '; ' + rest}", style="bold"
    )


def print_ranking(evaluation: Evaluation, key: ScoreKey) -> None:
    """The ranking by one metric, with both macro F1s, accuracy and unanswered items beside it.

    Baselines stand in a table below, so that their names push no column out, and then what the marks mean.
    """
    beside = [ScoreKey(slug, key.prevalence) for slug in (*BOTH_MACRO_F1, "accuracy")]
    keys = [key, *(other for other in beside if other != key)]
    published = published_ranks(evaluation) if key == evaluation.task.ranking_metric else None
    sure = certainty_columns(evaluation, key)
    decimals = evaluation.task.printed_decimals
    columns = {
        "rank": printed_ranks(evaluation.goodness_of(key), evaluation.competing),
        "team": [marked_name(evaluation, team) for team in range(len(evaluation.entries))],
        str(key): [number(score, decimals) for score in evaluation.scores_of(key).tolist()],
        **sure,
        **{
            str(other): [number(score, decimals) for score in evaluation.scores_of(other).tolist()]
            for other in keys[1:]
        },
        "unanswered": [f"{entry.n_unanswered:,}" if entry.n_unanswered else "" for entry in evaluation.entries],
        **({"as published": published} if published else {}),
    }
    below = [entry.role == Role.BASELINE and not entry.competes for entry in evaluation.entries]
    order = evaluation.order(key)
    teams, baselines = ([team for team in order if below[team] is stands] for stands in (False, True))
    _print_columns(columns, teams)
    computed = [_computed_row(evaluation, baseline, keys) for baseline in by_score(evaluation)]
    if baselines or computed:
        console().print()
        of_pairs = set(sure) - {INTERVAL_HEAD}
        _print_columns({head: texts for head, texts in columns.items() if head not in of_pairs}, baselines, computed)
    for note in (
        *best_notes(sure.get(BEST_MARK, ())),
        *interval_notes(evaluation, key),
        *notes_on_entries(evaluation, with_computed=True),
    ):
        console().print(Padding(Text(note), (0, 0, 0, 4), expand=False))


def _print_columns(
    columns: Mapping[str, Sequence[str]], teams: Sequence[int], more: Sequence[Mapping[str, str]] = ()
) -> None:
    """Some entries' rows of a ranking, and rows of what is no entry; the second column has the names."""
    rows = [[texts[team] for texts in columns.values()] for team in teams]
    rows += [[row.get(head, "") for head in columns] for row in more]
    print_table(list(columns), rows, numeric=frozenset(range(len(columns))) - {1})


def _computed_row(evaluation: Evaluation, baseline: Baseline, keys: Sequence[ScoreKey]) -> dict[str, str]:
    """The cells of a built-in baseline, by their heads; it has no interval."""
    decimals = evaluation.task.printed_decimals
    scores = {str(key): baseline_score(baseline, evaluation.row(key), decimals) for key in keys}
    return {"rank": baseline_rank(evaluation, baseline, keys[0]), "team": f"{baseline.title} (computed)", **scores}


def print_slice(evaluation: Evaluation, key: ScoreKey, part: Slice) -> None:
    """The ranking of one part of the test set, and what may be said of its first place by the ranking metric."""
    out, row = console(), evaluation.row(key)
    by, n_items = phrase(key, evaluation.task.label_set), plural(part.n_items, "item")
    out.print(Text(f"{visible(evaluation.task.title)}, {quoted(part.value)} alone ({n_items}), by {by}", style="bold"))
    is_ranking = key == evaluation.task.ranking_metric
    if is_ranking:
        out.print(Text(" ".join(filter(None, (part.verdict.sentence, part.verdict.more)))))
    scores = part.values[row]
    goodness = evaluation.goodness(key, scores)
    ranks, best = printed_ranks(goodness, evaluation.competing), part.verdict.could_be_best
    wholes = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    heads = ["rank", "team", str(key), *([BEST_MARK] if is_ranking and best else []), "rank by all items"]
    rows = [
        [
            ranks[team],
            marked_name(evaluation, team),
            number(float(scores[team]), evaluation.task.printed_decimals),
            *([BEST_MARK if team in best else ""] if is_ranking and best else []),
            wholes[team],
        ]
        for team in evaluation.order_by(goodness, part.rank_values[row])
    ]
    print_table(heads, rows, numeric=frozenset(range(len(heads))) - {1})
    if is_ranking and best:
        out.print(Padding(Text(say("mark-best", mark=BEST_MARK)), (0, 0, 0, 4), expand=False))


def print_sliced(evaluation: Evaluation, key: ScoreKey, sliced: Sliced) -> None:
    """Print who is first in each part of the test set by one column, and every team's mean over the parts."""
    out, row, decimals = console(), evaluation.row(key), evaluation.task.printed_decimals
    by = phrase(key, evaluation.task.label_set)
    out.print(Text(f"{visible(evaluation.task.title)}, by {quoted(sliced.column)}, ranked by {by}", style="bold"))
    if key == evaluation.task.ranking_metric:
        out.print(Text(slices_statement(evaluation, sliced)))
    heads = ["team", "all items", "mean", *(f"{part.value} ({part.n_items:,})" for part in sliced.slices)]
    columns = [evaluation.scores_of(key), sliced.macro[row], *(part.values[row] for part in sliced.slices)]
    rows = [
        [marked_name(evaluation, team), *(number(float(scores[team]), decimals) for scores in columns)]
        for team in evaluation.order(key)
    ]
    print_table(heads, rows, numeric=frozenset(range(1, len(heads))))
    out.print(Padding(Text(say("slices-note")), (0, 0, 0, 4), expand=False))


def print_family(evaluations: Sequence[Evaluation]) -> None:
    """The summary over several test sets: score and rank in each, mean score, mean rank and Borda count."""
    summary = family_rows(evaluations)
    console().print(Text(summary.title, style="bold"))
    print_table(summary.heads, summary.rows, numeric=frozenset(range(len(summary.heads))) - {0})
    for sentence in summary.sentences:
        console().print(Padding(Text(sentence), (0, 0, 0, 4), expand=False))


def print_pair(pair: PairComparison, metric: str) -> None:
    """Print the comparison of two entries by one metric: over all pairs, then for a pair fixed beforehand."""
    for sentence in pair_sentences(pair, metric):
        console().print(Text(sentence))


def print_findings(flags: Sequence[Flag], n_notes: int | None = None) -> None:
    """Findings in full: what each changes, its slug, the sentence. Where there are none, that is said."""
    out = console()
    if not flags and n_notes is not None:
        sentence = (
            "The audit’s rules found nothing to report." if not n_notes else "No finding changes winner or order."
        )
        out.print(Text(sentence))
        out.print()
    for flag in flags:
        out.print(Text.assemble((flag.severity.label, _STYLES[flag.severity]), f"  {flag.slug}"))
        out.print(Padding(Text(flag.sentence), (0, 0, 0, 4), expand=False))
        out.print()


def print_verdict_flags(flags: Sequence[Flag]) -> None:
    """Print the names of the findings that the verdict states in a sentence of its own."""
    names = listed([flag.slug for flag in flags])
    label = Text.assemble((flags[0].severity.label, _STYLES[flags[0].severity]), f"  {names}: see the verdict")
    console().print(label)
    console().print()


def print_titles(notes: Sequence[Flag], task: str) -> None:
    """Notes as one line each: slug and title."""
    out = console()
    out.print(Text(f"{plural(len(notes), 'note')}, in full in the report and by: audit show {visible(task)} --notes"))
    width = max(len(flag.slug) for flag in notes)
    for flag in notes:
        out.print(Text.assemble(f"    {flag.slug:<{width}}  ", (FLAG_KINDS[flag.slug].title, _STYLES[flag.severity])))


def print_briefs(evaluation: Evaluation) -> None:
    """Print each further section of the report in short, with the command that prints all of it."""
    out, task = console(), visible(evaluation.task.slug, 200)
    for brief in briefs_of(evaluation):
        command = brief.command.replace("TASK", task)
        out.print(Text.assemble((brief.title, "bold"), (f"  {command}", "dim")))
        for sentence in brief.sentences:
            out.print(Padding(Text(sentence), (0, 0, 0, 4), expand=False))


def print_macro_f1(audit: MacroF1Audit, evaluation: Evaluation) -> None:
    """Print the winners by the readings of macro F1, a summary of them, and the sentence for the paper."""
    label_set, decimals = evaluation.task.label_set, evaluation.task.printed_decimals
    out = console()
    out.print(Text(f"{visible(evaluation.task.title)}: which macro F1 was it?", style="bold"))
    print_table(
        ["macro F1 read as", "winner", "score", "other ranks", "computed by"],
        [
            [row.reading, row.winner, row.score, row.moved, row.computed_by]
            for row in winner_rows(audit, label_set, decimals)
        ],
        numeric=frozenset({2, 3}),
    )
    for sentence in statements(audit, label_set):
        out.print(Padding(Text(sentence), (0, 0, 0, 4), expand=False))
    paper = definition(audit.base, label_set, int(evaluation.averaged.sum()))
    out.print(Padding(Text(f"For the paper: {paper}"), (0, 0, 0, 4), expand=False))


def print_identification(identification: Identification) -> None:
    """Print the reading of each column of a published table, the matched names, and the findings."""
    out = console()
    for column in identification.columns:
        out.print(Text(visible(column.heading), style="bold"))
        for match in column.matches[:_MATCHES_LISTED]:
            shown = f"{match.n_matched:,} of {column.n_teams:,}  {visible(str(match.reading), 200)}"
            alike = f"  (and {plural(len(match.readings) - 1, 'reading')} that cannot be told from it)"
            out.print(Padding(Text(shown + (alike if len(match.readings) > 1 else "")), (0, 0, 0, 4), expand=False))
        if len(column.matches) > _MATCHES_LISTED:
            out.print(Padding(Text(_more_matches(column)), (0, 0, 0, 4), expand=False))
        for sentence in column.sentences:
            finding = "Finding: " if sentence in identification.findings else ""
            out.print(Padding(Text(finding + sentence), (0, 0, 0, 4), expand=False))
    sentences = {sentence for column in identification.columns for sentence in column.sentences}
    for sentence in (
        *(sentence for ranks in identification.ranks for sentence in ranks.sentences),
        *names_said(identification),
        *(f"Finding: {finding}" for finding in identification.findings if finding not in sentences),
    ):
        out.print(Text(sentence))


def _more_matches(column: IdentifiedColumn) -> str:
    """How many groups of readings are not printed, and of how many readings: with those printed they add up."""
    rest = column.matches[_MATCHES_LISTED:]
    n_readings = sum(len(match.readings) for match in rest)
    few, most = rest[-1].n_matched, rest[0].n_matched
    matched = f"{most:,}" if few == most else f"{few:,} to {most:,}"
    return f"… and {len(rest):,} more, of {plural(n_readings, 'reading')}, which give {matched}: --json has them"


def print_loaded(task: str, summary: LoadSummary, assumptions: Sequence[str], ignored: Sequence[str]) -> None:
    """Print what a load changed, what was assumed for it, and what was left alone."""
    out = console()
    counts = {
        "added": summary.added,
        "replaced": summary.replaced,
        "unchanged": summary.unchanged,
        "removed": summary.removed,
    }
    changes = ", ".join(f"{len(teams)} {change}" for change, teams in counts.items() if teams)
    out.print(f"{visible(task, 300)}: {plural(summary.n_submissions, 'submission')} loaded ({changes}).")
    for assumption in assumptions:
        out.print(Padding(Text(f"assumed: {visible(assumption, 1000)}"), (0, 0, 0, 4), expand=False))
    if ignored:
        out.print(Padding(Text(f"ignored: {shortened(ignored)}"), (0, 0, 0, 4), expand=False))


def print_not_loaded(n_rejected: int, n_loaded: int) -> None:
    """How many submissions were left out, where some were: in bold, since they are in none of the tables."""
    if n_rejected:
        n_files, was = n_rejected + n_loaded, agreeing(n_rejected, "was", "were")
        console().print(Text(f"{n_rejected:,} of {plural(n_files, 'file')} {was} not loaded.", style="bold red"))


def print_unclaimed(paths: Sequence[str]) -> None:
    """The files that could hold labels and that no rule claims, in bold: they are in none of the tables."""
    if paths:
        console().print(Text(f"Not read, because no rule claims them: {counted(paths)}.", style="bold"))


def print_sentences(sentences: Sequence[str]) -> None:
    """Sentences, one a line."""
    for sentence in sentences:
        console().print(Text(sentence))
