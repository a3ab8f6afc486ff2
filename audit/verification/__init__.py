"""Published numbers, computed again."""

from audit.verification.comparing import Difference
from audit.verification.verifying import TOLERANCE, Verification, verify_bundle
from audit.verification.wording import verification_data, verification_sentences

__all__ = [
    "TOLERANCE",
    "Difference",
    "Verification",
    "verification_data",
    "verification_sentences",
    "verify_bundle",
]
