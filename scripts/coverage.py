"""Makes docs/coverage.md: every public name of TensorFlow 2.15.1, and whether it is here, compared and as TensorFlow has it.

What it says comes from the comparison with TensorFlow (`conformance`), from the tables of tests whose answers are recorded
(`coverage_evidence`), and from the differences that docs/tensor_functions.md and those tables state. `scripts/api.py` writes
it.
"""

import copy
import functools
import inspect
import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts import check_table, tensorflow_api
from scripts.check_table import REFUSED
from scripts.conformance import MISSING as GONE
from scripts.conformance import compared as compared_with_tensorflow
from scripts.conformance import only_raises, reached
from scripts.coverage_evidence import compared, differences
from scripts.declarations import ROOT
from stratagem._base.errors import UnimplementedError
from stratagem._ops import INSTEAD, instead

PAGE = ROOT / "docs" / "coverage.md"
AS_TENSORFLOW, PRESENT, DIFFERS, MISSING = "as TensorFlow", "present", "differs", "missing"
STATES = (AS_TENSORFLOW, PRESENT, DIFFERS, MISSING)
PARTS = (
    ("`tf` without Keras", lambda namespace: not namespace.startswith(("keras", "compat.v1"))),
    ("`tf.keras`", lambda namespace: namespace.startswith("keras")),
    ("`tf.compat.v1` without Keras", lambda namespace: namespace.startswith("compat.v1")),
)
MIRRORED = "compat.v1.keras"  # is tf.keras here: only what it lacks is told
INTRODUCTION = """# TensorFlow's names, one by one

<!-- Made by `make api`. -->
Each of the {count} public names of TensorFlow 2.15.1, and what it is here. [tensor_functions.md](tensor_functions.md) and
[decisions.md](decisions.md) explain differences.

- **as TensorFlow**: its answers in tests are those recorded from TensorFlow 2.15.1, of drawn inputs, of expressions or of whole
  programs; no difference is known.
- **present**: there, but no recorded answer names it (its parameters may be compared all the same). Most of `tf.keras` is here:
  these are Keras 3's own classes.
- **differs**: there, with a difference that is known and stated.
- **missing**: asking for it raises `NotProvidedError`, an `AttributeError` that says what to use, or every call of it raises.

Two names of one function, as `tf.add` and `tf.math.add`, share what is known of it. Names of namespaces are not counted, nor
are the kernels of `tf.raw_ops`, which is missing. Methods and properties that a class lacks are listed with the class that
defines them.
"""


@dataclass
class Section:
    """The names of one namespace: the state of each, and the reasons of those that differ or are missing.

    documented: the reasons that documents and tests tell, without what signatures and members do.
    """

    namespace: str
    states: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    documented: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)

    def of(self, state: str) -> list[str]:
        """The names in this state."""
        return sorted(name for name, its in self.states.items() if its == state)


def is_none(path: str) -> bool:
    """Returns whether a name is there, and None, as `tf.newaxis`."""
    place, _, name = path.rpartition(".")
    return name == "newaxis" and hasattr(reached(place), name)


def identity(value: Any) -> int | None:
    """What two names of one function or class share; None for other values."""
    return id(inspect.unwrap(value)) if inspect.isroutine(value) or inspect.isclass(value) else None


def names() -> dict[str, list[str]]:
    """TensorFlow's names by namespace, without the names of namespaces."""
    theirs = tensorflow_api.names()
    modules = {*theirs, *tensorflow_api.OF_KERAS}
    return {
        namespace: [name for name in rows if f"{namespace}.{name}".lstrip(".") not in modules]
        for namespace, rows in theirs.items()
    }


