"""The words for an erratum: what was changed in clauses, and what became of it in sentences."""

import math
from collections.abc import Iterator, Sequence

from audit.domain import Claim, Role
from audit.questions.revision.difference import (
    BoardRow,
    Conclusion,
    Difference,
    GoldChange,
    SettingChange,
    Standing,
    SubmissionChange,
    SubmissionFate,
)
from audit.ranking.ranks import TIE_TOLERANCE
from audit.sentences import say
from audit.text import agreeing, decimals_to_tell_apart, listed, number, plural, quoted, sentence_case, visible

_NAME = 40
_NAMED, _BEST_NAMED, _MOVES, _CLAUSES = 5, 10, 10, 6
_MOST_DECIMALS = 6

NOTHING_CHANGED = "Nothing was changed that a rank, a score or a finding depends on, and all of them are as before."

# What was changed


def clauses_of(difference: Difference) -> tuple[str, ...]:
    """The changes that can matter, one clause each, in the past tense."""
    settings = (_setting_clause(change) for change in difference.settings if change.matters)
    return (*_gold_clauses(difference.gold), *_submission_clauses(difference.submissions), *settings)


def _gold_clauses(gold: GoldChange) -> Iterator[str]:
    if not gold.n_common:
        change = "the gold labels were replaced by others" if gold.n_common is None else "the test set was replaced"
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
            names = [_shown(change.name) for change in changes if change.fate is fate and change.roles[side] is role]
            yield text.format(kind=_kind(role, len(names)), names=listed(names, limit=_NAMED), was=_was(len(names)))
    yield from (_of_one(change) for change in changes if change.fate not in _OF_SEVERAL)


def _kind(role: Role | None, count: int) -> str:
    """Submissions by their role: “the late submission”, “the baselines”."""
    noun = "submission" if count == 1 else "submissions"
    return f"the {noun}" if role in (None, Role.PRIMARY) else f"the {role.value} {noun}"


def _of_one(change: SubmissionChange) -> str:
    name, (run_before, run_after) = _shown(change.name), change.runs
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
    return "the run without a name" if name is None else f"the run {quoted(name, _NAME)}"


def _setting_clause(change: SettingChange) -> str:
    if change.slug == "label":
        return f"{change.what} was {'added to' if change.before is None else 'taken out of'} the label set"
    if change.slug == "groups":
        before, after = (f"in {each}" if each else "one by one" for each in (change.before, change.after))
        return f"items were taken {after} in place of {before}"
    if change.before is None:
        return f"{change.what} was set to {change.after}"
    if change.after is None:
        return f"{change.what} was no longer stated (before: {change.before})"
    return f"{change.what} was changed from {change.before} to {change.after}"


# What became of it


def erratum_of(difference: Difference) -> tuple[str, ...]:
    """Sentences for an erratum: who is first now, who was, what the test set tells, which ranks and scores changed."""
    result_changed = bool(difference.findings) or any(row.changed for row in difference.board)
    if difference.is_empty or not (difference.what_changed or result_changed):
        return (NOTHING_CHANGED,)
    sentences = (
        _first_now(difference),
        _first_before(difference),
        _could_be_best_sentence(difference),
        _ranks(difference),
        _scores(difference),
    )
    return tuple(filter(None, sentences))


def _first_now(difference: Difference) -> str:
    """A sentence “After 12 of 1,000 gold labels were corrected, A is first by accuracy”."""
    rows, metric = _first_rows(difference, 1), difference.metrics[1]
    lead = f"After {listed(difference.what_changed, limit=_CLAUSES)}, " if difference.what_changed else ""
    if not rows:
        return sentence_case(f"{lead}{_nobody(difference.conclusions[1], metric, 'is')}.")
    names, still = _names(rows), rows == _first_rows(difference, 0)
    adverb = "still " if still else ""
    verb = f"is {adverb}first" if len(rows) == 1 else f"{adverb}share first place"
    return sentence_case(f"{lead}{names} {verb} by {metric} ({_score_now(difference, rows[0], still=still)}).")


