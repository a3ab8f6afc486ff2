"""Permissions: one table of who may do what, and the one function that every route asks."""

from enum import StrEnum

from audit.errors import AuditError


class MemberRole(StrEnum):
    """The role of a person in a campaign."""

    OWNER = "owner"
    ORGANISER = "organiser"
    READER = "reader"


class Act(StrEnum):
    """The acts on a campaign."""

    READ = "read"  # see what is published: reports, exports, differences; and the state of its jobs
    READ_DRAFTS = "read-drafts"  # see releases that are not published
    READ_FILES = "read-files"  # see what was received and what was found in it: gold is among it
    EDIT = "edit"  # upload, remove, write settings
    EVALUATE = "evaluate"  # start, cancel and repeat jobs
    PUBLISH = "publish"  # publish a release, make and revoke links to it
    READ_LOG = "read-log"  # read who did what
    INVITE = "invite"  # invite and remove members other than the owner
    END_INVITATION = "end-invitation"  # end an invitation that nobody has used: it lets nobody in
    HAND_OVER = "hand-over"  # make another member the owner
    REMOVE = "remove"  # remove the campaign


_READER = frozenset({Act.READ})
_ORGANISER = _READER | {
    *(
        Act.READ_DRAFTS,
        Act.READ_FILES,
        Act.EDIT,
        Act.EVALUATE,
        Act.PUBLISH,
        Act.READ_LOG,
        Act.END_INVITATION,
    )
}
ALLOWED: dict[MemberRole, frozenset[Act]] = {
    MemberRole.READER: _READER,
    MemberRole.ORGANISER: _ORGANISER,
    MemberRole.OWNER: _ORGANISER | {Act.INVITE, Act.HAND_OVER, Act.REMOVE},
}  # the acts that each role may do


def may(role: MemberRole | None, act: Act) -> bool:
    """Whether a role allows an act; nothing is allowed to those who have none."""
    return role is not None and act in ALLOWED[role]


def lesser(one: MemberRole, other: MemberRole) -> MemberRole:
    """The role of two that may do less."""
    return min(one, other, key=lambda role: len(ALLOWED[role]))


class HostingError(AuditError):
    """The service cannot do what it was asked to do."""


class NotFoundError(HostingError):
    """The thing does not exist, or this person may not know that it does."""


class NotAllowedError(HostingError):
    """The person may see the thing, but may not do what they asked for."""


class ConflictError(HostingError):
    """Another one was quicker: what was edited is no longer what stands there."""


class RefusedError(HostingError):
    """The request itself is wrong; nothing was changed."""


class NoRoomError(RefusedError):
    """The disk of the service has no room for what was to be received."""
