"""Workbooks and Parquet tables, made in memory."""

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pyarrow as pa
from openpyxl import Workbook
from pyarrow import parquet


def workbook(sheets: Mapping[str, Iterable[Sequence[Any]]] | Iterable[Sequence[Any]]) -> bytes:
    """An Excel workbook from its sheets' rows; of rows alone, one sheet."""
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items() if isinstance(sheets, Mapping) else [("Sheet1", sheets)]:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def parquet_table(**columns: Any) -> bytes:
    """A Parquet table from its columns."""
    file = BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def rows_of(csv: str) -> list[list[str]]:
    """The cells of a small CSV text."""
    return [line.split(",") for line in csv.split("\n") if line]


_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType="{office}.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{office}.spreadsheetml.worksheet+xml"/>'
    '<Override PartName="/xl/sharedStrings.xml" ContentType="{office}.spreadsheetml.sharedStrings+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="{package}"><Relationship Id="rId1" Type="{document}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="{main}" xmlns:r="{document}"><sheets>'
    '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="{package}">'
    '<Relationship Id="rId1" Type="{document}/worksheet" Target="worksheets/sheet1.xml"/>'
    '<Relationship Id="rId2" Type="{document}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": '<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    "xl/sharedStrings.xml": '{doctype}<sst xmlns="{main}">{strings}</sst>',
}
_NAMESPACES = {
    "office": "application/vnd.openxmlformats-officedocument",
    "package": "http://schemas.openxmlformats.org/package/2006/relationships",
    "document": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "main": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
}


def with_shared_strings(rows: Sequence[Sequence[str]], doctype: str = "") -> bytes:
    """A workbook as Excel writes it, its texts in a table of their own; the texts are XML as they stand."""
    strings = sorted({cell for row in rows for cell in row})
    cells = [
        "".join(
            f'<c r="{chr(65 + column)}{line}" t="s"><v>{strings.index(cell)}</v></c>'
            for column, cell in enumerate(row)
        )
        for line, row in enumerate(rows, start=1)
    ]
    values = {
        "rows": "".join(f'<row r="{line}">{row}</row>' for line, row in enumerate(cells, start=1)),
        "strings": "".join(f"<si><t>{text}</t></si>" for text in strings),
        "doctype": doctype,
        **_NAMESPACES,
    }
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, part in _PARTS.items():
            archive.writestr(name, part.format_map(values))
    return file.getvalue()
