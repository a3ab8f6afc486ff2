"""The scores of a confusion matrix that is in memory."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from audit.domain import LabelSet
from audit.errors import UsageError
from audit.formats.confusions import read_confusion
from audit.inference.confusions_alone import ConfusionScores, score_confusion

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike


def score(
    matrix: "ArrayLike | pd.DataFrame",
    labels: Sequence[object] | None = None,
    *,
    rows: Literal["gold", "predicted"] = "gold",
    metrics: Sequence[str] = (),
) -> ConfusionScores:
    """Every metric of a confusion matrix, with intervals, exactly as ``audit score`` has them of a file.

    Parameters
    ----------
    matrix : array of int, shape (C, C) or (C, C + 1), or DataFrame
        Counts of items. With one column more than rows the last counts unanswered items. Of a DataFrame the names of
        rows and columns are the labels, in whatever order; a column “unanswered” and totals may stand there.
    labels : sequence, optional
        The classes in the order of the rows of an array; by default 1, 2, …
    rows : {"gold", "predicted"}
        What the rows are: gold, as in scikit-learn's ``confusion_matrix``; in the papers of Opitz they are predicted.
    metrics : sequence of str
        These scores alone, such as ``micro_f1[a,b]`` or ``averaged_f1(declared)``.

    Returns
    -------
    ConfusionScores
        ``scores`` is a DataFrame; ``averaged_f1``, ``f1_of_averages``, ``gap`` and ``gap_pairs`` say what the two macro
        F1s are and which classes make them differ.

    Raises
    ------
    InputError
        When a cell is no count, a total is no sum, or gold has fewer than two classes.
    UsageError
        When the matrix has another shape, or rows are something else.

    Examples
    --------
    >>> import audit
    >>> found = audit.score([[30, 5], [2, 13]], labels=["ham", "spam"])
    >>> found.scores.loc[["accuracy", "averaged_f1", "mcc"]].round(3)
                 value  lower  upper
    score
    accuracy     0.860  0.738  0.930
    averaged_f1  0.842  0.697  0.925
    mcc          0.691  0.406  0.853
    >>> round(found.gap, 4), found.gap_pairs[0].labels
    (0.0039, ('ham', 'spam'))
    """
    if rows not in ("gold", "predicted"):
        raise UsageError(f"rows is “gold” or “predicted”, not {rows!r}.")
    confusion_file = read_confusion(_data(matrix, labels, rows), rows=rows)
    return score_confusion(confusion_file.counts, confusion_file.labels, metrics)


def _data(matrix: Any, labels: Sequence[object] | None, rows: str) -> bytes:  # noqa: ANN401 - an array or a frame
    if not hasattr(matrix, "columns"):
        return _of_array(matrix, labels, rows)
    if labels is not None:
        raise UsageError("A DataFrame has its labels in its rows and columns: leave labels=… out.")
    return _of_frame(matrix, rows)


def _of_frame(frame: "pd.DataFrame", rows: str) -> bytes:
    """A DataFrame as the text of a file, with both axes named."""
    if rows == "gold":
        corner = "gold/predicted"
    else:
        corner = "predicted/gold"
    return frame.convert_dtypes().to_csv(index_label=corner, lineterminator="\n").encode()


def _of_array(matrix: "ArrayLike", labels: Sequence[object] | None, rows: str) -> bytes:
    """An array as a JSON document that says what its rows are."""
    import numpy as np

    array = np.asarray(matrix)
    if array.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise UsageError(
            f"A confusion matrix has rows and columns; this has the shape {array.shape}."
        )
    document: dict[str, Any] = {
        "matrix": [list(map(_whole, cells)) for cells in array.tolist()],
        "rows": rows,
    }
    if labels is not None:
        document["labels"] = list(map(str, LabelSet(tuple(map(str, labels)))))
    return json.dumps(document).encode()


def _whole(cell: Any) -> Any:  # noqa: ANN401 - a cell of anything
    """A whole number without a point: pandas makes floats of counts."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell
