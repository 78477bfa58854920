"""Imports between buildings, and between rooms of a building, point down, at module level, through their doors."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "stratagem"
ROOT = Path(__file__).parents[1] / "src" / PACKAGE
BUILDINGS = (  # lowest first; members of one row may not import each other
    ("_base",),
    ("_private", "_cluster"),
    ("_kernels",),
    ("_core",),
    ("_ops", "_devices"),
    ("_autograph",),
    ("_data", "_checkpoints", "_events", "_legacy"),
    ("_strategies", "_addons", "_preprocessing", "_columns", "_host_calls"),
    ("_saved_models",),
    ("_servers",),
    ("_training", "_test_cases"),
    ("_tf1",),
    ("_hooks", "_launch"),
    ("_namespaces",),
    ("cli", "testing"),
)
# The rooms of a building, or of a room, lowest first. "": its own modules, which begin with an underscore. A building that is
# not here is one room.
ROOMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "_base": (
        (
            "types",
            "exports",
            "allocator",
            "html_tables",
            "processor",
            "program_line",
            "slow_blocks",
            "weak_identity",
        ),
        ("errors", "versions"),
        (
            "backend",
            "log",
            "paths",
            "files",
            "processes",
            "locks",
            "memory",
            "programs",
            "spliced_file",
            "threads",
            "profile_settings",
            "installation",
            "reader_main",
        ),
        ("storage", "remote_failure", "reader_process"),
        ("dtype_names", "proto_messages", "varints"),
        ("job", "framing", "tensor_proto", "structure_proto"),
    ),
    "_checkpoints": (("tensorflow",), ("",)),
    "_cluster": (("coordination",), ("control", "")),
    "_core": (
        ("connected",),
        ("reduce_op", "non_finite", "rewrites", "while_gradient", "interruption"),
        ("derivatives",),
        ("mesh", "numbers"),
        ("roles",),
        ("context",),
        ("values",),
        ("eager",),
        ("step",),
    ),
    "_core/step": (
        ("collectives",),
        ("keys",),
        ("host",),
        ("recording",),
        ("differentiation",),
        ("programs",),
        ("calls",),
    ),
    "_data": (
        ("elements",),
        ("stages",),
        ("functions", "caching"),
        ("_dataset_base",),
        ("grouping",),
        ("",),
        ("files", "foreign", "distribution"),
    ),
    "_launch": (("",), ("functions",)),
    "_legacy": (("",), ("backend", "backend_layers"), ("backend_random",)),
    "_servers": (("remote",), ("strategy",), ("coordinator",)),
    "_tf1": (("graph",), ("estimator",), ("canned", "tpu", "sessions", "flags", "app")),
}
WITHOUT_DOORS = {"_core/step", "_data"}  # their rooms are folders of one subject, which see each other's modules
LEVEL = {name: level for level, row in enumerate(BUILDINGS) for name in row}
ROOM_LEVEL = {
    building: {name: level for level, row in enumerate(rows) for name in row} for building, rows in ROOMS.items()
}
TABLE = ROOT / "__init__.py"  # imports nothing itself: it maps names to the modules that have them
MODULES = [path for path in sorted(ROOT.rglob("*.py")) if path != TABLE]


def level_of(part: str) -> int:
    """The row of a building; a public name that is no building is a namespace, on top: `compat.v1` has what others have."""
    assert part in LEVEL or not part.startswith("_"), f"{part} has no row in BUILDINGS"
    return LEVEL.get(part, len(BUILDINGS) + (part == "compat"))


def room_of(place: str, part: str) -> str:
    """The room of a module or folder of a building, or of a room, that has rooms."""
    room = part.removesuffix(".py")
    rooms = ROOM_LEVEL[place]
    assert room in rooms or ("" in rooms and room.startswith("_")), f"{place}/{room} has no row in ROOMS"
    return room if room in rooms else ""


def imports_of(node: ast.AST, package: tuple[str, ...]) -> list[list[str]]:
    """Dotted parts, below the package, of every name of ours that one statement in `package` imports."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else ()
        names = [".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names]
    else:
        names = []
    return [name.split(".")[1:] for name in names if f"{name}.".startswith(f"{PACKAGE}.")]


def for_types_only(tree: ast.Module) -> set[ast.AST]:
    """Everything under `if TYPE_CHECKING:`, which never runs."""
    blocks = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test).endswith("TYPE_CHECKING")]
    return {inner for block in blocks for inner in ast.walk(block)}


