"""A NumPy array (.npy) as text: a line for each row, its cells parted by commas."""

from io import BytesIO

from audit.errors import InputError, Issue

SIGNATURE = b"\x93NUMPY"
_MOST_DIMENSIONS = 2
_READ = "labels, one for each item, or a row of 0 and 1 for each item"
_REMEDY = "write a CSV with a column of ids beside the labels"


def array_as_text(path: str, data: bytes) -> str:
    """The rows of an array; pickled objects are never loaded.

    Raises
    ------
    InputError
        Where the array is damaged or holds objects, or where it cannot be told what its rows are.
    """
    import numpy as np  # noqa: PLC0415 - most files are none

    try:
        array = np.load(BytesIO(data), allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError) as error:
        defect = f"a NumPy array that cannot be read: {str(error).partition(chr(10))[0][:80]}"
        raise InputError([Issue.of("damaged-file", path, defect)]) from None
    kind = array.dtype.kind
    is_of_cells = kind in "biufU" and 1 <= array.ndim <= _MOST_DIMENSIONS and array.size > 0
    if is_of_cells and kind == "f" and (np.isfinite(array) & (array == np.round(array))).all():
        array = array.astype(np.int64)
    is_of_scores = array.dtype.kind == "f" and array.ndim == _MOST_DIMENSIONS
    if not is_of_cells or is_of_scores:
        shape = " × ".join(map(str, array.shape)) or "no"
        defect = (
            f"a NumPy array of {shape} values ({array.dtype}): what its rows are cannot be told"
        )
        raise InputError([Issue.of("binary-file", path, defect, expected=_READ, remedy=_REMEDY)])
    if array.dtype.kind == "b":
        array = array.astype(np.int64)
    rows = array.reshape(len(array), -1).astype(str)
    return "\n".join(map(",".join, rows.tolist())) + "\n"
