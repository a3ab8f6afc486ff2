"""What every route needs: the database, the files, what may be received, and by whom the service is reached."""

import threading
from dataclasses import dataclass, field
from secrets import compare_digest

from audit.hosting.credentials import digest_of, new_secret
from audit.hosting.database import ControlDatabase
from audit.jobs.data_folder import DataFolder
from audit.web.attempts import BY_ADDRESS, BY_NAME, Failures
from audit.web.receiving_quota import BytesUnderWay


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """The limits of what may be received and unpacked."""

    packed: int = 2 << 30
    """Bytes of one upload: 2 GiB."""
    unpacked: int = 8 << 30
    """Bytes of everything in an archive."""
    of_campaign: int = 20 << 30
    """Bytes of all uploads of a campaign together."""


class StartLink:
    """The link that is printed when the service starts: good once, for whoever sees that terminal."""

    def __init__(self) -> None:
        self.secret = new_secret()
        self._digest: str | None = digest_of(self.secret)
        self._lock = threading.Lock()

    def use(self, secret: str) -> bool:
        """Whether this is the link's secret, and it was not used before."""
        with self._lock:
            fits = self._digest is not None and compare_digest(digest_of(secret), self._digest)
            if fits:
                self._digest = None
            return fits

    @property
    def is_open(self) -> bool:
        """Whether the link still begins a session."""
        return self._digest is not None

    def close(self) -> None:
        """Be good for nothing: where people sign in, no link on a screen or in a log is to replace a password."""
        with self._lock:
            self._digest = None


@dataclass(frozen=True, slots=True)
class Service:
    """One running service."""

    database: ControlDatabase
    """The control tables."""
    data: DataFolder
    """The files."""
    limits: UploadLimits = field(default_factory=UploadLimits)
    """The limits of what may be received."""
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    """Names by which it may be asked for; any other is refused, so that no foreign page speaks for its visitors."""
    is_secure: bool = False
    """Whether it is reached by HTTPS, so that its cookie must be."""
    start_link: StartLink = field(default_factory=StartLink)
    """The link that begins the first session."""
    failures: Failures = field(default_factory=lambda: Failures(BY_ADDRESS))
    """Secrets that were wrong, by network; passwords, by network and name."""
    failed_names: Failures = field(default_factory=lambda: Failures(BY_NAME))
    """Passwords that were wrong, by the name that they were tried with."""
    under_way: BytesUnderWay = field(default_factory=BytesUnderWay)
    """Uploads that are being received, which count towards the quota."""
