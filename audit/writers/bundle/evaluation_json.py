"""An evaluation as one JSON document, and the schema that it keeps to."""

from pathlib import Path
from typing import Any

from audit.domain import Evaluation
from audit.questions.gold_items import GoldItems
from audit.version import __version__
from audit.writers.data.export import evaluation_data
from audit.writers.data.item_files import items_data
from audit.writers.data.plain import confusion_rows

DOCUMENT_FORMAT = 1
"""Counts up when a field goes, or means something else; a new field comes with a new schema of the same number."""

SCHEMA_FILE = "evaluation.schema.json"


def evaluation_document(evaluation: Evaluation, items: GoldItems | None = None) -> dict[str, Any]:
    """The evaluation as it stands in ``evaluation.json``."""
    return {
        "format": DOCUMENT_FORMAT,
        "program": __version__,
        **evaluation_data(evaluation),
        "confusions": {
            name: confusion_rows(evaluation.cells.of_teams([team])) for team, name in enumerate(evaluation.names)
        },
        "per_item": None if items is None else items_data(items),
    }


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) of ``evaluation.json``."""
    return Path(__file__).with_name(SCHEMA_FILE).read_text(encoding="utf-8")
