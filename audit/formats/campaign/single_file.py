"""One file of a campaign, and what it is compared with: gold and settings, without the other submissions."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from audit.domain import Feature, Gold, Policies
from audit.errors import SETTINGS_FILE, InputError, Issue, UsageError
from audit.formats.align.alignment import Checked, Target
from audit.formats.campaign.all_files import (
    gold_path,
    read_gold,
    read_score_files,
    read_wide_file,
    wide_file,
)
from audit.formats.campaign.claims import claims_of, read_settings, uploader
from audit.formats.campaign.conventions import (
    SUBMISSIONS,
    check_name,
    joined,
    only_member,
    stem,
    without_ending,
)
from audit.formats.campaign.number_files import check_rating_file, check_score_file
from audit.formats.campaign.set_files import check_set_file
from audit.formats.campaign.submission import facts_of, read_submission
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import Content, decode, inner_name, unpacked
from audit.formats.files.tree import Tree
from audit.formats.recognise import read_table
from audit.formats.settings.manifest import FileRow
from audit.formats.settings.parsing import TrackSettings, of_part, parse_settings
from audit.formats.table.parsed import Table, TaskFacts
from audit.formats.wide import read_wide
from audit.text import listed, quoted


@dataclass(frozen=True, eq=False)
class AnswerKey:
    """The gold and settings that a file is checked against."""

    gold: Gold  # the task's gold
    settings: bytes | None = None  # the campaign's task.toml; None where there is none
    part: str | None = None  # which test set of the campaign, where it has several
    policies: Policies | None = None  # the policies in force, where they are not the settings' own
    claims: tuple[FileRow, ...] = ()
    """The submissions that are there, where it depends on them how a file is read."""
    folder: Path | None = None
    """The campaign's folder, where that is what a file is checked against."""
    published: Gold | None = None  # the items that participants were given, where they are stated
    published_settings: bytes | None = None
    """By which they are read, where that is not the campaign's task.toml."""

    @property
    def policies_in_force(self) -> Policies:
        """The policies by which a file is accepted."""
        if self.settings is None:
            stated = Policies()
        else:
            stated = parse_settings(self.settings, self.part).policies
        return self.policies or stated


def read_key(tree: Tree, part: str | None = None) -> AnswerKey:
    """What a file is checked against by a campaign's folder, as reading the whole campaign would have it."""
    if tree.exists(SETTINGS_FILE):
        content = tree.original(SETTINGS_FILE)
    else:
        content = None
    settings = of_part(read_settings(tree), part)
    if settings.submission_layout.score_by_name:
        claims = tuple(claims_of(tree, settings)[0])
    else:
        claims = ()
    if settings.toml.gives_columns:
        gold = read_score_files(tree, settings, None).gold
    elif (wide := wide_file(tree, settings)) is not None:
        gold = read_wide_file(tree, wide, settings, None).gold
    else:
        gold = read_gold(tree, gold_path(tree, settings), settings).gold
    return AnswerKey(gold, content, part, claims=claims)


def read_gold_file(path: Path) -> Gold:
    """Gold of a file that stands alone, recognised as where no task.toml says anything of it."""
    if not path.exists():
        defect = "there is no such file"
        expected = "a gold file"
        raise InputError(
            [
                Issue.of(
                    "missing-file", str(path), defect, expected=expected, remedy="check the path"
                )
            ]
        )
    path = path.absolute()
    with Tree(path.parent) as tree:
        return read_gold(tree, path.name, TrackSettings()).gold


_SHOWN = 4


def settings_of_file(
    name: str, place: str | None, settings: TrackSettings, claims: Sequence[FileRow]
) -> TrackSettings:
    """The settings by which a load would read one file: as the submission that it is, or would be at a place."""
    if not settings.submission_layout.score_by_name:
        return settings
    path = "/".join(part for part in (place or name).split("/") if part not in {"", "."})
    candidates = [claim for claim in claims if f"/{path}/" in f"/{claim.file}/"]
    if not candidates:
        if place is not None:
            new = path
        else:
            new = f"{SUBMISSIONS}/{path}"
        if claims and place is None:
            candidates = list(claims)
        else:
            candidates = [_claim_at(new, settings)]
    settings_of_each = [
        settings.of_submission(each.file, each.run, each.team) for each in candidates
    ]
    layouts = [each.submission_layout for each in settings_of_each]
    if any(layout != layouts[0] for layout in layouts[1:]):
        known = (claim.file for claim in candidates)
        places = dict.fromkeys(
            each if name in each.split("/") else joined(each.rpartition("/")[0], name)
            for each in known
        )
        like = listed([quoted(each, 120) for each in places], "or", limit=_SHOWN)
        raise UsageError(
            f"Columns of scores are named for each file, and which of them {quoted(name, 120)} has depends on where it "
            f"would stand: say it with --as, like {like}."
        )
    return settings_of_each[0]


