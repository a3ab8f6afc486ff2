"""The format ``parquet``: an id and a label in columns of a Parquet table."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from audit.errors import InputError, Issue
from audit.formats.files.content import Content, refusing_damage
from audit.formats.files.limits import MOST_BYTES, MOST_CELLS, MOST_COLUMNS, MOST_ITEMS
from audit.formats.settings.answers import Column
from audit.formats.settings.layout import Layout, StatedLayout
from audit.formats.table.columns import OF_FIRST, Grid, first_entries
from audit.formats.table.parsed import ColumnFrame, Frame, in_unit
from audit.formats.table.sample import SAMPLE, Sample
from audit.text import plural

_MAGIC = b"PAR1"
_BATCH = 2**16
_MOST_METADATA = 2**24
_EXACT = 2**53  # the largest float below which every whole number is one


def tables(content: Content, stated: StatedLayout, limit: int | None = SAMPLE) -> Iterator[Sample]:
    """The first rows of the one table; the first entry of a list is a column where task.toml says so."""
    with refusing_damage(content, "parquet"):
        names = content.parsed("parquet names", _names)
    names += tuple(name for name in first_entries(stated) if name not in names)
    most = MOST_CELLS // max(1, len(names))
    n_rows = min(limit or most, most)
    columns = [cells for cells, _ in _columns(content, names, range(len(names)), n_rows)]
    grid = Grid(columns, names, nested=True, lists=_lists(content))
    how = Layout("parquet", names=names, width=len(names), stated=True)
    yield Sample(content.path, how, grid)


def _lists(content: Content) -> tuple[str, ...]:
    """The columns that hold lists."""
    schema = _open(content).schema
    names = []
    for number in range(len(schema)):
        column = schema.column(number)
        if column.max_repetition_level:
            # A list has two levels below it, under names of the writer's choice.
            above = column.path.rpartition(".")[0]
            names.append(above.rpartition(".")[0] or column.path)
    return tuple(dict.fromkeys(names))


def frame(content: Content, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
    """The chosen columns of all rows, and the issue for ids that are no longer exact."""
    numbers = sorted(columns)
    by_number = dict(zip(numbers, _columns(content, layout.names, numbers), strict=True))
    rounded: list[int] = []
    for number in layout.id or ():
        _, inexact = by_number[number]
        rounded += inexact
    issues = []
    if rounded:
        defect = f"{plural(len(rounded), 'id')} kept as a float of more than 15 digits"
        issue = Issue.of("doubtful-id", content.path, defect, lines=sorted(rounded))
        issues.append(in_unit(issue, "row"))
    cells_of = {number: cells for number, (cells, _) in by_number.items()}
    n_rows = len(cells_of[numbers[0]])
    return ColumnFrame(cells_of, range(1, 1 + n_rows)), issues


# The file


def _open(content: Content) -> Any:  # noqa: ANN401 - a ParquetFile
    import pyarrow as pa  # noqa: PLC0415 - only where there is a table
    from pyarrow import parquet  # noqa: PLC0415 - only where there is a table

    return parquet.ParquetFile(
        pa.BufferReader(content.data),
        thrift_string_size_limit=_MOST_METADATA,
        thrift_container_size_limit=_MOST_METADATA,
    )


def _refuse_several(content: Content, metadata: Any) -> None:  # noqa: ANN401 - Arrow's metadata
    """Refuse tables put together: the end of the last says where columns are, and another's bytes are there."""
    last_end = 0
    for group_number in range(metadata.num_row_groups):
        group = metadata.row_group(group_number)
        for number in range(group.num_columns):
            chunk = group.column(number)
            start = chunk.data_page_offset
            if chunk.dictionary_page_offset:
                start = min(start, chunk.dictionary_page_offset)
            last_end = max(last_end, start + chunk.total_compressed_size)
    if _MAGIC + _MAGIC in content.data[last_end:]:
        raise ValueError("it is several tables put together")


