"""A commented task.toml for a folder: what was recognised, and what the organiser has to decide."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from audit.errors import InputError, Issue
from audit.formats.align.gold import sorted_labels
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import wide_file
from audit.formats.campaign.next_steps import OPEN_DECISION, NamedTestSet, named_test_sets
from audit.formats.campaign.survey import (
    GoldCandidate,
    Place,
    affixed,
    commonest,
    data_paths,
    gold_candidate,
    lone_files,
    places_of,
    submission_places,
    tried_as_gold,
    wide_candidates,
)
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.settings.layout import toml_list, toml_text
from audit.formats.settings.parsing import Settings
from audit.formats.wide import UndecidedError, WideTable, read_wide
from audit.text import agreeing, listed, look_of, lookalikes, plural, quoted, slug_of, told_apart, visible

_NO_NAME_OF_GOLD = "No name of a file or folder says gold, truth, reference, solution, labels, key or answers."
_DECIDE = OPEN_DECISION


def draft_settings(folder: Path) -> str:
    """The text of a task.toml for a folder, as ``audit init`` writes it."""
    root = Path(folder)
    conventions.check_folder(root)
    with Tree(root) as tree:
        return "\n".join([*_head(root), *_body(tree)]) + "\n"


def _body(tree: Tree) -> Iterator[str]:
    """The draft for a folder: one wide file, several test sets, or gold and submissions."""
    wide = wide_file(tree, Settings())
    if wide is not None:
        return _wide_file(tree, wide)
    return _several(parts) if (parts := _parts(tree)) else _files(tree)


def _head(root: Path) -> Iterator[str]:
    name = root.resolve().name
    yield "# How this campaign is read and scored. Drafted by `audit init`; docs/task-toml.md explains every setting."
    yield ""
    yield f"slug = {toml_text(slug_of(name))}"
    yield f"title = {toml_text(visible(name, 200) or 'Campaign')}"
    yield ""
    yield f"{_DECIDE} the metric that the campaign announced; `audit metrics` lists them all."
    yield '# official_metric = "averaged_f1"'
    yield "# Decimals of the published scores, if the official ranking was made on rounded ones:"
    yield "# official_decimals = 3"
    yield "# What is done with items that a submission lacks (wrong, drop or reject), and other policies:"
    yield "# [policies]"
    yield '# missing = "wrong"'


def _labels(labels: Sequence[str]) -> Iterator[str]:
    yield ""
    yield "# The labels that gold has. Their order is that of every table; a class that gold lacks may be added."
    nearly_one = lookalikes(labels, look_of)
    for group in nearly_one:
        yield f"{_DECIDE} {_comment(listed(told_apart(group)))} in gold: one class misspelt, or several?"
    yield f"{'# ' if nearly_one else ''}labels = {toml_list(labels)}"


def _wide_file(tree: Tree, path: str) -> Iterator[str]:
    """The [wide] table, or what is open about it."""
    try:
        yield from _wide(path, read_wide(decode(path, tree.read(path))))
    except InputError as error:
        yield ""
        yield "[wide]"
        yield f"path = {toml_text(path)}"
        for issue in error.issues:
            yield f"{_DECIDE} {_comment(issue.found)}. {_comment(issue.remedy)}"
        for choice in error.choices if isinstance(error, UndecidedError) else ():
            yield f"# {_comment(choice)}"


def _wide(path: str, table: WideTable) -> Iterator[str]:
    yield from _labels(sorted_labels(label for label in table.gold.labels if label))
    layout = table.gold.layout
    yield ""
    yield f"# {_comment(str(table))}"
    yield "[wide]"
    yield f"path = {toml_text(path)}"
    yield from (line for key, line in layout.settings().items() if key in {"sheet", "records"})
    yield f"gold = {toml_text(layout.label_name or '')}"
    yield f"id = {'false' if layout.id_name is None else toml_text(layout.id_name)}"
    yield f"systems = {toml_list(table.systems)}"


def _files(tree: Tree) -> Iterator[str]:
    candidates = tried_as_gold(tree)
    best = _best([trial for trial in candidates if trial.fits])
    if best is not None:
        yield from _decided(*best)
        yield from _left_out(tree, {*best[1].files, best[0].path})
        return
    places, wide = places_of(tree), wide_candidates(tree)
    if len(wide) == 1 and not candidates and not places:
        yield from _wide_file(tree, wide[0])
    else:
        yield from _undecided(candidates, places, lone_files(data_paths(tree)))
        yield from _or_wide(wide)


def _or_wide(paths: Sequence[str]) -> Iterator[str]:
    """Files that may have gold and every system in columns of their own."""
    if not paths:
        return
    yield ""
    yield "# Or is everything in one file, with a column for gold and one for each system? Then, in place of the above:"
    yield "# [wide]"
    for path in paths:
        yield f"# path = {toml_text(path)}"


# Several test sets


@dataclass(frozen=True)
class _Part:
    """A test set: its heading, where it was found, its gold file, and the pattern of its submissions."""

    heading: str
    comment: str
    gold: str
    trial: GoldCandidate
    files: str
    is_open: bool = False  # whether the pattern is not known


def _parts(tree: Tree) -> list[_Part]:
    """The test sets in folders or told by file names, where the campaign's own folder has no gold file."""
    try:
        conventions.find_gold(tree)
    except InputError:
        below = (path for path in tree.listing("").folders if not conventions.is_never_data(path))
        parts = [part for path in below if (part := _part(tree.root, path)) is not None]
        return parts if len(parts) > 1 else [_named_part(tree, part) for part in named_test_sets(tree)]
    return []


