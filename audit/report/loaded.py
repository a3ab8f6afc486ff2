"""What was loaded? Files, runs that do not count, issues, and what was read and decided."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from audit.document import (
    Block,
    Cell,
    Column,
    Fold,
    Listing,
    Paragraph,
    Section,
    Span,
    Table,
    Text,
    row_names,
)
from audit.domain import Entry, Evaluation, Feature, JournalEntry, Role, UncountedRun
from audit.errors import ISSUE_KINDS, Issue
from audit.findings.wording import NAME_LIMIT
from audit.report.printing import Printing
from audit.text import agreeing, listed, plural, sentence_case, visible
from audit.vocabulary import QUESTIONS

PLACE = 90

# Issues that quote what stands in a file, where it can be an item's id. A report must not give away a test set.
_QUOTING = frozenset({"ambiguous-reading", "unrecognised", "wrong-encoding", "no-such-column"})


def section(show: Printing) -> Section:
    """How much was loaded and what was not; every file, what was odd, what was decided, and what no rule claims."""
    evaluation = show.evaluation
    blocks: list[Block] = [*_rejected(evaluation)]
    read, others = _sentences_on_files(evaluation)
    if read or any(run.issues for run in evaluation.runs):
        blocks.append(_how_read(evaluation, read))
    if others:
        blocks.append(Paragraph(f"{ASSUMED} {' '.join(others)}"))
    files: list[Block] = [files_table(show)]
    if evaluation.uncounted:
        files += [
            Paragraph("Runs that do not count", "heading"),
            uncounted_table(evaluation.uncounted),
        ]
    blocks.append(Fold("files", "Every file", tuple(files)))
    odd = tuple(_issue(issue) for run in evaluation.runs for issue in run.issues)
    journal = journal_lines(evaluation.journal)
    listings = (
        ("odd", "File problems", odd),
        ("journal", "What was read, repaired and decided", journal),
    )
    blocks += [
        Fold(anchor, title, (Listing(items, "issues"),))
        for anchor, title, items in listings
        if items
    ]
    if evaluation.ignored:
        paths: list[str | Span] = [Span(visible(path, 200), "code") for path in evaluation.ignored]
        commas = [part for path in paths[1:] for part in (", ", path)]
        text: Text = (f"{plural(len(paths), 'file')} that no rule claims: ", paths[0], *commas, ".")
        blocks.append(Fold("ignored", "Ignored files", (Paragraph(text),)))
    return Section("data", QUESTIONS["data"], (_answer(evaluation),), tuple(blocks), name="Files")


def _answer(evaluation: Evaluation) -> str:
    """How many files were loaded, how many of them have problems, and how many were left out."""
    runs = evaluation.runs
    n_odd = sum(bool(run.issues) for run in runs)
    paths = {run.path for run in runs if run.path is not None}
    source = evaluation.gold.source
    if source is not None:
        paths.add(source.path)
    if paths:
        loaded = f"{plural(len(paths), 'file')} loaded"
    else:
        loaded = f"{plural(len(runs), 'submission')} given as arrays"
    parts = [loaded]
    if n_odd:
        parts.append(f"{n_odd:,} with problems")
    if evaluation.rejections:
        parts.append(f"{len(evaluation.rejections):,} rejected")
    if evaluation.ignored:
        parts.append(f"{len(evaluation.ignored):,} ignored")
    return ", ".join(parts)


ASSUMED = "Assumed:"
MOST_PROBLEMS = 6
_SUBMISSIONS = re.compile(r"[\d,]+ submissions?")


def _sentences_on_files(evaluation: Evaluation) -> tuple[list[tuple[str, str]], list[str]]:
    """How files were read, as the files and their layout; and what else was assumed, as sentences."""
    source = evaluation.gold.source
    read: list[tuple[str, str]] = []
    others: list[str] = []
    for sentence in evaluation.task.assumptions:
        files, _, layout = sentence.partition(": ")
        is_gold = source is not None and files == visible(source.path, 200)
        if layout and (is_gold or _SUBMISSIONS.fullmatch(files)):
            read.append((files, layout.removesuffix(".")))
        else:
            others.append(sentence)
    return read, others


def _how_read(evaluation: Evaluation, read: Sequence[tuple[str, str]]) -> Table:
    """What files were read as, then each file with problems and what these are."""
    rows = [(Cell(files), Cell(layout, style="sentence")) for files, layout in read]
    odd = [run for run in evaluation.runs if run.issues]
    for run in odd[:MOST_PROBLEMS]:
        told = " ".join(map(_found_and_counted, run.issues))
        problem = Cell(f"{told}{_counted_as(evaluation, run)}", style="sentence")
        rows.append((Cell(visible(run.path or run.team, 80)), problem))
    if len(odd) > MOST_PROBLEMS:
        more = plural(len(odd) - MOST_PROBLEMS, "more file", "more files")
        rows.append((Cell(more), Cell("Under “File problems”", style="sentence")))
    if odd:
        caption = "What files were read as, and their problems"
    else:
        caption = "What files were read as"
    columns = (row_names("Files"), Column("Read as, or problem", numeric=False))
    return Table(HOW_READ, caption, columns, tuple(rows), sortable=False, style="files")


HOW_READ = "table-how-read"


def _counted_as(evaluation: Evaluation, run: Entry) -> str:
    """That items without a usable answer count as wrong, where a run has some and they do."""
    policies = evaluation.task.policies
    counts_as_wrong = (run.n_missing and policies.missing == "wrong") or (
        run.n_unusable and policies.unusable == "wrong"
    )
    if counts_as_wrong and evaluation.task.label_set.supports(Feature.CLASSES):
        return " Counted as wrong."
    return ""


def _found_and_counted(issue: Issue) -> str:
    """What is wrong, as a sentence, and in how many lines it is."""
    found = _found(issue)
    if issue.lines and issue.count > 1:
        found = f"{issue.count:,} lines: {found}"
    if not found.endswith((".", "?", "!")):
        found += "."
    return sentence_case(found)


def _rejected(evaluation: Evaluation) -> Iterator[Block]:
    if evaluation.rejections:
        yield Paragraph((Span("Not loaded", "strong"), ", and in none of the tables:"), "rejected")
    for rejection in evaluation.rejections:
        yield Paragraph((Span(visible(rejection.path, 200), "code"),), "rejected")
        yield Listing(tuple(map(_issue, rejection.issues)), "rejected issues")


def _issue(issue: Issue) -> Text:
    lines = ", ".join(map(str, issue.lines)) + (
        ", …" if issue.lines and issue.count > len(issue.lines) else ""
    )
    told = f": {_found(issue)} (expected: {issue.expected}; to do: {issue.remedy}) "
    if lines:
        place = f", {agreeing(issue.count, 'line', 'lines')} {lines}"
    else:
        place = ""
    return Span(visible(issue.file, 200), "code"), place + told, Span(issue.slug, "code")


def _found(issue: Issue) -> str:
    """What is wrong, without what could be an item's id."""
    if issue.slug in _QUOTING:
        return ISSUE_KINDS[issue.slug].title.lower()
    return visible(issue.found, 300)


