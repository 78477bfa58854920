"""LinkedActor: a server's actor as workers call it: past Ray, if both are on one machine."""

import contextlib
import functools
from collections.abc import Callable
from typing import Any, Final, final

from stratagem._base.errors import UnavailableError
from stratagem._base.remote_failure import RemoteFailure
from stratagem._servers.remote._actors import Actor, Pending, WatchedActor
from stratagem._servers.remote._local_socket import LinkAddress, LinkBrokenError, LocalLink
from stratagem._servers.remote._pickling import packed, unpacked

# Methods of servers that steps call. They may be called twice: a push has a number, by which a server drops it the second time.
_STEPS: Final = frozenset({"read", "rows", "push", "push_and_read"})


@final
class LinkedActor(Actor):
    """A server's actor. Calls of steps go by a link if the server is on this machine, all others by Ray.

    A call whose link breaks is made again by Ray, which knows what has become of the task; so errors are Ray's. Used by one
    thread at a time.
    """

    def __init__(self, actor: WatchedActor) -> None:
        self._actor = actor
        self._link: LocalLink | None = None
        self._elsewhere = False  # whether there can be no link
        self._pending: LinkedCall | None = None  # the last call by the link, perhaps under way

    def call(self, method: str, *args: Any) -> Pending:
        if self._pending is not None:
            self._pending.arrive()  # a link carries one call at a time
        link = self._connected() if method in _STEPS else None
        if link is None:
            return self._actor.call(method, *args)
        self._pending = LinkedCall(self, link, self._actor, method, args)
        return self._pending

    def check(self) -> None:
        self._actor.check()

    def unlink(self) -> None:
        """Closes the link: what comes there now may be the answer to an older call. The next call makes another."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def arrived(self) -> None:
        """Notes that no call is under way."""
        self._pending = None

    def _connected(self) -> LocalLink | None:
        """Returns the link; None if there can be none."""
        if self._link is None and not self._elsewhere:
            address: LinkAddress | None = self._actor.call("link_address").result()
            with contextlib.suppress(LinkBrokenError):  # the server is on another machine
                self._link = None if address is None else LocalLink(address)
            self._elsewhere = self._link is None
        return self._link

    def __reduce__(self) -> Any:
        return LinkedActor, (self._actor,)


@final
class LinkedCall(Pending):
    """A call by a link, made again by Ray if the link breaks."""

    def __init__(
        self, linked: LinkedActor, link: LocalLink, actor: WatchedActor, method: str, args: tuple[Any, ...]
    ) -> None:
        """Sends the call. Raises UnavailableError if the task does not take it."""
        self._linked, self._link, self._actor, self._call = linked, link, actor, (method, args)
        self._limit = actor.answer_limit()
        self._answer: Callable[[], Any] | None = None
        try:
            link.send(packed(self._call), self._limit.check)
        except LinkBrokenError:
            self._call_again()
        except BaseException:  # the link may hold half a call
            linked.unlink()
            raise

    def arrive(self) -> None:
        """Waits until it is known how the call ends."""
        if self._answer is not None:
            return
        try:
            self._answer = functools.partial(unpacked, self._link.receive(self._limit.check))
        except LinkBrokenError:
            self._call_again()
        except UnavailableError as error:  # of the one who asks for this call's result
            self._linked.unlink()
            self._answer = functools.partial(_raise, error)
        except BaseException:
            self._linked.unlink()
            raise
        self._linked.arrived()

    def result(self) -> Any:
        self.arrive()
        assert self._answer is not None, "it has arrived"
        answer = self._answer()
        if isinstance(answer, RemoteFailure):
            raise answer.error(self._actor.task) from None
        return answer

    def _call_again(self) -> None:
        self._linked.unlink()
        method, args = self._call
        self._answer = self._actor.call(method, *args).result


def _raise(error: UnavailableError) -> Any:
    raise error
