"""Scopes of a module: which names lead to TensorFlow's modules and names, by imports and by assignment."""

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import final

from stratagem.cli.migration._findings import State
from stratagem.cli.migration._packages import ADDONS, belongs
from stratagem.cli.migration._table import shipped_table

LOCAL = ":"  # before the name of a module that may be another file of the repository: `:package.module`, `:.module` beside it
MEMBER = "?"  # before a member of an object of unknown class
INSTANCE = "!"  # after the name of a class: an object of it
DATASET = "tensorflow.data.Dataset"
NO_DATASET = {"as_numpy_iterator", "cardinality", "reduce", "get_single_element", "make_one_shot_iterator", "save"}
_MOST = 8  # places that one name may lead to
_BUILTINS = frozenset(dir(builtins))
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@final
@dataclass
class SourceScope:
    """The names of a module, class or function. bound: name → where it may lead, with the place from which on; other: names
    that are bound to something else; stars: modules whose names are all here."""

    parent: "SourceScope | None" = None
    is_class: bool = False
    bound: dict[str, list[str]] = field(default_factory=dict)
    other: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)

    def bind(self, name: str, path: str, *, fallback: bool = False) -> None:
        """Adds where a name may lead. fallback: only if it leads nowhere yet, or to what cannot be imported here."""
        known = self.bound.setdefault(name, [])
        if fallback and not any(_is_here(each) for each in known):
            known.clear()
        if path not in known and not (fallback and known) and len(known) < _MOST:
            known.append(path)

    def lookup(self, name: str) -> list[str]:
        """The places where a name may lead, by Python's rules of scopes. A name of a star import gives `<module>.*name`."""
        scope: SourceScope | None = self
        first = True
        while scope is not None:
            if first or not scope.is_class:
                if name in scope.bound:
                    return scope.bound[name]
                if name in scope.other:
                    return []
                if scope.stars and name not in _BUILTINS:
                    return [f"{star}.*{name}" for star in scope.stars]
            scope, first = scope.parent, False
        return []


def _is_here(path: str) -> bool:
    """Returns whether an import of a path succeeds, as far as the table knows."""
    if path.startswith(LOCAL) or INSTANCE in path:
        return True
    verdict = shipped_table().verdict(path)
    return verdict is None or verdict.state in (State.WORKS, State.DIFFERS)


def full_name(module: str) -> str:
    """The name of a module with TensorFlow's package in place of ours; with a mark if it belongs to neither."""
    if module == "stratagem.addons" or module.startswith("stratagem.addons."):
        return f"{ADDONS}{module.removeprefix('stratagem.addons')}"
    if module == "stratagem" or module.startswith("stratagem."):
        return f"tensorflow{module.removeprefix('stratagem')}"
    return module if belongs(module) else f"{LOCAL}{module}"


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that an import statement binds, and where they lead; `*` for all names of a module."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            module = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or module, full_name(module)
        return
    module = f"{'.' * node.level}{node.module or ''}"
    base = full_name(module) if not node.level else f"{LOCAL}{module}"
    for alias in node.names:
        path = base if alias.name == "*" else f"{base}{'' if base.endswith('.') else '.'}{alias.name}"
        if path.startswith("tensorflow.addons"):
            path = f"{ADDONS}{path.removeprefix('tensorflow.addons')}"
        yield alias.asname or alias.name, path


