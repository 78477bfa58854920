"""Executables: what XLA has made of a program serves an equal one, too."""

import contextlib
import contextvars
import functools
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import jax
from jax._src import cache_key, compiler

from stratagem._private._code_generator import with_code_generator_options

# Of so many programs, those used last, the executables are kept when the programs are gone. A cache: losing it costs time.
MOST = 32

# Of the compilation under way, below the context: JAX has no argument for it.
_reusing: contextvars.ContextVar[bool] = contextvars.ContextVar("stratagem executables", default=False)
_known: OrderedDict[tuple[Any, tuple[int, ...], str], Any] = OrderedDict()
_lock = threading.Lock()


@contextlib.contextmanager
def reusing_executables() -> Iterator[None]:
    """Compiles a program in the body only if no equal one was compiled in such a body of this process.

    A model that is built and traced anew, for the next evaluation or fold, has equal programs. Equal is what JAX's own cache
    on disk takes for equal: the same operations, constants, options and devices.
    """
    token = _reusing.set(True)
    try:
        yield
    finally:
        _reusing.reset(token)


def _compiled(
    compile_: Any, backend: Any, computation: Any, devices: Any, options: Any, callbacks: Any, *others: Any
) -> Any:
    options = with_code_generator_options(options)
    # A program that calls Python has the functions themselves in it; of several processes, all have to do the same.
    several = len({device.process_index for device in devices.flat}) > 1
    if not _reusing.get() or callbacks or several:
        return compile_(backend, computation, devices, options, callbacks, *others)
    try:
        program = cache_key.get(computation, devices, options, backend)
    except jax.errors.JaxRuntimeError:  # of a program that it cannot write down, as JAX's own cache expects
        return compile_(backend, computation, devices, options, callbacks, *others)
    key = backend, tuple(device.id for device in devices.flat), program
    with _lock:
        found = _known.get(key)
    if found is None:
        found = compile_(backend, computation, devices, options, callbacks, *others)
    with _lock:
        _known[key] = found
        _known.move_to_end(key)
        if len(_known) > MOST:
            _known.popitem(last=False)
    return found


def intercept_compilation() -> None:
    """Ask for an executable that is known before a program is compiled, inside of `reusing_executables`.

    Options of the code generator reach XLA.
    """
    compiler.compile_or_get_cached = functools.partial(_compiled, compiler.compile_or_get_cached)


def are_code_generator_options_read() -> bool:
    """Returns whether options of XLA's code generator reach it, as they do once compilation is intercepted."""
    return getattr(compiler.compile_or_get_cached, "func", None) is _compiled
