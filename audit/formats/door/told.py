"""What is told of a decision: gold, teams, other labels, and the files that are no submissions."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from audit.domain import Role
from audit.formats.door.decision import Decision, Stray, folded_in
from audit.formats.door.items import PATTERNS
from audit.formats.door.teams import Named, shown_teams
from audit.text import agreeing, listed, plural, quoted, visible

LONGEST = 300  # characters of a line
_MOST_TEAMS = 6
_NAME, _PATH = 40, 80  # characters of a name, and of a path
_SCORED_AS = {"labels": "", "sets": ", scored as sets", "spans": ", scored as spans (entities)"}
_OF_SEVERAL = {
    "rows": "with other numbers of rows",
    "ids": "with other ids",
    "order": "in another order",
    "unreadable": "that cannot be read",
    "labels": "without these labels",
    "outside": "in other places",
}
"""What files have in common that are no submissions for like reasons."""


def told_lines(path: str, decision: Decision, named: Mapping[str, Named], how: str) -> list[str]:
    """What was taken for what, a line each.

    Parameters
    ----------
    path
        The path of the gold file.
    named
        Whose each submission is, by its path.
    how
        What told it, such as "by what differs in the paths".
    """
    ranked = {answer.file.path: named[answer.file.path] for answer in decision.answers}
    left_out = {file: name for file, name in ranked.items() if not name.is_ranked}
    ranked = {file: name for file, name in ranked.items() if name.is_ranked}
    lines = [_gold_line(path, decision, len(ranked)), _teams_line(ranked, how)]
    if left_out:
        lines.append(_left_out_line(left_out))
    for name, count in decision.further_labels():
        have = agreeing(count, "has", "have")
        lines.append(
            f"{quoted(name)} holds labels, too, and {count:,} of the submissions {have} it: "
            f"--label {name} makes its report."
        )
    lines += _case_lines(decision)
    lines += _strays_lines([stray for stray in decision.strays if not stray.is_meant])
    meant = [stray for stray in decision.strays if stray.is_meant]
    return [*lines, *(f"Not scored: {stray.path}: {stray.reason}." for stray in meant)]


def _gold_line(path: str, decision: Decision, n_submissions: int) -> str:
    """Gold with its size and labels, and how submissions are matched with it."""
    gold = decision.gold
    columns = "one label a line"
    if gold.layout.names or len(gold.columns) > 1:
        names = [quoted(gold.names[number], _NAME) for number in decision.labels]
        columns = f"labels from {listed(names, limit=4)}"
    unit = "item"
    if gold.layout.format == "tokens":
        unit = "token"
    size = plural(gold.n_rows, unit)
    of_gold = f"Gold: {path}, {size}, {columns}{_SCORED_AS[decision.kind]}."
    return f"{of_gold} {plural(n_submissions, 'submission')}, matched {_matched(decision)}."


def _matched(decision: Decision) -> str:
    by_order = sum(answer.link.columns is None for answer in decision.answers)
    if by_order == len(decision.answers):
        return "by order"
    names = listed([quoted(decision.gold.names[number], 30) for number in decision.ids or ()])
    how = f"by id ({names})"
    if decision.pattern:
        words = next(words for words, pattern in PATTERNS.items() if pattern == decision.pattern)
        how += f", compared without {words}"
    if by_order:
        how += f", {by_order:,} by order"
    return how


def _case_lines(decision: Decision) -> list[str]:
    """The labels that differ from gold's in upper and lower case alone."""
    folded = folded_in(decision)
    if not folded:
        return []
    spelling, (label, n_files) = next(iter(folded.items()))
    others = ""
    if len(folded) > 1:
        others = f", and {plural(len(folded) - 1, 'other')} likewise"
    files = plural(n_files, "file")
    meant = f"{quoted(spelling, _NAME)} in {files} is gold’s {quoted(label, _NAME)}{others}"
    return [f"{meant}: upper and lower case are not told apart."]


# Teams


def _teams_line(of_files: Mapping[str, Named], how: str) -> str:
    """How many teams there are, how they were told apart, and an example, in one line."""
    teams = [name for name in of_files.values() if name.role != Role.BASELINE]
    baselines = [name for name in of_files.values() if name.role == Role.BASELINE]
    parties = []
    if teams:
        parties.append(plural(len({name.team for name in teams}), "team"))
    if baselines:
        parties.append(plural(len({name.team for name in baselines}), "baseline"))
    example = _example(of_files)

    def line(limit: int) -> str:
        return f"{listed(parties)} {how}: {shown_teams([*teams, *baselines], limit)}. {example}"

    return _longest_that_fits(line)


def _longest_that_fits(line: Callable[[int], str]) -> str:
    """The line that shows as many names as a line has room for, one at least."""
    for limit in range(_MOST_TEAMS, 1, -1):
        if len(line(limit)) <= LONGEST:
            return line(limit)
    return line(1)


def _example(of_files: Mapping[str, Named]) -> str:
    """A file with its team, and its run where files have runs; and what says it otherwise."""
    path = min(of_files, key=lambda each: (not of_files[each].run, len(each), each))
    whose = of_files[path]
    run = ""
    if whose.run:
        run = f", run {quoted(whose.run, _NAME)}"
    shown = path
    if len(path) > _PATH:
        shown = f"…/{'/'.join(path.split('/')[-2:])}"
    otherwise = "Otherwise: --name 'PATTERN' with {team} and {run}."
    return f"For example {shown} is {quoted(whose.team, _NAME)}{run}. {otherwise}"


def _left_out_line(of_files: Mapping[str, Named]) -> str:
    """The uploads that a platform does not rank."""
    path, first = next(iter(of_files.items()))
    more = ""
    if len(of_files) > 1:
        more = f" and {len(of_files) - 1:,} more"
    return f"Not ranked: {plural(len(of_files), 'upload')} ({visible(path, _PATH)}{more}): {first.why}."


# Files that are no submissions


def _strays_lines(strays: Sequence[Stray]) -> list[str]:
    """All files that are no submissions, those of like reasons together, in lines that are not too long."""
    groups: defaultdict[str, list[Stray]] = defaultdict(list)
    for stray in strays:
        groups[stray.about].append(stray)
    parts = [_strays_part(group) for group in sorted(groups.values(), key=len, reverse=True)]
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= LONGEST:
            lines[-1] = f"{lines[-1]}; {part}"
        else:
            lines.append(f"Not submissions: {part}")
    return [f"{line}." for line in lines]


def _strays_part(strays: Sequence[Stray]) -> str:
    """How many files are no submissions, one of them by its name, and why."""
    first = strays[0]
    path = visible(first.path, _PATH)
    if len(strays) == 1:
        return f"1 file ({path}): {first.reason}"
    if len({stray.reason for stray in strays}) == 1:
        return f"{len(strays):,} files ({path} and {len(strays) - 1:,} more): {first.reason}"
    what = _OF_SEVERAL[first.about]
    return f"{len(strays):,} files {what}, the first {path}: {first.reason}"
