"""Free ports for jobs on this machine."""

import contextlib
import socket


def free_ports(count: int) -> list[int]:
    """So many ports of 127.0.0.1 that were free a moment ago, all different, for the addresses of a TF_CONFIG."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
