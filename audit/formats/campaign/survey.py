"""A folder looked around in: which files read as gold, and which of the others answer them."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from audit.domain import Policies
from audit.domain.sets import GivenSets
from audit.domain.tags import scheme_of
from audit.errors import InputError, Issue
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import read_gold
from audit.formats.campaign.conventions import is_called_answers
from audit.formats.campaign.set_files import GoldSets
from audit.formats.campaign.submission import GoldFile
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.settings.answers import SETS
from audit.formats.settings.layout import toml_text
from audit.formats.settings.parsing import Settings, parse_settings
from audit.formats.wide import looks_wide
from audit.text import quoted

_DEEPEST = 6
_MOST_FILES = 20_000
_MOST_GOLDS = 8
_MOST_WIDE = 100
_MOST_WAYS = 20  # to read a gold file
_LENIENT = Policies(gold_copy="accept")  # what a file is has to be told before it is judged
_GOLD_WORDS = re.compile(
    r"(?<![a-z])(gold|golden|truth|groundtruth|reference|labels|key|answers?)(?![a-z])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of reading a file as answers to some gold."""

    n_answered: int = 0
    share: float = 0.0  # of the gold items that it answers
    is_gold: bool = False  # whether all its answers are gold's
    issue: Issue | None = None  # what keeps it from being read, or is said of it

    @property
    def fits(self) -> bool:
        """Whether it answers most items."""
        return self.share > 0.5  # noqa: PLR2004 - most


def every_path(tree: Tree) -> list[str]:
    """Every file that can be named, also in archives, down to six folders; links to folders are not followed."""
    return list(islice(_files_below(tree, "", _DEEPEST), _MOST_FILES))


def _files_below(tree: Tree, folder: str, depth: int) -> Iterator[str]:
    issues: list[Issue] = []
    listing = conventions.listed_or_not(tree, folder, issues)
    yield from ([folder] if issues and archive_ending(folder) else ())
    yield from (path for path in listing.files if conventions.printable(path) == path)
    for below in listing.folders if depth else ():
        if not conventions.is_never_data(below) and not (tree.root / below).is_symlink():
            yield from _files_below(tree, below, depth - 1)


def says_gold(path: str) -> bool:
    """Whether the name of a file says gold."""
    return _GOLD_WORDS.search(conventions.name_of(path).replace("_", " ")) is not None


def gold_candidates(paths: Iterable[str]) -> list[str]:
    """Files whose name, or whose folder's name, says gold; the files' own names first."""
    paths = list(paths)
    of_name = Counter(map(conventions.name_of, paths))
    named = list(filter(says_gold, paths))
    # Answers that are called alike in several folders are each team's.
    once = [path for path in named if of_name[conventions.name_of(path)] == 1 or not is_called_answers(path)]
    others = [path for path in paths if path not in named]
    in_folders = [path for path in others if _GOLD_WORDS.search(path.rpartition("/")[0].replace("_", " "))]
    return [*(once or named), *in_folders][:_MOST_GOLDS]


def lone_files(paths: Sequence[str]) -> list[str]:
    """Files that are like no other, by folder and ending or by name: where no name says gold, it may be one of them."""
    stem_of = {path: conventions.stem(path, keep_folders=True) for path in paths}
    kind_of = {path: (path.rpartition("/")[0], path[len(stem) :]) for path, stem in stem_of.items()}
    of_kind, of_name = Counter(kind_of.values()), Counter(map(conventions.name_of, paths))
    alone = [path for path in paths if of_kind[kind_of[path]] == 1 and of_name[conventions.name_of(path)] == 1]
    return alone[:_MOST_GOLDS]


def possible_golds(tree: Tree, paths: Sequence[str]) -> list[list[str]]:
    """The gold file by convention, or else every file that may be it; later ones where none of the first is."""
    try:
        return [[conventions.find_gold(tree)]]
    except InputError:
        named = gold_candidates(paths)
        return [named] if named else [conventions.data_files(tree.listing("").files), lone_files(paths)]


