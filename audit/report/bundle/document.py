"""An evaluation as one JSON document, and the schema that it keeps to."""

from pathlib import Path
from typing import Any

from audit.domain import Evaluation
from audit.report.data.export import evaluation_data
from audit.report.data.item_files import items_data
from audit.report.data.plain import confusion_rows
from audit.report.gold_items import GoldItems
from audit.version import __version__

DOCUMENT_FORMAT = 1
"""Counts up when a field goes, or means something else; a new field comes with a new schema of the same number."""

SCHEMA_FILE = "evaluation.schema.json"


def evaluation_document(evaluation: Evaluation, items: GoldItems | None = None) -> dict[str, Any]:
    """The evaluation as it stands in ``evaluation.json``.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed.
    items : GoldItems, optional
        Where ids and gold labels of single items may leave the house.

    Returns
    -------
    dict
        Plain data that `schema_text` describes; undefined numbers are None.
    """
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
