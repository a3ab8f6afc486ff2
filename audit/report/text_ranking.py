"""The ranking as plain text, for a terminal and for a notebook: names with their marks, and what these mean."""

from audit.domain import Evaluation, Role, ScoreKey
from audit.flags.rules.certainty_rules import comparison_of
from audit.flags.wording import shown_name
from audit.report.interval_reasons import possible_ranks_text
from audit.report.table_printing import (
    BEST_MARK,
    SAME_ANSWERS,
    best_text,
    fewer_items,
    interval_texts,
    marks,
    printing,
    rank_note,
    runs_in_row,
    tier_text,
)
from audit.sentences import say
from audit.text import listed

_FEWER_LISTED = 5
INTERVAL_HEAD = "95% interval"


def certainty_columns(evaluation: Evaluation, key: ScoreKey) -> dict[str, list[str]]:
    """Interval, tier and possible ranks of every team, by head; what was not computed has no column."""
    if evaluation.certainty is None:
        return {}
    columns = {INTERVAL_HEAD: interval_texts(printing(evaluation), key)}
    comparison = comparison_of(evaluation, key)
    if comparison is not None:
        teams = range(len(evaluation.entries))
        texts = {BEST_MARK: best_text, "tier": tier_text, "possible ranks": possible_ranks_text}
        columns |= {head: [text(comparison, team) for team in teams] for head, text in texts.items()}
    return columns


def marked_name(evaluation: Evaluation, team: int) -> str:
    """A team's name with the marks of its role: a baseline in words, † late or unofficial, ‡ on fewer items."""
    entry = evaluation.entries[team]
    role = " (baseline)" if entry.role == Role.BASELINE else ""
    return shown_name(evaluation, team) + runs_in_row(entry) + role + marks(entry)


def notes_on_entries(evaluation: Evaluation, *, with_computed: bool) -> list[str]:
    """The meaning of the marks behind names and of ranks in parentheses, for those that occur.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation whose entries are shown.
    with_computed : bool
        Whether the built-in baselines stand among them.
    """
    entries = evaluation.entries
    late = sorted({entry.role.value for entry in entries if entry.role in (Role.LATE, Role.UNOFFICIAL)})
    fewer = [
        f"{shown_name(evaluation, team)} {fewer_items(evaluation, team)}"
        for team, entry in enumerate(entries)
        if entry.n_dropped
    ]
    beside = (with_computed and bool(evaluation.baselines)) or not evaluation.competing.all()
    comparison = comparison_of(evaluation, evaluation.task.ranking_metric)
    among = "" if comparison is None else rank_note(evaluation, comparison)
    return [
        *([among] if among else []),
        *(["(in parentheses) the rank that it would take; it takes none"] if beside else []),
        *([f"† {listed(late, 'or')}"] if late else []),
        *([SAME_ANSWERS] if any(entry.same for entry in entries) else []),
        *([f"‡ {listed(fewer, limit=_FEWER_LISTED)}; {say('fewer-items-mark')}"] if fewer else []),
    ]