def _score_now(difference: Difference, row: BoardRow, *, still: bool) -> str:
    """A clause with the score of who is first, and the old score where the same entry was first before."""
    score = _printed(difference, row.after, 1)
    if not still or row.before is None:
        return score
    if not difference.same_metric:
        return f"{score}; before, by {difference.metrics[0]}, {_printed(difference, row.before, 0)}"
    if _gap(row) <= TIE_TOLERANCE:
        return f"{score}, as before"
    one, other = _distinct_scores(difference, row)
    return f"{other}; before, {one}"


def _first_before(difference: Difference) -> str:
    """A sentence on who was first before, where it is another, with the places of the two."""
    then, now = _first_rows(difference, 0), _first_rows(difference, 1)
    if then == now:
        return ""
    by = "" if difference.same_metric else f" by {difference.metrics[0]}"
    if then:
        verb = "was first" if len(then) == 1 else "shared first place"
        first = f"{_names(then)} {verb}{by} ({_printed(difference, then[0].before, 0)})"
    else:
        first = _nobody(difference.conclusions[0], difference.metrics[0], "was")
    earlier = [_stood(difference, row) for row in now if row not in then]
    later = [_stands(difference, row) for row in then if row not in now]
    places = f"Before, {listed([first, *earlier], limit=_NAMED)}", listed(later, limit=_NAMED)
    return f"{'; '.join(filter(None, places))}."


def _nobody(conclusion: Conclusion, metric: str, verb: str) -> str:
    state = "ranked" if conclusion.claim is Claim.NOBODY else "ahead"
    return f"nobody {verb} {state} by {metric}"


def _stood(difference: Difference, row: BoardRow) -> str:
    name = _shown(row.before.name if row.before else row.name)
    if row.before is None or not row.before.is_ranked:
        return f"{name} was not ranked"
    return f"{name} had rank {_rank(row.before)} ({_printed(difference, row.before, 0)})"


def _stands(difference: Difference, row: BoardRow) -> str:
    if row.after is None or not row.after.is_ranked:
        return f"{_shown(row.name)} is no longer ranked"
    return f"{_shown(row.name)} now has rank {_rank(row.after)} ({_printed(difference, row.after, 1)})"


def _could_be_best_sentence(difference: Difference) -> str:
    """A sentence on who could be best on either side, where it was tested."""
    before, after = difference.conclusions
    now, then = _claim_sentence(after, ""), _claim_sentence(before, "-before")
    if not now or not then:
        return f"Now {now}." if now else _untested(after)
    if _is_open(before) and _is_open(after):
        rows = [(row, _is_best(row.before), _is_best(row.after)) for row in difference.board]
        came = [_shown(row.name) for row, was, is_now in rows if is_now and not was]
        went = [_shown(row.name) for row, was, is_now in rows if was and not is_now]
        if not came and not went:
            return f"As before, {now}."
        not_before = f"; before, {listed(came, limit=_BEST_NAMED)} {_was(len(came))} not among them" if came else ""
        not_now = f"; before, {listed(went, limit=_BEST_NAMED)} {_was(len(went))} among them, too" if went else ""
        return f"Now {now}{not_before}{not_now}."
    return f"As before, {now}." if then == _claim_sentence(after, "-before") else f"Now {now}; before, {then}."


def _untested(conclusion: Conclusion) -> str:
    """Why the test set tells nothing of who is first now."""
    leader = listed([_shown(name) for name in conclusion.first])
    slugs = {Claim.FEWER_ITEMS: "fewer-items", Claim.UNDECIDED: "undecided", Claim.NOT_TESTED: "not-tested"}
    return say(f"erratum-{slugs[conclusion.claim]}", leader=leader) if conclusion.claim in slugs else ""


def _is_open(conclusion: Conclusion) -> bool:
    return conclusion.claim in (Claim.OPEN, Claim.SHARED) and len(conclusion.could_be_best) > 1


