"""Uses of names in a syntax tree: every expression that an import or an assignment leads to TensorFlow, with its place."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import final

from stratagem.cli.migration._arguments import WrittenArguments, arguments_of
from stratagem.cli.migration._attempts import Tried, places_of
from stratagem.cli.migration._packages import is_rewritten
from stratagem.cli.migration._scopes import (
    DATASET,
    INSTANCE,
    MEMBER,
    NO_DATASET,
    SourceScope,
    chain,
    fill,
    function_scope,
    imported,
    plain_path,
)

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@final
@dataclass(frozen=True)
class RawUse:
    """An expression whose name may lead to TensorFlow.

    paths: where to. call: its arguments, where it is called. imported: it is a part of an import statement. tensorflows: one
    that names a module of TensorFlow's. tried: the `try` statements around it, in each the attempt or a handler of it.
    in_function: a function has it, which may be a part of a step; other code of a module runs when it is imported.
    """

    cell: int
    line: int
    paths: tuple[str, ...]
    call: WrittenArguments | None = None
    imported: bool = False
    tensorflows: bool = False
    tried: tuple[Tried, ...] = ()
    in_function: bool = False


@final
@dataclass
class Examined:
    """The parts of one file: their trees by cell, the scope of the module, its uses."""

    trees: list[tuple[int, ast.Module]]
    scope: SourceScope = field(default_factory=SourceScope)
    uses: list[RawUse] = field(default_factory=list)


def examine_trees(trees: list[tuple[int, ast.Module]]) -> Examined:
    """Finds the uses of a file. The cells of a notebook are one module.

    Raises:
        RecursionError: it is nested too deeply.
    """
    found = Examined(trees)
    for _, tree in trees:
        fill(found.scope, tree.body)
    for cell, tree in trees:
        found.uses += _Walk(cell).walked(tree, found.scope)
    return found


@final
class _Walk:
    """A walk through one tree."""

    def __init__(self, cell: int) -> None:
        self._cell = cell
        self._tried: tuple[Tried, ...] = ()
        self._number = 0  # of `try` statements
        self._functions = 0  # around the present node

    def walked(self, node: ast.AST, scope: SourceScope) -> Iterator[RawUse]:
        """The uses in a node."""
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from self._imports(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield from self._function(node, scope)
            case ast.ClassDef():
                for outer in (*node.decorator_list, *node.bases, *node.keywords):
                    yield from self.walked(outer, scope)
                inner = SourceScope(scope, is_class=True)
                fill(inner, node.body)
                yield from self._each(node.body, inner)
            case ast.Try():
                yield from self._try(node, scope)
            case ast.Call():
                yield from self._call(node, scope)
            case ast.Name(ctx=ast.Store() | ast.Del()):
                return  # the name is bound anew: no use of what it led to
            case ast.Attribute() | ast.Name():
                yield from self._expression(node, scope, None)
            case _ if isinstance(node, _COMPREHENSIONS):
                inner = SourceScope(scope)
                stored = (
                    name for each in node.generators for name in ast.walk(each.target) if isinstance(name, ast.Name)
                )
                inner.other = {name.id for name in stored}
                yield from self._each(ast.iter_child_nodes(node), inner)
            case _:
                yield from self._each(ast.iter_child_nodes(node), scope)

    def _use(
        self, line: int, paths: tuple[str, ...], call: WrittenArguments | None = None, *, imported: str | None = None
    ) -> RawUse:
        tensorflows = imported is not None and is_rewritten(imported)
        return RawUse(
            self._cell, line, paths, call, imported is not None, tensorflows, self._tried, self._functions > 0
        )

    def _each(self, nodes: "Iterator[ast.AST] | list[ast.stmt]", scope: SourceScope) -> Iterator[RawUse]:
        for node in nodes:
            yield from self.walked(node, scope)

    def _try(self, node: ast.Try, scope: SourceScope) -> Iterator[RawUse]:
        around = self._tried
        self._number += 1
        attempt, handlers = places_of(node, self._number)
        self._tried = (*around, attempt)
        yield from self._each(node.body, scope)
        for handler, place in zip(node.handlers, handlers, strict=True):
            self._tried = (*around, place)
            yield from self.walked(handler, scope)
        self._tried = around
        yield from self._each([*node.orelse, *node.finalbody], scope)

    def _imports(self, node: ast.Import | ast.ImportFrom) -> Iterator[RawUse]:
        if isinstance(node, ast.Import):
            for name, path in imported(node):
                whole = next((a.name for a in node.names if not a.asname and a.name.startswith(f"{name}.")), "")
                written = next(a.name for a in node.names if (a.asname or a.name.partition(".")[0]) == name)
                yield self._use(node.lineno, (f"{path}{whole.removeprefix(name)}",), imported=written)
            return
        for (name, path), alias in zip(imported(node), node.names, strict=True):
            star = ".*" if name == "*" else ""
            yield self._use(alias.lineno, (f"{path}{star}",), imported="" if node.level else node.module or "")

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: SourceScope
    ) -> Iterator[RawUse]:
        outer: list[ast.AST] = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
        outer += [each.annotation for each in every if each is not None and each.annotation is not None]
        if not isinstance(node, ast.Lambda):
            outer += [*node.decorator_list, *([node.returns] if node.returns else [])]
        yield from self._each(iter(outer), scope)
        inner = function_scope(node, scope)
        around, self._tried = self._tried, ()  # it runs when it is called
        self._functions += 1
        yield from self._each(iter([node.body]) if isinstance(node, ast.Lambda) else node.body, inner)
        self._functions -= 1
        self._tried = around

    def _call(self, node: ast.Call, scope: SourceScope) -> Iterator[RawUse]:
        yield from self._expression(node.func, scope, arguments_of(node))
        yield from self._each(iter([*node.args, *node.keywords]), scope)

    def _expression(self, node: ast.expr, scope: SourceScope, call: WrittenArguments | None) -> Iterator[RawUse]:
        found = chain(node)
        if found is not None:
            name, parts = found
            paths = [".".join([path, *parts]) for path in scope.lookup(name)]
            local = name in scope.bound
            if any(INSTANCE in path for path in paths) and (not local or len(paths) > 1 or name in scope.other):
                paths = []
            paths = [plain_path(path) for path in paths]
            if paths and not (len(paths) == 1 and paths[0].endswith(INSTANCE)):
                yield self._use(node.end_lineno or node.lineno, tuple(paths), call)
            elif parts and not paths:
                yield self._use(node.end_lineno or node.lineno, (f"{MEMBER}{parts[-1]}",), call)
            return
        if isinstance(node, ast.Attribute):
            made = _made(node.value, scope)
            path = f"{made}{INSTANCE}.{node.attr}" if made else f"{MEMBER}{node.attr}"
            yield self._use(node.end_lineno or node.lineno, (path,), call)
            yield from self.walked(node.value, scope)
        elif not isinstance(node, ast.Name):
            yield from self.walked(node, scope)


def _made(node: ast.expr, scope: SourceScope) -> str | None:
    """The class of what an expression gives: of a call of a class, or of a method of a data set."""
    depth = 0
    while isinstance(node, ast.Call) and depth < 50:
        found = chain(node.func)
        if found is not None:
            paths = [".".join([path, *found[1]]) for path in scope.lookup(found[0])]
            if len(paths) != 1:
                return None
            path = plain_path(f"{paths[0]}{INSTANCE}")
            return path.removesuffix(INSTANCE) if path.count(INSTANCE) == 1 else None
        if not isinstance(node.func, ast.Attribute) or node.func.attr in NO_DATASET:
            return None
        node, depth = node.func.value, depth + 1
        if _made(node, scope) != DATASET:
            return None
    return DATASET if depth else None