def chain(node: ast.expr) -> tuple[str, list[str]] | None:
    """The name and the attributes of `a.b.c`; None for other expressions."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, parts[::-1]) if isinstance(node, ast.Name) else None


def resolved(node: ast.expr, scope: SourceScope) -> list[str]:
    """The places where an expression `a.b.c` may lead."""
    found = chain(node)
    if found is None:
        return []
    name, parts = found
    return [".".join([path, *parts]) for path in scope.lookup(name)]


def fill(scope: SourceScope, body: Iterable[ast.stmt], *, fallback: bool = False) -> None:
    """Binds what the statements of a body bind, without those of functions and classes in it."""
    assigned: list[tuple[str, ast.expr]] = []
    _collect(scope, body, assigned, fallback)
    for name, value in assigned:
        paths = _value(value, scope)
        for path in paths:
            scope.bind(name, path, fallback=fallback)
        if not paths:
            scope.other.add(name)


def _collect(
    scope: SourceScope, body: Iterable[ast.stmt], assigned: list[tuple[str, ast.expr]], fallback: bool
) -> None:
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom():
                for name, path in imported(node):
                    if name == "*":
                        scope.stars.append(path)
                    else:
                        scope.bind(name, path, fallback=fallback)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                scope.other.add(node.name)
                if isinstance(node, ast.FunctionDef):
                    scope.functions[node.name] = node
            case ast.Assign(targets=[ast.Name(id=name)]):
                assigned.append((name, node.value))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                assigned.append((name, value))
            case ast.Try():
                _collect(scope, node.body, assigned, fallback)
                for handler in node.handlers:
                    _collect(scope, handler.body, assigned, True)
                _collect(scope, [*node.orelse, *node.finalbody], assigned, fallback)
            case _:
                scope.other.update(_stored(node))
                for inner in ("body", "orelse"):
                    _collect(scope, getattr(node, inner, []), assigned, fallback)
                for case in getattr(node, "cases", []):
                    _collect(scope, case.body, assigned, fallback)


def _stored(node: ast.stmt) -> Iterator[str]:
    """The names that a statement's own targets bind."""
    targets: list[ast.expr] = [*getattr(node, "targets", [])]
    if isinstance(target := getattr(node, "target", None), ast.expr):
        targets.append(target)
    targets += [item.optional_vars for item in getattr(node, "items", []) if item.optional_vars is not None]
    for target in targets:
        yield from (
            each.id for each in ast.walk(target) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        )


def _value(value: ast.expr, scope: SourceScope) -> list[str]:
    """The places where a name leads that a value is assigned to: the same place, or an object of a class."""
    if isinstance(value, ast.Call):
        if found := _given(value, scope):
            return found
        paths = (path for path in resolved(value.func, scope) if not path.startswith(LOCAL) and "*" not in path)
        made = [plain_path(f"{path}{INSTANCE}") for path in paths]
        return [path for path in made if path.count(INSTANCE) == 1]  # nothing is known of what methods give
    return [path for path in resolved(value, scope) if INSTANCE not in path.rpartition(".")[0]]


def _given(call: ast.Call, scope: SourceScope) -> list[str]:
    """The modules that a call gives: `importlib.import_module("tensorflow.x")`, a function that imports and returns one."""
    name = ast.unparse(call.func) if isinstance(call.func, ast.Name | ast.Attribute) else ""
    first = call.args[0] if call.args else None
    if name in ("importlib.import_module", "import_module") and isinstance(first, ast.Constant):
        module = full_name(first.value) if isinstance(first.value, str) else LOCAL
        return [] if module.startswith(LOCAL) else [module]
    around: SourceScope | None = scope
    while around is not None and name not in around.functions:
        around = around.parent
    if around is None:
        return []
    function = around.functions[name]
    returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)]
    inner = SourceScope(around)
    _collect(inner, function.body, [], False)
    paths = [inner.bound.get(each.id, []) if isinstance(each, ast.Name) else [] for each in returned]
    return list(dict.fromkeys(path for each in paths for path in each)) if paths and all(paths) else []


def function_scope(node: Function, parent: SourceScope) -> SourceScope:
    """The scope of a function: its parameters lead nowhere."""
    scope = SourceScope(parent)
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    scope.other = {each.arg for each in every if each is not None}
    if not isinstance(node, ast.Lambda):
        fill(scope, node.body)
    return scope


def plain_path(path: str) -> str:
    """A path in which what methods of a data set give is a data set."""
    beginning, mark, end = path.rpartition(INSTANCE)
    if not mark or end:
        return path
    for start in (f"{DATASET}.", f"{DATASET}{INSTANCE}."):
        if beginning.startswith(start):
            method = beginning.removeprefix(start)
            return f"{DATASET}{INSTANCE}" if method not in NO_DATASET and "." not in method else path
    return path


def with_scopes(node: ast.AST, scope: SourceScope) -> Iterator[tuple[ast.AST, SourceScope]]:
    """All nodes below a node, each with its scope."""
    waiting = [(node, scope)]
    while waiting:
        above, around = waiting.pop()
        for child in ast.iter_child_nodes(above):
            yield child, around
            inner = (
                function_scope(child, around) if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else around
            )
            waiting.append((child, inner))


def leads(node: ast.expr, scope: SourceScope, *ends: str) -> bool:
    """Returns whether an expression leads to a name of TensorFlow with one of these ends."""
    paths = resolved(node, scope)
    return any(path.startswith("tensorflow.") and f".{path}".endswith(f".{end}") for path in paths for end in ends)
