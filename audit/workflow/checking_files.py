"""Check one file of predictions as a load would read it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from audit.domain import Gold, Policies

if TYPE_CHECKING:
    from audit.formats.campaign.claims import FileClaim
    from audit.formats.campaign.submission import Checked
    from audit.store import Store


@dataclass(frozen=True, eq=False)
class AnswerKey:
    """The gold and settings that a file is checked against."""

    gold: Gold  # the task's gold
    settings: bytes | None = None  # the campaign's task.toml; None where there is none
    part: str | None = None  # which test set of the campaign, where it has several
    policies: Policies | None = None  # the policies in force, where they are not the settings' own
    claims: "tuple[FileClaim, ...]" = ()  # the submissions that are there, where it depends on them how a file is read
    folder: Path | None = None  # the campaign's folder, where that is what a file is checked against


def key_of_task(slug: str, store: Path) -> AnswerKey:
    """What a file is checked against: a task as the store holds it, with the policies it was loaded by."""
    from audit.formats.campaign.single_file import claims_of_loaded
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        outline = opened.load_outline(slug)
        settings = outline.settings.content if outline.settings else None
        part, policies = outline.task.part, outline.task.policies
        claims = () if settings is None else claims_of_loaded(settings, part, _files_of(opened, slug))
    return AnswerKey(outline.gold, settings, part, policies, claims)


def _files_of(opened: "Store", slug: str) -> Iterator[tuple[str, str, str | None]]:
    """Path, team and run of a task's current submissions that came from files."""
    for each in opened.submissions(slug):
        if each.path is not None and each.replaced_at is None:
            yield each.path, each.team, each.run


def key_of_folder(folder: Path, part: str | None = None) -> AnswerKey:
    """What a file is checked against: a campaign's folder, with task.toml or without, and no store."""
    from audit.formats.campaign.single_file import read_key

    gold, settings, claims = read_key(folder, part)
    return AnswerKey(gold, settings, part, claims=claims, folder=folder)


def key_of_gold(path: Path) -> AnswerKey:
    """What a file is checked against: a gold file alone."""
    from audit.formats.campaign.single_file import read_gold_file

    return AnswerKey(read_gold_file(path))


def check(path: Path, against: AnswerKey, place: str | None = None) -> "Checked":
    """Check one file of predictions exactly as a load would; nothing is loaded, and nothing scored."""
    from audit.formats.campaign.single_file import check_submission
    from audit.formats.files.tree import read_alone

    data = read_alone(path)
    return check_submission(
        path.name,
        data,
        against.gold,
        against.settings,
        part=against.part,
        policies=against.policies,
        claims=against.claims,
        place=place or _place_in(against.folder, path, against.claims),
    )


def _place_in(folder: Path | None, path: Path, claims: "Sequence[FileClaim]") -> str | None:
    """The place of a file in a campaign's folder, if it is one of the submissions there."""
    if folder is None or not path.resolve().is_relative_to(folder.resolve()):
        return None
    place = path.resolve().relative_to(folder.resolve()).as_posix()
    return place if any(claim.path == place or claim.path.startswith(f"{place}/") for claim in claims) else None
