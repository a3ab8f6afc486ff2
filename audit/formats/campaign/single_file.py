"""One file of a campaign, and what it is compared with: gold and settings, without the other submissions."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from audit.domain import Gold, Policies
from audit.errors import SETTINGS_FILE, InputError, UsageError
from audit.formats.align.alignment import Target
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import gold_path, read_gold, read_wide_file, wide_file
from audit.formats.campaign.claims import FileClaim, claims_of, read_settings, uploader
from audit.formats.campaign.conventions import SUBMISSIONS, check_name, joined, only_member, stem, without_ending
from audit.formats.campaign.set_files import check_set_file, read_set_gold
from audit.formats.campaign.submission import Checked, facts_of, gold_digest, read_submission
from audit.formats.files.archives import archive_ending
from audit.formats.files.content import Content, decode, inner_name, unpacked
from audit.formats.files.tree import Tree
from audit.formats.recognise import read_table
from audit.formats.settings.parsing import Settings, of_part, parse_settings
from audit.formats.settings.values import Names
from audit.formats.table.parsed import Table, TaskFacts
from audit.formats.wide import read_wide
from audit.text import listed, quoted


def read_key(folder: Path, part: str | None = None) -> tuple[Gold, bytes | None, tuple[FileClaim, ...]]:
    """Gold of a campaign's folder and its task.toml, as reading the whole campaign would have them."""
    conventions.check_folder(folder)
    with Tree(folder) as tree:
        content = tree.original(SETTINGS_FILE) if tree.exists(SETTINGS_FILE) else None
        settings = of_part(read_settings(tree), part)
        return _gold(tree, settings), content, claims_in(tree, settings)


def read_gold_file(path: Path) -> Gold:
    """Gold of a file that stands alone, recognised as where no task.toml says anything of it."""
    path = path.absolute()
    with Tree(path.parent) as tree:
        return read_gold(tree, path.name, Settings()).gold


def _gold(tree: Tree, settings: Settings) -> Gold:
    if settings.toml.gives_sets:
        return read_set_gold(tree, settings)
    wide = wide_file(tree, settings)
    if wide is not None:
        return read_wide_file(tree, wide, settings, None).gold
    return read_gold(tree, gold_path(tree, settings), settings).gold


_SHOWN = 4


def settings_of_file(name: str, place: str | None, settings: Settings, claims: Sequence[FileClaim]) -> Settings:
    """The settings by which a load would read one file."""
    if not settings.submissions.score_by_name:
        return settings
    candidates = _candidates(name, None if place is None else _plain(place), settings, claims)
    settings_of_each = [settings.of_submission(each.path, each.run, each.team) for each in candidates]
    if any(other.submissions != settings_of_each[0].submissions for other in settings_of_each[1:]):
        places = dict.fromkeys(
            (claim.path if name in claim.path.split("/") else joined(claim.path.rpartition("/")[0], name))
            for claim in candidates
            if claim.path
        )
        like = listed([quoted(each, 120) for each in places], "or", limit=_SHOWN) or f"{SUBMISSIONS}/TEAM/{name}"
        raise UsageError(
            f"Columns of scores are named for each file, and which of them {quoted(name, 120)} has depends on where it "
            f"would stand: say it with --as, like {like}."
        )
    return settings_of_each[0]


def claims_in(tree: Tree, settings: Settings) -> tuple[FileClaim, ...]:
    """The submissions of a folder, where they are needed for how a file is read."""
    return tuple(claims_of(tree, settings)[0]) if settings.submissions.score_by_name else ()


def claims_of_loaded(
    content: bytes, part: str | None, loaded: Iterable[tuple[str, str, str | None]]
) -> tuple[FileClaim, ...]:
    """The submissions of a campaign that was loaded, as its files call them, where how a file is read depends on it."""
    settings = parse_settings(content, part)
    if not settings.submissions.score_by_name:
        return ()
    own_names = {shown: team for team, shown in settings.toml.teams.items()}
    return tuple(FileClaim(path, own_names.get(team, team), run) for path, team, run in loaded)


def _plain(path: str) -> str:
    """A path without what changes nothing in it."""
    return "/".join(part for part in path.split("/") if part not in {"", "."})