def _part(root: Path, folder: str) -> _Part | None:
    """A folder that has a gold file and submissions that fit it."""
    if not (root / folder).is_dir():
        return None
    with Tree(root / folder) as tree:
        best = _best([trial for trial in tried_as_gold(tree) if trial.fits])
    if best is None:
        return None
    trial, place = best
    comment = f"{plural(len(place.files), 'file')} in {_comment(folder)} beside {_comment(trial.path)}"
    pattern = place.pattern or _covering(place.files)
    files, is_open = f"{folder}/{pattern or '{team}.txt'}", pattern is None
    return _Part(f"subtask.{toml_text(folder)}", comment, f"{folder}/{trial.path}", trial, files, is_open)


def _named_part(tree: Tree, part: NamedTestSet) -> _Part:
    comment = f"{plural(len(part.submissions), 'file')} whose names have what {_comment(part.gold)} has alone"
    return _Part(part.heading, comment, part.gold, gold_candidate(tree, part.gold), part.files)


def _several(parts: Sequence[_Part]) -> Iterator[str]:
    """A section [subtask.NAME] for each test set, below a common label set."""
    label_sets = {part.trial.gold.label_set.labels for part in parts if part.trial.gold is not None}
    all_read = all(part.trial.gold is not None for part in parts)
    if len(label_sets) == 1 and all_read:
        yield from _labels(*label_sets)
    for part in parts:
        trial = part.trial
        yield ""
        yield f"# {part.comment}"
        yield f"[{part.heading}]"
        if len(label_sets) > 1 and trial.gold is not None and all_read:
            yield from _labels(trial.gold.label_set.labels)
        yield f"[{part.heading}.gold]"
        yield f"path = {toml_text(part.gold)}"
        if trial.layout is not None and all_read:  # gold files that are alike are read alike, or none is said to be
            yield from trial.layout.settings().values()
        yield from _refused(trial.issues)
        yield f"[{part.heading}.submissions]"
        if part.is_open:
            yield f"{_DECIDE} where the submissions are, some of which are runs in folders of their own."
        yield f"{'# ' if part.is_open else ''}files = {toml_text(part.files)}"


def _covering(files: Sequence[str]) -> str | None:
    """A pattern that all files match, none where they are not all on one level."""
    whole = [place.pattern for place in submission_places(files) if len(place.files) == len(files)]
    if whole:
        return whole[0]
    parents = {path.rpartition("/")[0] for path in files}
    return f"{parents.pop()}/{{team}}.*" if len(parents) == 1 else None


def _best(fitting: Sequence[GoldCandidate]) -> tuple[GoldCandidate, Place] | None:
    """The one gold file that fits, with the place that fits it best and is largest; None where several golds fit."""
    if len({trial.path for trial in fitting}) != 1:
        return None
    with_place = [(trial, trial.place) for trial in fitting if trial.place is not None]
    return max(with_place, key=lambda pair: (len(pair[0].layouts) / pair[0].n_tried, len(pair[1].files)))


