"""The format ``parquet``: an id and a label in columns of a Parquet table."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from audit.errors import InputError, Issue
from audit.extras import require
from audit.formats.files.content import Content
from audit.formats.files.limits import MOST_BYTES, MOST_CELLS, MOST_COLUMNS, MOST_ITEMS
from audit.formats.settings.answers import Column
from audit.formats.settings.layout import Keys, Layout
from audit.formats.table.columns import OF_FIRST, Grid, first_entries
from audit.formats.table.parsed import ColumnFrame, Frame, TaskFacts, in_unit
from audit.formats.table.sample import SAMPLE, Findings, Sample, find_named
from audit.text import plural, visible

Result = TypeVar("Result")

_MAGIC = b"PAR1"
_BATCH = 2**16
_MOST_METADATA = 2**24
_EXACT = 2**53  # the largest float below which every whole number is one


def find(content: Content, keys: Keys, facts: TaskFacts) -> Findings:
    """Every choice of columns; the first entry of a list is one where task.toml says so."""
    return find_named(_tables(content, keys, None if facts.is_gold else SAMPLE), keys, facts)


def tables(content: Content, keys: Keys) -> Iterator[Sample]:
    """The first rows of the one table."""
    return _tables(content, keys, SAMPLE)


def _tables(content: Content, keys: Keys, limit: int | None) -> Iterator[Sample]:
    names = content.parsed("parquet names", _names)
    names += tuple(name for name in first_entries(keys) if name not in names)
    most = MOST_CELLS // max(1, len(names))
    columns = [column.cells for column in _columns(content, names, range(len(names)), min(limit or most, most))]
    schema = _open(content).schema
    repeated = [column.path for column in map(schema.column, range(len(schema))) if column.max_repetition_level]
    grid = Grid(columns, names, nested=True, lists=tuple(dict.fromkeys(map(_list_name, repeated))))
    how = Layout("parquet", names=names, width=len(names), stated=True)
    yield Sample(content.path, how, grid, range(1, 1 + len(columns[0]) if columns else 1))


def _list_name(path: str) -> str:
    """The column that a list is in: Parquet has two levels below it, under names of the writer's choice."""
    return path.rpartition(".")[0].rpartition(".")[0] or path


def frame(content: Content, layout: Layout, columns: Collection[int]) -> tuple[Frame, list[Issue]]:
    """The chosen columns of all rows, and the issue for ids that are no longer exact."""
    numbers = sorted(columns)
    read_columns = _columns(content, layout.names, numbers)
    by_number = dict(zip(numbers, read_columns, strict=True))
    issues = list(_rounded([by_number[number] for number in layout.id or ()], content.path))
    n_rows = len(read_columns[0].cells)
    cells = {number: column.cells for number, column in by_number.items()}
    return ColumnFrame(cells, range(1, 1 + n_rows)), issues


@dataclass(frozen=True, slots=True)
class _Column:
    """The cells of a column, and the rows of floats that are too large to be exact."""

    cells: Column
    inexact: Sequence[int] = ()


def _rounded(columns: Iterable[_Column], path: str) -> Iterator[Issue]:
    """The issue for ids that are floats beyond the last exact whole number."""
    rows = sorted(row for column in columns for row in column.inexact)
    if rows:
        defect = f"{plural(len(rows), 'id')} kept as a float of more than 15 digits"
        yield in_unit(Issue.of("doubtful-id", path, defect, lines=rows), "row")


# The file


def _open(content: Content) -> Any:  # noqa: ANN401 - a ParquetFile
    import pyarrow as pa  # noqa: PLC0415 - only where there is a table
    from pyarrow import parquet  # noqa: PLC0415 - only where there is a table

    return parquet.ParquetFile(
        pa.BufferReader(content.data),
        thrift_string_size_limit=_MOST_METADATA,
        thrift_container_size_limit=_MOST_METADATA,
    )


def _refusing_damage(content: Content, work: Callable[[], Result]) -> Result:
    """The result of the work; InputError where the file is damaged."""
    require("parquet", content.path)
    try:
        return work()
    except InputError:
        raise
    except (Exception, MemoryError) as error:  # noqa: BLE001 - whatever a damaged file makes pyarrow raise
        defect = f"{type(error).__name__}: {visible(str(error).partition(chr(10))[0], 160)}"
        raise InputError([Issue.of("damaged-file", content.path, defect)]) from None


def _names(content: Content) -> tuple[str, ...]:
    """The columns that hold one plain value in each row, nested ones with dots."""
    return _refusing_damage(content, lambda: _names_within_limits(content))


