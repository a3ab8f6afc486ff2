"""The questions of a report in their order, and the document that they make."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from audit import report
from audit.document import (
    Beside,
    Block,
    Document,
    Fold,
    Listing,
    Paragraph,
    Section,
    Span,
    Switched,
    Table,
)
from audit.domain import NO_NEEDS, Evaluation, Needs, supported
from audit.findings.macro_f1 import scikit_learn_call
from audit.findings.wording import (
    AVERAGED,
    gold_counted,
    labels_counted,
    ranked_teams,
    runs_counted,
)
from audit.metrics import phrase, without_rest
from audit.report import verdict
from audit.report.board import board_of
from audit.report.printing import Printing, printing
from audit.text import plural, visible

if TYPE_CHECKING:
    from audit.report.printing import GoldItems


@dataclass(frozen=True)
class SectionKind:
    """One question of the page."""

    place: int
    needs: Needs  # what a task must have for the question to be asked
    make: Callable[[Printing], Section | None]


@cache
def sections() -> tuple[SectionKind, ...]:
    """The questions in their order: of every module that states its ``PLACE``, and its ``NEEDS`` if it has any."""
    names = [f"{report.__name__}.{info.name}" for info in iter_modules(report.__path__)]
    placed = [module for module in map(import_module, names) if hasattr(module, "PLACE")]
    kinds = (
        SectionKind(module.PLACE, getattr(module, "NEEDS", NO_NEEDS), module.section)
        for module in placed
    )
    return tuple(sorted(kinds, key=lambda kind: kind.place))


def document_of(evaluation: Evaluation, items: "GoldItems | None" = None) -> Document:
    """The report of an evaluation."""
    show = printing(evaluation, items)
    return Document(
        title=visible(evaluation.task.title, 200),
        facts=_facts(evaluation),
        note=visible(evaluation.task.note, 2000),
        verdict=verdict.verdict_block(evaluation),
        board=board_of(show),
        sections=_sections_of(show),
    )


MOST_TEAMS, FIRST_ROWS = 100, 25
"""Of more teams a table has the first rows only; all stand in the export."""


def _sections_of(show: Printing) -> tuple[Section, ...]:
    """The sections that the task supports, without the long tables of very many teams."""
    kind = show.evaluation.task.label_set.kind
    made = (section.make(show) for section in supported(sections(), kind))
    found = tuple(filter(None, made))
    if len(show.order) <= MOST_TEAMS:
        return found
    return tuple(
        replace(section, blocks=tuple(map(_shortened, section.blocks))) for section in found
    )


def _first_rows(table: Table) -> Table:
    """A table with its first rows, where it has one for each of very many teams."""
    has_teams = any(column.heads_rows and column.label == "Team" for column in table.columns)
    if not has_teams or len(table.rows) <= MOST_TEAMS:
        return table
    more = f"{len(table.rows) - FIRST_ROWS:,} more rows are in the export."
    return replace(table, rows=table.rows[:FIRST_ROWS]).noting(more)


def _shortened(block: Block) -> Block:
    """A block with the first rows of its tables that have a row for each team."""
    match block:
        case Table():
            return _first_rows(block)
        case Fold():
            return replace(block, blocks=tuple(map(_shortened, block.blocks)))
        case Beside():
            left, right = (tuple(map(_shortened, side)) for side in (block.left, block.right))
            return replace(block, left=left, right=right)
        case Switched():
            tables = tuple((choice, _first_rows(table)) for choice, table in block.tables)
            return replace(block, tables=tables)
        case _:
            return block


def _facts(evaluation: Evaluation) -> tuple[str, ...]:
    (n_teams, n_ranked) = ranked_teams(evaluation)
    n_beside = int((~evaluation.competing).sum())
    labels = evaluation.task.label_set
    ranking = phrase(evaluation.task.ranking_metric, evaluation.task.label_set)
    if evaluation.task.official_metric:
        stated = "official metric: "
    else:
        stated = "no official metric stated; ranked by "
    facts = (
        *gold_counted(evaluation),
        labels_counted(evaluation),
        plural(n_teams, "team"),
        runs_counted(evaluation),
        f"{plural(n_ranked, 'baseline')} ranked with them" if n_ranked else "",
        f"{plural(n_beside, 'further submission')}, not ranked" if n_beside else "",
        f"{stated}{ranking}{_as_in_scikit_learn(evaluation)}",
        without_rest(labels),
    )
    return tuple(filter(None, facts))


def _as_in_scikit_learn(evaluation: Evaluation) -> str:
    """What macro-averaged F1 is called in scikit-learn, in parentheses, where teams are ranked by it."""
    if evaluation.task.ranking_metric == AVERAGED:
        call = scikit_learn_call(evaluation)
    else:
        call = ""
    if call:
        return f" ({call})"
    return ""


def question_blocks(evaluation: Evaluation) -> Iterator[Block]:
    """Each question that a command answers in full: the question with its command, and the answer."""
    task = visible(evaluation.task.slug, 200)
    for section in document_of(evaluation).sections:
        if section.command:
            command = Span(f"  {section.command.replace('TASK', task)}", "note")
            yield Paragraph((Span(section.question, "strong"), command), "lead")
            yield Listing(section.answer)
