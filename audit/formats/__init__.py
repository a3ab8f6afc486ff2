"""A folder of files → a Campaign, and every Issue found on the way.

Recognising is allowed, guessing is not: where two layouts of a file are possible, the issue shows both, with the line
for task.toml that decides.
"""

from typing import TYPE_CHECKING

from audit.on_first_use import imported_on_first_use

if TYPE_CHECKING:
    from audit.formats.campaign.campaigns import read_campaign, read_campaigns, read_part
    from audit.formats.campaign.draft import draft_settings
    from audit.formats.campaign.roster import FileClaim
    from audit.formats.campaign.single_file import check_submission, claims_of_loaded, read_gold_file, read_key
    from audit.formats.campaign.submission import Checked
    from audit.formats.confusions import ConfusionFile, read_confusion
    from audit.formats.files.tree import read_alone
    from audit.formats.settings.answers import labels_in_one
    from audit.formats.settings.parsing import latex_names, stated_slug
    from audit.formats.small_tables import read_published

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
    "FileClaim": "audit.formats.campaign.roster",
    "ConfusionFile": "audit.formats.confusions",
    "check_submission": "audit.formats.campaign.single_file",
    "claims_of_loaded": "audit.formats.campaign.single_file",
    "draft_settings": "audit.formats.campaign.draft",
    "labels_in_one": "audit.formats.settings.answers",
    "latex_names": "audit.formats.settings.parsing",
    "stated_slug": "audit.formats.settings.parsing",
    "read_alone": "audit.formats.files.tree",
    "read_campaign": "audit.formats.campaign.campaigns",
    "read_campaigns": "audit.formats.campaign.campaigns",
    "read_confusion": "audit.formats.confusions",
    "read_gold_file": "audit.formats.campaign.single_file",
    "read_key": "audit.formats.campaign.single_file",
    "read_part": "audit.formats.campaign.campaigns",
    "read_published": "audit.formats.small_tables",
}

__getattr__ = imported_on_first_use(__name__, _HOME)
