"""keep_freed_memory: the C library's allocator keeps what a step frees, because the next one needs it again."""

import ctypes
import os
import sys

_VARIABLE = "STRATAGEM_KEEP_MEMORY"
# mallopt's numbers in glibc's malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_MOST = 1 << 30  # bytes
_USERS_OWN = ("MALLOC_ARENA_", "MALLOC_MMAP_", "MALLOC_TRIM_", "MALLOC_TOP_")


def keep_freed_memory() -> bool:
    """Have glibc keep large blocks that are freed; returns whether it does. Call it before threads are started.

    XLA takes the memory of a program's intermediate values as one block, and frees it when the program ends. glibc keeps blocks
    of up to 32 MiB. A larger one it gives back to the system, and takes a new one from it in the next step, whose pages the
    system fills with zeros when they are first written: a third of the CPU time of a transformer's step of 70 MB.

    Threads keep blocks of up to 64 MiB, which is the most that an arena of theirs can hold. With `STRATAGEM_KEEP_MEMORY=large`
    those that are started later share glibc's first arena, which holds up to 1 GiB; they wait for each other in it.

    Nothing is changed where the environment has settings for glibc's allocator, or `STRATAGEM_KEEP_MEMORY=off`, or the C
    library is another one. Raises ValueError if the variable is something else.
    """
    said = os.environ.get(_VARIABLE, "on")
    if said not in ("on", "large", "off"):
        raise ValueError(f"{_VARIABLE}={said} is set; use on (the default), large or off.")
    if sys.platform != "linux" or said == "off" or _is_set_by_user():
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is None:
        return False
    settings = {_MMAP_THRESHOLD: _MOST, _TRIM_THRESHOLD: _MOST} | ({_ARENA_MAX: 1} if said == "large" else {})
    return all(mallopt(which, value) for which, value in settings.items())


def _is_set_by_user() -> bool:
    return "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", "") or any(n.startswith(_USERS_OWN) for n in os.environ)
