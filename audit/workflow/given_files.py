"""What is told of files that no store holds: predictions as a load would read them, and confusions."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from audit.domain import BALANCED, OBSERVED, LabelSet, Plan, Task
from audit.errors import AuditError, InputError, UsageError
from audit.text import listed, quoted
from audit.workflow.plain_door import open_named
from audit.workflow.stored_tasks import score_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from audit.formats.align.alignment import Checked
    from audit.formats.campaign.single_file import AnswerKey
    from audit.formats.door.said import Said
    from audit.formats.settings.manifest import FileRow
    from audit.inference.confusions_alone import ConfusionScores


def key_of_task(slug: str, store: Path) -> "AnswerKey":
    """What a file is checked against: a task as the store holds it, with the policies it was loaded by."""
    from audit.formats.campaign.single_file import AnswerKey, claims_of_loaded
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        outline = opened.load_outline(slug)
        if outline.settings:
            settings = outline.settings.content
        else:
            settings = None
        part = outline.task.part
        policies = outline.task.policies
        current = (
            each
            for each in opened.submissions(slug)
            if each.path is not None and each.replaced_at is None
        )
        files = [(each.path or "", each.team, each.run) for each in current]
    claims = () if settings is None else claims_of_loaded(settings, part, files)
    return AnswerKey(outline.gold, settings, part, policies, claims)


def key_of_folder(folder: Path, part: str | None = None) -> "AnswerKey":
    """What a file is checked against: a campaign's folder, with task.toml or without, and no store."""
    from audit.formats.campaign.participants import PUBLISHED, published_beside
    from audit.formats.campaign.single_file import read_key
    from audit.formats.files.tree import Tree

    with Tree(folder) as tree:
        key = replace(read_key(tree, part), folder=folder)
    if (folder / PUBLISHED).exists():
        return published_beside(folder, key)
    return key


def key_of_kit(folder: Path) -> "AnswerKey":
    """What participants check a file against: the published items and the labels, without gold."""
    from audit.formats.campaign.participants import read_kit
    from audit.formats.campaign.single_file import AnswerKey

    items, settings = read_kit(folder)
    return AnswerKey(items, settings, published=items)


def key_of_gold(path: Path, files: Sequence[Path] = (), said: "Said | None" = None) -> "AnswerKey":
    """What files are checked against: a gold file by itself, or in their light where that accepts more of them."""
    from audit.formats.campaign.single_file import AnswerKey, read_gold_file

    if said is not None and not said.is_silent:
        return open_named(path, files, said, skip_rejected=True).key()
    alone: AnswerKey | None = None
    refusal: InputError | None = None
    try:
        alone = AnswerKey(read_gold_file(path))
    except InputError as error:
        refusal = error
    if alone is None:
        n_alone = -1
    else:
        n_alone = _n_accepted(files, alone)
    if n_alone < len(files):
        with suppress(AuditError):
            in_their_light = open_named(path, files, skip_rejected=True).key()
            if _n_accepted(files, in_their_light) > n_alone:
                return in_their_light
    if alone is None:
        raise refusal or UsageError("Gold cannot be read.")
    return alone


def _n_accepted(files: Sequence[Path], key: "AnswerKey") -> int:
    return sum(check(file, key).is_accepted for file in files)


@contextmanager
def without_reference() -> Iterator[None]:
    """Tell participants of gold and settings that cannot be used no more than that."""
    try:
        yield
    except AuditError as error:
        raise UsageError(
            "What files are checked against cannot be used: write to the organisers."
        ) from error


def check_for_participants(path: Path, against: "AnswerKey") -> "Checked":
    """Check one file, and say of it what whoever handed it in may see: nothing of gold, and nothing of other teams."""
    from audit.formats.campaign.participants import for_participants, refuse_unknown_extras

    if against.published is None:
        refuse_unknown_extras(against.policies_in_force)
    items = against.published or against.gold
    of_items = replace(
        against, gold=items, policies=against.policies_in_force, claims=(), folder=None
    )
    if against.published_settings is not None:
        of_items = replace(of_items, settings=against.published_settings, part=None)
    with without_reference():
        return for_participants(
            check(path, of_items), against.gold, of_published=against.published is not None
        )


def check(path: Path, against: "AnswerKey", place: str | None = None) -> "Checked":
    """Check one file of predictions exactly as a load would; nothing is loaded, and nothing scored."""
    from audit.formats.align.alignment import Checked
    from audit.formats.campaign.single_file import check_submission
    from audit.formats.files.tree import read_alone

    try:
        data = read_alone(path)
    except InputError as error:
        return Checked(str(path), None, issues=error.issues)
    return check_submission(
        path.name, data, against, place or _place_in(against.folder, path, against.claims)
    )


def _place_in(folder: Path | None, path: Path, claims: "Sequence[FileRow]") -> str | None:
    """The place of a file in a campaign's folder, if it is one of the submissions there."""
    if folder is None or not path.resolve().is_relative_to(folder.resolve()):
        return None
    place = path.resolve().relative_to(folder.resolve()).as_posix()
    if any(claim.file == place or claim.file.startswith(f"{place}/") for claim in claims):
        return place
    return None


def plan_items(  # noqa: PLR0913 - what a user may say of a plan
    pilots: Sequence[Path],
    *,
    metric: str | None = None,
    prevalence: str | None = None,
    difference: float | None = None,
    n_teams: int = 20,
    rows: Literal["gold", "predicted"] | None = None,
) -> tuple[Plan, LabelSet, tuple[str, ...]]:
    """The number of items that a difference needs, from one or two pilots' confusions; their labels, and the files."""
    import numpy as np

    from audit.formats.confusions import read_confusion
    from audit.inference.confusions_alone import plan
    from audit.metrics import score

    read = [read_confusion(path, rows=rows) for path in pilots]
    label_set = read[0].labels
    confusions = np.stack([_in_order(each.labels, each.counts, label_set) for each in read])
    key = score_key(Task("pilot", "Pilot", label_set), metric, prevalence)
    if difference is None:
        if len(pilots) < 2:  # noqa: PLR2004 - a pair
            raise UsageError(
                "Say which --difference is to be found; only two pilots have one of their own."
            )
        first, second = score(confusions[:2], [key], [OBSERVED, BALANCED], label_set)[0]
        difference = abs(float(first - second))
    needed = plan(confusions, label_set, key, difference=difference, n_teams=n_teams)
    return needed, label_set, tuple(path.name for path in pilots)


def score_file(
    path: Path, *, metrics: Sequence[str] = (), rows: Literal["gold", "predicted"] | None = None
) -> tuple["ConfusionScores", Literal["option", "file", "default"]]:
    """The scores of a file with one confusion matrix; and what says which axis is gold, as `read_confusion` has it."""
    from audit.formats.confusions import read_confusion
    from audit.inference.confusions_alone import score_confusion

    read = read_confusion(path, rows=rows)
    return score_confusion(read.counts, read.labels, metrics), read.orientation_said_by


def _in_order(
    labels: LabelSet, counts: "NDArray[np.int64]", label_set: LabelSet
) -> "NDArray[np.int64]":
    """A confusion with its classes in the order of a label set."""
    if set(labels) != set(label_set):
        only = listed([quoted(label) for label in sorted(set(labels) ^ set(label_set))], limit=5)
        raise UsageError(
            f"The pilots' confusions have different labels: {only} in one of them only."
        )
    places = [labels.code_of[label] for label in label_set]
    return counts[places][:, [*places, len(labels)]]
