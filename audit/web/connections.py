"""Connections on which a request has begun and not come whole: bounded in time and number, and served in turn."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEADER_SECONDS = 20.0  # seconds in which the headers of a request have to come
MOST_WAITING = 400  # connections whose headers have not come; a process often has 1,024 files
MOST_SENDING = 150  # connections whose bodies have not come; an upload takes two files


@dataclass(eq=False)
class Crowd:
    """The connections of one server that have not said all.

    A request whose body has not come is begun in its turn, one in each round of the server: where hundreds come at the
    same moment, whoever asks for a page is answered between them. One that made room meanwhile is not begun.
    """

    header_seconds: float = HEADER_SECONDS
    most_waiting: int = MOST_WAITING
    most_sending: int = MOST_SENDING
    waiting: "dict[ImpatientProtocol, asyncio.TimerHandle]" = field(default_factory=dict)
    """Those whose headers have not come, the one that has waited longest first."""
    sending: "dict[ImpatientProtocol, None]" = field(default_factory=dict)
    """Those whose bodies have not come, the one that has been silent longest first."""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def protocol(self, **of_server: Any) -> "ImpatientProtocol":  # noqa: ANN401 - as uvicorn makes it
        """The protocol of a connection that was accepted."""
        return ImpatientProtocol(self, **of_server)

    async def take_turn(self) -> None:
        """Wait until those who came before have begun, and for one round of the server."""
        async with self._turn:
            await asyncio.sleep(0)


class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Hangs up on who begins a connection, or a request, and does not come to the end of its headers.

    Where many do, the one that has waited longest makes room for the newest, so that whoever asks at once is answered.
    Where many send bodies, the one makes room whose last bytes are longest ago.
    """

    def __init__(self, crowd: Crowd, **of_server: Any) -> None:  # noqa: ANN401 - as uvicorn makes it
        super().__init__(**of_server)
        self._crowd = crowd
        self._answer: ASGIApp = self.config.loaded_app
        self.app = self._in_turn

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for the headers of a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what came, and see what is still to come."""
        super().data_received(data)
        is_asked = self.cycle is not None and not self.cycle.response_complete
        self._crowd.sending.pop(self, None)
        if is_asked:
            self._wait_no_more()
            if self.cycle.more_body:
                self._send()
        elif self not in self._crowd.waiting:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._wait_no_more()
        self._crowd.sending.pop(self, None)
        super().connection_lost(exc)

    async def _in_turn(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin a request: at once where it came whole, else in its turn, unless it made room meanwhile."""
        if self.cycle.more_body:
            if not self.transport.is_closing():
                await self._crowd.take_turn()
            if self.transport.is_closing():
                await _hung_up(receive)
                return
        await self._answer(scope, receive, send)

    def _send(self) -> None:
        """Count this connection among those that send a body, as the one that was heard of last."""
        sending = self._crowd.sending
        sending[self] = None
        if len(sending) > self._crowd.most_sending:
            silent = next(iter(sending))
            del sending[silent]
            silent.transport.abort()

    def _wait(self) -> None:
        waiting = self._crowd.waiting
        waiting[self] = self.loop.call_later(self._crowd.header_seconds, self.transport.close)
        if len(waiting) > self._crowd.most_waiting:
            oldest = next(iter(waiting))
            oldest._wait_no_more()  # noqa: SLF001 - another one of this class
            oldest.transport.abort()

    def _wait_no_more(self) -> None:
        timer = self._crowd.waiting.pop(self, None)
        if timer is not None:
            timer.cancel()


async def _hung_up(receive: Receive) -> None:
    """Wait until the server knows that the other side is gone: before that, an answer is due."""
    while (await receive())["type"] != "http.disconnect":
        pass
