"""What is told of confusions in files: their scores, and how many items a difference needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from audit.domain import BALANCED, OBSERVED, LabelSet, Plan, Task
from audit.errors import UsageError
from audit.text import listed, quoted
from audit.workflow.stored_tasks import score_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from audit.inference.confusions_alone import ConfusionScores


@dataclass(frozen=True)
class Planned:
    """The number of items that a difference needs, and the pilots it was judged from."""

    plan: Plan  # the numbers
    label_set: LabelSet  # the pilot's labels
    files: tuple[str, ...]  # the pilot's confusions


def plan_items(  # noqa: PLR0913 - what a user may say of a plan
    pilots: Sequence[Path],
    *,
    metric: str | None = None,
    prevalence: str | None = None,
    difference: float | None = None,
    n_teams: int = 20,
    rows: Literal["gold", "predicted"] | None = None,
) -> Planned:
    """How many items a difference needs, from the confusions of one or two pilot systems."""
    import numpy as np

    from audit.formats.confusions import read_confusion
    from audit.inference import plan
    from audit.metrics import score

    read = [read_confusion(path, rows=rows) for path in pilots]
    label_set = read[0].labels
    confusions = np.stack([_in_order(planned.labels, planned.counts, label_set) for planned in read])
    key = score_key(Task("pilot", "Pilot", label_set), metric, prevalence)
    if difference is None:
        if len(pilots) < 2:  # noqa: PLR2004 - a pair
            raise UsageError("Say which --difference is to be found; only two pilots have one of their own.")
        first, second = score(confusions[:2], [key], [OBSERVED, BALANCED], label_set)[0]
        difference = abs(float(first - second))
    planned = plan(confusions, label_set, key, difference=difference, n_teams=n_teams)
    return Planned(planned, label_set, tuple(path.name for path in pilots))


@dataclass(frozen=True, eq=False)
class ScoredFile:
    """The scores of a file with one confusion matrix."""

    name: str  # the file's name
    orientation_said_by: Literal["option", "file", "default"]
    """What says which axis is gold; ``default`` where nothing does, and rows are read as gold."""
    scores: "ConfusionScores"  # the numbers


def score_file(
    path: Path, *, metrics: Sequence[str] = (), rows: Literal["gold", "predicted"] | None = None
) -> ScoredFile:
    """Score a file with one confusion matrix."""
    from audit.formats.confusions import read_confusion
    from audit.inference.confusions_alone import score_confusion

    confusion_file = read_confusion(path, rows=rows)
    return ScoredFile(
        path.name,
        confusion_file.orientation_said_by,
        score_confusion(confusion_file.counts, confusion_file.labels, metrics),
    )


def _in_order(labels: LabelSet, counts: "NDArray[np.int64]", label_set: LabelSet) -> "NDArray[np.int64]":
    """A confusion with its classes in the order of a label set."""
    if set(labels) != set(label_set):
        only = listed([quoted(label) for label in sorted(set(labels) ^ set(label_set))], limit=5)
        raise UsageError(f"The pilots' confusions have different labels: {only} in one of them only.")
    places = [labels.code_of[label] for label in label_set]
    return counts[places][:, [*places, len(labels)]]