def _candidates(name: str, place: str | None, settings: Settings, claims: Sequence[FileClaim]) -> Sequence[FileClaim]:
    """Which submissions the file may be: one that is there, or a new one."""
    if place is not None:
        matching = [claim for claim in claims if claim.path == place or claim.path.startswith(f"{place}/")]
    else:
        matching = [claim for claim in claims if name in claim.path.split("/")]
    if matching:
        return matching
    new = _claim_at(place or _place_of(name, settings, claims), settings)
    return (
        [*[FileClaim("", ""), *(FileClaim("", glob) for glob, _ in settings.submissions.score_by_name)], *claims]
        if new is None
        else [new]
    )


def _place_of(name: str, settings: Settings, claims: Sequence[FileClaim]) -> str:
    """The place where a new file of this name would stand, or its name alone where that is open."""
    if settings.toml.submissions.files is None:
        return name if any(claim.run for claim in claims) else f"{SUBMISSIONS}/{name}"
    above, _, _ = settings.toml.submissions.files.text.rpartition("/")
    return name if set(above) & set("{*") else joined(above, name)


def _claim_at(place: str, settings: Settings) -> FileClaim | None:
    """Team and run of a path, as the pattern or the conventions have them; None where they do not tell."""
    if settings.toml.submissions.files is not None:
        names = _names_at(place, settings)
        return None if names is None else FileClaim(place, *names)
    folder, *path = place.split("/")
    if folder != SUBMISSIONS or len(path) not in {1, 2}:
        return None
    if len(path) == 2:  # noqa: PLR2004 - a team's folder, and a run in it
        is_archive = archive_ending(path[1]) is not None
        return FileClaim(place, path[0], without_ending(path[1]) if is_archive else stem(path[1]))
    return (
        FileClaim(place, *uploader(without_ending(path[0])))
        if archive_ending(path[0])
        else FileClaim(place, stem(path[0]))
    )


def _names_at(place: str, settings: Settings) -> Names | None:
    """The names that the pattern finds in a path, with the ending of a compression or without."""
    pattern = settings.toml.submissions.files
    if pattern is None:
        return None
    for path in dict.fromkeys((inner_name(place), place)):
        splits = pattern.splits(path)
        if len(splits) > 1:
            raise UsageError(f"{quoted(pattern.text, 120)} splits {quoted(place, 120)} in several ways.")
        if splits:
            return splits[0]
    return None


def check_submission(  # noqa: PLR0913 - the file, and all that a load would know beside it
    path: str,
    data: bytes,
    gold: Gold,
    settings: bytes | None,
    *,
    part: str | None = None,
    policies: Policies | None = None,
    claims: Sequence[FileClaim] = (),
    place: str | None = None,
) -> Checked:
    """Check one file exactly as loading its campaign would."""
    parsed = Settings() if settings is None else parse_settings(settings, part)
    if policies is not None:
        parsed = replace(parsed, policies=policies)
    name = path
    try:
        check_name(path)
        path, data = only_member(path, data)
    except InputError as error:
        return Checked(path, None, issues=error.issues)
    if parsed.toml.gives_sets and gold.source is not None:
        return check_set_file(path, data, gold.source, parsed)
    target = Target(gold)
    table = _gold_table(target, parsed)
    target = Target(gold, None if table is None else table.sequences, gold_digest(gold))
    parsed = settings_of_file(name, place, parsed, claims)
    return read_submission(path, data, parsed, facts_of(target, table), target)


def _gold_table(target: Target, settings: Settings) -> Table | None:
    """The gold file as it was read when its campaign was loaded; None where gold came from no file."""
    source = target.gold.source
    if source is None:
        return None
    path, data = source.path, source.content
    encoding = settings.gold.encoding if settings.wide is None else settings.wide.keys.encoding
    try:
        return _table_of(decode(path, unpacked(path, data), encoding), target, settings)
    except InputError:  # settings that have changed since say nothing about it
        return None


def _table_of(content: Content, target: Target, settings: Settings) -> Table:
    if settings.wide is not None:
        return read_wide(content, settings.wide).gold
    with suppress(InputError):  # gold answers itself: that this is the only layout is seen from its first lines
        table = read_table(content, settings.gold, facts_of(target, None))
        if table.ids is not None and list(table.ids) == target.ids:
            return table
    declared = None if settings.toml.labels is None else dict.fromkeys(settings.toml.labels)
    try:
        return read_table(content, settings.gold, TaskFacts(declared))
    except InputError:
        return read_wide(content).gold