def gold_found(tree: Tree, path: str, settings: Settings, probes: Sequence[str] = ()) -> GoldFile | Issue:
    """A file as gold, of several ways to read it by the one that other files answer; why not where none is told."""
    first = _as_gold(tree, path, settings)
    if isinstance(first, Issue):
        are_tags_or_lists = SETS in first.remedy
    else:
        are_tags_or_lists = scheme_of(set(first.table.labels)) is not None
    if settings.toml.gives_sets or are_tags_or_lists:
        sets = _as_sets(tree, path, settings)
        if settings.toml.gives_sets:
            return sets
        tags = sets.labels if isinstance(sets, GoldSets) and sets.reader.form == "tags" else ()
        several = next((label for label in tags if "," in label), "")
        if isinstance(sets, GoldFile) and not several:
            return sets
        if several and isinstance(first, GoldFile):  # as where annotators differ: no test set's last word, and no class
            return Issue.of("ambiguous-reading", path, f"several tags of a token, like those of {quoted(several)}")
    if isinstance(first, GoldFile) or settings.source is not None:
        return first
    ways = [*_stated_ways(tree, path, first), *_of_lists(tree, path)]
    trials = [[tried(tree, probe, found) for probe in probes] for found in ways]
    counts = [sum(trial.fits and not trial.is_gold for trial in of_way) for of_way in trials]
    fitting = [found for found, count in zip(ways, counts, strict=True) if count == max(counts) > 0]
    return fitting[0] if len(fitting) == 1 else first


def _stated_ways(tree: Tree, path: str, issue: Issue) -> Iterator[GoldFile]:
    """A file as gold by each way that its issue offers, and by those that are offered then."""
    waiting = [choice.settings for choice in issue.choices if choice.section == "[gold]"]
    for stated in waiting:
        with suppress(InputError):
            both = parse_settings(f"gold = {{ {stated} }}\nsubmissions = {{ {stated} }}\n".encode())
            found = _as_gold(tree, path, both, stated)
            if isinstance(found, GoldFile):
                yield found
                if not found.table.layout.names and "label" not in stated:  # submissions may leave the column open
                    waiting.append(f"{stated}, label = {found.table.layout.label[0] + 1}")
                continue
            further = [choice.settings for choice in found.choices if choice.section == "[gold]"]
            waiting += [f"{stated}, {way}" for way in further if len(waiting) < _MOST_WAYS]


def _as_gold(tree: Tree, path: str, settings: Settings, stated: str = "") -> GoldFile | Issue:
    try:
        return replace(read_gold(tree, path, replace(settings, policies=_LENIENT)), stated=stated)
    except InputError as error:
        return error.issues[0]


def _of_lists(tree: Tree, path: str) -> Iterator[GoldFile]:
    """A JSON file as gold, by each field that holds lists; by position where nothing else tells the items."""
    fields: set[str] = set()
    with suppress(InputError, ValueError, RecursionError):  # of what is no JSON, or nested too deeply
        entries = json.loads(decode(path, tree.read(path)).text)
        if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
            fields = {key for entry in entries for key, value in entry.items() if isinstance(value, list)}
    for field in sorted(fields):
        ways = (f"{ids}label = {toml_text(field)}" for ids in ("", "id = false, "))
        found = (_as_sets(tree, path, Settings(), stated) for stated in ways)
        yield from islice((each for each in found if isinstance(each, GoldFile)), 1)


def _as_sets(tree: Tree, path: str, settings: Settings, stated: str = "") -> GoldFile | Issue:
    if not settings.toml.gives_sets:
        settings = parse_settings(f"{SETS}\ngold = {{ {stated} }}\nsubmissions = {{ {stated} }}\n".encode())
    found = _as_gold(tree, path, settings, stated)
    if isinstance(found, GoldFile) and not stated and found.table.layout.format == "tokens":
        return replace(found, stated='format = "tokens"')  # tags of a team alone may look like something else
    return found


def tried(tree: Tree, path: str, gold: GoldFile) -> Trial:
    """A file as answers to a gold file."""
    try:
        checked = gold.read(path, tree.original(path), gold.settings)
    except InputError as error:
        return Trial(issue=error.issues[0])
    issue = next((issue for issue in checked.issues if issue.fatal), None) or next(iter(checked.issues), None)
    if checked.codes is None:
        return Trial(issue=issue)
    answered, target = int((checked.codes < gold.target.missing).sum()), gold.target.gold
    if isinstance(gold, GoldSets):
        is_gold = checked.sets.says(GivenSets.of(gold.sets))
    else:
        is_gold = np.array_equal(checked.codes, target.codes)
    return Trial(answered, answered / target.n_items, is_gold, issue)


def wide_candidates(tree: Tree, paths: Sequence[str]) -> list[str]:
    """Files anywhere that look like gold with a column for each system."""
    found = []
    for path in paths[:_MOST_WIDE]:
        with suppress(InputError):
            found += [path] * looks_wide(decode(path, tree.read(path)))
    return found
