"""The words for an erratum: what was changed in clauses, and what became of it in sentences."""

import re
from collections.abc import Iterator, Sequence

from audit.domain import Evaluation, Role
from audit.findings.revision.difference import (
    BoardRow,
    Difference,
    GoldChange,
    SettingChange,
    Standing,
    SubmissionChange,
    SubmissionFate,
)
from audit.findings.wording import entrant, names
from audit.ranking.ranks import TIE_TOLERANCE
from audit.sentences import say
from audit.text import (
    agreeing,
    decimals_to_tell_apart,
    listed,
    number,
    plural,
    quoted,
    sentence_case,
    visible,
)

_NAME = 40
_NAMED = 5
_MOVES = 10
_CLAUSES = 6
_MOST_DECIMALS = 6
_SCORE = re.compile(r"[−-]?\d*\.\d+")  # counts, which are claims, have no decimals

NOTHING_CHANGED = "Nothing was changed that a rank, a score or a finding depends on, and all of them are as before."

# What was changed


def clauses_of(difference: Difference) -> tuple[str, ...]:
    """The changes that can matter, one clause each, in the past tense."""
    settings = (_setting_clause(change) for change in difference.settings if change.matters)
    return (
        *_gold_clauses(difference.gold),
        *_submission_clauses(difference.submissions),
        *settings,
    )


def _gold_clauses(gold: GoldChange) -> Iterator[str]:
    if not gold.n_common:
        if gold.n_common is None:
            change = "the gold labels were replaced by others"
        else:
            change = "the test set was replaced"
        yield f"{change} ({plural(gold.n_before, 'item')} before, {gold.n_after:,} now)"
        return
    if gold.n_relabelled:
        of = f"{gold.n_relabelled:,} of {plural(gold.n_common or 0, 'gold label')}"
        yield f"{of} {_was(gold.n_relabelled)} corrected"
    if gold.n_removed:
        yield f"{gold.n_removed:,} of {plural(gold.n_before, 'item')} {_was(gold.n_removed)} taken out of the test set"
    if gold.n_added:
        yield f"{plural(gold.n_added, 'item')} {_was(gold.n_added)} added to the test set"


_OF_SEVERAL = {
    SubmissionFate.ADDED: ("{kind} of {names} {was} added", 1),
    SubmissionFate.WITHDRAWN: ("{kind} of {names} {was} withdrawn", 0),
    SubmissionFate.CHANGED: ("{kind} of {names} {was} replaced", 1),
}
"""The clause, and whether it speaks of the role before or after."""


def _submission_clauses(changes: Sequence[SubmissionChange]) -> Iterator[str]:
    for fate, (text, side) in _OF_SEVERAL.items():
        for role in dict.fromkeys(change.roles[side] for change in changes if change.fate is fate):
            names = [
                _shown(change.name)
                for change in changes
                if change.fate is fate and change.roles[side] is role
            ]
            # “the late submission”, “the baselines”
            noun = agreeing(len(names), "submission", "submissions")
            if role in (None, Role.PRIMARY):
                kind = f"the {noun}"
            else:
                kind = f"the {role.value} {noun}"
            yield text.format(kind=kind, names=listed(names, limit=_NAMED), was=_was(len(names)))
    yield from (_of_one(change) for change in changes if change.fate not in _OF_SEVERAL)


def _of_one(change: SubmissionChange) -> str:
    name = _shown(change.name)
    (run_before, run_after) = change.runs
    if change.fate is SubmissionFate.RENAMED:
        return f"{_shown(change.before or '')} was renamed {name}"
    if change.fate is SubmissionFate.OTHER_RUN:
        return f"{_run(run_after)} of {name} was counted in place of {_run(run_before)}"
    if change.fate is SubmissionFate.COUNTED:
        return f"{name}, which was not counted before ({change.reason}), was counted"
    if change.fate is SubmissionFate.UNCOUNTED:
        return f"{name} was no longer counted ({change.reason})"
    before, after = (role.value for role in change.roles if role)
    return f"the role of {name} was changed from {before} to {after}"


def _run(name: str | None) -> str:
    if name is None:
        return "the run without a name"
    return f"the run {quoted(name, _NAME)}"


def _setting_clause(change: SettingChange) -> str:
    if change.slug == "label":
        return f"{change.what} was {'added to' if change.before is None else 'taken out of'} the label set"
    if change.slug == "groups":
        before, after = (
            f"in {each}" if each else "one by one" for each in (change.before, change.after)
        )
        return f"items were taken {after} in place of {before}"
    if change.before is None:
        return f"{change.what} was set to {change.after}"
    if change.after is None:
        return f"{change.what} was no longer stated (before: {change.before})"
    return f"{change.what} was changed from {change.before} to {change.after}"


# What became of it


def erratum_of(difference: Difference) -> tuple[str, ...]:
    """Sentences for an erratum: what was changed, what is said of the first place, which ranks and scores changed."""
    result_changed = bool(difference.findings) or any(row.changed for row in difference.board)
    if difference.is_empty or not (difference.what_changed or result_changed):
        return (NOTHING_CHANGED,)
    return tuple(filter(None, (*_first_place(difference), _ranks(difference), _scores(difference))))


