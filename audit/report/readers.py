"""The report as readers of a published audit see it: what organisers have to do stands on their own page."""

from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from audit.document import Block, Document, Finding, Fold, Listing, Paragraph, Section, Table
from audit.report.loaded import ASSUMED, HOW_READ

T = TypeVar("T")

_OF_ORGANISERS = frozenset({"odd", "journal", "ignored"})
"""Parts of what was loaded that are about files: what was odd about them, what was read, what no rule claims."""
_SETTINGS = (("task.toml", "the settings"), ("files.csv", "the list of files"))
"""Files that only organisers have, and what readers are told in their place."""


def readers_document(document: Document) -> Document:
    """The document without what is for organisers: no to-dos, no remedies, no remarks on files, no key of a setting."""
    sections = tuple(_for_readers(section) for section in document.sections)
    verdict = replace(document.verdict, to_do=())
    return _reworded(replace(document, verdict=verdict, sections=sections))


def _for_readers(section: Section) -> Section:
    return replace(
        section, blocks=tuple(block for block in section.blocks if not _is_of_organisers(block))
    )


def _is_of_organisers(block: Block) -> bool:
    match block:
        case Fold():
            return block.id in _OF_ORGANISERS
        case Listing():
            return "issues" in block.style
        case Paragraph():
            return isinstance(block.text, str) and block.text.startswith(ASSUMED)
        case Table():
            return block.id == HOW_READ
        case _:
            return False


def _reworded(value: T) -> T:
    """A part of a document with other words for the files of organisers, in every text of it."""
    if isinstance(value, str):
        return without_file_names(value)  # type: ignore[return-value]
    if isinstance(value, tuple):
        return tuple(map(_reworded, value))  # type: ignore[return-value]
    if isinstance(value, Finding):
        value = replace(value, remedy="")
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    for field in fields(value):
        before = getattr(value, field.name)
        if isinstance(before, str | tuple) or is_dataclass(before):
            after = _reworded(before)
        else:
            after = before
        if after is not before:
            changed[field.name] = after
    if changed:
        return replace(value, **changed)
    return value


def without_file_names(text: str) -> str:
    """A text with other words for the files that only organisers have.

    >>> without_file_names("the label set of task.toml")
    'the label set of the settings'
    """
    for name, words in _SETTINGS:
        text = text.replace(name, words)
    return text
