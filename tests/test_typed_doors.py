"""What one building offers to another has types that say something: names of `_base.types` where a value is the user's."""

import ast
import dataclasses
import inspect
import re
import typing
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# The actors' methods are what is called from other processes; no contract exports them.
from stratagem._servers.remote._ray_server_actor import ServerTask
from stratagem._servers.remote._ray_worker_task import WorkerTask
from tests.test_layers import LEVEL, ROOT, imports_of

UNSAID = re.compile(r"\b(Any|object)\b")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Trees = dict[str, ast.Module]  # by the module's name below the package


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def definition_of(module: str, name: str, trees: Trees) -> tuple[str, Definition] | None:
    """The module and node that define a name, through re-exports; None for what is no function or class."""
    for node in trees[module].body if module in trees else ():
        if isinstance(node, Definition) and node.name == name:
            return module, node
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("stratagem."):
            for alias in node.names:
                if (alias.asname or alias.name) == name and node.module is not None:
                    return definition_of(node.module.removeprefix("stratagem."), alias.name, trees)
    return None


@pytest.fixture(scope="module")
def contracts() -> dict[str, dict[tuple[str, str], Definition]]:
    """By building: the functions and classes that other buildings and the public namespaces import from it."""
    trees = {module_name(path): ast.parse(path.read_text()) for path in ROOT.rglob("*.py")}
    found: defaultdict[str, dict[tuple[str, str], Definition]] = defaultdict(dict)
    for module, tree in trees.items():
        for node in ast.walk(tree):
            for building, *rest in imports_of(node, ()):
                if building not in LEVEL or building == module.partition(".")[0] or not rest:
                    continue
                if known := definition_of(".".join([building, *rest[:-1]]), rest[-1], trees):
                    found[building][known[0], rest[-1]] = known[1]
    return found


def functions_of(node: Definition) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """A function itself; of a class the methods that others call."""
    if not isinstance(node, ast.ClassDef):
        return [node]
    methods = [n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [m for m in methods if not m.name.startswith("_") or m.name in ("__init__", "__call__")]


def unsaid(node: Definition) -> list[str]:
    """The parameters, results and fields of a contract whose type says nothing."""
    fields = [n for n in node.body if isinstance(n, ast.AnnAssign)] if isinstance(node, ast.ClassDef) else []
    annotations: list[tuple[str, Any]] = [(ast.unparse(n.target), n.annotation) for n in fields]
    for function in functions_of(node):
        given = function.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        annotations += [(f"{function.name}({arg.arg})", arg.annotation) for arg in every if arg is not None]
        annotations.append((f"{function.name} ->", function.returns))
    said = [(name, ast.unparse(kind).replace("np.dtype[Any]", "")) for name, kind in annotations if kind is not None]
    return [f"{name}: {kind}" for name, kind in said if not kind.startswith("'") and UNSAID.search(kind)]


@pytest.mark.parametrize("building", [name for name in LEVEL if name not in ("cli", "testing", "_hooks")])
def test_a_contract_says_what_it_takes_and_gives(
    building: str, contracts: dict[str, dict[tuple[str, str], Definition]]
) -> None:
    offered = contracts[building]
    assert offered
    assert {where: found for where, node in offered.items() if (found := unsaid(node))} == {}


def test_the_check_sees() -> None:
    node = ast.parse("class Strategy:\n    mesh: Any\n    def run(self, fn: Callable[..., object]) -> Any: ...").body[0]
    assert isinstance(node, ast.ClassDef)
    assert unsaid(node) == ["mesh: Any", "run(fn): Callable[..., object]", "run ->: Any"]


def carried(kind: object, seen: set[type]) -> Iterator[str]:
    """The tuples of three or more things, each with a meaning of its own, that a value of this type has in it."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple and Ellipsis not in parts and len(parts) > 2:
        yield str(kind)
    for part in parts:
        yield from carried(part, seen)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        for name, each in typing.get_type_hints(kind).items():
            yield from (f"{kind.__name__}.{name}: {found}" for found in carried(each, seen))


@pytest.mark.parametrize("actor", [ServerTask, WorkerTask])
def test_what_goes_to_other_processes_has_names(actor: type) -> None:
    methods = {name: m for name, m in vars(actor).items() if inspect.isfunction(m) and not name.startswith("__")}
    assert {"read", "push"} <= methods.keys() or {"follow", "learn"} <= methods.keys()
    hints = {name: typing.get_type_hints(method) for name, method in methods.items()}
    found = [f"{name}({each}): {t}" for name, h in hints.items() for each, k in h.items() for t in carried(k, set())]
    assert found == []


def test_a_tuple_without_names_is_found() -> None:
    @dataclasses.dataclass
    class Sent:
        origin: list[tuple[int, str, int]]

    assert list(carried(tuple[Sent, int], set())) == ["Sent.origin: tuple[int, str, int]"]
