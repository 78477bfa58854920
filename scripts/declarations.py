"""Reads the declarations of the public names: calls of `exported` in the source, and the files of `api/`.

Nothing is imported but the standard library: a wheel's build reads declarations before JAX and Keras are installed.
"""

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PACKAGE = "stratagem"
FILES = ROOT / "api"
ITSELF = "tf"  # the file of `tf` itself
FIRST = "compat.v1"
# Below these, a name is none of TensorFlow 1's by default.
_OF_TENSORFLOW_2 = ("keras", "addons")


class DeclarationError(Exception):
    """A declaration that contradicts a different one, or that does not say what it has to."""


@final
@dataclass(frozen=True)
class Place:
    """Where the value of a name is. attribute: its name there, "" for the module itself."""

    module: str
    attribute: str


@final
@dataclass
class Namespace:
    """What is declared of one namespace.

    path: below `tf`, "" for `tf` itself. about: its docstring. places: by name. stars: modules of which it has all public
    names. values: names with literals. imports: modules that are imported with it, because they register their classes.
    """

    path: str
    about: str
    places: dict[str, Place] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    imports: list[str] = field(default_factory=list)

    @property
    def module(self) -> str:
        """The name of the module that it is when a program runs."""
        return f"{PACKAGE}.{self.path}".rstrip(".")

    def add(self, name: str, place: Place) -> None:
        """Gives it a name. Raises DeclarationError if it has that already, from somewhere else."""
        known = self.places.setdefault(name, place)
        if known != place:
            raise DeclarationError(
                f"{self.path}.{name}".lstrip(".") + f" is declared twice: {known.module}.{known.attribute} and "
                f"{place.module}.{place.attribute}. Take one of the declarations away."
            )


@final
@dataclass(frozen=True)
class Export:
    """One call of `exported`.

    place: of the value. file: that has it. names: below `tf`. first: below `tf.compat.v1`, None if they are the same. lacks:
    the reasons of what is not there on purpose, by member or argument.
    """

    place: Place
    file: Path
    names: list[str]
    first: list[str] | None
    lacks: dict[str, str]


def namespaces() -> dict[str, Namespace]:
    """All namespaces by path, with all that is declared. Raises DeclarationError."""
    found = {each.path: each for each in map(_of_file, sorted(FILES.glob("*.pyi")))}
    for export in exports():
        for path in _paths(export, found):
            namespace, _, name = path.rpartition(".")
            if namespace not in found:
                raise DeclarationError(
                    f"{export.file}: {export.place.attribute} is declared as {path}, and there is no namespace {namespace!r}: "
                    f"give it a file {FILES.name}/{namespace}.pyi with a docstring."
                )
            found[namespace].add(name, export.place)
    return found


def deliberate() -> dict[str, str]:
    """The reasons of what is not there on purpose, by path of the member (`Variable.x`) or argument (`Variable(x)`)."""
    return {path: why for export in exports() for what, why in export.lacks.items() for path in lacked(export, what)}


def lacked(export: Export, what: str) -> list[str]:
    """The paths of a member or argument that is not there on purpose, one for each name of the value."""
    of_first = export.names if export.first is None else export.first
    names = [*export.names, *(f"{FIRST}.{name}" for name in of_first)]
    return [f"{name}{'' if what[0] == '(' else '.'}{what}" for name in names]


def _paths(export: Export, known: dict[str, Namespace]) -> list[str]:
    """All names. Where `tf.compat.v1` has all of a namespace of `tf`, nothing has to be declared there."""
    if export.first is not None:
        return [*export.names, *(f"{FIRST}.{name}" for name in export.first)]
    shared = [f"{FIRST}.{name}" for name in export.names if name.partition(".")[0] not in _OF_TENSORFLOW_2]
    return [*export.names, *(name for name in shared if name.rpartition(".")[0] in known)]


def modules() -> Iterator[tuple[str, Path]]:
    """Yields the name and the file of each module that is not a public namespace."""
    for file in sorted((SOURCE / PACKAGE).glob("_*/**/*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


@functools.cache
def exports() -> list[Export]:
    """All calls of `exported`, by module."""
    return [export for module, file in modules() for export in _exports(module, file)]


def _exports(module: str, file: Path) -> Iterator[Export]:
    text = file.read_text(encoding="utf-8")
    if "exported(" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                calls: list[ast.expr] = list(node.decorator_list)
            case ast.Assign(targets=[ast.Name(id=name), *_], value=ast.Call(func=call)):
                calls = [call]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(func=call)):
                calls = [call]
            case ast.Expr(value=ast.Call(func=call, args=[ast.Name(id=name)])):
                calls = [call]
            case _:
                continue
        for call in calls:
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "exported":
                yield _export(Place(module, name), call, file)


def _export(place: Place, call: ast.Call, file: Path) -> Export:
    try:
        names = [ast.literal_eval(each) for each in call.args]
        keywords = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    except ValueError:
        raise DeclarationError(f"{file}:{call.lineno}: `{ast.unparse(call)}` has to have literals only.") from None
    first = keywords.get("v1")
    return Export(place, file, names, None if first is None else list(first), keywords.get("lacks") or {})


def _of_file(file: Path) -> Namespace:
    """What a file of `api/` says."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    about = ast.get_docstring(tree)
    if about is None:
        raise DeclarationError(f"{file} has no docstring, which is that of the namespace.")
    found = Namespace("" if file.stem == ITSELF else file.stem, about)
    for node in tree.body[1:]:
        match node:
            case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")]):
                found.stars.append(module)
            case ast.ImportFrom(module=str(module), names=names):
                for alias in names:
                    found.add(alias.asname or alias.name, Place(module, alias.name))
            case ast.Import(names=[ast.alias(name=module, asname=str(name))]):
                found.add(name, Place(module, ""))
            case ast.Import(names=[ast.alias(name=module)]):
                found.imports.append(module)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.values[name] = ast.literal_eval(value)
            case _:
                raise DeclarationError(f"{file}:{node.lineno}: `{ast.unparse(node)}` is no import and no literal.")
    return found


def files_of(found: dict[str, Namespace]) -> dict[str, Path]:
    """The file of each namespace but `tf` itself, without its suffix: a package where a namespace is below it."""
    made = {}
    for path in found:
        folder = SOURCE.joinpath(PACKAGE, *path.split("."))
        has_others = any(other.startswith(f"{path}.") for other in found)
        if path:
            made[path] = folder / "__init__" if has_others else folder
    return made