def violations(source: str, parts: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with the imports of the module at `parts`, its path below the package."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for imported in imports_of(node, (PACKAGE, *parts[:-1])):
            where = f"line {node.lineno}: {'/'.join(parts)} imports {'.'.join(imported) or PACKAGE}"
            if not imported:
                yield f"{where}, which is the whole package"
                continue
            if node not in tree.body:
                yield f"{where} inside a block"
            yield from (f"{where}, {wrong}" for wrong in misplaced(parts, imported))


def private(names: list[str]) -> bool:
    """Whether a dotted name is private below its first part."""
    return any(name.startswith("_") and not name.startswith("__") for name in names)


def misplaced(parts: tuple[str, ...], imported: list[str]) -> Iterator[str]:
    """Why a module may not import this name: it is not below, or it is not offered at a door."""
    own, (building, *rest) = parts[0].removesuffix(".py"), imported
    if building != own:
        if level_of(building) >= level_of(own):
            yield "which is not below it"
        if private(rest):
            yield "which is private"
    else:
        yield from misplaced_within(own, parts[1:], rest)


def misplaced_within(place: str, parts: tuple[str, ...], imported: list[str]) -> Iterator[str]:
    """Why a module of a building, or of a room, may not import this name of the same one. Paths and names begin below it."""
    if place not in ROOMS or not imported or parts == ("__init__.py",):
        return
    mine, (part, *inside) = room_of(place, parts[0]), imported
    room = room_of(place, part)
    if room == mine:
        yield from misplaced_within(f"{place}/{room}", parts[1:], inside)
        return
    if ROOM_LEVEL[place][room] >= ROOM_LEVEL[place][mine]:
        yield "which is not below it"
    if place not in WITHOUT_DOORS and room and private(inside):
        yield "which is private"


@pytest.mark.parametrize("building", ["", *LEVEL], ids=lambda name: name or "namespaces")
def test_imports_point_down(building: str) -> None:
    of = [p.relative_to(ROOT).parts for p in MODULES]
    mine = [parts for parts in of if (parts[0] in LEVEL) == bool(building) and building in ("", parts[0])]
    assert mine
    assert [found for parts in mine for found in violations(ROOT.joinpath(*parts).read_text(), parts)] == []


@pytest.mark.parametrize(
    ("source", "parts", "complaint"),
    [
        ("from stratagem._strategies import Strategy", ("_core", "step", "programs", "_run.py"), "not below"),
        ("from stratagem._data import Dataset", ("_core", "step", "programs", "_run.py"), "not below"),
        ("from ...._strategies import Strategy", ("_core", "step", "programs", "_run.py"), "not below"),
        ("from stratagem._core.step import trace", ("_core", "values", "_mirrored.py"), "not below"),
        ("from stratagem._core.values._mirrored import Mirrored", ("_core", "step", "programs", "_run.py"), "private"),
        ("from stratagem._core.values._mirrored import Mirrored", ("_ops", "_run.py"), "private"),
        ("from stratagem._core.step.programs._trace import trace", ("_core", "step", "host", "_run.py"), "not below"),
        ("from ..calls import _execute", ("_core", "step", "programs", "_run.py"), "not below"),
        ("from stratagem._core.step.programs._trace import trace", ("_ops", "_run.py"), "private"),
        ("def f():\n    from stratagem._core.values import Mirrored", ("_ops", "_run.py"), "inside a block"),
        ("import stratagem as tf", ("_ops", "_run.py"), "whole package"),
        ("from stratagem import data", ("train.py",), "not below"),
    ],
)
def test_the_check_sees(source: str, parts: tuple[str, ...], complaint: str) -> None:
    assert any(complaint in found for found in violations(source, parts))


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("from stratagem._core.values import Mirrored", ("_core", "step", "programs", "_run.py")),
        ("from stratagem._core.step.host._host_prefix import HostPrefix", ("_core", "step", "programs", "_run.py")),
        ("from stratagem._core import context", ("_ops", "_run.py")),
        (
            "from . import _trace\nfrom ._trace import _inner\nfrom stratagem._core.step.programs._trace import _inner",
            ("_core", "step", "programs", "_run.py"),
        ),
        ("from stratagem._strategies import Strategy as Strategy", ("distribute.py",)),
        ("import jax\nfrom jax import numpy", ("_core", "mesh.py")),
    ],
)
def test_the_check_allows(source: str, parts: tuple[str, ...]) -> None:
    assert list(violations(source, parts)) == []


def test_package_imports_lazily_through_its_table() -> None:
    tree = ast.parse(TABLE.read_text())
    unseen = for_types_only(tree)
    # All but three: `allocator` comes before other modules' threads, `backend` has to tell Keras before the program imports it,
    # `log` is there first; they import nothing.
    light = (["_base", "allocator"], ["_base", "backend"], ["_base", "log"])
    found = {n: imports_of(n, (PACKAGE,)) for n in ast.walk(tree) if n not in unseen}
    eager = [n.lineno for n, names in found.items() if any(name not in light for name in names)]
    assert not eager, f"lines {eager} of __init__.py import our modules; name them in the table instead"


@pytest.mark.parametrize("place", ROOMS)
def test_every_module_is_in_a_room(place: str) -> None:
    modules = [path.name for path in (ROOT / place).iterdir() if path.suffix in (".py", "") and "__" not in path.name]
    assert modules
    for name in modules:
        room_of(place, name)


@pytest.mark.parametrize("building", [name for name in LEVEL if name not in ROOMS])
def test_files_of_a_building_without_rooms_are_private(building: str) -> None:
    assert [path.name for path in (ROOT / building).rglob("*.py") if not path.name.startswith("_")] == []


@pytest.mark.parametrize("building", [name for name in LEVEL if name.startswith("_")])
def test_every_building_says_what_comes_in_what_goes_out_and_what_it_never_does(building: str) -> None:
    contract = ast.get_docstring(ast.parse((ROOT / building / "__init__.py").read_text())) or ""
    assert [word for word in ("In:", "Out:", "Never:") if f"\n{word} " not in contract] == []
