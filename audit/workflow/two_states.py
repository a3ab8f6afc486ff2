"""Compare two states of a task, before and after a change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from audit.domain import NOTHING_STATED, Campaign, StatedOptions
from audit.errors import UsageError
from audit.execution import THIS_PROCESS, Executor, Steps
from audit.text import listed, quoted, visible

if TYPE_CHECKING:
    from audit.revision import Difference

_SHOWN = 5


Side = int | Path
"""One side of a difference: a load of the store by its number in the history, or a campaign's folder as it is now."""


@dataclass(frozen=True)
class ComparedSides:
    """Two states of a task, evaluated by the program as it is now, and their difference."""

    sides: tuple[str, str]
    """What was compared, the old one first, in words: “load 1”."""
    difference: "Difference"
    """The changes between the two sides, and their consequences."""


def compare_loads(  # noqa: PLR0913 - what a user may say of a comparison
    slug: str,
    store: Path,
    old: Side | None = None,
    new: Side | None = None,
    stated: StatedOptions = NOTHING_STATED,
    *,
    skip_rejected: bool = False,
    executor: Executor = THIS_PROCESS,
    on_step: Steps | None = None,
) -> ComparedSides:
    """Evaluate two states of a task, and say what was changed and what became of it; leave the store as it is.

    Both are evaluated anew, by this version of the program and with the same options, so that the data alone make a
    difference.

    Parameters
    ----------
    slug : str
        The task.
    store : Path
        The store that keeps its history.
    old, new : int or Path, optional
        A load, as ``audit history`` counts them, or a campaign's folder, of which nothing is loaded. By default the
        new one is the latest load, and the old one the load before the new one: for a folder, the latest load.
    stated : StatedOptions
        Options of both evaluations; those that are not stated are the task's.
    skip_rejected : bool
        Whether a folder is read without the files that are rejected.
    executor, on_step
        As for `evaluate_task`.

    Raises
    ------
    InputError
        When a folder cannot be used.
    UsageError
        When there is no such task or load, or no load before the new one.
    """
    from audit.evaluation import evaluate
    from audit.formats.campaign.campaigns import read_campaigns
    from audit.revision import difference_of
    from audit.store import open_store

    read = partial(read_campaigns, skip_rejected=skip_rejected, executor=executor)
    with open_store(store, create=False) as opened:
        n_loads = opened.n_loads(slug)
        after = n_loads if new is None else new
        before = _load_before(slug, after, n_loads) if old is None else old
        campaigns = [
            opened.past_campaign(slug, side) if isinstance(side, int) else _campaign_in(side, slug, read)
            for side in (before, after)
        ]
    options = stated.over(campaigns[1].options)
    one, other = (evaluate(campaign, options, executor=executor, on_step=on_step) for campaign in campaigns)
    return ComparedSides((_side_in_words(before), _side_in_words(after)), difference_of(one, other))


def _load_before(slug: str, new: Side, n_loads: int) -> int:
    before = n_loads if isinstance(new, Path) else new - 1
    if before < 1:
        reason = "was loaded once" if n_loads == 1 else "has no load before the first"
        raise UsageError(
            f"The task {quoted(slug)} {reason}: there is nothing to compare with. Load the folder again once it has "
            f"changed (audit load FOLDER), or name the changed folder: audit diff {visible(slug)} 1 FOLDER"
        )
    return before


def _campaign_in(folder: Path, slug: str, read: Callable[[Path], Sequence[Campaign]]) -> Campaign:
    """A task as a folder has it."""
    campaigns = {campaign.task.slug: campaign for campaign in read(folder)}
    if slug not in campaigns:
        has = listed([quoted(each) for each in campaigns], limit=_SHOWN)
        raise UsageError(f"The folder {visible(str(folder), 200)} holds {has}, and no task {quoted(slug)}.")
    return campaigns[slug]


def _side_in_words(side: Side) -> str:
    return f"load {side}" if isinstance(side, int) else f"the folder {visible(str(side), 200)}"
