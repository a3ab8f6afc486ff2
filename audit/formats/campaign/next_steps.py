"""What to decide or to write where gold or submissions were not found: also the test sets that names tell apart."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from audit.errors import ISSUE_KINDS, SETTINGS_FILE, Choice, InputError, Issue
from audit.formats.campaign import conventions
from audit.formats.campaign.conventions import data_files
from audit.formats.campaign.survey import (
    data_paths,
    gold_candidates,
    lone_files,
    pattern_of,
    patterns_of_one,
    places_of,
)
from audit.formats.files.tree import Tree
from audit.formats.settings.layout import toml_text
from audit.formats.settings.values import Pattern
from audit.text import natural_order, visible

_WORD = re.compile(r"[0-9]+|[A-Z]+(?![a-z])|[^\W\d_][^\W\d_A-Z]*")
_OF_RUNS = frozenset({"run", "runs", "v", "version", "system", "submission", "attempt"})
"""A number behind one of these counts a team's runs, and no test sets."""
_SEPARATORS = "_-. "
_MOST_LOOKED_AT = 20
"""So many files of each test set, spread over all, say how files are called; more would take longer, not tell more."""
_MARK = "\0"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class NamedTestSet:
    """A gold file, and the submissions whose names say that they answer it."""

    name: str  # the word that tells it from the other test sets, as the gold file writes it
    gold: str
    files: str  # the pattern of its submissions
    submissions: tuple[str, ...]  # the files that the pattern matches

    @property
    def heading(self) -> str:
        """The name as a heading of task.toml has it."""
        return f"subtask.{self.name if _BARE_KEY.fullmatch(self.name) else toml_text(self.name)}"

    @property
    def in_words(self) -> str:
        """The section of task.toml on one line."""
        files = toml_text(visible(self.files, 200))
        return f"[{self.heading}] gold.path = {toml_text(visible(self.gold, 200))}, submissions.files = {files}"


def named_test_sets(tree: Tree) -> list[NamedTestSet]:
    """The test sets that names tell apart; none where gold files or submissions share no word."""
    paths = data_paths(tree)
    return grouped_by_name(paths, gold_candidates(paths))


def grouped_by_name(paths: Sequence[str], golds: Sequence[str]) -> list[NamedTestSet]:
    """The test sets among files, by the words of their paths that one gold file has alone.

    >>> golds = ["gold/subtaskA.csv", "gold/subtaskB.csv"]
    >>> paths = [f"runs/{team}/subtask_{part}.csv" for team in ("X", "Y") for part in "AB"]
    >>> [(part.name, part.files) for part in grouped_by_name([*golds, *paths], golds)]
    [('A', 'runs/{team}/subtask_A.csv'), ('B', 'runs/{team}/subtask_B.csv')]
    >>> grouped_by_name(["gold_x.csv", "gold_y.csv", "runs/A.csv", "runs/B.csv"], ["gold_x.csv", "gold_y.csv"])
    []
    """
    word_of = _own_words(golds)
    if len(word_of) < 2:  # noqa: PLR2004 - two, to be told apart
        return []
    others = [path for path in paths if path not in golds]
    files_of = {gold: _files_with(word, others, set(word_of.values())) for gold, word in word_of.items()}
    templates = _templates({word_of[gold]: files for gold, files in files_of.items()})
    for template in templates:
        test_sets = list(_by_template(template, word_of, files_of))
        if len(test_sets) > 1 and len(_teams(test_sets)) > 1:
            return sorted(test_sets, key=lambda part: natural_order(part.name))
    return []


def _teams(parts: Iterable[NamedTestSet]) -> set[str]:
    """The teams of all test sets; a folder that alone would be one holds files of teams."""
    patterns = [(Pattern(part.files), part.submissions) for part in parts]
    matches = (pattern.match(path) for pattern, paths in patterns for path in paths)
    return {names.team for names in matches if names is not None}


def _words(text: str) -> list[str]:
    """The words of a name, case folded: of “subtaskA_v2” subtask, a, v and 2."""
    return [word.casefold() for word in _WORD.findall(text)]


def _own_words(golds: Sequence[str]) -> dict[str, str]:
    """The last word of each gold file's path that no other gold file has, folded; those that have none are left out."""
    words_of = {gold: _words(gold) for gold in golds}
    word_of = {}
    for gold, words in words_of.items():
        elsewhere = {word for other, theirs in words_of.items() if other != gold for word in theirs}
        own = [word for word in words if word not in elsewhere]
        if own:
            word_of[gold] = own[-1]
    return word_of


