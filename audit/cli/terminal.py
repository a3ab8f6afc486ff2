"""What the command line prints: tables, flags, progress. Colour only on terminals, plain text everywhere else."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from audit.domain import Evaluation, Flag, Identification, MacroF1Audit, ScoreKey, Severity
from audit.metrics import BOTH_MACRO_F1, phrase
from audit.ranking import printed_ranks, published_ranks
from audit.readings.wording import definition, statements, winner_rows
from audit.report import rank_set_text
from audit.store import LoadSummary
from audit.text import listed, number, plural, quoted, visible

_PIPE_WIDTH = 10_000  # a pipe has no width: nothing is cut or wrapped for it
_NAME_LIMIT = 40
_FILES_LISTED = 5
_MATCHES_LISTED = 5
_STYLES = {Severity.WINNER: "bold red", Severity.ORDER: "yellow", Severity.NOTE: "dim"}


def console() -> Console:
    """Standard output. Users' text is never read as markup, emoji codes or numbers to highlight."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(width=width, markup=False, emoji=False, highlight=False, soft_wrap=False)


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: frozenset[int] = frozenset()) -> None:
    """A table; the columns with these numbers are set right."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, head in enumerate(heads):
        table.add_column(
            Text(visible(head, 200)), justify="right" if column in numeric else "left", no_wrap=column in numeric
        )
    for row in rows:
        table.add_row(*(Text(visible(cell, 200)) for cell in row))
    console().print(table)


def print_ranking(evaluation: Evaluation, key: ScoreKey) -> None:
    """The ranking by one metric, with both macro F1s, accuracy and unanswered items beside it."""
    beside = [ScoreKey(slug, key.prevalence) for slug in (*BOTH_MACRO_F1, "accuracy")]
    keys = [key, *(other for other in beside if other != key)]
    published = published_ranks(evaluation) if key == evaluation.task.ranking_metric else None
    sure = certainty_columns(evaluation, key)
    heads = ["rank", "team", str(key), *sure, *map(str, keys[1:]), "unanswered"]
    heads += ["as published"] if published else []
    decimals = evaluation.task.printed_decimals
    ranks, scores = printed_ranks(evaluation.scores_of(key)), [evaluation.scores_of(other) for other in keys]
    rows = [
        [
            ranks[team],
            visible(evaluation.names[team], _NAME_LIMIT),
            number(scores[0][team], decimals),
            *(column[team] for column in sure.values()),
            *(number(values[team], decimals) for values in scores[1:]),
            f"{evaluation.entries[team].n_unanswered:,}" if evaluation.entries[team].n_unanswered else "",
            *([published[team]] if published else []),
        ]
        for team in evaluation.order(key)
    ]
    title = f"{visible(evaluation.task.title)}: {phrase(key, evaluation.task.label_set)}"
    console().print(Text(title, style="bold"))
    print_table(heads, rows, numeric=frozenset(range(len(heads))) - {1})


def certainty_columns(evaluation: Evaluation, key: ScoreKey) -> dict[str, list[str]]:
    """Interval, tier and rank set of every team, by head; what was not computed has no column."""
    uncertainty, decimals = evaluation.uncertainty, evaluation.task.printed_decimals
    if uncertainty is None:
        return {}
    row = evaluation.keys.index(key)
    ends = zip(uncertainty.lower[row].tolist(), uncertainty.upper[row].tolist(), strict=True)
    columns = {"95% interval": [f"[{number(low, decimals)}, {number(high, decimals)}]" for low, high in ends]}
    for comparison in uncertainty.comparisons:
        if comparison.key == key:
            columns["tier"] = list(map(str, comparison.tiers.tolist()))
            columns["rank set"] = [rank_set_text(comparison, team) for team in range(len(evaluation.entries))]
    return columns


def print_flags(flags: Sequence[Flag]) -> None:
    """Every flag, most consequential first: what it changes, the sentence, its slug."""
    out = console()
    if not flags:
        out.print("No flags: the audit's rules found nothing to report.")
    for flag in flags:
        out.print(Text.assemble((flag.severity.label, _STYLES[flag.severity]), f"  {flag.slug}"))
        out.print(Padding(Text(flag.sentence), (0, 0, 0, 4), expand=False))


def print_macro_f1(audit: MacroF1Audit, evaluation: Evaluation) -> None:
    """Who wins by which reading of macro F1, what that amounts to, and the sentence for the paper."""
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
    paper = definition(audit.base, label_set, int(evaluation.present.sum()))
    out.print(Padding(Text(f"For the paper: {paper}"), (0, 0, 0, 4), expand=False))


def print_identification(found: Identification) -> None:
    """What each column of a published table is, which names were matched, and the findings."""
    out = console()
    for column in found.columns:
        out.print(Text(visible(column.heading), style="bold"))
        for match in column.matches[:_MATCHES_LISTED]:
            shown = f"{match.n_matched:,} of {column.n_teams:,}  {visible(str(match.reading), 200)}"
            alike = f"  (and {plural(len(match.readings) - 1, 'reading')} that cannot be told from it)"
            out.print(Padding(Text(shown + (alike if len(match.readings) > 1 else "")), (0, 0, 0, 4), expand=False))
        for sentence in column.sentences:
            out.print(Padding(Text(sentence), (0, 0, 0, 4), expand=False))
    for sentence in (*_names_said(found), *(f"Finding: {finding}" for finding in found.findings)):
        out.print(Text(sentence))


def _names_said(found: Identification) -> Iterator[str]:
    """Which names were taken for the same, and which have no counterpart."""
    for published, entry in found.renamed:
        yield f"{quoted(published)} was taken for {quoted(entry)}."
    for said, names in (("Not in the campaign", found.unmatched), ("Not in the table", found.absent)):
        if names:
            yield f"{said}: {listed([quoted(name) for name in names], limit=_FILES_LISTED)}."
    for heading, reason in found.set_aside:
        yield f"Not looked at: {quoted(heading)} ({reason})."


def print_loaded(summary: LoadSummary, assumptions: Sequence[str], ignored: Sequence[str]) -> None:
    """What a load changed, what was assumed for it, and what was left alone."""
    out = console()
    counts = {
        "added": summary.added,
        "replaced": summary.replaced,
        "unchanged": summary.unchanged,
        "removed": summary.removed,
    }
    changes = ", ".join(f"{len(teams)} {what}" for what, teams in counts.items() if teams)
    n_submissions = len(summary.added) + len(summary.replaced) + len(summary.unchanged)
    out.print(f"{plural(n_submissions, 'submission')} loaded ({changes}).")
    for assumption in assumptions:
        out.print(Padding(Text(f"assumed: {visible(assumption, 1000)}"), (0, 0, 0, 4), expand=False))
    if ignored:
        files = listed([visible(path, 80) for path in ignored], limit=_FILES_LISTED)
        out.print(Padding(Text(f"ignored: {files}"), (0, 0, 0, 4), expand=False))


@contextmanager
def progress(task: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on standard error, where that is a terminal; it disappears when done."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task(task, total=None)
        yield lambda done, total: bar.update(row, completed=done, total=total)
