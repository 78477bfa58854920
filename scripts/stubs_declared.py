"""Declarations of Keras' classes and functions for stubs, from what they are when they run.

Keras has no type information. A checker that guesses it from the source refuses `fit(verbose=0)`, and one that does not guess
refuses to derive a class from `Any`. So stubs declare what Keras has, and our classes that derive from Keras': bases, members,
parameters with their defaults. Parameters and results are `Any` where they are not annotated with built-in types.
"""

import dis
import functools
import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, UnionType
from typing import Any, final

import stratagem as tf

OURS, THEIRS = "stratagem", "keras"
SIMPLE = (bool, int, float, str, bytes)
# Of special methods, those that users call by a syntax, or override.
SPECIAL = frozenset({
    "__add__", "__call__", "__contains__", "__enter__", "__exit__", "__getitem__", "__init__", "__iter__", "__len__",
    "__next__", "__setitem__",
})  # fmt: skip


@final
@dataclass(frozen=True)
class Home:
    """The namespace whose stub declares a class or function, and its name there."""

    namespace: str
    name: str


def is_declared(value: Any) -> bool:
    """Whether stubs declare it: a class or function of Keras, or a class of ours that derives from one of Keras.

    Variables are not: ours has annotations for all that it does, and functions of ours are annotated with Keras'.
    """
    if inspect.isclass(value):
        return any(_is_of(kind, THEIRS) for kind in value.__mro__) and not issubclass(value, tf.keras.Variable)
    return inspect.isfunction(value) and _is_of(value, THEIRS)


def _is_of(value: Any, package: str) -> bool:
    return (getattr(value, "__module__", None) or "").partition(".")[0] == package


def homes(places: dict[str, dict[str, Any]]) -> dict[int, Home]:
    """The home of every declared value, by its identity. places: all namespaces with their names and values."""
    found: dict[int, list[Home]] = {}
    for namespace, names in places.items():
        for name, value in names.items():
            if is_declared(value):
                found.setdefault(id(value), []).append(Home(namespace, name))
    of = {id(value): value for names in places.values() for value in names.values()}
    return {key: min(its, key=functools.partial(_rank, of[key])) for key, its in found.items()}


def _rank(value: Any, home: Home) -> tuple[Any, ...]:
    """Its own name before others, a namespace that stays before one that does not, one of few parts before one of many."""
    passing = re.search(r"\.(experimental|legacy|v1|v2)\b", home.namespace) is not None
    return home.name != value.__name__, passing, home.namespace.count("."), home.namespace, home.name


def declaration(value: Any, name: str, known: Callable[[type], str | None]) -> str:
    """The text that declares a class or function. known: how the stub names another declared class; None for a private one."""
    return _class(value, name, known) if inspect.isclass(value) else _function(value, name, "")


def _class(kind: type, name: str, known: Callable[[type], str | None]) -> str:
    bases, folded = _bases(kind, known)
    lines: dict[str, str] = {}
    for each in (kind, *folded):
        for member, value in vars(each).items():
            if member not in lines and (member in SPECIAL or not member.startswith("_")):
                lines[member] = _member(member, value)
    attributes = sorted(
        {found for each in (kind, *folded) for found in _assigned(each)} - lines.keys() - _inherited(kind, folded)
    )
    body = [*(f"    {found}: Any" for found in attributes), *lines.values()]
    return "\n".join([f"class {name}({', '.join(bases)}):" if bases else f"class {name}:", *(body or ["    ..."]), ""])


def _bases(kind: type, known: Callable[[type], str | None]) -> tuple[list[str], list[type]]:
    """The bases that a stub names, and the private ones whose members it gives to the class itself."""
    named: dict[str, type] = {}
    folded: list[type] = []
    for base in kind.__bases__:
        name = known(base)
        if name is not None:
            named.setdefault(name, base)
        elif _is_of(base, THEIRS) or _is_of(base, OURS):
            folded.append(base)
            inner, more = _bases(base, known)
            folded += [each for each in more if each not in folded]
            named.update({each: each_kind for each, each_kind in _kinds(base, known).items() if each in inner})
        elif base.__module__ == "builtins" and base is not object:
            named[base.__name__] = base
    less = {
        name
        for name, base in named.items()
        for other in named.values()
        if issubclass(other, base) and other is not base
    }
    most_derived = [name for name in named if name not in less]
    return most_derived, folded


