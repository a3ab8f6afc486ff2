"""A folder looked around in: which files may be gold, where the submissions may be, which table may name them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product, takewhile

from audit.domain import Gold
from audit.errors import InputError, Issue
from audit.formats.align.alignment import Target, align
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import read_gold
from audit.formats.campaign.claims import conventional_claims
from audit.formats.campaign.submission import facts_of
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.recognise import read_table
from audit.formats.settings.layout import SILENT, Layout
from audit.formats.settings.parsing import Settings
from audit.formats.settings.values import Pattern
from audit.formats.wide import looks_wide

_UPLOADED = " - "  # forms write the name of whoever uploaded a file behind the file's own, with this between
_COUNTER = re.compile(r" ?\(\d+\)$")
_PLATFORMS = (
    (re.compile(r"Team .+  - \d+ submission"), "Team {team}  - {run} submission"),
    (re.compile(r".+ - \d+ submission"), "{team} - {run} submission"),
    (re.compile(r"ID_\d+_.+"), "ID_*_{team}"),
    (re.compile(r".+_\d+_assignsubmission_file_"), "{team}_*_assignsubmission_file_"),
    (re.compile(r".+_\d+_assignsubmission_file_.+"), "{team}_*_assignsubmission_file_*"),
)
"""What CodaLab, Codabench and Moodle call what is in their downloads, and the pattern that says so."""
_BOUNDARY = " _-."
_FEWEST = 3  # the fewest files whose names share a beginning or end not by chance


def pattern_of(stems: Sequence[str]) -> str:
    """A pattern for the names of one folder's files, without their endings, that takes off what all have in common.

    >>> pattern_of(["submission - Ann", "submission (2) - Ben", "submission - Eve"])
    'submission* - {team}'
    >>> pattern_of(["runs v2 - Ann", "final - Ben", "x - Eve"])
    '* - {team}'
    >>> pattern_of(["task1_A_out", "task1_Bee_out", "task1_C_out"])
    'task1_{team}_out'
    >>> pattern_of(["ID_511_uni x", "ID_512_second", "ID_519_third"])
    'ID_*_{team}'
    >>> pattern_of(["ann - 3 submission", "ann - 5 submission", "Ben - 4 submission"])
    '{team} - {run} submission'
    >>> pattern_of([f"{name}_7_assignsubmission_file_run_{name}" for name in ("Ann Lee", "Bo", "Cy")])
    '{team}_*_assignsubmission_file_*'
    >>> pattern_of(["team1", "team2", "team3"]), pattern_of(["run_1", "run_2", "run_3"])
    ('{team}', '{team}')
    """
    if len(stems) < _FEWEST:
        return "{team}"
    texts = (*_of_platform(stems), _of_form(stems), _of_affixes(stems))
    return next((text for text in texts if _tells_apart(text, stems)), "{team}")


def _of_platform(stems: Sequence[str]) -> list[str]:
    """The pattern of archives that a platform named."""
    return [text for named, text in _PLATFORMS if all(map(named.fullmatch, stems))]


def _of_form(stems: Sequence[str]) -> str:
    """The pattern of files that a form took in."""
    parts = [stem.rpartition(_UPLOADED) for stem in stems]
    heads = {head for head, _, _ in parts}
    bare = {_COUNTER.sub("", head) for head in heads}
    own = bare.pop() if len(bare) == 1 else ""
    return f"{own}{'' if heads == {own} else '*'}{_UPLOADED}{{team}}"


def _of_affixes(stems: Sequence[str]) -> str:
    """The pattern with a beginning and an end that all share, as far as these end and begin at a boundary."""
    before = _shared(stems)
    before = before[: 1 + max(before.rfind(mark) for mark in _BOUNDARY)]
    rest = [stem[len(before) :] for stem in stems]
    behind = _shared([stem[::-1] for stem in rest])
    behind = behind[: 1 + max(behind.rfind(mark) for mark in _BOUNDARY)][::-1]
    if all(stem[: len(stem) - len(behind)].isdigit() for stem in rest):
        before = ""  # a number alone is no name
    return f"{before}{{team}}{behind}"


def _shared(texts: Sequence[str]) -> str:
    """The beginning that all texts share."""
    alike = takewhile(lambda characters: len(set(characters)) == 1, zip(*texts, strict=False))
    return "".join(characters[0] for characters in alike)


def _tells_apart(text: str, stems: Sequence[str]) -> bool:
    """Whether every name is split by the pattern in one way, and no two give one team and run."""
    pattern = Pattern(text)
    splits = [pattern.splits(stem) for stem in stems]
    distinct = {names for each in splits for names in each.values()}
    return all(len(each) == 1 for each in splits) and len(distinct) == len(stems)


_DEEPEST = 6
_MOST_FILES = 20_000
_MOST_GOLDS = 8
_MOST_PATTERNS = 4
_MOST_TRIED = 5
_MOST_WIDE = 100
_GOLD_WORDS = re.compile(
    r"(?<![a-z])(gold|golden|truth|groundtruth|reference|labels|key|answers?)(?![a-z])", re.IGNORECASE
)

_DOUBTFUL_WORDS = re.compile(r"(?<![a-z])(references|refs?|solutions?)(?![a-z])", re.IGNORECASE)
"""Words that teams call their own files by, too: they count where no other name says gold."""


@dataclass(frozen=True, slots=True)
class Place:
    """A pattern that may say where the submissions are, empty for the convention; and the files that it matches."""

    pattern: str
    files: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class GoldCandidate:
    """The result of reading one gold candidate, and with it some files of one place."""

    path: str
    gold: Gold | None = None  # the gold labels; None where the file does not read as gold
    layout: Layout | None = None  # the layout by which the file was read
    issues: tuple[Issue, ...] = ()  # why it does not read as gold
    suggestions: tuple[str, ...] = ()  # columns and lines of the file that look like groups of items
    place: Place | None = None  # the place where the submissions may be
    layouts: tuple[Layout, ...] = ()  # the layouts of the submissions that were tried
    n_tried: int = 0  # number of submissions tried
    refusals: tuple[Issue, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether it stands where the conventions say, or most of the submissions that were tried can be aligned."""
        is_conventional = self.path.startswith("gold.") and self.place is not None and not self.place.pattern
        return is_conventional or 2 * len(self.layouts) > self.n_tried


