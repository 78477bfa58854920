"""Imports what programs of tests import, and becomes such a program, in a forked child, whenever it is asked to.

A process that imports JAX, Keras and the package by itself needs seconds of CPU time for that. `prepared.py` asks.
"""

import contextlib
import gc
import json
import os
import runpy
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from typing import Any

# What is imported stays: a collection that looks at all of it takes most of a second, and each forked process begins with some.
gc.disable()

import jax
import keras  # noqa: F401
import numpy as np

import stratagem._hooks  # noqa: F401 # all of the package, which changes nothing yet


def search_path(environment: Mapping[str, str]) -> list[str]:
    """The folders that PYTHONPATH names."""
    return [os.path.abspath(path) for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]


gc.freeze()
gc.enable()

OWN_PATHS = search_path(os.environ)
LENGTH = struct.Struct("!I")  # of a request
STATUS = struct.Struct("!i")  # as os.waitpid has it
asked = socket.socket(fileno=int(sys.argv[1]))
waiting: dict[int, int] = {}  # by process: the handle on which its status is told


def tell_who_has_ended(*_: object) -> None:
    """Whoever waits for a child that has ended gets its status."""
    for child in list(waiting):
        try:
            ended, status = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:
            continue  # the signal has interrupted this function, which is about to tell
        if ended:
            handle = waiting.pop(child)
            with contextlib.suppress(BrokenPipeError):  # nobody waits any more
                os.write(handle, STATUS.pack(status))
            os.close(handle)


def requests() -> Iterator[tuple[dict[str, Any], list[int]]]:
    """Requests with their handles, until nobody can ask any more."""
    while True:
        head, handles, _, _ = socket.recv_fds(asked, LENGTH.size, 3)
        if not head:
            return
        (length,) = LENGTH.unpack(head)
        yield json.loads(asked.recv(length, socket.MSG_WAITALL)), handles


def become(request: dict[str, Any], output: int, errors: int) -> None:
    """Take over what a process gets when it is started: handles, session, directory, environment, arguments, settings."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if request["session"]:
        os.setsid()
    os.dup2(output, 1)
    os.dup2(errors, 2)
    asked.close()
    for handle in (output, errors, *waiting.values()):
        os.close(handle)
    os.chdir(request["directory"])
    before, given = dict(os.environ), request["environment"]
    os.environ.clear()
    os.environ.update(given)
    for name, value in given.items():  # JAX has read them when it was imported
        if name.startswith("JAX_") and value != before.get(name):
            jax.config.update(name.lower(), int(value) if value.isdecimal() else value)
    sys.argv = [request["program"] or "-c", *request["arguments"]]
    rest = [path for path in sys.path[1:] if path not in OWN_PATHS]
    sys.path[:] = [os.path.dirname(request["program"]), *search_path(given), *rest]
    np.random.seed()  # Python's own generator sees to that itself


def serve() -> dict[str, Any] | None:
    """Return in each child, with what it is to be; and in this process when nobody asks any more."""
    signal.signal(signal.SIGCHLD, tell_who_has_ended)
    for request, (output, errors, status) in requests():
        child = os.fork()
        if child == 0:
            os.close(status)
            become(request, output, errors)
            return request
        os.close(output)
        os.close(errors)
        asked.sendall(STATUS.pack(child))
        waiting[child] = status
        tell_who_has_ended()  # it may have ended before this
    return None


if (wanted := serve()) is not None:
    if wanted["program"]:
        runpy.run_path(wanted["program"], run_name="__main__")
    else:
        exec(compile(wanted["text"], "<string>", "exec"), {"__name__": "__main__"})
