"""The control tables: who may do what to which campaign, what was received, what is to be done, what was released.

The same on SQLite and PostgreSQL: texts, integers and JSON as text. Times are UTC as text and only shown; no decision
depends on a clock. What a campaign's files say is in the campaign's own store, never here.
"""

from sqlalchemy import (
    DDL,
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
)

METADATA = MetaData()


def _table(
    name: str, *columns: Column[int] | Column[str] | Index | CheckConstraint | UniqueConstraint
) -> Table:
    return Table(name, METADATA, *columns)


def _id() -> Column[str]:
    return Column("id", Text, primary_key=True)


def _reference(name: str, to: str, *, optional: bool = False, key: bool = False) -> Column[str]:
    return Column(name, ForeignKey(f"{to}.id"), nullable=optional, primary_key=key)


def _text(name: str, *, optional: bool = False) -> Column[str]:
    return Column(name, Text, nullable=optional)


def _number(name: str, *, default: int | None = None) -> Column[int]:
    return Column(name, BigInteger, nullable=False, default=default)


SERVICE = _table(
    # what is true of the whole: the mark of these tables, and the data folder that they belong to
    "service",
    Column("name", Text, primary_key=True),
    _text("value"),
)
PERSON = _table(
    "person",
    _id(),
    # "erased" where the person was erased: what they did is kept, who they were is not
    _text("name"),
    # the name without case and width; None where there is no account
    Column("sign_in_name", Text, unique=True),
    # as Argon2 keeps it; None for the owner of a machine who has no account
    _text("password", optional=True),
    # whether they run the service: they invite organisers
    Column("is_host", Integer, nullable=False, default=0),
    # whether they begin campaigns of their own
    Column("may_begin", Integer, nullable=False, default=0),
    _text("created_at"),
    _text("erased_at", optional=True),
)
SESSION = _table(
    "session",
    Column("digest", Text, primary_key=True),  # of the secret in the cookie
    _reference("person", "person"),
    _text("created_at"),
    _text("expires_at"),
    _text("client", optional=True),  # the browser that it is of, as the browser calls itself
    # whether a link from the host began it
    Column("by_link", Integer, nullable=False, server_default="0"),
)
SIGN_IN_LINK = _table(
    # made on the host, good once: whoever forgot the password, or is kept out, gets in
    "sign_in_link",
    Column("digest", Text, primary_key=True),
    _reference("person", "person"),
    _text("made_at"),
    _text("expires_at"),
    _text("used_at", optional=True),
)
API_TOKEN = _table(
    "api_token",
    _id(),
    Column("digest", Text, unique=True, nullable=False),
    _reference("person", "person"),
    _reference("campaign", "campaign", optional=True),  # the only campaign it is good for
    _text("role"),  # what it may do at most
    _text("label"),
    _text("created_at"),
    _text("expires_at"),
    _text("revoked_at", optional=True),
)
INVITATION = _table(
    "invitation",
    _id(),
    Column("digest", Text, unique=True, nullable=False),
    # None: to the service, to begin campaigns of one's own
    _reference("campaign", "campaign", optional=True),
    _text("role", optional=True),
    _reference("made_by", "person"),
    _text("made_at"),
    _text("expires_at"),
    _text("used_at", optional=True),
    _text("revoked_at", optional=True),
)
CAMPAIGN = _table(
    "campaign",
    _id(),
    _text("title"),
    _text("created_at"),
    _text("removed_at", optional=True),
    _number("head", default=0),  # number of the newest revision
)
MEMBERSHIP = _table(
    "membership",
    _reference("campaign", "campaign", key=True),
    _reference("person", "person", key=True),
    _text("role"),
    _text("since"),
)
UPLOAD = _table(
    "upload",
    _id(),
    _reference("campaign", "campaign"),
    _reference("person", "person"),
    _text("path"),
    _number("size"),
    _text("sha256"),
    _text("received_at"),
)
REVISION = _table(
    "revision",
    _reference("campaign", "campaign", key=True),
    Column("number", Integer, primary_key=True),
    _reference("person", "person"),
    _text("made_at"),
    _text("note"),
    _text("change"),  # what was added, removed, written: JSON
    # path → SHA-256 and size: JSON; None until the change has been read
    _text("files", optional=True),
    _text("findings", optional=True),  # what was found in them: JSON
)
JOB = _table(
    "job",
    Column("number", Integer, primary_key=True, autoincrement=True),
    _reference("campaign", "campaign"),
    _reference("person", "person"),
    _text("kind"),
    _text("arguments"),
    _text("state"),  # queued, running, done, failed, cancelled
    _number("attempt", default=0),  # only the newest attempt may write
    _number("lost", default=0),  # attempts that ended without a word
    _number("beat", default=0),  # grows as long as the worker of the attempt lives
    Column("cancel", Integer, nullable=False, default=0),
    _text("worker", optional=True),
    _text("step", optional=True),
    _number("done", default=0),
    _number("total", default=0),
    _text("outcome", optional=True),  # JSON: the result, or what went wrong
    _text("queued_at"),
    _text("started_at", optional=True),
    _text("ended_at", optional=True),
    CheckConstraint(
        "state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="job_state"
    ),
    Index("job_of_state", "state", "number"),
    Index(
        "one_running_job_of_a_campaign",  # and one that is done aside
        "campaign",
        text("(kind IN ('anonymise', 'export'))"),
        unique=True,
        sqlite_where=text("state = 'running'"),
        postgresql_where=text("state = 'running'"),
    ),
)
RELEASE = _table(
    "release",
    _reference("campaign", "campaign", key=True),
    Column("number", Integer, primary_key=True),
    _number("revision"),
    # a job makes one release, whatever happens
    Column("job", ForeignKey("job.number"), nullable=False, unique=True),
    _text("folder"),  # below the campaign's, named by job and attempt
    _text("signatures"),  # one for each test set: JSON
    _text("summary"),  # titles, verdicts, artefacts: JSON
    _text("made_at"),
    _text("published_at", optional=True),
    _reference("published_by", "person", optional=True),
)
RELEASE_PART = _table(
    # what is made of a release afterwards: exports, reports with numbers for teams, differences
    "release_part",
    _reference("campaign", "campaign", key=True),
    Column("release", Integer, primary_key=True),
    Column("kind", Text, primary_key=True),
    _text("folder"),
)
WITHDRAWAL = _table(
    "withdrawal",  # published releases that were taken back, with the reason that readers see
    _reference("campaign", "campaign", key=True),
    Column("release", Integer, primary_key=True, autoincrement=False),
    _reference("person", "person"),
    _text("at"),
    _text("reason"),
)
SHARE_LINK = _table(
    "share_link",
    _id(),
    Column("digest", Text, unique=True, nullable=False),
    _reference("campaign", "campaign"),
    _number("release"),
    Column("anonymous", Integer, nullable=False),
    _reference("made_by", "person"),
    _text("made_at"),
    _text("expires_at"),
    _text("revoked_at", optional=True),
)
EVENT = _table(
    "event",
    Column("number", Integer, primary_key=True, autoincrement=True),
    _reference("campaign", "campaign", optional=True),
    _reference("person", "person", optional=True),
    _text("at"),
    _text("act"),
    _text("detail"),  # JSON
    Index("event_of_campaign", "campaign", "number"),
)


