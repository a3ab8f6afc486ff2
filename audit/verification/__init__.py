"""Published numbers, computed again."""

from audit.verification.verifying import (
    TOLERANCE,
    Difference,
    Verification,
    verification_data,
    verification_sentences,
    verify_bundle,
)
