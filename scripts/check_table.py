"""The table that `stratagem check` reads, made of the states of docs/coverage.md and of the comparison with TensorFlow."""

import ast
import functools
import importlib
import inspect
import json
import logging
import os
import textwrap
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy

import stratagem as tf
import stratagem.addons
from scripts import conformance, tensorflow_api
from scripts.conformance import MISSING, attributes, reached
from stratagem._ops import INSTEAD, StringTensor

TABLE = Path(__file__).parents[1] / "src" / "stratagem" / "cli" / "migration" / "table.json"
VERSION = 2
LETTERS = {"as TensorFlow": "t", "present": "p", "differs": "d", "missing": "m"}
REFUSED = "every call raises"  # the beginning of the reason of a name that is there and does nothing
OWN = "o"  # a name of ours that TensorFlow does not have
MIRRORED = "compat.v1.keras"  # is tf.keras: only what it lacks has a row

# Base classes whose constructors refuse arguments by `**kwargs` that they do not know.
CLOSED = (tf.keras.layers.Layer, tf.keras.optimizers.Optimizer)
# Arguments that programs give by `**kwargs`, with a value to try.
KERAS_2 = {
    "input_shape": (1,),
    "batch_input_shape": (1, 1),
    "batch_size": 1,
    "input_dim": 1,
    "input_dtype": "float32",
    "weights": [],
    "dynamic": False,
    "autocast": False,
    "trainable": True,
    "name": "name",
    "dtype": "float32",
    "activity_regularizer": None,
    "lr": 0.1,
    "decay": 0.1,
    "clipnorm": 1.0,
    "clipvalue": 1.0,
}


class Named(Protocol):
    """A section of the page: the states of a namespace's names, and the reasons that documents and tests tell."""

    namespace: str
    states: dict[str, str]
    documented: dict[str, str]


def parameters(value: Any) -> str | None:
    """The parameters of a function or class as the checker's `Parameters` reads them. None: not known."""
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    further = further_names(value)
    words: list[str] = []
    for each in found:
        if each.kind is each.VAR_KEYWORD and further is not None:
            own = {other.name for other in found}
            words += [*([] if {"*", "*+"} & set(words) else ["*"]), *sorted(further - own)]
            continue
        if each.kind is each.KEYWORD_ONLY and not {"*", "*+"} & set(words):
            words.append("*")
        required = "!" if each.default is each.empty else ""
        alone = "/" if each.kind is each.POSITIONAL_ONLY else ""
        words.append(
            {each.VAR_POSITIONAL: "*+", each.VAR_KEYWORD: "**"}.get(each.kind, f"{each.name}{required}{alone}")
        )
    return None if {"*+", "**"} <= set(words) else " ".join(words)


def further_names(kind: Any) -> set[str] | None:
    """The arguments that a layer or an optimizer takes by `**kwargs`, whose constructors refuse all others. None: not known."""
    base = next((each for each in CLOSED if inspect.isclass(kind) and issubclass(kind, each)), None)
    if base is None or issubclass(kind, tf.keras.Model):
        return None
    above = kind.__mro__[: kind.__mro__.index(base) + 1]
    named = set().union(*(_of_constructor(each.__init__) for each in above if "__init__" in vars(each)))
    # Most optimizers can be made without arguments, layers not; what all layers take is seen of the base class.
    if base is CLOSED[0]:
        return named | taken_by(base)
    needed = [each for each in inspect.signature(kind).parameters.values() if each.default is each.empty]
    return None if any(each.kind is each.POSITIONAL_OR_KEYWORD for each in needed) else named | taken_by(kind)


@functools.cache
def taken_by(kind: type) -> frozenset[str]:
    """Those of the arguments of Keras 2 that a constructor takes, as trying shows."""
    logging.disable(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        taken = frozenset(name for name, value in KERAS_2.items() if _takes(kind, name, value))
    logging.disable(logging.NOTSET)
    return taken


def _takes(kind: type, name: str, value: Any) -> bool:
    try:
        kind(**{name: value})
    except (TypeError, ValueError) as error:
        if name not in str(error):
            raise
        return False
    return True


def _of_constructor(function: Any) -> set[str]:
    """The names of a constructor's parameters, and those that it takes out of its `kwargs`."""
    function = inspect.unwrap(function)
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = {each.name for each in inspect.signature(function).parameters.values() if each.kind in kinds}
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) == "kwargs.pop"
            and isinstance(node.args[0], ast.Constant)
        ):
            names.add(node.args[0].value)
    return names - {"self"}


def methods(kind: type) -> dict[str, str]:
    """By public method of a class, its parameters, where they are known and limited."""
    found = {}
    for name in dir(kind):
        if not name.startswith("_"):
            value = inspect.getattr_static(kind, name)
            function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            text = parameters(function) if inspect.isfunction(function) else None
            if text is not None:
                # Functions that are given to a class as methods call their first parameter otherwise.
                own = "" if isinstance(value, staticmethod) else "cls" if isinstance(value, classmethod) else "self"
                words = text.split(" ")
                kept = words if not own or words[0] == "*+" else [f"{own}!", *words[1:]]
                found[name] = " ".join(kept)
    return found


def known_members(kind: type) -> list[str]:
    """The public names of a class and of its metaclass."""
    return sorted({name for name in {*dir(kind), *dir(type(kind)), *attributes(kind)} if not name.startswith("_")})


