"""For machines: everything of an evaluation as files, and the archive from which its numbers can be computed again."""

from audit.report.bundle.archive import (
    BUNDLE_FORMAT,
    EVALUATION,
    INPUTS,
    MANIFEST,
    input_files,
    platform_name,
    zip_bytes,
)
from audit.report.bundle.document import evaluation_document, schema_text
from audit.report.bundle.folder import (
    DEFAULT_OPTIONS,
    DIGESTS,
    ENGINES,
    EXPORT_MARK,
    ExportOptions,
    digests_of,
    export_files,
    with_digests,
)
from audit.report.data.item_files import items_of
from audit.report.gold_items import Items

__all__ = [
    "BUNDLE_FORMAT",
    "DEFAULT_OPTIONS",
    "DIGESTS",
    "ENGINES",
    "EVALUATION",
    "EXPORT_MARK",
    "INPUTS",
    "MANIFEST",
    "ExportOptions",
    "Items",
    "digests_of",
    "evaluation_document",
    "export_files",
    "input_files",
    "items_of",
    "platform_name",
    "schema_text",
    "with_digests",
    "zip_bytes",
]
