"""files.csv and task.toml as `audit init` writes them: what each file is, as far as can be told, and why."""

import csv
import io
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from operator import attrgetter
from pathlib import Path

from audit.errors import MANIFEST, SETTINGS_FILE, InputError, Issue
from audit.formats.align.gold import may_be_a_scale, sorted_labels
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import wide_file
from audit.formats.campaign.claims import conventional_claims, matching_claims
from audit.formats.campaign.set_files import GoldSets
from audit.formats.campaign.submission import GoldFile
from audit.formats.campaign.survey import (
    Trial,
    every_path,
    gold_candidates,
    gold_found,
    lone_files,
    possible_golds,
    says_gold,
    tried,
    wide_candidates,
)
from audit.formats.campaign.whose import told_by_tables, whose_of
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import decode
from audit.formats.files.tree import Tree
from audit.formats.settings.answers import SETS
from audit.formats.settings.layout import toml_list, toml_text
from audit.formats.settings.manifest import COLUMNS, FileRow
from audit.formats.settings.parsing import Settings, parse_parts
from audit.formats.small_tables import published_in
from audit.formats.wide import read_wide
from audit.text import listed, look_of, lookalikes, natural_order, plural, quoted, slug_of, told_apart, visible

_DECIDE = "# TO DECIDE:"
_FORMULA = "=+-@"  # what a spreadsheet takes for the beginning of a formula
_ORDER = ("", "gold", "published", "names", "submission", "reference", "ignore")
_FEW = 4  # files that by their paths rather answer a gold file than others, on which choices are tried
_NEVER_DATA = "documentation, scores or a program’s, by its name"


@dataclass(frozen=True)
class Draft:
    """What `audit init` writes into a folder."""

    rows: Sequence[FileRow]  # of files.csv; those without a kind a person has to decide
    settings: str | None  # the text of task.toml; None where there is one

    @property
    def files(self) -> str:
        """The text of files.csv."""
        file = io.StringIO()
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(_cells, self.rows))
        return file.getvalue()


def draft(folder: Path) -> Draft:
    """files.csv for a folder, and task.toml where it has none."""
    with Tree(folder) as tree:
        has_settings = tree.exists(SETTINGS_FILE)
        every: tuple[Settings, ...] = (Settings(),)
        if has_settings:  # files.csv, to be written, may name test sets
            every = parse_parts(tree.original(SETTINGS_FILE), has_parts=True)
        found = _Rows(tree, every)
        found.fill()
        rows = sorted(found.rows.values(), key=lambda row: (_ORDER.index(row.kind), row.part, natural_order(row.file)))
        settings = None if has_settings else "\n".join([*_head(folder), *_of_labels(tree, found)]) + "\n"
    return Draft(rows, settings)


def _cells(row: FileRow) -> dict[str, str]:
    """The cells of a row, none of which a spreadsheet takes for a formula."""
    names = {name: getattr(row, name).lstrip(_FORMULA) for name in ("team", "run", "part")}
    return (
        asdict(row)
        | names
        | {"file": f"./{row.file}" if row.file[0] in _FORMULA else row.file, "why": visible(row.why, 200)}
    )


