"""A folder of files → a Campaign, and every Issue found on the way.

Recognising is allowed, guessing is not: where two readings of a file are possible, the issue shows both, with the line
for task.toml that decides.
"""

from audit.formats.campaign import read_campaign
from audit.formats.draft import draft_settings
from audit.formats.published import read_published

__all__ = ["draft_settings", "read_campaign", "read_published"]