def _decided(trial: GoldCandidate, place: Place) -> Iterator[str]:
    if trial.gold is not None and trial.layout is not None:
        yield from _labels(trial.gold.label_set.labels)
        yield ""
        yield f"# Recognised: {_comment(str(trial.layout))}; {plural(trial.gold.n_items, 'item')}."
        yield "[gold]"
        yield f"path = {toml_text(trial.path)}"
        yield from trial.layout.settings().values()
        yield from (f"{_DECIDE} {_comment(suggestion)}" for suggestion in trial.suggestions)
    yield ""
    yield "[submissions]"
    yield from _place(place)
    how_many = f"of which {len(trial.layouts)} can be read, each as it is recognised:"
    yield f"# Tried {trial.n_tried}, {how_many if trial.layouts else 'of which none can be read as it is.'}"
    for words, count in commonest(trial.layouts):
        yield f"#   {count} × {_comment(words)}"
    yield from _refused(trial.refusals)
    yield "# If all are alike, state it here: format, delimiter, header, comment, id, label."


def _refused(refusals: Sequence[Issue]) -> Iterator[str]:
    """Comment lines with the first issue of each kind that keeps files from being read."""
    counts = Counter(issue.slug for issue in refusals)
    first = {issue.slug: issue for issue in reversed(refusals)}
    for slug, count in counts.items():
        issue = first[slug]
        yield f"{_DECIDE} {count} × {slug}, first in {_comment(issue.file)}: {_comment(issue.found).rstrip('.')}."
        yield f"#   To do: {_comment(issue.remedy)}"


def _place(place: Place) -> Iterator[str]:
    if place.pattern:
        yield f"# {plural(len(place.files), 'file')}; {{team}} stands for the team's name."
        yield f"files = {toml_text(place.pattern)}"
    else:
        yield f"# {plural(len(place.files), 'file')} where the conventions expect them: TEAM.ext or TEAM/RUN.ext."
        if (pattern := affixed(place.files)) is not None:
            yield "# What all names have in common is no part of a team's:"
            yield f"files = {toml_text(pattern)}"


def _left_out(tree: Tree, used: Collection[str]) -> Iterator[str]:
    """The files that may hold answers and that the draft does not use."""
    files = [path for path in data_paths(tree) if path not in used]
    if files:
        are_left = f"{plural(len(files), 'file')} {agreeing(len(files), 'is', 'are')} used nowhere"
        yield f"{_DECIDE} {are_left}: {_comment(listed(files, limit=8))}."
        yield "#   If they are submissions, files has to match them too."


def _undecided(candidates: Sequence[GoldCandidate], places: Sequence[Place], alone: Sequence[str]) -> Iterator[str]:
    """Every candidate as a comment; where no name says gold, the files that are like no other."""
    golds = {trial.path: trial for trial in candidates}
    yield ""
    yield "[gold]"
    yield f"{_DECIDE} the gold file. {'Candidates:' if golds else _NO_NAME_OF_GOLD}"
    if not golds and alone:
        yield "# Files that are like no other, of which one may be it:"
    for path, trial in golds.items():
        yield f"# path = {toml_text(path)}"
        yield f"#   {_comment(_outcome(trial))}"
    if not golds:
        yield from (f"# path = {toml_text(path)}" for path in alone or ["…"])
    yield ""
    yield "[submissions]"
    yield f"{_DECIDE} where the submissions are." + (" Candidates:" if places else " No two files look alike.")
    for place in places:
        if place.pattern:
            yield f"# files = {toml_text(place.pattern)}"
            yield f"#   {plural(len(place.files), 'file')}"
        else:
            yield from _place(place)
    if not places:
        yield '# files = "…/{team}.txt"'


def _outcome(trial: GoldCandidate) -> str:
    if trial.gold is None:
        return "; ".join(f"{issue.slug}: {issue.found}. To do: {issue.remedy}" for issue in trial.issues[:3])
    labels = listed([quoted(label) for label in trial.gold.label_set], limit=8)
    return f"{trial.layout}; {plural(trial.gold.n_items, 'item')}, labels {labels}"


def _comment(text: str) -> str:
    """Text that cannot leave its comment line."""
    return visible(text, 400)
