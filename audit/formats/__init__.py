"""A folder of files → a Campaign, and every Issue found on the way.

Recognising is allowed, guessing is not: where two readings of a file are possible, the issue shows both, with the line
for task.toml that decides.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audit.formats.campaign import read_campaign, read_campaigns
    from audit.formats.confusions import ConfusionFile, read_confusion
    from audit.formats.draft import draft_settings
    from audit.formats.key import read_gold_file, read_key
    from audit.formats.published import read_published
    from audit.formats.settings import latex_names
    from audit.formats.submission import Checked, check_submission
    from audit.formats.tree import read_alone

__all__ = [
    "Checked",
    "ConfusionFile",
    "check_submission",
    "draft_settings",
    "latex_names",
    "read_alone",
    "read_campaign",
    "read_campaigns",
    "read_confusion",
    "read_gold_file",
    "read_key",
    "read_published",
]

_HOME = {
    "Checked": "submission",
    "ConfusionFile": "confusions",
    "check_submission": "submission",
    "draft_settings": "draft",
    "latex_names": "settings",
    "read_alone": "tree",
    "read_campaign": "campaign",
    "read_campaigns": "campaign",
    "read_confusion": "confusions",
    "read_gold_file": "key",
    "read_key": "key",
    "read_published": "published",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - an attribute of a module is of any type
    """Import a public name on first use: checking one file takes a part of what loading a campaign does."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - likewise

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
