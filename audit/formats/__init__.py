"""A folder of files → a Campaign, and every Issue found on the way.

Recognising is allowed, guessing is not: where two readings of a file are possible, the issue shows both, with the line
for task.toml that decides.
"""

from audit.formats.campaign import read_campaign, read_campaigns
from audit.formats.draft import draft_settings
from audit.formats.key import read_alone, read_gold_file, read_key
from audit.formats.published import read_published
from audit.formats.settings import latex_names
from audit.formats.submission import Checked, check_submission

__all__ = [
    "Checked",
    "check_submission",
    "draft_settings",
    "latex_names",
    "read_alone",
    "read_campaign",
    "read_campaigns",
    "read_gold_file",
    "read_key",
    "read_published",
]