@functools.cache
def sections() -> list[Section]:
    """All namespaces with the states of their names."""
    found = {
        f"{namespace}.{name}".lstrip("."): reached(f"{namespace}.{name}".lstrip("."))
        for namespace, rows in names().items()
        for name in rows
    }
    present = {path: value for path, value in found.items() if not (value is GONE or value is None) or is_none(path)}
    known = {path for path in compared(set(found)) if path in present}
    alike = {identity(present[path]) for path in known} - {None}
    refused = {path: text for path, value in present.items() if (text := refusal(value))}
    documented = {path: text for path, text in {**differences(set(found)), **refused}.items() if path in present}
    documented_alike = {identity(present[path]): text for path, text in documented.items() if identity(present[path])}
    compared_too = differences_by_signature()
    made = []
    for namespace, rows in names().items():
        section = Section(namespace)
        for name in rows:
            path = f"{namespace}.{name}".lstrip(".")
            key = identity(present.get(path))
            told = documented.get(path) or documented_alike.get(key)
            if path not in present:
                told = replacement(namespace, name)
            reason = "; ".join(filter(None, [told, compared_too.get(path) if path in present else None]))
            if told:
                section.documented[name] = told
            if path not in present or reason.startswith(REFUSED):
                section.states[name], section.reasons[name] = MISSING, reason
            elif reason:
                section.states[name], section.reasons[name] = DIFFERS, reason
            else:
                section.states[name] = AS_TENSORFLOW if path in known or key in alike else PRESENT
        made.append(section)
    return made


def refusal(value: Any) -> str | None:
    """The reason of a function that does nothing but raise UnimplementedError; None for others."""
    if not inspect.isfunction(value) or not only_raises(value):
        return None
    try:
        value()
    except UnimplementedError as error:
        return f"{REFUSED} `UnimplementedError`: {str(error).partition(': ')[2]}"
    except TypeError:  # it has parameters
        return None
    return None


def differences_by_signature() -> dict[str, str]:
    """How names that are there differ from TensorFlow's in their arguments, the order of these, and in members of classes."""
    found: dict[str, list[str]] = {}
    for lacking in compared_with_tensorflow().values():
        for path, arguments in lacking.arguments.items():
            found.setdefault(path, []).append(f"lacks the argument{'s' * (len(arguments) > 1)} {quoted(arguments)}")
        for path in lacking.order:
            found.setdefault(path, []).append("takes positional arguments in a different order")
        for path in lacking.members:
            found.setdefault(path, []).append("lacks members, listed below")
    return {path: "; ".join(texts) for path, texts in found.items()}


def replacement(namespace: str, name: str) -> str:
    """What to use in place of a name: its own row, or that of the nearest namespace around it."""
    text = instead(namespace, name)
    while text is None and namespace:
        namespace, _, name = namespace.rpartition(".")
        text = instead(namespace, name)
    if text is None:
        raise LookupError(f"tf.{namespace}.{name} is missing, and src/stratagem/_ops/_instead.py has no row for it.")
    return text


def missing_members() -> dict[str, list[str]]:
    """By class, the members of TensorFlow's that it lacks; those that a class above it lacks, too, are told there."""
    lacking = {
        path: its
        for area in compared_with_tensorflow().values()
        for path, its in area.members.items()
        if path.partition(".")[0] not in tensorflow_api.OF_KERAS
    }
    kinds = {path: reached(path) for path in lacking}
    found = {}
    for path, its in lacking.items():
        kind = kinds[path]
        above = [other for other, base in kinds.items() if base is not kind and is_derived(kind, base)]
        again = [other for other, base in kinds.items() if base is kind and len(other) < len(path)]
        told = {name for other in [*above, *again] for name in lacking[other]}
        if left := [name for name in its if name not in told]:
            found[path] = left
    return found


def is_derived(kind: Any, base: Any) -> bool:
    """Whether the first is a class that derives from the second."""
    return inspect.isclass(kind) and inspect.isclass(base) and base in kind.__mro__[1:]


def quoted(found: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in found)


def wrapped(text: str) -> str:
    return textwrap.fill(text, 150, break_long_words=False, break_on_hyphens=False)


def table(section: Section, state: str, heading: str) -> list[str]:
    """A table of names by reason."""
    by_reason: dict[str, list[str]] = {}
    for name in section.of(state):
        by_reason.setdefault(section.reasons[name], []).append(name)
    rows = [f"| {quoted(found)} | {reason} |" for reason, found in by_reason.items()]
    return ["", f"| {state} | {heading} |", "|---|---|", *rows] if rows else []


