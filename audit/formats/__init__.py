"""A folder of files → a Campaign, and every Issue found on the way.

Recognising is allowed, guessing is not: where two layouts of a file are possible, the issue shows both, with the line
for task.toml that decides.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audit.formats.campaign.answer_key import read_gold_file, read_key
    from audit.formats.campaign.campaigns import read_campaign, read_campaigns, read_part
    from audit.formats.campaign.claims import FileClaim
    from audit.formats.campaign.conventions import can_be_data
    from audit.formats.campaign.draft import draft_settings
    from audit.formats.campaign.single_file import claims_of_loaded
    from audit.formats.campaign.submission import Checked, check_submission
    from audit.formats.files.tree import read_alone
    from audit.formats.published.published_table import read_published
    from audit.formats.recognise.confusions import ConfusionFile, read_confusion
    from audit.formats.settings.parsing import latex_names, stated_slug

__all__ = [
    "Checked",
    "ConfusionFile",
    "FileClaim",
    "can_be_data",
    "check_submission",
    "claims_of_loaded",
    "draft_settings",
    "latex_names",
    "read_alone",
    "read_campaign",
    "read_campaigns",
    "read_confusion",
    "read_gold_file",
    "read_key",
    "read_part",
    "read_published",
    "stated_slug",
]

_HOME = {
    "Checked": "campaign.submission",
    "FileClaim": "campaign.claims",
    "ConfusionFile": "recognise.confusions",
    "can_be_data": "campaign.conventions",
    "check_submission": "campaign.submission",
    "claims_of_loaded": "campaign.single_file",
    "draft_settings": "campaign.draft",
    "latex_names": "settings.parsing",
    "stated_slug": "settings.parsing",
    "read_alone": "files.tree",
    "read_campaign": "campaign.campaigns",
    "read_campaigns": "campaign.campaigns",
    "read_confusion": "recognise.confusions",
    "read_gold_file": "campaign.answer_key",
    "read_key": "campaign.answer_key",
    "read_part": "campaign.campaigns",
    "read_published": "published.published_table",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - an attribute of a module is of any type
    """Import a public name on first use: checking one file takes a part of what loading a campaign does."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - needed once, on first use

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