# What is never changed, the database itself refuses to change: a mistake in the program cannot rewrite it.

_KEPT = {
    "event": ("UPDATE", "DELETE"),
    "release": (
        "DELETE",
        "UPDATE OF campaign, number, revision, job, folder, signatures, summary, made_at",
        "UPDATE OF published_at, published_by",
    ),
}
_ONCE = "UPDATE OF published_at, published_by"  # from nothing to a date, and never again


def _refusals(table: str) -> list[tuple[str, str]]:
    """The statements that make a table keep its rows, each with the dialect that it is for."""
    statements = []
    for number, change in enumerate(_KEPT[table]):
        trigger = f"CREATE TRIGGER {table}_is_kept_{number} BEFORE {change} ON {table} FOR EACH ROW"
        if change == _ONCE:
            when = " WHEN (OLD.published_at IS NOT NULL)"
        else:
            when = ""
        statements.append(
            (
                "sqlite",
                f"{trigger}{when} BEGIN SELECT RAISE(ABORT, '{table} is kept as it is'); END",
            )
        )
        statements.append(("postgresql", f"{trigger}{when} EXECUTE FUNCTION refuse_change()"))
    truncated = f"CREATE TRIGGER {table}_is_kept BEFORE TRUNCATE ON {table} EXECUTE FUNCTION refuse_change()"
    return [*statements, ("postgresql", truncated)]


_REFUSE = (
    "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION '%% is kept as it is', TG_TABLE_NAME "
    "USING ERRCODE = 'integrity_constraint_violation'; END $$"
)
event.listen(METADATA, "before_create", DDL(_REFUSE).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]
event.listen(
    METADATA,
    "after_drop",
    DDL("DROP FUNCTION IF EXISTS refuse_change()").execute_if(dialect="postgresql"),  # type: ignore[no-untyped-call]
)
for _kept in (EVENT, RELEASE):
    for _dialect, _statement in _refusals(_kept.name):
        event.listen(_kept, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]