def _files_with(word: str, paths: Iterable[str], words: set[str]) -> list[str]:
    """The files that this word alone stands in, of those that tell test sets apart."""
    return [path for path in paths if _telling(path) & words == {word}]


def _telling(path: str) -> set[str]:
    """The words of a path that may name a test set."""
    words = _words(path)
    return {
        word for before, word in zip(["", *words], words, strict=False) if not (word.isdigit() and before in _OF_RUNS)
    }


def _templates(files_of: dict[str, list[str]]) -> list[str]:
    """Patterns with a mark where the test set's word stands, those of the most files first."""
    matched: defaultdict[str, set[str]] = defaultdict(set)
    for word, files in files_of.items():
        looked_at = files[:: max(1, len(files) // _MOST_LOOKED_AT)]
        for template in dict.fromkeys(template for path in looked_at for template in _templates_of(path, word, files)):
            matched[template] |= set(_matched(_filled(template, _spelling(word, files)), files))
    return sorted(matched, key=lambda template: (-len(matched[template]), template.count("{"), template))


def _templates_of(path: str, word: str, files: Sequence[str]) -> Iterator[str]:
    """The ways in which a path may name test set, team and run."""
    if set(path) & set("{}*"):
        return
    parts = path.split("/")
    places = [(at, match) for at, part in enumerate(parts) for match in _WORD.finditer(part)]
    at, match = [(at, match) for at, match in places if match.group().casefold() == word][-1]
    marked = parts[at][: match.start()] + _MARK + parts[at][match.end() :]
    above, below = parts[:at], parts[at + 1 :]
    if below:
        ending = below[-1][len(conventions.stem(below[-1])) :]
        yield "/".join([*above, marked, *below[:-1], "{team}" + ending])
        if len(below) > 1:
            yield "/".join([*above, marked, *below[:-2], "{team}", below[-1]])
            yield "/".join([*above, marked, *below[:-2], "{team}", "{run}" + ending])
        elif above:
            yield "/".join([*above[:-1], "{team}", marked, below[-1]])
            yield "/".join([*above[:-1], "{team}", marked, "{run}" + ending])
        return
    stem = conventions.stem(marked)
    ending = marked[len(stem) :]
    if above and _MARK in stem:
        yield "/".join([*above[:-1], "{team}", marked])
        head, _, rest = stem.rpartition(_MARK)
        if rest[:1] and rest[0] in _SEPARATORS:
            yield "/".join([*above[:-1], "{team}", f"{head}{_MARK}{rest[0]}{{run}}{ending}"])
    yield from (conventions.joined("/".join(above), name + ending) for name in _name_templates(stem, word, path, files))


def _name_templates(stem: str, word: str, path: str, files: Sequence[str]) -> Iterator[str]:
    """Names of files of all teams in one folder: the team's before or behind the test set's, or around it."""
    folder = path.rpartition("/")[0]
    stems = [conventions.stem(other) for other in files if other.rpartition("/")[0] == folder]
    common = pattern_of(stems)
    spelt = _spelling(word, files)
    if common != "{team}" and common.count(spelt) == 1:
        yield common.replace(spelt, _MARK)
    for mark in _SEPARATORS:
        if stem.endswith(mark + (last := stem.rpartition(mark)[2])) and _MARK in last:
            yield f"{{team}}{mark}{last}"
        if stem.startswith((first := stem.partition(mark)[0]) + mark) and _MARK in first:
            yield f"{first}{mark}{{team}}"


def _spelling(word: str, files: Iterable[str]) -> str:
    """The word as the names of submissions write it."""
    spellings = (match.group() for path in files for match in _WORD.finditer(path) if match.group().casefold() == word)
    return next(spellings, word)


def _filled(template: str, spelt: str) -> str:
    return template.replace(_MARK, spelt)


def _matched(text: str, paths: Iterable[str]) -> list[str]:
    """The paths that a pattern matches; none where the text is no pattern."""
    try:
        pattern = Pattern(text)
    except ValueError:
        return []
    return [path for path in paths if pattern.match(path) is not None]


def _by_template(template: str, word_of: dict[str, str], files_of: dict[str, list[str]]) -> Iterator[NamedTestSet]:
    """The test sets that have submissions by one template."""
    for gold, word in word_of.items():
        pattern = _filled(template, _spelling(word, files_of[gold]))
        matched = tuple(_matched(pattern, files_of[gold]))
        if matched:
            yield NamedTestSet(_spelling(word, [gold]), gold, pattern, matched)


OPEN_DECISION = "# TO DECIDE:"
"""How a draft marks a line that waits for the organiser."""

_SECTION_OF = {"no-gold": "[gold]", "several-golds": "[gold]", "no-submissions": "[submissions]"}
_OF_GOLD = ("no-gold", "several-golds")
_SEVERAL = (
    'if each is a test set of its own, a section for each: [subtask.A] gold.{}, submissions.files = "…/{{team}}.csv"'
)
_MOST_CHOICES = 4
_OR = " · or · "


def leading_on(tree: Tree, issues: Iterable[Issue]) -> list[Issue]:
    """The issues, of which those for what was not found say what to decide or to write."""
    issues = list(issues)
    of_gold = [issue for issue in issues if issue.slug in _OF_GOLD]
    if of_gold and (parts := named_test_sets(tree)):
        remedy = sections_in_words(parts, has_settings=tree.exists(SETTINGS_FILE))
        led = {issue: replace(issue, remedy=remedy) for issue in of_gold}
        return [led.get(issue, issue) for issue in issues if issue.slug != "no-submissions"]
    return [_leading_on(tree, issue) if issue.slug in _SECTION_OF else issue for issue in issues]


def sections_in_words(parts: Sequence[NamedTestSet], *, has_settings: bool) -> str:
    """The sections to write into task.toml for several test sets."""
    instead = ", in place of path under [gold] and files under [submissions]" if has_settings else ""
    sections = " · and · ".join(part.in_words for part in parts)
    return (
        f"these look like several test sets: write into {SETTINGS_FILE}{instead}: {sections}. audit init FOLDER writes "
        "these sections; where one alone is meant, write path under [gold] and files under [submissions] as its "
        "section has them"
    )


def _leading_on(tree: Tree, issue: Issue) -> Issue:
    section = _SECTION_OF[issue.slug]
    if (line := _open_decision(tree, section)) is not None:
        waits = f"{SETTINGS_FILE} waits for a decision on line {line}, under {section}"
        remedy = f"{waits}: take the mark # off one of its lines"
        return replace(issue, file=SETTINGS_FILE, lines=(line,), remedy=remedy)
    choices = _choices(tree, issue.slug)
    if not choices or issue.remedy != ISSUE_KINDS[issue.slug].remedy:
        return issue
    remedy = f"write into {SETTINGS_FILE}, under {section}: {_OR.join(choices[:_MOST_CHOICES])}"
    if issue.slug == "no-gold" and len(choices) > 1:
        remedy += _OR + _SEVERAL.format(choices[0])
    return replace(issue, remedy=remedy, choices=tuple(Choice(section, choice, choice) for choice in choices))


def _open_decision(tree: Tree, section: str) -> int | None:
    """The line of a draft on which a decision of this table is left open."""
    try:
        content = tree.original(SETTINGS_FILE) if tree.exists(SETTINGS_FILE) else b""
    except InputError:
        return None
    table = ""
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        table = line.strip() if line.startswith("[") else table
        if table == section and line.startswith(OPEN_DECISION):
            return number
    return None


def _choices(tree: Tree, slug: str) -> list[str]:
    """The settings that could be meant, by what is in the folder."""
    if slug == "no-gold":
        paths = data_paths(tree)
        candidates = gold_candidates(paths) or data_files(tree.listing("").files) or lone_files(paths)
        return [f"path = {toml_text(path)}" for path in candidates]
    if slug == "no-submissions":
        patterns = [place.pattern for place in places_of(tree) if place.pattern] or _patterns_of_one(tree)
        return [f"files = {toml_text(visible(pattern, 200))}" for pattern in patterns]
    return []


def _patterns_of_one(tree: Tree) -> list[str]:
    """Patterns for files in folders of which no two look alike: there may be one submission so far."""
    paths = data_paths(tree)
    golds = gold_candidates(paths)
    return list(dict.fromkeys(pattern for path in paths if path not in golds for pattern in patterns_of_one(path)))
