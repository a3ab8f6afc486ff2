"""An upload as it streams: into a file beside its place, with its digest, never held in memory."""

from contextlib import suppress
from typing import BinaryIO

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from audit.service.files import Stored, checked_path
from audit.service.revisions import Upload, keep_upload
from audit.service.rules import Act, RefusedError
from audit.web.access import Access

_STEP = 4 << 20  # bytes after which quota and room are looked at again, where the length was not announced
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
    with access.service.under_way.counting(access.campaign) as grow:
        counted = int(declared) if declared.isdecimal() else 0
        expected = grow(counted)
        await run_in_threadpool(_check_quota, access, expected)
        await run_in_threadpool(content.check_room, expected)
        with content.receiving() as receiver:
            async for chunk in request.stream():
                receiver.write(chunk)
                if receiver.size > counted:
                    more = max(len(chunk), _STEP)
                    counted += more
                    await run_in_threadpool(_check_quota, access, grow(more))
                    await run_in_threadpool(content.check_room, _STEP)
            grow(receiver.size - counted)
            stored = await run_in_threadpool(receiver.complete)
        return await run_in_threadpool(_kept, access, path, stored)


def receive_file(access: Access, path: str, file: BinaryIO, size: int) -> Upload:
    """Take a file of a form, which the server has received already."""
    path = checked_path(path)
    content = access.service.data.content_of(access.campaign)
    with access.service.under_way.counting(access.campaign) as grow, content.receiving() as receiver:
        _check_quota(access, grow(size))
        content.check_room(size)
        while chunk := file.read(_CHUNK):
            receiver.write(chunk)
        return _kept(access, path, receiver.complete())


def _kept(access: Access, path: str, stored: Stored) -> Upload:
    with access.writing() as (connection, hosted):
        return keep_upload(connection, hosted.id, access.caller.person, path, stored)


def _check_quota(access: Access, size: int) -> None:
    """Refuse what the quota has no room for; the size is of everything that the campaign receives at the moment."""
    assert access.act is Act.EDIT  # noqa: S101 - no other route receives
    most = access.service.limits.of_campaign
    with access.reading():
        if access.service.data.content_of(access.campaign).n_bytes() + size > most:
            raise RefusedError(f"A campaign may have {most / (1 << 30):,.3g} GiB of files. Nothing was received.")