def data_paths(tree: Tree) -> list[str]:
    """Every file that can hold labels, down to six folders deep; links to folders are not followed."""
    paths: list[str] = []
    for path in _files_below(tree, "", _DEEPEST):
        paths.append(path)
        if len(paths) == _MOST_FILES:
            break
    return paths


def _files_below(tree: Tree, folder: str, depth: int) -> Iterator[str]:
    listing = conventions.listed_or_not(tree, folder, [])
    yield from conventions.data_files(path for path in listing.files if conventions.printable(path) == path)
    for below in listing.folders if depth else ():
        if not conventions.is_never_data(below) and not (tree.root / below).is_symlink():
            yield from _files_below(tree, below, depth - 1)


def gold_candidates(paths: Iterable[str]) -> list[str]:
    """Files whose name, or whose folder's name, says gold; the files' own names first.

    >>> gold_candidates(["data/gold/a.txt", "b.txt", "us_test.labels", "monkey.txt"])
    ['us_test.labels', 'data/gold/a.txt']
    >>> gold_candidates(["gold.csv", "runs/A/answers.csv", "runs/B/answers.csv"]), gold_candidates(["answers.csv"])
    (['gold.csv'], ['answers.csv'])
    >>> gold_candidates(path for path in ["_gold/a.txt", "_gold/b.txt"])
    ['_gold/a.txt', '_gold/b.txt']
    """
    paths = list(paths)
    named = [path for path in paths if _GOLD_WORDS.search(path.rpartition("/")[2].replace("_", " "))]
    in_folders = [
        path for path in paths if path not in named and _GOLD_WORDS.search(path.rpartition("/")[0].replace("_", " "))
    ]
    return ([*_named_once(named), *in_folders] or _doubtful(paths))[:_MOST_GOLDS]


def _doubtful(paths: Sequence[str]) -> list[str]:
    """Files whose names, or whose folders' names, are said of gold and of what teams hand in; no name of several."""
    of_name = Counter(map(conventions.name_of, paths))
    return [
        path
        for path in paths
        for folder, _, name in [path.rpartition("/")]
        if _DOUBTFUL_WORDS.search(folder.replace("_", " "))
        or (_DOUBTFUL_WORDS.search(name.replace("_", " ")) and of_name[name] == 1)
    ]


