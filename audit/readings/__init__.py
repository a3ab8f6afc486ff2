"""What readings do to a campaign: the macro F1 audit, and which reading published numbers are of."""

from audit.readings.identification import identify, identify_beside
from audit.readings.macro_f1_audit import (
    Move,
    audit_macro_f1,
    groups_by_winners,
    largest_move,
    nearest_flip,
)
from audit.readings.space import every_reading, macro_f1_readings
from audit.readings.team_names import match_names
from audit.readings.token_tags import span_scores

__all__ = [
    "Move",
    "audit_macro_f1",
    "every_reading",
    "groups_by_winners",
    "identify",
    "identify_beside",
    "largest_move",
    "macro_f1_readings",
    "match_names",
    "nearest_flip",
    "span_scores",
]
