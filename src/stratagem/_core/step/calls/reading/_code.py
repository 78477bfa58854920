"""Reads a function's code: the names of globals and attributes that it reads and changes, and whether it is the user's."""

import dis
import functools
import re
import sysconfig
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from stratagem._core.step.keys._program_keys import all_code

# Objects of these libraries count by identity and are not followed: they have no numbers whose changes TensorFlow would see.
LIBRARIES = frozenset((
    "stratagem", "keras", "jax", "jaxlib", "numpy", "optree", "scipy", "tensorflow", "torch", "grain", "datasets", "ray",
))  # fmt: skip
_INSTALLED = tuple(
    f"{path}/"
    for kind in ("stdlib", "platstdlib", "purelib", "platlib")
    if (path := sysconfig.get_paths().get(kind)) is not None
)
_CHANGING = frozenset((
    "append", "appendleft", "extend", "insert", "pop", "popleft", "popitem", "remove", "clear", "update", "setdefault", "add",
    "discard", "sort", "reverse",
))  # fmt: skip
_WORD = re.compile(r"[^\W\d]\w*")
_MAX_LENGTH = 200  # of a string that may contain a name, such as a format; longer ones are documentation
_DYNAMIC = frozenset(
    ("getattr", "__getattribute__", "eval", "exec", "vars", "__dict__", "attrgetter", "asdict", "astuple")
)


@dataclass(frozen=True)
class CodeNames:
    """The names in code, including functions defined in it.

    read: attributes, and words in strings that could be names of attributes. called: attributes that are called at once.
    globals: global names, in order. imports: modules. stored: names of attributes, globals and cells that it assigns.
    changes: whether it changes containers. dynamic: whether it can read attributes by computed names.
    """

    read: frozenset[str]
    called: frozenset[str]
    globals: tuple[str, ...]
    imports: tuple[str, ...]
    stored: frozenset[str]
    changes: bool
    dynamic: bool


@functools.lru_cache(maxsize=4096)
def names_of(code: types.CodeType) -> CodeNames:
    """Returns the names in the code of a function."""
    read, called, named, stored = set[str](), set[str](), dict[str, None](), set[str]()
    imports = dict[str, None]()
    changes = dynamic = False
    for inner in all_code(code):
        for instruction in dis.get_instructions(inner):
            name, arg = instruction.opname, instruction.argval
            if name in ("LOAD_GLOBAL", "LOAD_NAME"):
                named[arg] = None
            elif name.startswith(
                ("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF")
            ):
                stored.add(arg)
            elif name.startswith(("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")):
                changes = True
            elif name == "IMPORT_NAME":
                imports[arg] = None
            elif name in ("MATCH_CLASS", "MATCH_KEYS"):
                dynamic = True
            elif name == "LOAD_METHOD" or (name == "LOAD_ATTR" and instruction.argrepr.startswith("NULL|self")):
                called.add(arg)
            elif name.startswith(("IMPORT_FROM", "LOAD_ATTR", "LOAD_SUPER_ATTR")):
                read.add(arg)
        read.update(_strings(inner.co_consts))
    changes = changes or bool((read | called) & _CHANGING)
    if named.keys() & {"globals", "eval", "exec"}:
        named |= dict.fromkeys(sorted(read))
    dynamic = dynamic or bool(_DYNAMIC & (read | called | named.keys()))
    return CodeNames(
        frozenset(read), frozenset(called), tuple(named), tuple(imports), frozenset(stored), changes, dynamic
    )


def _strings(constants: tuple[object, ...]) -> set[str]:
    found = {part for c in constants if isinstance(c, str) and len(c) < _MAX_LENGTH for part in _WORD.findall(c)}
    return found.union(*(_strings(c) for c in constants if isinstance(c, tuple)))


def by_class(function: Callable[..., Any]) -> Callable[..., Any]:
    """Caches the results of a function of a class and strings as long as the class lives, without keeping it alive."""
    found: dict[Any, Any] = {}

    @functools.wraps(function)
    def cached(kind: type, *others: str) -> Any:
        key = (id(kind), *others)
        known = found.get(key)
        if known is None:
            known = found[key] = (function(kind, *others), weakref.ref(kind, lambda _: found.pop(key, None)))
        return known[0]

    return cached


@functools.lru_cache(maxsize=4096)
def is_installed(file: str) -> bool:
    """Returns whether a file is of Python itself or of an installed package."""
    return file.startswith((*_INSTALLED, "<frozen")) or bool(
        {"site-packages", "dist-packages"} & {*PurePath(file).parts}
    )


@functools.lru_cache(maxsize=4096)
def of_library(module: str) -> bool:
    """Returns whether a module is one of the libraries that a step computes with."""
    return module.partition(".")[0] in LIBRARIES


@functools.lru_cache(maxsize=4096)
def of_user(code: types.CodeType, module: str, home: str) -> bool:
    """Returns whether code is the user's. home: the package of the step, which may itself be installed."""
    if of_library(module):
        return False
    return module.partition(".")[0] == home or not is_installed(code.co_filename)
