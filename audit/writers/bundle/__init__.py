"""The export of an evaluation as files, and the archive from which its numbers can be computed again."""

from audit.questions.gold_items import GoldItems
from audit.writers.bundle.archive import (
    BUNDLE_FORMAT,
    EVALUATION,
    INPUTS,
    JOURNAL,
    MANIFEST,
    README,
    SETTINGS,
    SUMS,
    bundle_files,
    digests_of,
    encoded,
    input_files,
    platform_name,
    readme,
    sums,
    zip_bytes,
)
from audit.writers.bundle.evaluation_json import SCHEMA_FILE, evaluation_document, schema_text
from audit.writers.bundle.folder import (
    DEFAULT_OPTIONS,
    ENGINES,
    EXPORT_MARK,
    ExportOptions,
    export_files,
)
from audit.writers.bundle.sheets import sliced_csv, slices_csv
from audit.writers.data.item_files import items_of

__all__ = [
    "BUNDLE_FORMAT",
    "DEFAULT_OPTIONS",
    "ENGINES",
    "EVALUATION",
    "EXPORT_MARK",
    "INPUTS",
    "JOURNAL",
    "MANIFEST",
    "README",
    "SCHEMA_FILE",
    "SETTINGS",
    "SUMS",
    "ExportOptions",
    "GoldItems",
    "bundle_files",
    "digests_of",
    "encoded",
    "evaluation_document",
    "export_files",
    "input_files",
    "items_of",
    "platform_name",
    "readme",
    "schema_text",
    "sliced_csv",
    "slices_csv",
    "sums",
    "zip_bytes",
]