def claims_of_loaded(
    content: bytes, part: str | None, loaded: Iterable[tuple[str, str, str | None]]
) -> tuple[FileRow, ...]:
    """The submissions of a campaign that was loaded, as its files call them, where how a file is read depends on it."""
    settings = parse_settings(content, part)
    if not settings.submission_layout.score_by_name:
        return ()
    own_names = {shown: team for team, shown in settings.toml.teams.items()}
    rows = ((path, own_names.get(team, team), run or "") for path, team, run in loaded)
    return tuple(FileRow(path, "submission", team=team, run=run) for path, team, run in rows)


def _claim_at(place: str, settings: TrackSettings) -> FileRow:
    """Team and run of a file that would stand at a place, as the pattern or the conventions have them."""
    pattern = settings.toml.submissions.files
    if pattern is not None:
        ways = pattern.splits(inner_name(place)) or pattern.splits(place)
        names = [(way.team, way.run) for way in ways]
    else:
        if "/" in place:
            folder, *folders, file = place.split("/")
        else:
            folder, *folders, file = ("", place)
        if archive_ending(file):
            base = without_ending(file)
        else:
            base = stem(file)
        if folders:
            names = [(folders[0], base)]
        else:
            names = [uploader(base)]
        if not (folder == SUBMISSIONS and len(folders) <= 1):
            names = []
    if len(names) != 1:
        raise UsageError(
            f"No submission can stand at {quoted(place, 120)}: --as takes the path of one, as a load has it."
        )
    ((team, run),) = names
    return FileRow(place, "submission", team=team, run=run or "")


def check_submission(path: str, data: bytes, key: AnswerKey, place: str | None = None) -> Checked:
    """Check one file exactly as loading its campaign would."""
    if key.settings is None:
        parsed = TrackSettings()
    else:
        parsed = parse_settings(key.settings, key.part)
    parsed = replace(parsed, policies=key.policies or parsed.policies).laid_out(place or path)
    name = path
    gold = key.gold
    try:
        check_name(path)
        path, data = only_member(path, data)
    except InputError as error:
        return Checked(path, None, issues=error.issues)
    if parsed.toml.gives_columns:
        return check_score_file(path, data, gold, parsed)
    if parsed.toml.gives_numbers:
        return check_rating_file(path, data, gold, parsed)
    if gold.label_set.supports(Feature.UNITS) and gold.source is not None:
        parsed = parsed.scored_as_sets()
        return check_set_file(path, data, gold.source, parsed, of_published=gold is key.published)
    target = Target(gold)
    table = _gold_table(target, parsed)
    if table is None:
        sequences = None
        tokens = None
    else:
        sequences = table.sequences
        tokens = table.tokens
    target = Target(gold, sequences, parsed.policies, tokens)
    parsed = settings_of_file(name, place, parsed, key.claims)
    return read_submission(path, data, parsed, facts_of(target, table), target)


def _gold_table(target: Target, settings: TrackSettings) -> Table | None:
    """The gold file as it was read when its campaign was loaded; None where gold came from no file."""
    source = target.gold.source
    with suppress(InputError):  # of settings that have changed since, which say nothing about it
        if source is not None:
            data = unpacked(source.path, source.content)
            return _table_of(
                decode(source.path, data, settings.gold_layout.encoding), target, settings
            )
    return None


def _table_of(content: Content, target: Target, settings: TrackSettings) -> Table:
    if settings.toml.wide is not None:
        return read_wide(content, settings.toml.wide, settings.gold_layout).gold
    # gold answers itself: that this is the only layout is seen from its first lines
    with suppress(InputError):
        table = read_table(content, settings.gold_layout, facts_of(target, None))
        if table.ids is not None and list(table.ids) == target.ids:
            return table
    if settings.toml.labels is None:
        declared = None
    else:
        declared = dict.fromkeys(settings.toml.labels)
    try:
        return read_table(content, settings.gold_layout, TaskFacts(declared))
    except InputError:
        return read_wide(content).gold
