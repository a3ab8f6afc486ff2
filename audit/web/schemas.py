"""The bodies that the HTTP interface takes, and the answers that it gives, each part described."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from audit.service.queue import JobState
from audit.service.rules import MemberRole

LARGEST = 2**31 - 1  # of a number in an address or a body: PostgreSQL's integers have no more
MOST_SETTINGS = 1_000_000  # bytes of a task.toml that pages and programs edit
MOST_PATHS = 20_000  # paths or uploads that one request names

BaseNumber = Annotated[int, Field(ge=0, le=LARGEST)]
ExistingNumber = Annotated[int, Field(ge=1, le=LARGEST)]
Paths = Annotated[list[str], Field(max_length=MOST_PATHS)]
Note = Annotated[str, Field(max_length=500)]
Title = Annotated[str, Field(min_length=1, max_length=200)]
Column = Annotated[str, Field(max_length=200)]


class Body(BaseModel):
    """The body of a request: a part that is not described is refused."""

    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    """A value that is answered, read from the service's own."""

    model_config = ConfigDict(from_attributes=True)


# Bodies of requests


class NewCampaign(Body):
    """A campaign to begin, or to be called otherwise."""

    title: Title = Field(description="Its name for readers.")


class Revise(Body):
    """A change of the files, in view of a revision."""

    base: BaseNumber = Field(
        description="The revision that the change was made in view of; 0 where there is none."
    )
    uploads: Paths = Field(
        default=[], description="Uploads to add, by id; a file of the same path is replaced."
    )
    removed: Paths = Field(default=[], description="Paths to leave out.")
    note: Note = Field(
        default="", description="What changed, for the log; said by the service where it is empty."
    )
    unpack: bool = Field(
        default=True,
        description="Whether an archive that comes first and alone is the folder of the campaign.",
    )
    unwrap: bool = Field(
        default=True,
        description="Whether a folder around all that comes is taken off.",
    )


class Restore(Body):
    """Files of a revision to take up again, in view of the newest one."""

    base: ExistingNumber = Field(description="The revision that this is done in view of.")
    paths: Paths | None = Field(
        default=None,
        description="The files to bring back, the others staying as they are; null: every file is "
        "as it was, and no other is left.",
    )
    note: Note = Field(
        default="", description="Why, for the log; said by the service where it is empty."
    )


class NameFiles(Body):
    """Which file is gold and which are submissions, in view of a revision."""

    base: ExistingNumber = Field(description="The revision that this is done in view of.")
    gold: Annotated[str, Field(min_length=1, max_length=1000)] = Field(
        description="The path of the gold file."
    )
    submissions: Paths = Field(
        default=[],
        description="Paths of the files with the teams' answers, or of folders; empty: all other "
        "files.",
    )
    id: Column | None = Field(
        default=None,
        description="The column of item ids, or GOLD=SUBMISSION where names differ; null: found by "
        "comparing the files.",
    )
    label: Column | None = Field(
        default=None,
        description="The column of labels, or GOLD=SUBMISSION where names differ; null: found by "
        "comparing the files.",
    )


class SettingEdit(Body):
    """One setting of task.toml to write, or to take out where the value is null."""

    table: Annotated[list[str], Field(max_length=4)] = Field(
        default=[], description='The tables that lead to it, such as ["gold"]; empty for the top.'
    )
    key: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="Its name.")
    value: Any = Field(
        default=None,
        description="Text, number, yes or no, a list or a table of them; null takes it out.",
    )


class EditSettings(Body):
    """Settings to change, in view of a revision; or the whole text of task.toml."""

    base: BaseNumber = Field(
        description="The revision that the change was made in view of; 0 where there is none."
    )
    settings: Annotated[list[SettingEdit], Field(max_length=1000)] = Field(
        default=[], description="What to write, one after the other."
    )
    text: Annotated[str, Field(max_length=MOST_SETTINGS)] | None = Field(
        default=None,
        description="The whole text of task.toml, into which the settings are written; null keeps "
        "the one that is there.",
    )


class Evaluate(Body):
    """An evaluation to start."""

    revision: ExistingNumber = Field(description="The revision of the files.")
    skip_rejected: bool = Field(
        default=False,
        description="Whether submissions that cannot be read are left out; else one of them stops "
        "the evaluation.",
    )
    official_metric: Annotated[str | dict[str, str], Field(max_length=300)] | None = Field(
        default=None,
        description="Before a first evaluation: the official metric, by test set where there are "
        'several; "none" where none was announced. It is written into task.toml; null where that '
        "states it.",
    )
    runs: Annotated[str, Field(max_length=100)] | None = Field(
        default=None,
        description="Before a first evaluation in which a team has several runs: which of them "
        "count. It is written into task.toml; null where that states it.",
    )