def _first_place(difference: Difference) -> Iterator[str]:
    """Whether the first place is another, then what the verdict says of it on either side."""
    if difference.what_changed:
        lead = f"After {listed(difference.what_changed, limit=_CLAUSES)}, "
    else:
        lead = ""
    before, now = (side.verdict.sentence for side in (difference.before, difference.after))
    is_same_set = _rows_of(difference, 0, "could_be_best") == _rows_of(
        difference, 1, "could_be_best"
    )
    if before == now and is_same_set:
        yield sentence_case(f"{lead}the first place is as before: {now}")
        return
    if before == now:
        set_changed = say(
            "the first place stays, and other teams may be equally good as the first or better."
        )
        yield sentence_case(f"{lead}{set_changed}")
        yield f"Before: {_rivals(difference.before)}."
        yield f"Now: {_rivals(difference.after)}."
        return
    stays = _rows_of(difference, 0, "winners") == _rows_of(difference, 1, "winners")
    if stays and _says_the_same(difference):
        yield sentence_case(
            f"{lead}the first place stays, and only scores change in what is said of it: {now}"
        )
        yield f"Before: {before}"
        return
    if stays:
        both = "stays, and what can be said of it changes."
    else:
        both = "changes."
    yield sentence_case(f"{lead}the first place {both}")
    yield f"Before: {before}"
    yield f"Now: {now}"


def _ranks(difference: Difference) -> str:
    """The entries that change rank, of those that are ranked on both sides, and who shares one on one side only."""
    both = [row for row in difference.board if row.is_ranked_on_both]
    if len(both) < 2:  # noqa: PLR2004 - one alone has nobody to change places with
        return ""
    moves = []
    sharing = []
    for row in both:
        before, now = (side for side in (row.before, row.after) if side)
        if before.rank != now.rank:
            moves.append(f"{_shown(row.name)} from {_rank(before)} to {_rank(now)}")
        elif row.moved:
            if now.printed_rank.endswith("="):
                shares = "now shares"
            else:
                shares = "no longer shares"
            sharing.append(f"{_shown(row.name)} {shares} rank {now.rank}")
    n_moves = len(moves)
    noun = entrant(difference.after)
    if moves:
        changed = f"{n_moves:,} {agreeing(n_moves, 'changes', 'change')} rank: "
    else:
        changed = "none changes rank"
    sentence = f"Of the {plural(len(both), noun)} ranked before and now, {changed}{listed(moves, limit=_MOVES)}."
    if sharing:
        return f"{sentence} {sentence_case(listed(sharing, limit=_NAMED))}."
    return sentence


def _scores(difference: Difference) -> str:
    rows = [row for row in difference.board if len(_scores_of(row)) == 2]  # noqa: PLR2004 - before and now
    if not difference.same_metric or not rows:
        return ""
    largest = max(rows, key=_gap)
    if _gap(largest) <= TIE_TOLERANCE:
        if len(rows) > 1:
            return "No score changes."
        return ""
    scores = _scores_of(largest)
    fewest = max(side.task.printed_decimals for side in (difference.before, difference.after))
    decimals = decimals_to_tell_apart(scores, fewest, max(fewest, _MOST_DECIMALS))
    one, other = (number(score, decimals) for score in scores)
    return f"The score that changes most is that of {_shown(largest.name)}, from {one} to {other}."


# Parts of sentences


def _says_the_same(difference: Difference) -> bool:
    """Whether the two verdicts make the same claims of the same entries, whatever the scores are."""
    verdicts = difference.before.verdict, difference.after.verdict
    claims = {(verdict.claim, _SCORE.sub("", verdict.sentence)) for verdict in verdicts}
    same_set = _rows_of(difference, 0, "could_be_best") == _rows_of(difference, 1, "could_be_best")
    return len(claims) == 1 and same_set


def _rivals(evaluation: Evaluation) -> str:
    """The names of the teams that may be equally good as the first or better."""
    verdict = evaluation.verdict
    rivals = [entry for entry in verdict.could_be_best if entry not in verdict.winners]
    return names(evaluation, rivals, limit=_CLAUSES) or "none"


def _rows_of(difference: Difference, side: int, which: str) -> list[BoardRow]:
    """The rows of those that the verdict of one side counts among some, in the order of the board."""
    evaluation = (difference.before, difference.after)[side]
    entries = {evaluation.names[entry] for entry in getattr(evaluation.verdict, which)}
    standings = ((row, (row.before, row.after)[side]) for row in difference.board)
    return [row for row, standing in standings if standing and standing.name in entries]


def _gap(row: BoardRow) -> float:
    scores = _scores_of(row)
    return abs(scores[0] - scores[-1])


def _scores_of(row: BoardRow) -> list[float]:
    return [side.score for side in (row.before, row.after) if side and side.score is not None]


def _rank(standing: Standing) -> str:
    """A rank inside a sentence: shared ones say so."""
    if standing.printed_rank.endswith("="):
        return f"{standing.rank} (shared)"
    return str(standing.rank)


def _shown(name: str) -> str:
    return visible(name, _NAME)


def _was(count: int) -> str:
    return agreeing(count, "was", "were")
