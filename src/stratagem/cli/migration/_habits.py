"""Habits of programs that a syntax tree shows, and that behave otherwise here although every name works."""

import ast
from collections.abc import Iterator
from typing import final

from stratagem.cli.migration._findings import Habit, Place
from stratagem.cli.migration._scopes import SourceScope, chain, function_scope, leads, resolved, with_scopes
from stratagem.cli.migration._uses import Examined
from stratagem.cli.migration._worker_habits import worker_habits_in

_README = "README.md#what-works"
_STRINGS = "docs/tensor_functions.md#general-rules"
_SAVED = "docs/saved_models.md"
_APPENDS = {"append", "extend", "insert"}
# Calls, by the end of their names, and what to know about them.
_CALLS = {
    ("Session", "InteractiveSession"): ("session", "sessions run in one process", "docs/sessions.md"),
    ("saved_model.save", "export_saved_model", "simple_save"): (
        "saved_model",
        "the format is this library's own: TensorFlow Serving, TFLite and tensorflow_hub cannot read it",
        _SAVED,
    ),
    ("saved_model.load",): ("saved_model", "reads what this library wrote, not TensorFlow's SavedModels", _SAVED),
}
_MIRRORED = ("tensorflow.distribute.MirroredStrategy",)
_PY = ("py_function", "numpy_function", "py_func")


def habits_in(path: str, found: Examined) -> Iterator[Habit]:
    """The habits in a file."""
    yield from worker_habits_in(path, found)
    steps = {name for _, tree in found.trees for name in _replica_functions(tree, found.scope)}
    for cell, tree in found.trees:
        for node, scope in with_scopes(tree, found.scope):
            if isinstance(node, ast.Call):
                yield from _calls(node, scope, path, cell)
            elif isinstance(node, ast.FunctionDef):
                compiled = any(leads(_called(d), scope, "function") for d in node.decorator_list)
                if compiled or node.name in steps:
                    yield from _StepHabits(node, function_scope(node, scope), path, cell, compiled).habits()


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _calls(node: ast.Call, scope: SourceScope, path: str, cell: int) -> Iterator[Habit]:
    place = Place(path, cell, node.lineno)
    for ends, (kind, text, document) in _CALLS.items():
        if leads(node.func, scope, *ends):
            yield Habit(place, kind, text, document)
    if not node.args and not node.keywords and any(each in _MIRRORED for each in resolved(node.func, scope)):
        text = "uses every CPU device that is configured where there is no accelerator (TensorFlow: one)"
        yield Habit(place, "devices", text, "docs/decisions.md")


def _replica_functions(tree: ast.AST, scope: SourceScope) -> Iterator[str]:
    """The names of functions that are given to a strategy's `run`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            function = chain(node.args[0])
            receiver = chain(node.func.value)
            if node.func.attr in ("run", "experimental_run_v2", "experimental_run") and function and receiver:
                words = " ".join([receiver[0], *receiver[1]]).lower()
                known = any(".distribute." in each for each in resolved(node.func.value, scope))
                if "strategy" in words or known:
                    yield [function[0], *function[1]][-1]


@final
class _StepHabits:
    """A function that is compiled as a step. compiled: with `tf.function`, where TensorFlow traces it, too."""

    def __init__(self, node: ast.FunctionDef, scope: SourceScope, path: str, cell: int, compiled: bool) -> None:
        self._node, self._scope, self._path, self._cell, self._compiled = node, scope, path, cell, compiled
        self._own = {
            each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }

    def habits(self) -> Iterator[Habit]:
        """The habits in it."""
        for node in ast.walk(self._node):
            if isinstance(node, ast.Call):
                yield from self._of_call(node)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
                yield from self._of_change(node)

    def _of_change(self, node: ast.AugAssign) -> Iterator[Habit]:
        if not self._compiled and isinstance(node.value, ast.Constant):
            yield self._changed(node, ast.unparse(node.target))

    def _of_call(self, node: ast.Call) -> Iterator[Habit]:
        if any(path.startswith("tensorflow.strings.") for path in resolved(node.func, self._scope)):
            text = "strings in a step: their functions run on the host before the compiled program"
            yield self._habit(node, "strings", text, _STRINGS)
        if leads(node.func, self._scope, *_PY) and not any(word.arg == "result_shape" for word in node.keywords):
            text = "a compiled step needs `result_shape=` here"
            yield self._habit(node, "python_function", text, "docs/coverage.md#tf")
        method = None if self._compiled else chain(node.func)
        if method is not None and method[1] and method[1][-1] in _APPENDS and method[0] not in self._own:
            yield self._changed(node, ".".join([method[0], *method[1][:-1]]))

    def _changed(self, node: ast.expr | ast.stmt, name: str) -> Habit:
        text = f"`{name}` changes only when the step is traced: strategy.run compiles without tf.function, too"
        return self._habit(node, "state", text, _README)

    def _habit(self, node: ast.expr | ast.stmt, kind: str, text: str, document: str) -> Habit:
        return Habit(Place(self._path, self._cell, node.lineno), kind, text, document)