def files_table(show: Printing) -> Table:
    """The loaded files: each run's role, file, digest and unanswered items; runs of one row stand together."""
    evaluation = show.evaluation
    runs = show.evaluation.runs
    origins = [
        name for name in ("affiliation", "paper") if any(getattr(run.origin, name) for run in runs)
    ]
    has_roles = any(run.role != Role.PRIMARY for run in runs)
    rows = tuple(
        (
            show.name(team),
            *((Cell(run.role.value + ("" if run.competes else ", beside")),) if has_roles else ()),
            Cell(visible(run.path, 80) if run.path else "given as an array"),
            Cell(run.sha256[:12] if run.sha256 else "–", style="code", title=run.sha256 or ""),
            Cell(f"{run.n_missing:,}" if run.n_missing else ""),
            Cell(f"{run.n_unusable:,}" if run.n_unusable else ""),
            Cell(str(len(run.issues)) if run.issues else ""),
            *(Cell(visible(getattr(run.origin, name) or "", 80)) for name in origins),
        )
        for team in show.order
        for run in evaluation.entries[team].runs
    )
    columns = (
        row_names("Team"),
        *((Column("Role", numeric=False),) if has_roles else ()),
        Column("File", numeric=False),
        Column("SHA-256", numeric=False),
        Column("Missing", title="Items without a label"),
        Column("Unusable", title="Items with a label outside the label set"),
        Column("Issues"),
        *(Column(name.capitalize(), numeric=False) for name in origins),
    )
    n_incomplete = sum(run.n_unanswered > 0 for run in runs)
    leave = agreeing(n_incomplete, "leaves", "leave")
    if not n_incomplete:
        complete = "all of them answer every item"
    else:
        complete = f"{n_incomplete} {leave} items unanswered"
    caption = f"{plural(len(runs), 'submission')} in the tables; {complete}."
    return Table("table-files", caption, columns, rows, show.legend)


def uncounted_table(runs: tuple[UncountedRun, ...]) -> Table:
    """The runs that are kept and not shown, with the reason."""
    rows = tuple(
        (
            Cell(visible(run.team, NAME_LIMIT)),
            Cell(visible(run.run or "–", NAME_LIMIT)),
            Cell(run.role.value),
            Cell(visible(run.path or "given as an array", 80)),
            Cell(visible(run.reason, 200)),
        )
        for run in runs
    )
    heads = ("Run", "Role", "File", "Why it does not count")
    columns = (row_names("Team"), *(Column(head, numeric=False) for head in heads))
    caption = f"{plural(len(runs), 'run')} kept in the store and not ranked."
    return Table("table-uncounted", caption, columns, rows)


_ORDER = ("rejected", "decided", "chose", "repaired", "read")
_SUBJECTS_SHOWN = 6


def journal_lines(journal: Sequence[JournalEntry]) -> tuple[Text, ...]:
    """The lines of the journal: rejected, decided, chosen and repaired, then read, each with its files or teams."""
    alike: defaultdict[tuple[str, str], list[JournalEntry]] = defaultdict(list)
    for entry in journal:
        alike[entry.action, entry.text].append(entry)
    places = {action: place for place, action in enumerate(_ORDER)}
    ordered = sorted(alike.items(), key=lambda item: places.get(item[0][0], len(places)))
    return tuple(
        (Span(action, "strong"), f": {visible(text, 1000)} ", Span(f"({_where(entries)})", "note"))
        for (action, text), entries in ordered
    )


def _where(entries: Sequence[JournalEntry]) -> str:
    """The files or teams, and the number of lines or items where it is not one each."""
    subjects = list(dict.fromkeys(visible(entry.subject, 80) for entry in entries))
    total = sum(entry.count for entry in entries)
    if len(subjects) > _SUBJECTS_SHOWN:
        many = plural(len(subjects), "file or team", "files or teams")
    else:
        many = ""
    shown = many or listed(subjects)
    if total == len(entries):
        return shown
    return f"{shown}: {total:,} lines or items"
