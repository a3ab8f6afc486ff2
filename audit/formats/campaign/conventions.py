"""Which file of a campaign folder is what: gold, a submission, or nothing that a rule claims."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from audit.domain import can_be_data
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, Issue
from audit.formats.files.archives import Listing, archive_ending
from audit.formats.files.content import inner_name
from audit.formats.files.tree import Tree
from audit.text import listed, plural, quoted, visible

_ANSWERS = {"answer", "answers", "prediction", "predictions", "submission"}
SUBMISSIONS = "submissions"
FOREIGN_ARCHIVES = (".rar", ".7z")


_DEEPEST = 6
_MOST_FILES = 20_000
_MOST_GOLDS = 8
_GOLD_WORDS = re.compile(
    r"(?<![a-z])(gold|golden|truth|groundtruth|reference|labels|key|answers?)(?![a-z])",
    re.IGNORECASE,
)


def every_path(tree: Tree) -> list[str]:
    """Every file that can be named, also in archives, down to six folders; links to folders are not followed."""
    return list(islice(_files_below(tree, "", _DEEPEST), _MOST_FILES))


def _files_below(tree: Tree, folder: str, depth: int) -> Iterator[str]:
    issues: list[Issue] = []
    listing = listed_or_not(tree, folder, issues)
    yield from ([folder] if issues and archive_ending(folder) else ())
    yield from (path for path in listing.files if printable(path) == path)
    for below in listing.folders if depth else ():
        if not is_never_data(below) and not (tree.root / below).is_symlink():
            yield from _files_below(tree, below, depth - 1)


def says_gold(path: str) -> bool:
    """Whether the name of a file says gold."""
    return _GOLD_WORDS.search(name_of(path).replace("_", " ")) is not None


def gold_candidates(paths: Iterable[str]) -> list[str]:
    """Files whose name, or whose folder's name, says gold; the files' own names first."""
    paths = list(paths)
    of_name = Counter(map(name_of, paths))
    named = list(filter(says_gold, paths))
    # Answers that are called alike in several folders are each team's.
    once = [path for path in named if of_name[name_of(path)] == 1 or not is_called_answers(path)]
    others = [path for path in paths if path not in named]
    in_folders = [
        path for path in others if _GOLD_WORDS.search(path.rpartition("/")[0].replace("_", " "))
    ]
    return [*(once or named), *in_folders][:_MOST_GOLDS]


def is_never_data(path: str, ignore: Sequence[str] = ()) -> bool:
    """Whether a file is documentation, a score or a system's own, or task.toml says to ignore it."""
    return not can_be_data(path) or matches_any(path, ignore)


def matches_any(path: str, globs: Iterable[str]) -> bool:
    """Whether a path, or the name at its end, is one of those that globs stand for."""
    return any(fnmatchcase(path, glob) or fnmatchcase(name_of(path), glob) for glob in globs)


def find_gold(tree: Tree) -> str:
    """The file that answers to the convention gold.*; an archive of that name stands for the only file in it."""
    top = tree.listing("")
    packed = [path for path in top.folders if archive_ending(path)]
    named = [
        path
        for path in (*top.files, *packed)
        if path.casefold().startswith("gold.") and not is_never_data(path)
    ]
    if len(named) == 1:
        return only_file(tree, named[0])
    if named:
        remedy = "decide in task.toml, under [gold]: " + " or ".join(
            f'path = "{visible(path)}"' for path in named
        )
        remedy += (
            "; or, if each is a test set of its own, write a section for each: [subtask.A] gold.path = "
            f'"{visible(named[0])}", submissions.files = "…/{{team}}.csv"'
        )
        defect = listed([quoted(path) for path in named], limit=8)
        raise InputError([Issue.of("several-golds", ".", defect, remedy=remedy)])
    folders = [path for path in top.folders if path.casefold().startswith("gold.")]
    if folders:
        raise InputError([Issue.of("missing-file", folders[0], "it is a directory")])
    if tree.exists(MANIFEST):
        remedy = f"write gold into the column kind of {MANIFEST} for the gold file"
        raise InputError(
            [Issue.of("no-gold", ".", f"{MANIFEST} names no gold file", remedy=remedy)]
        )
    data = [quoted(path) for path in data_files(top.files)]
    if data:
        defect = f"the files at the top are {listed(data, limit=8)}"
    else:
        defect = "there is no data file at the top"
    raise InputError([Issue.of("no-gold", ".", defect)])


def only_file(tree: Tree, path: str) -> str:
    """A file's path as it is; for an archive that of the only data file in it."""
    if not tree.is_archive(path):
        return tree.canonical(path)
    paths = answers_below(tree, path)
    if len(paths) == 1:
        return paths[0]
    defect = f"it is an archive of {plural(len(paths), 'data file')}"
    shown = listed([quoted(each, 200) for each in paths], "or", limit=4)
    if paths:
        remedy = f"name the one that is meant: {shown}"
    else:
        remedy = None
    raise InputError([Issue.of("missing-file", path, defect, remedy=remedy)])


def only_member(name: str, data: bytes) -> tuple[str, bytes]:
    """A file as it is; of an archive the only data file in it, with its path."""
    if archive_ending(name) is None:
        return name, data
    with TemporaryDirectory() as folder:
        Path(folder, name).write_bytes(data)
        with Tree(Path(folder)) as tree:
            path = only_file(tree, name)
            return path, tree.original(path)