class Compare(Body):
    """Two releases to set side by side."""

    former: ExistingNumber = Field(description="The earlier release.")


class Withdraw(Body):
    """A published release to withdraw."""

    reason: Annotated[str, Field(min_length=1, max_length=500)] = Field(
        description="Why it is withdrawn, which readers see."
    )


class NewLink(Body):
    """A link to make."""

    release: ExistingNumber = Field(description="The release that it shows.")
    anonymous: bool = Field(
        default=False,
        description="Whether teams are numbers in it.",
    )


class NewInvitation(Body):
    """Somebody to invite."""

    role: Literal[MemberRole.ORGANISER, MemberRole.READER] = Field(
        description="What they become; a campaign has one owner, who may hand it over."
    )


class HandOver(Body):
    """The member who becomes the owner."""

    person: Annotated[str, Field(max_length=100)] = Field(description="A member, by id.")


class NewToken(Body):
    """A token to make."""

    label: Title = Field(description="What it is for.")
    campaign: Annotated[str, Field(max_length=100)] | None = Field(
        default=None,
        description="The only campaign that it is good for; null: all of the caller's.",
    )
    role: Literal[MemberRole.ORGANISER, MemberRole.READER] = Field(
        default=MemberRole.ORGANISER, description="What it may do at most."
    )


# Answers


class Person(Answer):
    """A person who uses the service."""

    id: str = Field(description="The id of the person in addresses.")
    name: str = Field(description="The name for readers.")
    is_host: bool = Field(description="Whether they run the service: they invite organisers.")
    has_account: bool = Field(description="Whether they have a password.")
    may_begin: bool = Field(
        description="Whether they begin campaigns of their own: who was invited to one campaign "
        "does not."
    )


class Hosted(Answer):
    """A campaign of the service, as one of its members sees it."""

    id: str = Field(description="The id of the campaign in addresses, and the name of its folder.")
    title: str = Field(description="The title for readers.")
    created_at: str = Field(description="The time when it was made, in UTC.")
    head: int = Field(
        description="Number of the newest revision of its files; 0 where nothing was received."
    )
    role: MemberRole = Field(description="The role of the caller in the campaign.")


class Removed(Answer):
    """A campaign that its owner removed and can bring back."""

    id: str = Field(description="The id of the campaign.")
    title: str = Field(description="Its title for readers.")
    removed_at: str = Field(description="The time when it was removed, in UTC.")


class Member(Answer):
    """A person and their role."""

    person: Person = Field(description="The person who is a member.")
    role: MemberRole = Field(description="The role of the member in the campaign.")


class Event(Answer):
    """An act on a campaign, as the log keeps it."""

    number: int = Field(
        description="The number of the event, in the order in which events were kept."
    )
    at: str = Field(description="When, in UTC.")
    person: str | None = Field(
        description="The name of the person who acted; null for the service itself."
    )
    act: str = Field(description="The act, as the log names it.")
    detail: dict[str, Any] = Field(description="The things that the act was done to.")


class Stored(Answer):
    """A file as it is kept."""

    sha256: str = Field(description="The SHA-256 of the bytes.")
    size: int = Field(description="The number of bytes.")


class Upload(Answer):
    """A file that was received and is in no revision yet, or in some."""

    id: str = Field(description="The id by which a change names the upload.")
    path: str = Field(description="The path of the file in the campaign.")
    stored: Stored = Field(description="The digest and size of its bytes.")


class NamedFiles(Answer):
    """Which file is gold and which are submissions, as somebody named them."""

    gold: str = Field(description="The path of the gold file.")
    submissions: list[str] = Field(
        description="Paths of files and folders; empty: all other files."
    )
    id: str | None = Field(description="The column of item ids, where it was asked for.")
    label: str | None = Field(description="The column of labels, where it was asked for.")


class FileChange(Answer):
    """The change of files from one revision to the next."""

    added: dict[str, Stored] = Field(
        description="Files by their paths; a file that stood there is replaced."
    )
    removed: list[str] = Field(
        description="Paths that are no longer part of the campaign; the files are kept."
    )
    unpack: bool = Field(
        description="Whether an archive at the top, alone in the change, is the campaign's folder."
    )
    restores: int | None = Field(
        description="The revision whose files are to be the campaign's again, all and no other, if "
        "any."
    )
    named: NamedFiles | None = Field(
        description="Gold and submissions, from which its reading writes task.toml and files.csv."
    )