def _refuse_several(content: Content, metadata: Any) -> None:  # noqa: ANN401 - Arrow's metadata
    """Refuse tables put together: the end of the last says where columns are, and another's bytes are there."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    starts = [(chunk.data_page_offset, chunk.dictionary_page_offset or chunk.data_page_offset) for chunk in chunks]
    ends = [min(start) + chunk.total_compressed_size for start, chunk in zip(starts, chunks, strict=True)]
    if _MAGIC + _MAGIC in content.data[max(ends, default=0) :]:
        raise ValueError("it is several tables put together")


def _names_within_limits(content: Content) -> tuple[str, ...]:
    file = _open(content)
    _refuse_several(content, file.metadata)
    metadata = file.metadata
    size = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
    if metadata.num_rows > MOST_ITEMS or size > MOST_BYTES:
        raise InputError([_too_large(content, f"{metadata.num_rows:,} rows of {size:,} bytes")])
    if len(file.schema) > MOST_COLUMNS:
        raise InputError([_too_large(content, f"{len(file.schema):,} columns")])
    columns = [file.schema.column(number) for number in range(len(file.schema))]
    return tuple(column.path for column in columns if column.max_repetition_level == 0)


def _too_large(content: Content, defect: str) -> Issue:
    return Issue.of("too-large", content.path, defect)


def _columns(content: Content, names: Sequence[str], numbers: Sequence[int], limit: int | None = None) -> list[_Column]:
    """The named columns as text, of the first rows or of all."""
    places = [_Place(names[number], names[:number].count(names[number])) for number in numbers]
    return _refusing_damage(content, lambda: _columns_of(_open(content), content, places, limit))


@dataclass(frozen=True, slots=True)
class _Place:
    """A column by its dotted name, and how many before it are called the same."""

    name: str
    namesakes: int


def _columns_of(file: Any, content: Content, places: Sequence[_Place], limit: int | None) -> list[_Column]:  # noqa: ANN401 - a ParquetFile
    columns = [_column(file, content, place, limit) for place in places]
    lengths = {len(column.cells) for column in columns}
    if len(lengths) > 1:
        raise ValueError(f"its columns have {min(lengths):,} to {max(lengths):,} rows")
    return columns


def _column(file: Any, content: Content, place: _Place, limit: int | None) -> _Column:  # noqa: ANN401 - a ParquetFile
    cells: list[str] = []
    inexact: list[int] = []
    size = 0
    from pyarrow import compute  # noqa: PLC0415 - only where there is a table

    of_list = place.name.removesuffix(OF_FIRST) if place.name not in _names_within_limits(content) else place.name
    for batch in file.iter_batches(columns=[of_list], batch_size=min(_BATCH, limit or _BATCH)):
        values = _cells_of(batch, of_list, place.namesakes)
        values = _decoded(values if of_list == place.name else compute.list_element(values, 0))
        size += values.nbytes
        inexact.extend(len(cells) + row + 1 for row in _inexact(values))
        cells.extend(_texts(values))
        if len(cells) > MOST_ITEMS or size > MOST_BYTES:
            raise InputError([_too_large(content, f"more than {len(cells):,} rows of {size:,} bytes")])
        if limit is not None and len(cells) >= limit:
            break
    return _Column(cells[:limit], inexact)


def _cells_of(batch: Any, name: str, namesakes: int) -> Any:  # noqa: ANN401 - Arrow's batch and array
    """The column of this name after its namesakes, taken out of the structs that contain it."""
    import pyarrow as pa  # noqa: PLC0415 - only where there is a table

    table = pa.Table.from_batches([batch])
    while any(pa.types.is_struct(column.type) for column in table.columns):
        table = table.flatten()
    numbers = [number for number, each in enumerate(table.column_names) if each == name]
    return table.column(numbers[namesakes]).combine_chunks()


def _decoded(values: Any) -> Any:  # noqa: ANN401 - an Arrow array
    """The values, those of a dictionary resolved."""
    import pyarrow as pa  # noqa: PLC0415 - only where there is a table

    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _inexact(values: Any) -> list[int]:  # noqa: ANN401 - an Arrow array
    import pyarrow as pa  # noqa: PLC0415 - only where there is a table

    if not pa.types.is_floating(values.type):
        return []
    numbers = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    rows: list[int] = np.flatnonzero(np.abs(numbers) >= _EXACT).tolist()
    return rows


def _texts(values: Any) -> list[str]:  # noqa: ANN401 - an Arrow array
    """The values as text: a float keeps its point, so that 1.0 is not 1; null is empty."""
    import pyarrow as pa  # noqa: PLC0415 - only where there is a table

    if pa.types.is_floating(values.type):
        numbers = values.to_numpy(zero_copy_only=False)
        texts = [str(number) for number in numbers]
        return ["" if null else text for text, null in zip(texts, values.is_null().to_pylist(), strict=True)]
    return [text or "" for text in values.cast(pa.string()).to_pylist()]
