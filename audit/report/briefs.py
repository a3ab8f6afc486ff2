"""What the audit finds beyond the ranking: sections of the report in a few sentences, with the command for each."""

from collections.abc import Iterator
from dataclasses import dataclass

from audit.domain import Evaluation
from audit.readings.macro_f1_wording import statements
from audit.report.sections.distributions_section import map_statements
from audit.report.sections.properties_section import demonstrations_of
from audit.report.sections.published_section import published_of
from audit.report.sections.winners_section import outcome_sentence
from audit.report.table_printing import printing

_OF_READINGS = 2
"""How many were tried, and their winners; the section says who moves and which teams swap."""


@dataclass(frozen=True, slots=True)
class Brief:
    """A section of the report in short.

    Parameters
    ----------
    title : str
        The section's heading.
    command : str
        What prints all of it; TASK stands for the task.
    sentences : tuple of str
        The sentences of the section, as they stand there.
    """

    title: str
    command: str
    sentences: tuple[str, ...]


def briefs_of(evaluation: Evaluation) -> Iterator[Brief]:
    """The sections on readings, published scores, elections, class distributions and properties, as far as they are."""
    show = printing(evaluation)
    audit = evaluation.macro_f1
    if audit is not None:
        sentences = statements(audit, evaluation.task.label_set)[:_OF_READINGS]
        yield Brief("Every reading of the name macro F1", "audit readings TASK", tuple(sentences))
    published = published_of(show)
    if published is not None:
        sentences = [published.table.caption, *published.statements]
        yield Brief("The published scores, checked", "audit identify TASK TABLE", tuple(sentences))
    rules = tuple(outcome_sentence(evaluation, outcome) for outcome in evaluation.elections)
    yield Brief("Several winners, by named rules", "audit winners TASK", rules)
    if evaluation.winner_map is not None:
        map_sentences = map_statements(evaluation, evaluation.winner_map)
        yield Brief("Does another class distribution?", "audit whatif TASK", map_sentences)
    caption = demonstrations_of(show).table.caption
    yield Brief("Properties of the metrics, shown here", "audit properties TASK", (caption,))