class Revision(Answer):
    """The files of a campaign at one time."""

    number: int = Field(description="The number of the revision, from 1.")
    made_at: str = Field(description="The time of the change, in UTC.")
    by: str = Field(description="The name of the person whose change it is.")
    note: str = Field(description="The change in words.")
    change: FileChange = Field(description="The change of files.")
    files: dict[str, Stored] | None = Field(
        description="Every file; null until it has been read, and where their space was freed."
    )
    findings: dict[str, Any] | None = Field(description="What was found in them; null until then.")


class FreedSpace(Answer):
    """Bytes freed from the quota."""

    size: int = Field(description="The number of bytes.")


class Job(Answer):
    """One piece of work on a campaign."""

    number: int = Field(
        description="The number of the job, in the order in which jobs were asked for."
    )
    campaign: str = Field(description="The id of the campaign.")
    person: str = Field(description="The person who asked for it.")
    kind: str = Field(description="The kind of work.")
    arguments: dict[str, Any] = Field(description="The arguments of the work.")
    state: JobState = Field(description="The state of the job.")
    attempt: int = Field(description="The number of times that it was begun.")
    is_cancelled: bool = Field(description="Whether somebody wants it to end.")
    step: str | None = Field(description="The step that is under way.")
    done: int = Field(description="Pieces of the step that are done.")
    total: int = Field(description="Pieces of the step.")
    outcome: dict[str, Any] | None = Field(description="The result, or what went wrong.")
    queued_at: str = Field(description="The time when it was asked for, in UTC.")
    started_at: str | None = Field(description="The time when the newest attempt began, in UTC.")
    ended_at: str | None = Field(
        description="The time when it ended, in UTC; null while it is open."
    )


class Revised(Answer):
    """A revision that was made, and the job that reads it."""

    revision: int = Field(description="Its number.")
    job: Job = Field(description="What reads it.")


class Queued(Answer):
    """A job, and how many others come first."""

    job: Job = Field(description="The job.")
    before: int = Field(description="Jobs that run, or wait in front of it.")


class Withdrawal(Answer):
    """That a published release was taken back."""

    at: str = Field(description="The time of the withdrawal, in UTC.")
    reason: str = Field(description="Why it was withdrawn, as readers see it.")


class Release(Answer):
    """The result of one evaluation of a campaign."""

    campaign: str = Field(description="The id of the campaign.")
    number: int = Field(description="The number of the release, from 1.")
    revision: int = Field(description="The revision of the files that were evaluated.")
    folder: str = Field(description="The folder of the release, relative to the campaign's.")
    parts: dict[str, str] = Field(
        description="Folders of what was made of it afterwards, below the campaign's, by the kind "
        "of job."
    )
    signatures: dict[str, str] = Field(description="The signature of each test set, by its slug.")
    summary: dict[str, Any] = Field(
        description="Titles, verdicts and artefacts, as the job wrote them."
    )
    made_at: str = Field(description="The time when it was made, in UTC.")
    published_at: str | None = Field(
        description="The time when it was published, in UTC; null where it was not."
    )
    withdrawn: Withdrawal | None = Field(
        description="When and why it was withdrawn; null where it was not."
    )


class ShareLink(Answer):
    """A link by which others read one release, without its secret."""

    id: str = Field(description="The id by which the link is revoked.")
    release: int = Field(description="The number of the release.")
    anonymous: bool = Field(description="Whether teams are shown by numbers alone.")
    by: str = Field(description="The name of the person who made it.")
    made_at: str = Field(description="The time when it was made, in UTC.")
    expires_at: str = Field(description="The time from which it shows nothing, in UTC.")


class Secret(Answer):
    """What is shown once."""

    secret: str = Field(description="To be kept by whoever asked for it.")


class Invitation(Answer):
    """An invitation, without its secret."""

    id: str = Field(description="The id by which the invitation is revoked.")
    campaign: str | None = Field(description="The campaign; null for an invitation to the service.")
    role: MemberRole | None = Field(description="The role in the campaign.")
    by: str = Field(description="The name of the person who invites.")
    made_at: str = Field(description="The time when it was made, in UTC.")
    expires_at: str = Field(description="The time from which it can no longer be used, in UTC.")


class Session(Answer):
    """A session of a person, without its secret."""

    id: str = Field(description="The id by which the session is ended.")
    client: str = Field(description="The browser, as it calls itself; empty where it says nothing.")
    created_at: str = Field(description="The time of signing in, in UTC.")
    expires_at: str = Field(description="The time when it ends by itself, in UTC.")
    by_link: bool = Field(description="Whether a link from the host began it.")


class ApiToken(Answer):
    """A token of a program, without its secret."""

    id: str = Field(description="The id by which the token is revoked.")
    label: str = Field(description="The purpose of the token.")
    campaign: str | None = Field(description="The only campaign it is good for.")
    role: MemberRole = Field(description="The most that the token may do.")
    expires_at: str = Field(description="The time when the token expires, in UTC.")