def lone_files(paths: Sequence[str]) -> list[str]:
    """Files that are like no other, by folder and ending or by name: where no name says gold, it may be one of them."""
    stem_of = {path: conventions.stem(path, keep_folders=True) for path in paths}
    kind_of = {path: (path.rpartition("/")[0], path[len(stem) :]) for path, stem in stem_of.items()}
    of_kind, of_name = Counter(kind_of.values()), Counter(map(conventions.name_of, paths))
    alone = [path for path in paths if of_kind[kind_of[path]] == 1 and of_name[conventions.name_of(path)] == 1]
    return alone[:_MOST_GOLDS]


def _named_once(paths: Sequence[str]) -> list[str]:
    """The paths without those of answers that are called alike in several folders, as each team's are; or else all."""
    counts = Counter(map(conventions.name_of, paths))
    once = [path for path in paths if counts[conventions.name_of(path)] == 1 or not conventions.is_called_answers(path)]
    return once or list(paths)


def submission_places(paths: Sequence[str]) -> list[Place]:
    """Groups of files that look like one per team: the group with the most teams first.

    Either the same file name in sibling folders, or files of one ending in one folder or in sibling folders.

    >>> [place.pattern for place in submission_places(["r/A/out.txt", "r/B/out.txt", "r/readme.txt"])]
    ['r/{team}/out.txt']
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        for pattern in _patterns(path):
            groups[pattern].append(path)
    places = [Place(pattern, tuple(files)) for pattern, files in groups.items() if len(files) > 1]
    places = [place for place in places if not archive_ending(place.pattern) or len(set(_teams(place))) > 1]
    alike = {place.files for place in places if "{run}" not in place.pattern}
    distinct = [place for place in places if "{run}" not in place.pattern or place.files not in alike]
    of_one_ending = {place.files for place in distinct if not place.pattern.endswith(".*")}
    distinct = [place for place in distinct if not place.pattern.endswith(".*") or place.files not in of_one_ending]
    order = sorted(distinct, key=lambda place: (-len(set(_teams(place))), "{run}" in place.pattern))
    return list(map(_without_affixes, order))[:_MOST_PATTERNS]


def _without_affixes(place: Place) -> Place:
    """The place with a pattern that takes off what the names of one folder's files have in common."""
    if (pattern := _of_archives_or_folders(place)) is not None:
        return replace(place, pattern=pattern)
    folder, _, last = place.pattern.rpartition("/")
    if not last.startswith("{team}") or "{" in folder:
        return place
    stems = [conventions.stem(path) for path in place.files]
    return replace(place, pattern=conventions.joined(folder, pattern_of(stems) + last.removeprefix("{team}")))


def _of_archives_or_folders(place: Place) -> str | None:
    """The pattern of teams' archives or folders in one that takes off what a platform put into all their names."""
    parts = place.pattern.split("/")
    at = next(at for at, part in enumerate(parts) if "{" in part)
    ending = "" if parts[at] == "{team}" else archive_ending(parts[at])
    if ending is None or parts[at + 1 :] not in ([], [conventions.name_of(place.files[0])]):
        return None
    stems = {conventions.without_ending(path.split("/")[at]) for path in place.files}
    pattern = pattern_of(sorted(stems))
    is_bare = pattern == "{team}" and not ending
    return None if is_bare else "/".join([*parts[:at], pattern + ending, *parts[at + 1 :]])


def affixed(files: Sequence[str]) -> str | None:
    """The pattern for one folder's files or archives that takes off what all names have in common; None for nothing."""
    for place in submission_places(files):
        above = place.pattern.rpartition("/")[0]
        in_own = "{team}" in above and not above.endswith("/{team}") and "/{team}." not in above
        if in_own and len(place.files) == len(files):
            return place.pattern
    folders = {path.rpartition("/")[0] for path in files}
    endings = {path[len(conventions.stem(path, keep_folders=True)) :] for path in files}
    common = pattern_of([conventions.stem(path) for path in files])
    if len(folders) != 1 or common == "{team}":
        return None
    return conventions.joined(folders.pop(), common + (endings.pop() if len(endings) == 1 else ".*"))


def _patterns(path: str) -> Iterator[str]:
    if set(path) & set("{}*"):
        return
    folder, _, name = path.rpartition("/")
    ending = name[len(conventions.stem(name)) :]
    yield conventions.joined(folder, f"{{team}}{ending}")
    if folder:
        if ending:
            yield conventions.joined(folder, "{team}.*")
        above = conventions.joined(folder.rpartition("/")[0], f"{{team}}{archive_ending(folder) or ''}")
        yield f"{above}/{name}"
        yield f"{above}/{{run}}{ending}"
    for archive in filter(
        archive_ending, accumulate(folder.split("/"), "{}/{}".format)
    ):  # what is in it is read, whatever that is called
        yield conventions.joined(archive.rpartition("/")[0], f"{{team}}{archive_ending(archive)}")


