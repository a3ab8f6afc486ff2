"""Secrets that are shown once and kept as digests, and passwords."""

import hashlib
import secrets
import threading
from datetime import UTC, datetime, timedelta

_BYTES = 24  # 192 bits: no search finds one, so that a plain digest keeps them


def new_secret() -> str:
    """A text that nobody guesses, fit for an address."""
    return secrets.token_urlsafe(_BYTES)


def new_id() -> str:
    """A name for a row, fit for an address; it gives no right and no count away."""
    return secrets.token_hex(8)


def digest_of(secret: str) -> str:
    """The digest that is kept in place of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def now() -> str:
    """The time as the tables have it: UTC, to the microsecond, so that text sorts as time does."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def in_days(days: float) -> str:
    """The time a number of days from now."""
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="microseconds")


def password_digest(password: str) -> str:
    """The digest kept in place of a password: Argon2's, with its salt and costs."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - of sign-in alone

    with _AT_ONCE:
        return PasswordHasher().hash(password)


_AT_ONCE = threading.BoundedSemaphore(2)
"""Argon2 takes 64 MiB for each password that it works on: many sign-ins at once would take the machine's memory."""


def password_fits(password: str, digest: str) -> bool:
    """Whether a password is the one that was kept."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - of sign-in alone
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - of sign-in alone

    try:
        with _AT_ONCE:
            return PasswordHasher().verify(digest, password)
    except (VerificationError, InvalidHashError):
        return False
