"""Published numbers, computed again."""

from audit.verification.comparing import Difference
from audit.verification.verifying import (
    TOLERANCE,
    Verification,
    verification_data,
    verification_sentences,
    verify_bundle,
)