@dataclass
class _Rows:
    """The rows of a folder's files, found out one kind after the other."""

    tree: Tree
    every: Sequence[Settings]
    rows: dict[str, FileRow] = field(default_factory=dict)
    golds: dict[str, GoldFile] = field(default_factory=dict)  # those that are gold, by their paths
    part_of: dict[str, str] = field(default_factory=dict)  # the test set of each of them; empty where there is one
    like_gold: set[str] = field(default_factory=set)  # other files whose names say gold
    has_place: bool = False  # whether there is a folder of submissions
    wide: str | None = None  # the file with gold and every system

    def add(self, kind: str, path: str, why: str, whose: FileRow | None = None, part: str = "") -> None:
        """A row, unless the file has one."""
        self.rows.setdefault(path, replace(whose or FileRow(path), kind=kind, part=part, why=why))

    def open_paths(self, paths: Iterable[str]) -> list[str]:
        """The files without a row."""
        return [path for path in paths if path not in self.rows]

    def fill(self) -> None:
        """The row of every file."""
        data = self._data()
        if any(settings.toml.submissions.files for settings in self.every):
            self._by_patterns(data)
            return
        self.wide = wide_file(self.tree, Settings())
        read: dict[str, GoldFile | Issue] = {}
        golds: list[GoldFile] = []
        for possible in [] if self.wide else possible_golds(self.tree, data):
            for gold in possible if not golds else ():
                own = [path for path in data if path not in possible and gold in conventions.nearest(path, possible)]
                read[gold] = gold_found(self.tree, gold, self.every[0], own[:: max(1, len(own) // _FEW)][:_FEW])
            golds = [found for found in read.values() if isinstance(found, GoldFile)]
        if not golds and self.wide is None and len(wide := wide_candidates(self.tree, data)) == 1:
            self.wide = wide[0]
        if self.wide is not None:
            self.add("gold", self.wide, "gold and a column for each system")
            self._published(self.open_paths(data), set(self._systems()))
            self._rest("ignore", data, "beside the file with all systems")
        elif golds:
            for path, issue in read.items():
                if isinstance(issue, Issue) and issue.choices and says_gold(path):
                    self.add("", path, f"its name says gold, and it does not read so: {issue.found}")
            self._by_gold(self.open_paths(data), golds)
        else:
            issues = {path: issue for path, issue in read.items() if isinstance(issue, Issue)}
            whys = {path: f"does not read as gold: {issue.found}" for path, issue in issues.items()}
            self._by_look(data, whys, are_read=False)

    def _data(self) -> list[str]:
        """The files that can be data; the others get their rows."""
        paths = [path for path in every_path(self.tree) if path not in {SETTINGS_FILE, MANIFEST}]
        for path in paths:
            if conventions.is_never_data(path):
                self.add("ignore", path, _NEVER_DATA)
            elif archive_ending(path):
                self.add("", path, "an archive that cannot be opened")
            elif fnmatchcase(conventions.name_of(path).casefold(), "sample_submission*"):
                self.add("ignore", path, "a sample for the teams, by its name")
        return self.open_paths(paths)

    def _by_look(self, data: Sequence[str], golds: Mapping[str, str], *, are_read: bool) -> None:
        """Where no file answers gold: files that are alike as submissions; the others are asked about."""
        for path, why in golds.items():
            is_gold = len(golds) == 1 and (are_read or says_gold(path))
            self.add("gold" if is_gold else "", path, f"may be gold: {why}")
        told = self._in_submissions()
        alone = set(lone_files(data))
        is_told = len(golds) == 1  # a file in a folder beside it is said to be no submission by reading it
        likely = {path for path in data if path not in alone or (is_told and "/" in path)}
        alike = [path for path in self.open_paths(data) if path in told or path in likely]
        for path, whose in whose_of(alike, told).items():
            self.add("submission", path, whose.why or "by its place; there is no gold that would tell", whose)
        self._rest("", data, "there is no gold that would tell")

    def _in_submissions(self) -> dict[str, FileRow]:
        """The submissions that the conventions find."""
        return {claim.file: replace(claim, why="in submissions/") for claim in conventional_claims(self.tree)[0]}

    def _rest(self, kind: str, paths: Iterable[str], why: str) -> None:
        for path in self.open_paths(paths):
            self.add(kind, path, why)

    def _by_patterns(self, data: Sequence[str]) -> None:
        """What task.toml names and finds; of the rest nothing is known."""
        for settings in self.every:
            gold, submissions, part = settings.toml.gold, settings.toml.submissions, settings.part or ""
            if gold.path is not None:
                self.add("gold", self.tree.canonical(gold.path), "by task.toml", part=part)
            if submissions.files is not None:
                claims, _ = matching_claims(self.tree, submissions.files, submissions.ignore)
                paths = [claim.file for claim in claims]
                rivals = {} if gold.path is None else conventions.of_others(paths, gold.path, gold_candidates(data))
                for path, rival in rivals.items():
                    self.add("", path, f"by files in task.toml; by its path it rather answers {quoted(rival, 80)}")
                self._rest("submission", paths, "by files in task.toml")
        self._rest("ignore", data, "no pattern of task.toml finds it")

    def _by_gold(self, data: Sequence[str], golds: Sequence[GoldFile]) -> None:
        """The files by the gold whose items they answer."""
        others = [path for path in data if path not in {gold.path for gold in golds}]
        trials = {path: {gold.path: tried(self.tree, path, gold) for gold in golds} for path in others}
        owners = _owners_of(trials)
        n_of_name = Counter(map(conventions.name_of, data))
        self.like_gold = {path for path in others if says_gold(path) and n_of_name[conventions.name_of(path)] == 1}
        in_place = self._in_submissions()
        self.has_place = bool(in_place)
        if not in_place and not any(owners.values()):
            self._by_look(
                data, {gold.path: f"{_in_words(gold)}, which no file answers" for gold in golds}, are_read=True
            )
            return
        self._gold_rows(golds, list(owners.values()))
        told, table = told_by_tables(self.tree, others, [path for path in others if not owners[path]])
        if table is not None:
            self.add("ignore", table, "a platform’s list of submissions, which says whose they are")
        told = in_place | told
        alike = {_place(path) for path in others if owners[path]}
        of_part: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.open_paths(others):
            if owners[path] or path in told or _place(path) in alike:
                of_part[self.part_of.get(owners[path][0], "") if len(owners[path]) == 1 else ""].append(path)
        for part, paths in of_part.items():
            for path, whose in whose_of(paths, told).items():
                self._submission(path, whose, max(trials[path].values(), key=attrgetter("share")), part)
        teams = {row.team for row in self.rows.values() if row.kind == "submission"}
        self._published(self.open_paths(others), teams)
        for path in self.open_paths(others):
            is_other = says_gold(path) and isinstance(gold_found(self.tree, path, self.every[0]), GoldFile)
            doubt = "; by its name, is it gold of another test set?" if is_other else ""
            why = f"answers no gold items{doubt or _because(next(iter(trials[path].values())))}"
            self.add("" if is_other else "ignore", path, why)

    def _gold_rows(self, golds: Sequence[GoldFile], owners: Sequence[Sequence[str]]) -> None:
        """The gold files that have answers, each of its test set; what may be gold beside another is asked about."""
        rivals = {path for owner in owners if len(owner) > 1 for path in owner}
        used = [gold for gold in golds if gold.path in rivals or [gold.path] in owners] or golds
        self.golds = {gold.path: gold for gold in used if gold.path not in rivals}
        self.part_of = _part_names(list(self.golds)) if len(self.golds) > 1 else {}
        for path, gold in self.golds.items():
            self.add("gold", path, _in_words(gold), part=self.part_of.get(path, ""))
        for gold in golds:
            twins = [path for path, other in self.golds.items() if tried(self.tree, gold.path, other).fits]
            if gold.path in rivals or (twins and gold.path not in self.golds):
                others = [quoted(path, 80) for path in sorted({*rivals, *twins} - {gold.path})]
                self.add("", gold.path, f"gold, or is it {listed(others, 'or', limit=3)}? {_in_words(gold)}")
            else:
                self.add("ignore", gold.path, "no file answers its items")

    def _submission(self, path: str, whose: FileRow, trial: Trial, part: str) -> None:
        """The row of a file that answers gold, or stands among such."""
        answers = f"answers {trial.n_answered:,} items" if trial.fits else f"among submissions{_because(trial)}"
        doubt = ""
        if trial.is_gold:
            doubt = "all its answers are gold’s: a copy of gold, or a team’s?"
        elif trial.fits and not whose.why and (path in self.like_gold or self.has_place):
            place = f"its name says gold, and it {answers}"
            if path not in self.like_gold:
                place = f"{answers}, outside of the place of submissions"
            doubt = f"{place}: another gold, or a team’s?"
        gold = next((gold for gold in self.golds if gold.rpartition(".")[0] == path.rpartition(".")[0]), None)
        if doubt and gold is not None and self.has_place and not whose.why:
            self.add("reference", path, f"{answers}; by its name another state of {quoted(gold, 80)}, which is gold")
        elif doubt:
            self.add("", path, doubt, whose, part)
        elif whose.kind == "submission":
            self.add("submission", path, "; ".join(filter(None, (whose.why, answers))), whose, part)
        else:
            self.add("ignore", path, whose.why)

    def _systems(self) -> Iterable[str]:
        with suppress(InputError):
            return read_wide(decode(self.wide or "", self.tree.read(self.wide or ""))).systems
        return ()

    def _published(self, paths: Sequence[str], teams: AbstractSet[str]) -> None:
        """The tables of scores, of teams that are there or of others; scores of items are none."""
        items = {item for gold in self.golds.values() for item in gold.target.gold.item_ids or ()}
        for path in paths:
            with suppress(InputError):
                table = published_in(self.tree, path)
                if not table.columns:
                    continue
                scores = (score for column in table.columns for score in column.scores)
                if 2 * len(teams & set(table.teams)) >= len(table.teams):
                    self.add("published", path, "scores of these teams")
                elif (
                    not says_gold(path)
                    and items.isdisjoint(table.teams)
                    and any(score and score.decimals for score in scores)
                ):
                    self.add("ignore", path, "a table of scores, of other teams")


def _because(trial: Trial) -> str:
    return f": {trial.issue.found}" if trial.issue is not None else ""


def _in_words(found: GoldFile) -> str:
    labels = listed(list(map(quoted, found.labels)), limit=8)
    return f"{plural(found.target.gold.n_items, 'item')}, labels {labels}"


def _place(path: str) -> tuple[str, str]:
    """What files in sibling folders share that are called alike: the folder above, and their name."""
    above, _, name = path.rpartition("/")
    return above.rpartition("/")[0], name


def _owners_of(trials: Mapping[str, Mapping[str, Trial]]) -> dict[str, list[str]]:
    """The gold that each file answers, or all that it may; names that would give one file to a gold tell nothing."""
    fitting = {path: [gold for gold, trial in of_path.items() if trial.fits] for path, of_path in trials.items()}
    nearest = {path: conventions.nearest(path, golds) for path, golds in fitting.items()}
    by_name = Counter(gold for path, golds in nearest.items() if len(fitting[path]) > 1 for gold in golds)
    return fitting if 1 in by_name.values() else nearest


def _part_names(golds: Sequence[str]) -> dict[str, str]:
    """The names of test sets: what tells each gold file's path from the others'."""
    names = {}
    for gold in golds:
        elsewhere = {word for other in golds if other != gold for word in conventions.words_of(other)}
        stem = conventions.stem(gold, keep_folders=True)
        own = [word for word in conventions.WORD.findall(stem) if word.casefold() not in elsewhere]
        folders = [
            part
            for part in gold.split("/")[:-1]
            if all(part not in other.split("/") for other in golds if other != gold)
        ]
        names[gold] = (folders or ["-".join(dict.fromkeys(own)) or stem])[0]
    return names


# task.toml


def _head(root: Path) -> Iterator[str]:
    name = root.resolve().name
    yield f"# How this campaign is scored. Written by `audit init`, with {MANIFEST}, which says what each file is."
    yield "# docs/task-toml.md explains every setting."
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


def _of_labels(tree: Tree, found: _Rows) -> Iterator[str]:
    """The labels where all test sets have the same, the way in which gold was read, and how a wide file is."""
    if found.wide is not None:
        yield from _wide(tree, found.wide)
        return
    golds = {found.part_of.get(path, ""): gold for path, gold in found.golds.items()}
    kinds = {part: "sets" if isinstance(gold, GoldSets) else "classes" for part, gold in golds.items()}
    are_mixed = len(set(kinds.values())) > 1
    if "sets" in kinds.values():
        yield "\n# Each item has any number of labels, or of spans that tags mark; “classes” scores each tag or cell."
        yield from () if are_mixed else [SETS]
    elif len({tuple(gold.labels) for gold in golds.values()}) == 1:
        yield from _labels(next(iter(golds.values())).labels)
    ways = {part: gold.stated for part, gold in golds.items()}
    is_one = len(set(ways.values())) == 1
    if any(ways.values()):
        yield "\n# Gold can be read in several ways; files answer it by these."
    if is_one:
        yield from _way("", next(iter(ways.values())))
    for part in golds if are_mixed or not is_one else ():
        place = f"subtask.{toml_text(part)}"
        yield f"[{place}]"
        yield from [f"kind = {toml_text(kinds[part])}"] if are_mixed else ()
        yield from () if is_one else _way(f"{place}.", ways[part])
    for gold in found.golds.values():
        yield from (f"{_DECIDE} {_comment(suggestion)}" for suggestion in gold.suggestions)


def _way(place: str, stated: str) -> Iterator[str]:
    """The settings by which gold and submissions are read."""
    settings = tomllib.loads(f"way = {{ {stated} }}")["way"]
    for section in ("gold", "submissions") if settings else ():
        yield f"[{place}{section}]"
        yield from (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in settings.items())


def _labels(labels: Sequence[str]) -> Iterator[str]:
    yield ""
    yield "# The labels that gold has. Their order is that of every table; a class that gold lacks may be added."
    nearly_one = lookalikes(labels, look_of)
    for group in nearly_one:
        yield f"{_DECIDE} {_comment(listed(told_apart(group)))} in gold: one class misspelt, or several?"
    yield f"{'# ' if nearly_one else ''}labels = {toml_list(labels)}"
    if may_be_a_scale(labels):
        yield f"{_DECIDE} names, or steps of a scale, of which labels then has the lowest first: true, or false."
        yield "# scale = true"


def _wide(tree: Tree, path: str) -> Iterator[str]:
    """The labels and systems of a wide file, or what is open about it."""
    try:
        table = read_wide(decode(path, tree.read(path)))
    except InputError as error:
        yield ""
        yield "[wide]"
        for issue in error.issues:
            yield f"{_DECIDE} {_comment(issue.found)}. {_comment(issue.remedy)}"
            yield from (f"# {_comment(choice.settings)}" for choice in issue.choices)
        return
    yield from _labels(sorted_labels(label for label in table.gold.labels if label))
    yield ""
    yield f"# {_comment(str(table))}"
    yield "[wide]"
    yield from (line for key, line in table.gold.layout.settings().items() if key in {"sheet", "records"})
    yield f"gold = {toml_text(table.gold.layout.label_name or '')}"
    id_name = table.gold.layout.id_name
    yield f"id = {'false' if id_name is None else toml_text(id_name)}"
    yield f"systems = {toml_list(table.systems)}"


def _comment(text: str) -> str:
    """Text that cannot leave its comment line."""
    return visible(text, 400)
