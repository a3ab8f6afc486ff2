"""A folder read by evidence: which file is gold and which files answer it, for the plain door to decide."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from audit.errors import InputError, Issue, UsageError
from audit.formats.campaign.conventions import nearest
from audit.formats.door.decision import Decision, ReadFile, Stray, decide, why_far
from audit.formats.door.files import GivenFile, files_below
from audit.formats.door.labels import label_candidates
from audit.formats.door.opening import (
    GOLD_WORDS,
    Opening,
    Track,
    not_scored,
    opening_of_tracks,
    platform_lists,
    read_file,
)
from audit.formats.door.said import Said
from audit.formats.door.wide_file import only_wide_file, opening_of_wide
from audit.formats.files.archives import archive_ending
from audit.formats.files.tree import Tree
from audit.text import listed, plural, quoted

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TEST_WORDS = frozenset({"test", "testset", "testdata", "eval", "evaluation"})
_OTHER_WORDS = frozenset(
    {
        "prediction",
        "predictions",
        "submission",
        "submissions",
        "submitted",
        "response",
        "responses",
        "run",
        "runs",
    }
    | {
        "system",
        "systems",
        "team",
        "teams",
        "train",
        "training",
        "dev",
        "val",
        "old",
        "baseline",
        "baselines",
    }
)
# points of a word
_IN_NAME = 3
_IN_FOLDER = 2
_OF_TEST = 1
_OF_OTHERS = -2
_FEWEST = 3  # files that answer a gold file, for it to be one
_RIVAL = 1  # points by which a rival may be behind
_MOST_CANDIDATES = 12


@dataclass(frozen=True, eq=False)
class _Cluster:
    """A file that may be gold, how much its path says so, and what answers it."""

    path: str
    points: int
    decision: Decision

    @property
    def answers(self) -> frozenset[str]:
        """The paths of the files that answer it."""
        return frozenset(answer.file.path for answer in self.decision.answers)


def find_campaign(
    folder: Path, said: Said | None = None, *, skip_rejected: bool = False
) -> Opening:
    """What is gold in a folder, and what are its submissions.

    Raises
    ------
    UsageError
        Where two files may be gold, as one question with a command for each.
    InputError
        Where no file is gold by evidence; or where a file that is meant as a submission cannot be read, unless those
        are skipped.
    """
    said = said or Said()
    with Tree(folder) as tree:
        files = [read_file(tree, GivenFile(path), b"", said) for path in files_below(tree, "")]
        clusters = _clusters(files, said)
        if not clusters:
            if (wide := only_wide_file(tree, [read.file.path for read in files])) is not None:
                return opening_of_wide(tree, wide, said)
            raise InputError([_nothing_found(folder, files)])
        tracks = _with_own_strays(list(_tracks(folder, clusters)), files)
        tracks = [replace(track, lists=platform_lists(files)) for track in tracks]
        meant = [stray for track in tracks for stray in track.decision.strays if stray.is_meant]
        if meant and not skip_rejected:
            raise InputError([not_scored(stray) for stray in meant])
        return opening_of_tracks(tree, tracks, said)


def _with_own_strays(tracks: Sequence[Track], files: Sequence[ReadFile]) -> list[Track]:
    """The tracks, each file that answers none named at the first; files that answer another are no strays."""
    tried = {tracks[0].gold} | {stray.path for stray in tracks[0].decision.strays}
    first = tracks[0].decision
    far = [
        Stray(read.file.path, *why_far(first.gold, read))
        for read in files
        if read.file.path not in tried
    ]
    tracks = [
        replace(tracks[0], decision=replace(first, strays=(*first.strays, *far))),
        *tracks[1:],
    ]
    used = {track.gold for track in tracks} | {
        each.file.path for track in tracks for each in track.decision.answers
    }
    told: set[str] = set()
    cleaned = []
    for track in tracks:
        strays = [stray for stray in track.decision.strays if stray.path not in used | told]
        told |= {stray.path for stray in strays}
        if len(tracks) > 1:  # what is meant for which of several, its size does not tell
            strays = [replace(stray, is_meant=False) for stray in strays]
        cleaned.append(replace(track, decision=replace(track.decision, strays=tuple(strays))))
    return cleaned


def points_of(path: str) -> int:
    """How much the words of a path say that a file is gold."""
    *folders, name = path.split("/")
    in_name = {word.casefold() for word in _WORD.findall(name)}
    in_folders = {word.casefold() for folder in folders for word in _WORD.findall(folder)}
    points = _IN_NAME * bool(in_name & GOLD_WORDS) + _IN_FOLDER * bool(in_folders & GOLD_WORDS)
    points += _OF_TEST * bool((in_name | in_folders) & _TEST_WORDS)
    return points + _OF_OTHERS * len((in_name | in_folders) & _OTHER_WORDS)


def _candidates(files: Sequence[ReadFile]) -> list[tuple[int, ReadFile]]:
    """The files that may be gold: with a column of labels, a word that says so, and no two siblings like it."""
    of_read = {read.file.path: list(_looks(read)) for read in files}
    n_of_look = Counter(look for looks in of_read.values() for look in looks)
    found = []
    for read in files:
        points = points_of(read.file.path)
        if points <= 0 or not any(label_candidates(table, ()) for table in read.tables):
            continue
        n_alike = max((n_of_look[look] for look in of_read[read.file.path]), default=0)
        if n_alike < _FEWEST:
            found.append((points, read))
    found.sort(key=lambda entry: -entry[0])
    return found[:_MOST_CANDIDATES]


def _looks(read: ReadFile) -> Iterator[tuple[object, ...]]:
    """What a file shares with those that are like it: folder or name, whether the name says gold, layout and size."""
    name = read.file.path.rpartition("/")[2]
    says_gold = not GOLD_WORDS.isdisjoint(word.casefold() for word in _WORD.findall(name))
    for place in _families(read.file.path):
        for shape in _shapes(read):
            yield place, says_gold, shape


def _shapes(read: ReadFile) -> set[tuple[object, int]]:
    """Layout and size of each table of a file; where it has columns, not those of its bare lines."""
    with_columns = [table for table in read.tables if table.layout.format != "lines"]
    return {(table.shape, table.n_rows) for table in with_columns or read.tables}


def _families(path: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """What siblings share: the folder, or, where files are called alike, the folder around it."""
    *folders, name = path.split("/")
    return ("/".join(folders), ""), ("/".join(folders[:-1]), name)


def _clusters(files: Sequence[ReadFile], said: Said) -> list[_Cluster]:
    """Each candidate that has a label on every item, and that three files or more answer.

    Where there is none, those that are called gold by their own names or folders, and that any file answers.
    """
    candidates = _candidates(files)
    golds = {read.file.path for points, read in candidates if points >= _IN_FOLDER}
    found: list[_Cluster] = []
    questions: list[UsageError] = []
    for points, gold in candidates:
        sizes = [table.n_rows for table in gold.tables]
        others = [
            read
            for read in files
            if read.file.path not in golds | {gold.file.path}
            and (_is_near(read, sizes) or not read.tables)
        ]
        if not any(read.tables for read in others):
            continue
        try:
            decision = decide(gold.tables, others, said)
        except InputError:
            continue
        except UsageError as asked:
            if points >= _IN_NAME:
                questions += [asked]
            else:
                questions += []
            continue
        is_whole = all("" not in decision.gold.columns[number] for number in decision.labels)
        if is_whole and decision.answers:
            found.append(_Cluster(gold.file.path, points, decision))
    of_several = [cluster for cluster in found if len(cluster.answers) >= _FEWEST]
    named = [cluster for cluster in found if cluster.points >= _IN_FOLDER]
    if not of_several and len(questions) == 1 and not named:
        raise questions[0]
    return of_several or named


def _is_near(read: ReadFile, sizes: Sequence[int]) -> bool:
    """Whether a file has about as many rows as gold: half as many at least, and twice as many at most."""
    return any(
        size <= 2 * table.n_rows and table.n_rows <= 2 * size
        for table in read.tables
        for size in sizes
    )


def _tracks(folder: Path, clusters: Sequence[_Cluster]) -> Iterator[Track]:
    """The best cluster of those that share files; then the best of the rest: a test set each."""
    waiting = sorted(
        clusters, key=lambda cluster: (-cluster.points, -len(cluster.answers), cluster.path)
    )
    while waiting:
        best, *others = waiting
        rivals = [
            other for other in others if 2 * len(best.answers & other.answers) > len(best.answers)
        ]
        near = [rival for rival in rivals if best.points - rival.points <= _RIVAL]
        if near:
            of_one = _by_paths([best, *near])
        else:
            of_one = [best]
        if not of_one:
            raise UsageError(_question(folder, [best, *near]))
        for cluster in of_one:
            yield Track(cluster.path, _in_place(cluster.decision))
        waiting = [other for other in others if other not in rivals]


def _by_paths(clusters: Sequence[_Cluster]) -> list[_Cluster]:
    """Test sets with the same items, each with the files that have words or folders with its gold alone in common.

    None where some file may answer several of them, or where none answers one.
    """
    golds = [cluster.path for cluster in clusters]
    own = {path: nearest(path, golds) for cluster in clusters for path in cluster.answers}
    if any(len(of_path) > 1 for of_path in own.values()):
        return []
    found = []
    for cluster in clusters:
        answers = tuple(
            each for each in cluster.decision.answers if own[each.file.path] == [cluster.path]
        )
        if not answers:
            return []
        found.append(replace(cluster, decision=replace(cluster.decision, answers=answers)))
    return found


def _in_place(decision: Decision) -> Decision:
    """The decision with the submissions in the deepest folder that holds more than half; others are named."""
    folders = Counter(
        folder for answer in decision.answers for folder in _folders_above(answer.file.path)
    )
    half = len(decision.answers) / 2
    place = max(
        (folder for folder, count in folders.items() if count > half),
        key=lambda folder: folder.count("/") + bool(folder),
    )
    inside = [
        each for each in decision.answers if each.file.path.startswith(f"{place}/") or not place
    ]
    outside = [each for each in decision.answers if each not in inside]
    strays = [
        Stray(each.file.path, f"outside {place}/, where the submissions stand", "outside")
        for each in outside
    ]
    for stray in decision.strays:
        is_inside = stray.path.startswith(f"{place}/") or not place
        strays.append(replace(stray, is_meant=stray.is_meant and is_inside))
    return replace(decision, answers=tuple(inside), strays=tuple(strays))


def _folders_above(path: str) -> Iterator[str]:
    """The folders around a file, from the top; an archive, which holds a team's or many teams' files, is no place."""
    yield ""
    folder = ""
    for name in path.split("/")[:-1]:
        if archive_ending(name):
            return
        if folder:
            folder = f"{folder}/{name}"
        else:
            folder = name
        yield folder


def _question(folder: Path, clusters: Sequence[_Cluster]) -> str:
    """One question, with a command for each file that may be gold."""
    best = clusters[0]
    place = _place_of(best.decision)
    golds = [quote(str(folder / cluster.path)) for cluster in clusters[:3]]
    ways = " · or · ".join(f"--gold {gold}" for gold in golds)
    target = quote(str(folder / place))
    n_answers = plural(len(_in_place(best.decision).answers), "file")
    n_items = plural(best.decision.gold.n_rows, "item")
    if place:
        where = f"{place}/"
    else:
        where = "the folder"
    asked = f"{len(clusters)} files hold labels of the {n_items} that {n_answers} in {where} answer. Which is gold?"
    return f"{asked} audit run {target} {ways}"


def _place_of(decision: Decision) -> str:
    in_place = _in_place(decision)
    folders = [answer.file.path.split("/")[:-1] for answer in in_place.answers]
    common = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    return "/".join(common)


def _nothing_found(folder: Path, files: Sequence[ReadFile]) -> Issue:
    """Why nothing was found, with what to say."""
    candidates = [read.file.path for _, read in _candidates(files)][:3]
    if candidates:
        shown = f"; it may be {listed([quoted(path, 60) for path in candidates], 'or')}"
    else:
        shown = ""
    defect = f"no file is called gold and answered by other files{shown}"
    if len(candidates) == 1:
        gold = quote(str(folder / candidates[0]))
    else:
        gold = "GOLD"
    remedy = f"name it: audit run --gold {gold} {quote(str(folder))}"
    return Issue.of(
        "no-gold", ".", defect, expected="a gold file, and files that answer it", remedy=remedy
    )