def patterns_of_one(path: str) -> list[str]:
    """The patterns that a file in a folder may be the only match of, those of one ending first."""
    if "/" not in path:
        return []
    ways = [pattern for pattern in _patterns(path) if not pattern.endswith(".*") and "{run}" not in pattern]
    return ways[::-1] if path.count("/") > 1 else ways[:1]


def _teams(place: Place) -> list[str]:
    """The team of each file of a place that has a pattern, which may name the archive that the file is in."""
    pattern = Pattern(place.pattern)
    named = ("/".join(path.split("/")[: len(pattern.components)]) for path in place.files)
    return [match.team for path in named if (match := pattern.match(path))]


def tried_as_gold(tree: Tree) -> list[GoldCandidate]:
    """The result of reading every gold candidate with every place of submissions."""
    places = places_of(tree)
    read = [gold_candidate(tree, path) for path in _golds_of(tree)]
    good = [trial for trial in read if trial.gold is not None]
    with_places = [_try(tree, trial, place) for trial, place in product(good, places)]
    return [trial for trial in with_places if trial.n_tried] or read


def _golds_of(tree: Tree) -> list[str]:
    """The gold file by convention, or every candidate."""
    try:
        return [conventions.find_gold(tree)]
    except InputError:
        claimed = {path for place in places_of(tree) if not place.pattern for path in place.files}
        return gold_candidates(path for path in data_paths(tree) if path not in claimed)


def places_of(tree: Tree) -> list[Place]:
    """The places where submissions may be: the one by convention, or else every group of files."""
    claims, _ = conventional_claims(tree)
    if claims:
        return [Place("", tuple(claim.path for claim in claims))]
    return submission_places(data_paths(tree))


def wide_candidates(tree: Tree) -> list[str]:
    """Files anywhere that look like gold with a column for each system."""
    return [path for path in data_paths(tree)[:_MOST_WIDE] if _looks_wide(tree, path)]


def _looks_wide(tree: Tree, path: str) -> bool:
    try:
        return looks_wide(decode(path, tree.read(path)))
    except InputError:
        return False


def gold_candidate(tree: Tree, path: str) -> GoldCandidate:
    """The result of reading a file as gold, with no submission beside it."""
    try:
        gold_file = read_gold(tree, path, Settings())
    except InputError as error:
        return GoldCandidate(path, issues=error.issues)
    return GoldCandidate(path, gold_file.gold, gold_file.table.layout, suggestions=tuple(gold_file.suggestions))


def _try(tree: Tree, trial: GoldCandidate, place: Place) -> GoldCandidate:
    """Read some files of the place beside the gold of the trial."""
    files = [path for path in place.files if path != trial.path]
    step = max(1, len(files) // _MOST_TRIED)
    tried = files[::step][:_MOST_TRIED]
    attempts = [_layout_of(tree, path, trial) for path in tried]
    return replace(
        trial,
        place=Place(place.pattern, tuple(files)),
        layouts=tuple(layout for layout in attempts if isinstance(layout, Layout)),
        n_tried=len(tried),
        refusals=tuple(issue for issue in attempts if isinstance(issue, Issue)),
    )


def _layout_of(tree: Tree, path: str, trial: GoldCandidate) -> Layout | Issue | None:
    """The layout of a submission; the first issue where it cannot be aligned, or most of it is unanswered."""
    if trial.gold is None or trial.layout is None:
        return None
    target = Target(trial.gold)
    try:
        table = read_table(decode(path, tree.read(path)), SILENT, facts_of(target, trial.layout))
    except InputError as error:
        return error.issues[0]
    aligned = align(table, target, path)
    fatal = next((issue for issue in aligned.issues if issue.fatal), None)
    if aligned.codes is None or fatal is not None:
        return fatal
    answered = (aligned.codes < target.missing).mean()
    return table.layout if answered > 0.5 else aligned.issues[0]  # noqa: PLR2004 - most


def commonest(layouts: Sequence[Layout]) -> list[tuple[str, int]]:
    """The layouts in words with their numbers, most frequent first."""
    return Counter(map(str, layouts)).most_common()