def answers_below(tree: Tree, archive: str, ignore: Sequence[str] = ()) -> list[str]:
    """The submissions in a team's archive: the file called like answers, if it is one, or else all.

    Where it holds nothing but archives, they are those in them.
    """
    below = list(_below(tree, archive, ignore))
    paths = [path for path in below if archive_ending(path) is None]
    named = list(filter(is_called_answers, paths))
    if not paths:
        packed = below
    else:
        packed = []
    if len(named) == 1:
        return named
    return paths + [path for each in packed for path in answers_below(tree, each, ignore)]


def _below(tree: Tree, folder: str, ignore: Sequence[str]) -> Iterator[str]:
    """The data files and the archives of a folder and of those in it; archives are not opened."""
    listing = tree.listing(folder)
    yield from (path for path in listing.files if not is_never_data(path, ignore))
    for below in listing.folders:
        if not is_never_data(below, ignore):
            yield from [below] if archive_ending(below) else _below(tree, below, ignore)


def is_called_answers(path: str) -> bool:
    """Whether a file is called as platforms have each team call its submission."""
    return stem(path).casefold() in _ANSWERS


def data_files(paths: Iterable[str]) -> list[str]:
    """The files that can hold labels."""
    return [path for path in paths if path != SETTINGS_FILE and not is_never_data(path)]


def submissions_folder(tree: Tree) -> str | None:
    """The folder submissions/, or else the one folder or archive of that name, in whatever case."""
    if tree.is_folder(SUBMISSIONS):
        return SUBMISSIONS
    named = [
        path for path in tree.listing("").folders if without_ending(path).casefold() == SUBMISSIONS
    ]
    if len(named) == 1:
        return named[0]
    return None


def listed_or_not(tree: Tree, folder: str, issues: list[Issue]) -> Listing:
    """The entries of a folder; none where it cannot be listed, with the issues that say why."""
    try:
        return tree.listing(folder)
    except InputError as error:
        issues.extend(issue for issue in error.issues if issue not in issues)
        return Listing()


def stem(path: str, *, keep_folders: bool = False) -> str:
    """A file's name without its ending, nor that of a compression."""
    name = inner_name(path if keep_folders else name_of(path))
    folders, _, last = name.rpartition("/")
    return joined(folders, last.rpartition(".")[0] or last)


def without_ending(archive: str) -> str:
    """An archive's name without its ending."""
    name = name_of(archive)
    ending = archive_ending(name)
    if ending and len(ending) < len(name):
        return name[: -len(ending)]
    return name


def nearest(path: str, golds: Sequence[str]) -> list[str]:
    """Of several gold files those whose paths have most in common with another: words of their own, then folders."""
    words = set(words_of(path))
    shared = {}
    for gold in golds:
        elsewhere = {word for other in golds if other != gold for word in words_of(other)}
        depth = sum(
            a == b for a, b in zip(path.split("/")[:-1], gold.split("/")[:-1], strict=False)
        )
        shared[gold] = (len(words & (set(words_of(gold)) - elsewhere)), depth)
    return [gold for gold in golds if shared[gold] == max(shared.values())]


def of_others(paths: Iterable[str], gold: str, golds: Iterable[str]) -> dict[str, str]:
    """Of files that a pattern takes for answers to a gold file those that rather answer another, by their paths."""
    rivals = {
        path: nearest(path, [gold, other]) for other in golds if other != gold for path in paths
    }
    return {path: own[0] for path, own in rivals.items() if gold not in own}


WORD = re.compile(r"(?:[A-Z]+(?![a-z])|[^\W\d_][^\W\d_A-Z]*)[0-9]*")


def words_of(path: str) -> list[str]:
    """The words of a path with the numbers behind them, folded: of “subtaskA_v2” subtask, a and v2."""
    return [word.casefold() for word in WORD.findall(path)]


def name_of(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def joined(folder: str, name: str) -> str:
    """A path below a folder; the campaign folder itself has no name."""
    if folder:
        return f"{folder}/{name}"
    return name


def unclaimed(tree: Tree, claimed: Iterable[str], ignore: Sequence[str]) -> tuple[str, ...]:
    """What no rule claims, nor one to ignore it: files, and folders that hold no claimed file as ``folder/``."""
    taken = {SETTINGS_FILE, *claimed}
    parts = [path.split("/")[:-1] for path in taken]
    folders = {
        "",
        *("/".join(above[: depth + 1]) for above in parts for depth in range(len(above))),
    }
    paths: list[str] = []
    for folder in folders:
        listing = listed_or_not(tree, folder, [])
        paths += [path for path in listing.files if path not in taken]
        paths += [
            path if archive_ending(path) else f"{path}/"
            for path in listing.folders
            if path not in folders
        ]
    return tuple(
        sorted(printable(path) for path in paths if not matches_any(path.rstrip("/"), ignore))
    )


def check_name(path: str) -> None:
    """Refuse a path whose bytes are not UTF-8: no store and no page can hold a team name from it."""
    if printable(path) != path:
        defect = "the name of the file is not UTF-8"
        raise InputError(
            [Issue.of("wrong-encoding", printable(path), defect, remedy="rename the file")]
        )


def printable(path: str) -> str:
    """The path as text that can be stored: bytes of a name that are not UTF-8 become escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