def _kinds(kind: type, known: Callable[[type], str | None]) -> dict[str, type]:
    return {name: base for base in kind.__mro__[1:] if (name := known(base)) is not None}


def _inherited(kind: type, folded: list[type]) -> set[str]:
    others = [each for each in kind.__mro__[1:] if each not in folded and each is not object]
    return {name for each in others for name in (*vars(each), *_assigned(each))}


@functools.cache
def _assigned(kind: type) -> frozenset[str]:
    """The public attributes that the methods of a class assign to `self`."""
    if not (_is_of(kind, THEIRS) or _is_of(kind, OURS)):
        return frozenset()
    found = set()
    for value in map(inspect.unwrap, filter(callable, vars(kind).values())):
        code = getattr(value, "__code__", None)
        if isinstance(code, CodeType) and code.co_argcount:
            steps = list(dis.get_instructions(code))
            for before, step in itertools.pairwise(steps):
                # From Python 3.13 on, one instruction may load two variables.
                loaded = before.argval[-1:] if isinstance(before.argval, tuple) else (before.argval,)
                if step.opname == "STORE_ATTR" and loaded == code.co_varnames[:1] and before.opname.startswith("LOAD_"):
                    found.add(str(step.argval))
    return frozenset(name for name in found if not name.startswith("_"))


def _member(name: str, value: Any) -> str:
    if isinstance(value, property):
        setter = f"\n    @{name}.setter\n    def {name}(self, value: Any) -> None: ..." if value.fset else ""
        return f"    @property\n    def {name}(self) -> {_result(value.fget)}: ...{setter}"
    if isinstance(value, classmethod | staticmethod):
        return f"    @{type(value).__name__}\n{_function(value.__func__, name, '    ')}"
    if inspect.isfunction(value):
        return _function(value, name, "    ")
    return f"    {name}: {type(value).__name__ if type(value) in SIMPLE else 'Any'}"


def _function(function: Any, name: str, indent: str) -> str:
    """A function with the parameters that it has when it runs. One whose first one has no name of `self` keeps it."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of a compiled extension
        return f"{indent}{name}: Any"
    result = "None" if name == "__init__" else _result(function)
    return f"{indent}def {name}({', '.join(_parameters(parameters, method=bool(indent)))}) -> {result}: ..."


def _parameters(parameters: list[inspect.Parameter], method: bool) -> Iterator[str]:
    keyword_only = False
    for position, each in enumerate(parameters):
        if each.kind is each.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            if not any(other.kind is each.VAR_POSITIONAL for other in parameters):
                yield "*"
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        if method and position == 0 and each.name in ("self", "cls"):
            yield each.name
        else:
            default = "" if each.default is each.empty else f" = {_default(each.default)}"
            yield f"{stars}{each.name}: {_annotation(each.annotation)}{default}"
        later = parameters[position + 1 : position + 2]
        if each.kind is each.POSITIONAL_ONLY and not (later and later[0].kind is each.POSITIONAL_ONLY):
            yield "/"


def _default(value: Any) -> str:
    return repr(value) if value is None or type(value) in SIMPLE else "..."


def _result(function: Any) -> str:
    try:
        return _annotation(inspect.signature(function).return_annotation)
    except (TypeError, ValueError):
        return "Any"


def _annotation(annotation: Any) -> str:
    """An annotation of built-in types; `Any` for others."""
    if annotation is None or annotation is type(None):
        return "None"
    if annotation in SIMPLE:
        return str(annotation.__name__)
    if isinstance(annotation, UnionType):
        parts = [_annotation(part) for part in annotation.__args__]
        return "Any" if "Any" in parts else " | ".join(parts)
    return "Any"
