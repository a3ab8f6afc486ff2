"""Documents of evaluations, and of how two differ, as readers of a published release get them."""

from collections.abc import Mapping
from typing import Any

from audit.report.readers import without_file_names

_OF_ORGANISERS = ("assumptions", "ignored", "journal")
"""What was done with the files; the bundle, which computes everything again, has it in journal.json."""
_SENTENCES = frozenset(
    {"sentence", "paper", "reason", "explanation", "erratum", "what", "what_changed"}
)


def readers_data(document: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what organisers have to do: to-dos, remedies, remarks on files, keys of settings; every number stays.

    >>> before = {"flags": [{"sentence": "See task.toml.", "remedy": "Set it."}], "verdict": {"to_do": [{"text": "x"}]}}
    >>> readers_data(before)
    {'flags': [{'sentence': 'See the settings.', 'remedy': ''}], 'verdict': {'to_do': []}}
    """
    found = {
        name: [] if name in _OF_ORGANISERS else _reworded(value) for name, value in document.items()
    }
    if "verdict" in found:
        found["verdict"] = {**found["verdict"], "to_do": []}
    return found


def _reworded(value: Any, name: str = "") -> Any:  # noqa: ANN401 - a plain value
    """A plain value with other words for the files of organisers, in its sentences; names of teams stay."""
    if isinstance(value, Mapping):
        return {key: "" if key == "remedy" else _reworded(each, key) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_reworded(each, name) for each in value]
    is_sentence = isinstance(value, str) and name in _SENTENCES
    if is_sentence:
        return without_file_names(value)
    return value