def _claim_sentence(conclusion: Conclusion, tense: str) -> str:
    best = [_shown(name) for name in conclusion.could_be_best]
    if conclusion.claim is Claim.BEST:
        return say(f"erratum-best{tense}", leader=best[0], n=plural(conclusion.n_ranked, conclusion.noun))
    return say(f"erratum-open{tense}", names=listed(best, limit=_BEST_NAMED)) if _is_open(conclusion) else ""


def _is_best(standing: Standing | None) -> bool:
    return bool(standing and standing.could_be_best)


def _ranks(difference: Difference) -> str:
    """The entries that change rank, of those that are ranked on both sides, and who shares one on one side only."""
    both = [row for row in difference.board if row.is_ranked_on_both]
    if len(both) < 2:  # noqa: PLR2004 - one alone has nobody to change places with
        return ""
    moves, sharing = [], []
    for row in both:
        before, now = (side for side in (row.before, row.after) if side)
        if before.rank != now.rank:
            moves.append(f"{_shown(row.name)} from {_rank(before)} to {_rank(now)}")
        elif row.moved:
            shares = "now shares" if now.printed_rank.endswith("=") else "no longer shares"
            sharing.append(f"{_shown(row.name)} {shares} rank {now.rank}")
    sentence = f"{_moves_clause(len(moves), len(both), difference.conclusions[1].noun)}{listed(moves, limit=_MOVES)}."
    return f"{sentence} {sentence_case(listed(sharing, limit=_NAMED))}." if sharing else sentence


def _moves_clause(n_moves: int, n_both: int, noun: str) -> str:
    of = f"{plural(n_both, noun)} ranked before and now"
    if n_moves == n_both:
        return f"Both {noun}s ranked before and now change rank: " if n_both == 2 else f"All {of} change rank: "  # noqa: PLR2004 - both
    verb = "changes" if n_moves == 1 else "change"
    return f"Of the {of}, {n_moves:,} {verb} rank: " if n_moves else f"Of the {of}, none changes rank"


def _scores(difference: Difference) -> str:
    """A sentence with the score that changes most, among entries that are on both boards."""
    rows = [row for row in difference.board if len(_scores_of(row)) == 2]  # noqa: PLR2004 - before and now
    if not difference.same_metric or not rows:
        return ""
    largest = max(rows, key=_gap)
    if _gap(largest) <= TIE_TOLERANCE:
        return "No score changes." if len(rows) > 1 else ""
    one, other = _distinct_scores(difference, largest)
    return f"The score that changes most is that of {_shown(largest.name)}, from {one} to {other}."


# Parts of sentences


def _first_rows(difference: Difference, side: int) -> list[BoardRow]:
    """The rows of those that are first on one side, in the order of the board."""
    first = set(difference.conclusions[side].first)
    standings = ((row, (row.before, row.after)[side]) for row in difference.board)
    return [row for row, standing in standings if standing and standing.name in first]


def _gap(row: BoardRow) -> float:
    scores = _scores_of(row)
    return abs(scores[0] - scores[-1])


def _scores_of(row: BoardRow) -> list[float]:
    """The score before and the score now, where they are defined."""
    return [side.score for side in (row.before, row.after) if side and side.score is not None]


def _distinct_scores(difference: Difference, row: BoardRow) -> tuple[str, ...]:
    """Both scores of a row, with as many decimals as tell them apart."""
    scores, fewest = _scores_of(row), max(difference.decimals)
    decimals = decimals_to_tell_apart(scores, fewest, max(fewest, _MOST_DECIMALS))
    return tuple(number(score, decimals) for score in scores)


def _printed(difference: Difference, standing: Standing | None, side: int) -> str:
    score = standing.score if standing else None
    return number(math.nan if score is None else score, difference.decimals[side])


def _rank(standing: Standing) -> str:
    """A rank inside a sentence: shared ones say so."""
    return f"{standing.rank} (shared)" if standing.printed_rank.endswith("=") else str(standing.rank)


def _names(rows: Sequence[BoardRow]) -> str:
    return listed([_shown(row.name) for row in rows], limit=_NAMED)


def _shown(name: str) -> str:
    return visible(name, _NAME)


def _was(count: int) -> str:
    return agreeing(count, "was", "were")