def _names(content: Content) -> tuple[str, ...]:
    """The columns that hold one plain value in each row, nested ones with dots."""
    file = _open(content)
    metadata = file.metadata
    _refuse_several(content, metadata)
    size = sum(
        metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)
    )
    if metadata.num_rows > MOST_ITEMS or size > MOST_BYTES:
        raise InputError(
            [Issue.of("too-large", content.path, f"{metadata.num_rows:,} rows of {size:,} bytes")]
        )
    if len(file.schema) > MOST_COLUMNS:
        raise InputError([Issue.of("too-large", content.path, f"{len(file.schema):,} columns")])
    columns = [file.schema.column(number) for number in range(len(file.schema))]
    return tuple(column.path for column in columns if column.max_repetition_level == 0)


# of a column, and the rows of floats that are too large to be exact
_Cells = tuple[Column, Sequence[int]]


def _columns(
    content: Content, names: Sequence[str], numbers: Sequence[int], limit: int | None = None
) -> list[_Cells]:
    """The named columns as text, of the first rows or of all; of several with one name each."""
    with refusing_damage(content, "parquet"):
        namesakes = {number: names[:number].count(names[number]) for number in numbers}
        columns = [_column(content, names[number], namesakes[number], limit) for number in numbers]
        lengths = {len(cells) for cells, _ in columns}
        if len(lengths) > 1:
            raise ValueError(f"its columns have {min(lengths):,} to {max(lengths):,} rows")
    return columns


def _column(content: Content, name: str, n_before: int, limit: int | None) -> _Cells:
    """The column of this name that stands behind others of the name."""
    cells: list[str] = []
    inexact: list[int] = []
    size = 0
    if name in content.parsed("parquet names", _names):
        of_list = name
    else:
        of_list = name.removesuffix(OF_FIRST)
    batch_size = min(_BATCH, limit or _BATCH)
    for batch in _open(content).iter_batches(columns=[of_list], batch_size=batch_size):
        values = _values(batch, of_list, n_before, is_first=of_list != name)
        size += values.nbytes
        texts, rounded = _texts(values)
        inexact.extend(len(cells) + row + 1 for row in rounded)
        cells.extend(texts)
        if len(cells) > MOST_ITEMS or size > MOST_BYTES:
            defect = f"more than {len(cells):,} rows of {size:,} bytes"
            raise InputError([Issue.of("too-large", content.path, defect)])
        if limit is not None and len(cells) >= limit:
            break
    return cells[:limit], inexact


def _values(batch: Any, name: str, n_before: int, *, is_first: bool) -> Any:  # noqa: ANN401 - Arrow's batch and array
    """A column, or its first entries, taken out of structs and resolved from a dictionary."""
    import pyarrow as pa  # noqa: PLC0415 - only where there is a table
    from pyarrow import compute  # noqa: PLC0415 - only where there is a table

    table = pa.Table.from_batches([batch])
    while any(pa.types.is_struct(column.type) for column in table.columns):
        table = table.flatten()
    numbers = [number for number, each in enumerate(table.column_names) if each == name]
    values: Any = table.column(numbers[n_before]).combine_chunks()
    if is_first:
        values = compute.list_element(values, 0)
    if pa.types.is_dictionary(values.type):
        return values.dictionary_decode()
    return values


def _texts(values: Any) -> tuple[list[str], list[int]]:  # noqa: ANN401 - an Arrow array
    """The values as text: a float keeps its point, so that 1.0 is not 1; null is empty. And which are not exact."""
    import pyarrow as pa  # noqa: PLC0415 - only where there is a table

    if not pa.types.is_floating(values.type):
        return [text or "" for text in values.cast(pa.string()).to_pylist()], []
    numbers = values.to_numpy(zero_copy_only=False)
    texts = [str(number) for number in numbers]
    for row in np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False)).tolist():
        texts[row] = ""
    inexact = np.flatnonzero(np.abs(numbers.astype(np.float64)) >= _EXACT)
    return texts, inexact.tolist()
