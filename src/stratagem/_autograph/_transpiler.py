"""Transpiler: turns a function's statements into calls of operators, at the lines of the original."""

import ast
import inspect
import logging
import threading
import types
from collections.abc import Callable
from typing import Any, final

from malt.core import converter
from malt.impl import api
from malt.pyct import anno, transpiler

from stratagem._autograph._source import source_has_changed
from stratagem._base.weak_identity import WeakIdentityMap

logger = logging.getLogger("stratagem.autograph")

_OPTIONS = converter.ProgramContext(
    converter.ConversionOptions(
        recursive=True,
        user_requested=True,
        optional_features=(converter.Feature.ASSERT_STATEMENTS, converter.Feature.BUILTIN_FUNCTIONS),
    )
)
_OPERATORS = "ag__"  # the name by which converted code finds the operators


@final
class Transpiler(api.PyToPy):  # type: ignore[misc]
    """Converts functions to ones that call `operators` where the originals have statements and calls.

    The library's own loader would write every converted function to a file, and tracebacks would show that. Here the code
    keeps the file and the lines of the original.
    """

    def __init__(self, operators: types.ModuleType) -> None:
        super().__init__()
        self._operators = operators
        # What makes converted functions, by the original's code; an empty tuple for code that cannot be converted.
        self._factories: WeakIdentityMap[types.CodeType, tuple[Callable[..., Any], ...]] = WeakIdentityMap()
        self._lock = threading.RLock()  # looking a name up may import a module, whose code may be traced

    def converted(self, function: types.FunctionType) -> Callable[..., Any] | None:
        """Returns the converted function, with the closure and defaults of this one; None if it cannot be converted."""
        with self._lock:
            found = self._factories.get(function.__code__)
            if found is None:
                found = self._factories[function.__code__] = self._factory(function)
        return _instance(found[0], function, self._operators) if found else None

    def code_of(self, function: types.FunctionType) -> str:
        """Returns the text of the converted function. Raises what the library raises if it cannot be converted."""
        nodes, _ = transpiler.GenericTranspiler.transform_function(self, function, _OPTIONS)
        return ast.unparse(ast.fix_missing_locations(nodes))

    def get_transformed_name(self, node: ast.AST) -> str:
        """The original's name, which tracebacks show; the library asks for it."""
        return str(transpiler.PyToPy.get_transformed_name(self, node))

    def _factory(self, function: types.FunctionType) -> tuple[Callable[..., Any], ...]:
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            return ()
        if source_has_changed(function):
            logger.warning(
                "%s runs unconverted: %s has changed since it was imported. Start the program again.",
                function.__qualname__,
                function.__code__.co_filename,
            )
            return ()
        try:
            nodes, context = transpiler.GenericTranspiler.transform_function(self, function, _OPTIONS)
        except Exception as error:  # the library's own errors have no common class
            logger.info("%s runs unconverted: %s", function.__qualname__, str(error).partition("\n")[0])
            return ()
        name = context.info.name
        if isinstance(nodes, ast.Lambda):
            nodes = ast.Assign(targets=[ast.Name(name, ctx=ast.Store())], value=nodes)
        else:
            nodes.name = name
        wrapped = transpiler._wrap_into_factory(
            nodes, name, "inner_factory__", "outer_factory__", function.__code__.co_freevars, [_OPERATORS],
            context.info.future_features,
        )  # fmt: skip
        module = ast.Module(body=list(wrapped), type_ignores=[])
        _keep_lines(module, function.__code__.co_firstlineno)
        namespace: dict[str, Any] = {}
        exec(compile(module, function.__code__.co_filename, "exec"), namespace)
        return (namespace["outer_factory__"](),)


def _instance(factory: Any, function: types.FunctionType, operators: types.ModuleType) -> Callable[..., Any]:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    code = factory.__code__
    closure = tuple(cells[name] for name in code.co_freevars)
    bound = types.FunctionType(code, function.__globals__, function.__name__, (), closure)
    made: Any = bound(operators)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    made.__code__ = made.__code__.replace(co_name=function.__name__, co_qualname=function.__qualname__)
    converted: Callable[..., Any] = made
    return converted


def _keep_lines(node: ast.AST, line: int) -> None:
    """Gives every node the line that it comes from; what conversion has added has that of what contains it."""
    origin = anno.getanno(node, anno.Basic.ORIGIN, default=None)
    if origin is not None and not isinstance(node, ast.expr_context):
        line = origin.loc.lineno
    if "lineno" in node._attributes:
        node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
        node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    for child in ast.iter_child_nodes(node):
        _keep_lines(child, line)
