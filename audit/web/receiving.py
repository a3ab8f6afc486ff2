"""An upload as it streams: into a file beside its place, with its digest, never held in memory."""

from contextlib import suppress
from typing import BinaryIO

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from audit.service.files import Receiver, checked_path
from audit.service.revisions import Upload, keep_upload
from audit.service.rules import RefusedError
from audit.web.access import Access

_STEP = 4 << 20  # bytes after which quota and room are looked at again
_CHUNK = 1 << 20


async def receive(request: Request, access: Access, path: str) -> Upload:
    """Take the body of a request as a file of a campaign."""
    try:
        return await _received(request, access, checked_path(path))
    except (OSError, RefusedError):
        await _read_on(request)
        raise


async def _read_on(request: Request) -> None:
    """Take the rest of a body that is refused: a connection that is closed before shows nobody the reason."""
    with suppress(ClientDisconnect, RuntimeError):  # nobody is there any more, or all of it came
        async for _ in request.stream():
            pass


async def _received(request: Request, access: Access, path: str) -> Upload:
    declared = request.headers.get("content-length", "")
    content = access.service.data.content_of(access.campaign)
    await run_in_threadpool(_check_room, access, int(declared) if declared.isdecimal() else _STEP)
    with content.receiving() as receiver:
        checked = 0
        async for chunk in request.stream():
            receiver.write(chunk)
            if receiver.size - checked > _STEP:
                checked = receiver.size
                await run_in_threadpool(_check_room, access, 0)
        return await run_in_threadpool(_kept, access, path, receiver)


def receive_file(access: Access, path: str, file: BinaryIO, size: int) -> Upload:
    """Take a file of a form, which the server has received already."""
    path = checked_path(path)
    _check_room(access, size)
    with access.service.data.content_of(access.campaign).receiving() as receiver:
        while chunk := file.read(_CHUNK):
            receiver.write(chunk)
        return _kept(access, path, receiver)


def _kept(access: Access, path: str, receiver: Receiver) -> Upload:
    """Keep a file that came whole; nobody gives its bytes back meanwhile."""
    receiver.settle()
    with access.writing() as (connection, hosted):
        _check_quota(access, 0)
        return keep_upload(connection, hosted.id, access.caller.person, path, receiver.complete())


def _check_room(access: Access, size: int) -> None:
    """Refuse what a campaign or the disk has no room for; what is being received counts."""
    with access.reading():  # they may have been removed meanwhile
        _check_quota(access, size)
    access.service.data.content_of(access.campaign).check_room(size)


def _check_quota(access: Access, size: int) -> None:
    most = access.service.limits.of_campaign
    if access.service.data.content_of(access.campaign).n_bytes() + size > most:
        raise RefusedError(
            f"A campaign may have {most / (1 << 30):,.3g} GiB of files. Nothing was received. {_HOW}"
        )


_HOW = "Its owner can free the space of earlier revisions, at the end of the page of files."