def importable(name: str) -> bool:
    """Returns whether an import statement finds this module."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return False
    return True


def public(module: Any) -> list[str]:
    """The public names of a module."""
    return [name for name in dir(module) if not name.startswith("_")] if isinstance(module, ModuleType) else []


def table(sections: list[Named]) -> str:
    """The whole table as JSON."""
    theirs = tensorflow_api.names()
    names = {section.namespace: entries(section) for section in sections}
    addons = {}
    for name in ["", *sorted(tf_addons())]:
        module = importlib.import_module(f"stratagem.addons.{name}".rstrip("."))
        offered = [each for each in public(module) if not isinstance(getattr(module, each), ModuleType)]
        addons[name] = {each: entry("p", None, getattr(module, each)) for each in offered}
    modules = [name for name in sorted({*theirs, "compat.v2"}) if name and importable(f"stratagem.{name}")]
    parts = {
        "version": VERSION,
        "tensorflow": tf.__version__,
        "modules": " ".join(modules),
        "names": names,
        "addons": addons,
        "classes": classes(names),
        "members": stranded(names),
    }
    return json.dumps(parts, separators=(",", ":")) + "\n"


def entries(section: Named) -> dict[str, dict[str, Any]]:
    """What is told of each name of a namespace, of ours that TensorFlow lacks, and of lost ones that have a replacement."""
    row: dict[str, dict[str, Any]] = {}
    for name, state in sorted(section.states.items()):
        if not section.namespace.startswith(MIRRORED) or state == "missing":
            path = f"{section.namespace}.{name}".lstrip(".")
            reason = section.documented.get(name)
            # Of arguments and members, the checker sees in a program whether it needs them.
            letter = "p" if state == "differs" and reason is None else LETTERS[state]
            if (reason or "").startswith(REFUSED):
                letter = "r"
            row[name] = entry(letter, reason, reached(path), tensorflow_api.facts()[path].get("args"))
    if not section.namespace.startswith(MIRRORED):
        for name in public(reached(section.namespace)):
            below = f"{section.namespace}.{name}".lstrip(".")
            if name not in row and below not in tensorflow_api.names() and not isinstance(reached(below), ModuleType):
                row[name] = entry(OWN, None, reached(below))
    for name, text in INSTEAD.get(section.namespace, {}).items():
        if name and name not in row and reached(f"{section.namespace}.{name}".lstrip(".")) is MISSING:
            row[name] = entry("m", text)
    return row


def entry(state: str, text: str | None, value: Any = None, theirs: list[list[Any]] | None = None) -> dict[str, Any]:
    """What is told of one name.

    takes: its parameters. moved: the first place at which TensorFlow's takes a different one. gives: the class of a result.
    """
    found: dict[str, Any] = {"state": state}
    if text is not None:
        found["text"] = text
    if value is not MISSING and callable(value):
        takes = parameters(value)
        if takes is not None:
            found["takes"] = takes
        found |= moved(theirs, conformance.parameters(value))
        if gives_tensor(value):
            found["gives"] = "Tensor"
    return found


def moved(theirs: list[list[Any]] | None, ours: list[inspect.Parameter] | None) -> dict[str, int]:
    """The first place at which TensorFlow's callable takes a different argument, where it is known and there is one."""
    place = None if theirs is None or ours is None else conformance.first_moved(theirs, ours)
    return {} if place is None else {"moved": place}


def gives_tensor(value: Any) -> bool:
    """Whether a function says that its result is a tensor."""
    return inspect.isroutine(value) and inspect.signature(value).return_annotation in (tf.Tensor, StringTensor)


def tf_addons() -> list[str]:
    """The modules of `stratagem.addons`."""
    folder = Path(stratagem.addons.__file__).parent
    return [path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")]


def classes(names: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What is told of each public class.

    lacks: members of TensorFlow's class that it does not have. names: all that it has. methods: by name, the parameters.
    """
    lacks = {path: its for area in conformance.compared().values() for path, its in area.members.items()}
    found = {}
    for path, kind in public_classes(names).items():
        theirs = tensorflow_api.facts().get(path, {}).get("methods", {})
        found[path] = {
            "lacks": lacks.get(path, []),
            "names": " ".join(known_members(kind)),
            "methods": {
                name: {"takes": text, **moved(theirs.get(name), conformance.method_parameters(kind, name))}
                for name, text in methods(kind).items()
            },
        }
    return found


def public_classes(names: dict[str, dict[str, Any]]) -> dict[str, type]:
    """The public classes, by the names that they have in TensorFlow, without those of tf.compat.v1."""
    paths = [f"{namespace}.{name}".lstrip(".") for namespace, row in names.items() for name in row]
    return {path: kind for path in paths if "compat.v1" not in path and inspect.isclass(kind := reached(path))}


def stranded(rows: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Members of TensorFlow's classes that nothing has here or in Python, NumPy and the like, with the first class that has it.

    Names of one word are left out: objects of any program may have them.
    """
    members = {
        path: list(each.get("members", ()))
        for path, each in tensorflow_api.counted().items()
        if not path.startswith("compat")
    }
    kinds = list(public_classes(rows).values())
    plain = [list, dict, str, bytes, numpy.ndarray, Path, logging.Logger, tf.constant(1.0), tf.Variable(1.0)]
    known = {name for each in [*plain, numpy, os, os.path] for name in dir(each)} | {
        n for row in rows.values() for n in row
    }
    # An optimizer's lost methods raise the error that says what to use.
    known |= {
        name
        for kind in kinds
        for name in dir(kind)
        if not issubclass(kind, tf.keras.optimizers.Optimizer) or hasattr(kind, name)
    }
    found: dict[str, str] = {}
    for path in sorted(members, key=_bases_first):
        for name in members[path]:
            if "_" in name.strip("_"):
                found.setdefault(name, path)
    assigned = set().union(*(attributes(kind) for kind in kinds))
    return {
        name: path for name, path in sorted(found.items()) if name not in known | assigned and not name.startswith("_")
    }


def _bases_first(path: str) -> tuple[int, str]:
    kind = reached(path)
    return len(kind.__mro__) if inspect.isclass(kind) else 1000, path
