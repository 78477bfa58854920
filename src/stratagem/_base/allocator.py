"""The allocator keeps what a step frees, because the next one needs it again; the garbage collector leaves imports alone."""

import contextlib
import ctypes
import gc
import os
import sys
from collections.abc import Iterator
from typing import Final

# Bytes that fit, with what glibc itself needs, into one of the heaps that a thread's arena consists of.
BLOCK: Final = 62 << 20

_VARIABLE = "STRATAGEM_KEEP_MEMORY"
# mallopt's numbers in glibc's malloc.h.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_MOST, _HEAP = 1 << 30, 64 << 20  # bytes
_MANY = 10_000  # objects: a scan of so many takes a few milliseconds
_USERS_OWN = ("MALLOC_ARENA_", "MALLOC_MMAP_", "MALLOC_TRIM_", "MALLOC_TOP_")


def keep_freed_memory() -> bool:
    """Have glibc keep what is freed; returns whether it does. Call it before threads are started.

    XLA takes the memory of a program's intermediate values when the program begins, and frees it when it ends. glibc gives
    blocks of more than 32 MiB back to the system, and takes new ones from it in the next step, whose pages the system fills
    with zeros when they are first written: a third of the CPU time of a transformer's step of 70 MB.

    Here blocks stay in the arena of the thread that took them, and so does a heap of it in which nothing is left (the padding
    says that the arena will want as much again). A heap has 64 MiB, so programs are compiled to take several blocks of up to
    `BLOCK` bytes in place of a large one (`_core/rewrites/_options.py`); an array that is larger comes from the system in every
    step. A thread's arena reserves 64 MiB of addresses by this, which are no memory before they are written.

    Nothing is changed where the environment has settings for glibc's allocator, or `STRATAGEM_KEEP_MEMORY=off`, or the C
    library is another one. Raises ValueError if the variable is something else.
    """
    library = _glibc()
    if library is None:
        return False
    settings = {_MMAP_THRESHOLD: _MOST, _TRIM_THRESHOLD: _MOST, _TOP_PAD: _HEAP}
    return all(library.mallopt(which, value) for which, value in settings.items())


def give_back_freed_memory() -> None:
    """Have glibc give back to the system all that is free now, where it would keep it. Other threads wait meanwhile.

    A compiler frees memory that no step needs: 600 of 1,340 MB of a process that trains a MobileNetV2.
    """
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    """Returns the C library if its settings are ours to choose. Raises ValueError as `keep_freed_memory` does."""
    said = os.environ.get(_VARIABLE, "on")
    if said not in ("on", "off"):
        raise ValueError(f"{_VARIABLE}={said} is set; use on (the default) or off.")
    if sys.platform != "linux" or said == "off" or _is_set_by_user():
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None  # musl has neither


def _is_set_by_user() -> bool:
    return "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", "") or any(n.startswith(_USERS_OWN) for n in os.environ)


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Keeps the garbage collector off during imports: it would scan the many new, permanent objects again and again.

    Where they are many they go to its oldest generation unscanned: else the next 700 objects that a program makes would have it
    scan them all.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            if gc.get_count()[0] > _MANY and not gc.get_freeze_count():  # what the program itself has frozen stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()