def text_of(section: Section) -> str:
    """The section of a namespace."""
    counts = Counter(section.states.values())
    title = f"tf.{section.namespace}".rstrip(".")
    told = ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])
    lines = [f"## {title}", "", f"{told or 'Namespaces only'}."]
    if section.namespace == MIRRORED:
        lines[-1] += " Here it is `tf.keras`, with its states; this lists the names that are not there."
    else:
        for state, heading in ((AS_TENSORFLOW, "As TensorFlow"), (PRESENT, "Present")):
            if section.of(state):
                lines += ["", wrapped(f"{heading}: {quoted(section.of(state))}")]
        lines += table(section, DIFFERS, "how")
    lines += table(section, MISSING, "use")
    if section.members:
        lines += ["", "| class | members that are missing |", "|---|---|"]
        lines += [f"| `{name}` | {quoted(members)} |" for name, members in sorted(section.members.items())]
    return "\n".join(lines) + "\n"


def summary(found: list[Section]) -> str:
    """The table of counts."""
    lines = [
        "| names of | all | as TensorFlow | present | differs | missing | there |",
        "|---|---|---|---|---|---|---|",
    ]
    total: Counter[str] = Counter()
    for title, belongs in (*PARTS, ("all of these", lambda _: False)):
        own = [s for s in found if belongs(s.namespace) and not s.namespace.startswith(MIRRORED)]
        counts = Counter(state for section in own for state in section.states.values()) or total
        total = total + counts if own else total
        every = counts.total()
        cells = " | ".join(str(counts[state]) for state in STATES)
        lines.append(f"| {title} | {every} | {cells} | {100 * (every - counts[MISSING]) / every:.0f} % |")
    return "\n".join(lines) + "\n"


def order(section: Section) -> tuple[int, str]:
    """TensorFlow 2 comes first, then Keras, then TensorFlow 1."""
    place = next(number for number, (_, belongs) in enumerate(PARTS) if belongs(section.namespace))
    return place, section.namespace


def merged(found: list[Section]) -> list[Section]:
    """The namespaces of Keras below tf.compat.v1 become one section."""
    one = next(section for section in found if section.namespace == MIRRORED)
    for section in found:
        if section.namespace.startswith(f"{MIRRORED}."):
            below = section.namespace.removeprefix(f"{MIRRORED}.")
            one.states |= {f"{below}.{name}": state for name, state in section.states.items()}
            one.reasons |= {f"{below}.{name}": reason for name, reason in section.reasons.items()}
    return [section for section in found if not section.namespace.startswith(f"{MIRRORED}.")]


def page() -> str:
    """The whole page."""
    found = copy.deepcopy(sections())
    by_namespace = {section.namespace: section for section in found}
    for path, lacking in missing_members().items():
        namespace, _, name = path.rpartition(".")
        by_namespace[namespace].members[name] = lacking
    count = sum(len(section.states) for section in found if not section.namespace.startswith(MIRRORED))
    parts = [text_of(section) for section in sorted(merged(found), key=order)]
    return "\n".join([INTRODUCTION.format(count=f"{count:,}"), summary(found), *parts])


def checker_table() -> str:
    """The table of `stratagem check`, of the same states."""
    return check_table.table(sections())


def idle_rows() -> list[str]:
    """The rows of the table of replacements whose names are there now."""
    return [
        f"{namespace or 'tf'}: {name}"
        for namespace, rows in INSTEAD.items()
        for name in rows
        if name
        and isinstance(reached(namespace), ModuleType)
        and name in tensorflow_api.names()[namespace]
        and reached(f"{namespace}.{name}".lstrip(".")) is not GONE
    ]


def files() -> dict[Path, str]:
    """The page and the table. Raises LookupError if the table of replacements has a name that is there."""
    rows = idle_rows()
    if rows:
        raise LookupError(
            f"Names that are there have a replacement in src/stratagem/_ops/_instead*.py: {', '.join(rows)}. Remove it."
        )
    return {PAGE: page(), check_table.TABLE: checker_table()}
