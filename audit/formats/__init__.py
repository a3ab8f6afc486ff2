"""A folder of files → a Campaign, and every Issue found on the way.

Recognising is allowed, guessing is not: where two layouts of a file are possible, the issue shows both, with the line
for task.toml that decides.
"""

from typing import TYPE_CHECKING

from audit.on_first_use import imported_on_first_use

if TYPE_CHECKING:
    from audit.formats.campaign.answer_key import read_gold_file, read_key
    from audit.formats.campaign.campaigns import read_campaign, read_campaigns, read_part
    from audit.formats.campaign.claims import FileClaim
    from audit.formats.campaign.draft import draft_settings
    from audit.formats.campaign.single_file import claims_of_loaded
    from audit.formats.campaign.submission import Checked, check_submission
    from audit.formats.files.tree import read_alone
    from audit.formats.published.published_table import read_published
    from audit.formats.recognise.confusions import ConfusionFile, read_confusion
    from audit.formats.settings.parsing import latex_names, stated_slug
    from audit.formats.table.taglists import labels_in_one

__all__ = [
    "Checked",
    "ConfusionFile",
    "FileClaim",
    "check_submission",
    "claims_of_loaded",
    "draft_settings",
    "labels_in_one",
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
    "Checked": "audit.formats.campaign.submission",
    "FileClaim": "audit.formats.campaign.claims",
    "ConfusionFile": "audit.formats.recognise.confusions",
    "check_submission": "audit.formats.campaign.submission",
    "claims_of_loaded": "audit.formats.campaign.single_file",
    "draft_settings": "audit.formats.campaign.draft",
    "labels_in_one": "audit.formats.table.taglists",
    "latex_names": "audit.formats.settings.parsing",
    "stated_slug": "audit.formats.settings.parsing",
    "read_alone": "audit.formats.files.tree",
    "read_campaign": "audit.formats.campaign.campaigns",
    "read_campaigns": "audit.formats.campaign.campaigns",
    "read_confusion": "audit.formats.recognise.confusions",
    "read_gold_file": "audit.formats.campaign.answer_key",
    "read_key": "audit.formats.campaign.answer_key",
    "read_part": "audit.formats.campaign.campaigns",
    "read_published": "audit.formats.published.published_table",
}

__getattr__ = imported_on_first_use(__name__, _HOME)
