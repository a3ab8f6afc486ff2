"""Secrets that are shown once and kept as digests, and passwords.

Argon2 takes 64 MiB and a fifth of a second of one core for each password: the service works on few at a time
(``audit.web.password_work``).
"""

import hashlib
import hmac
import secrets
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


def signature_of(key: str, text: str) -> str:
    """The signature that only who has the key can make of a text."""
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def now() -> str:
    """The time as the tables have it: UTC, to the microsecond, so that text sorts as time does."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def in_days(days: float) -> str:
    """The time a number of days from now."""
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="microseconds")


_LANES = 1
"""Argon2's lanes, each of which takes a core: with the library's four, pages waited for every sign-in."""


def password_digest(password: str) -> str:
    """The digest kept in place of a password: Argon2's, with its salt and costs."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - of sign-in alone

    return PasswordHasher(parallelism=_LANES).hash(password)


def is_of_other_costs(digest: str) -> bool:
    """Whether a digest was made at other costs than digests are made now."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - of sign-in alone

    return PasswordHasher(parallelism=_LANES).check_needs_rehash(digest)


def password_fits(password: str, digest: str) -> bool:
    """Whether a password is the one that was kept."""
    from argon2 import PasswordHasher  # noqa: PLC0415 - of sign-in alone
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - of sign-in alone

    try:
        return PasswordHasher().verify(digest, password)
    except (VerificationError, InvalidHashError):
        return False
