"""Gives griffe the public names as the library has them, so that the reference shows signatures and docstrings of all.

griffe reads source text, and part of what is public is not plain there: names of `tf` itself are imported when they are first
used, and some functions are made by others. Each is put where programs find it: a link to its definition, or, where no
definition bears its name, a function with the signature that it has when the library runs.
"""

import inspect
import re
import sys
from pathlib import Path
from typing import Any, final

import griffe

ROOT = Path(__file__).parents[1]
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "src")) if path not in sys.path]

from scripts import reference  # noqa: E402

PARAMETERS = {
    inspect.Parameter.POSITIONAL_ONLY: griffe.ParameterKind.positional_only,
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.VAR_POSITIONAL: griffe.ParameterKind.var_positional,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
    inspect.Parameter.VAR_KEYWORD: griffe.ParameterKind.var_keyword,
}


PAGE_OF_DOCS = re.compile(r"\]\((?=\w+\.md)")


@final
class PublicNames(griffe.Extension):
    """Adds every documented name to the module that programs find it in."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Called when all source files of the package were read."""
        for path, same in reference.documented().items():
            name = same[0]
            module = _module(pkg, name.namespace)
            own = path.rpartition(".")[2]
            defined = _definition(pkg, name)
            if defined is None:
                defined = _function(own, name.value, module)
                module.set_member(own, defined)
            elif defined.path != f"{pkg.path}.{path}":
                if own in module.members:
                    module.del_member(own)
                module.set_member(own, griffe.Alias(own, defined.path, parent=module))
            _list_parameters(defined)
            _add_notes(defined, same)


def _module(pkg: griffe.Module, namespace: str) -> griffe.Module:
    module = pkg
    for part in namespace.split(".") if namespace else []:
        if part not in module.members or not isinstance(module.members[part], griffe.Module):
            if part in module.members:
                module.del_member(part)
            module.set_member(part, griffe.Module(part, parent=module))
        module = module.members[part]  # type: ignore[assignment]
    return module


def _definition(pkg: griffe.Module, name: reference.Name) -> griffe.Object | None:
    assert name.home
    module, own = name.home
    try:
        found = pkg[f"{module}.{own}".removeprefix(f"{pkg.path}.")]
    except KeyError:
        return None
    return found if isinstance(found, griffe.Function | griffe.Class) else None


def _function(own: str, value: Any, module: griffe.Module) -> griffe.Function:
    signature = inspect.signature(value)
    parameters = [
        griffe.Parameter(
            each.name,
            kind=PARAMETERS[each.kind],
            default=None if each.default is each.empty else repr(each.default),
        )
        for each in signature.parameters.values()
    ]
    text = inspect.getdoc(value)
    made = griffe.Function(own, parameters=griffe.Parameters(*parameters), parent=module)
    made.docstring = griffe.Docstring(text, parent=made) if text else None
    return made


def _list_parameters(defined: griffe.Object) -> None:
    """Makes a list of what docstrings say of parameters in sentences, `name: text name: text`, also in a class's methods."""
    members = defined.members.values() if isinstance(defined, griffe.Class) else ()
    for each in (defined, *(member for member in members if isinstance(member, griffe.Function))):
        if each.docstring and isinstance(each, griffe.Function | griffe.Class):
            names = [parameter.name.strip("*") for parameter in each.parameters if parameter.name != "self"]
            paragraphs = each.docstring.value.split("\n\n")
            text = "\n\n".join(_as_list(paragraph, names) for paragraph in paragraphs)
            each.docstring = griffe.Docstring(text, parent=each)


def _as_list(paragraph: str, names: list[str]) -> str:
    any_name = "|".join(map(re.escape, names))
    one = rf"(?:{any_name})(?:(?:, | and )(?:{any_name}))*"
    if not names or not re.match(rf"{one}: ", paragraph):
        return paragraph
    text = " ".join(paragraph.split())
    text, *errors = re.split(r" (?=Raises:? )", text, maxsplit=1)
    _, *parts = re.split(rf"(?:^|(?<=[.;] ))({one}): ", text)
    entries = [f"- `{name}`: {what.strip()}" for name, what in zip(parts[::2], parts[1::2], strict=True)]
    return "\n\n".join(["\n".join(entries), *errors])


def _add_notes(defined: griffe.Object, same: tuple[reference.Name, ...]) -> None:
    """What is said after the docstring: the other names, the kinds of a class, and how it differs from TensorFlow's."""
    first, *others = same
    text = defined.docstring.value if defined.docstring else ""
    notes = []
    if inspect.isclass(first.value) and (kinds := reference.kinds(first.value)):
        notes += ["A kind of " + ", ".join(f"[`tf.{path}`][stratagem.{path}]" for path in kinds) + "."]
    if others:
        notes += ["Also " + ", ".join(f"`tf.{name.path}`" for name in others) + "."]
    told = {reference.differences()[name.path] for name in same if name.path in reference.differences()}
    notes += [f"Differs from TensorFlow: {PAGE_OF_DOCS.sub(r'](../', text)}" for text in sorted(told)]
    defined.docstring = griffe.Docstring("\n\n".join([text, *notes]), parent=defined)
