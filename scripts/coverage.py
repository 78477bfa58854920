"""Writes docs/coverage.md: every public name of TensorFlow 2.15.1, and whether it is here, compared and as TensorFlow has it.

    python scripts/coverage.py            writes the page, and the table of `stratagem check`
    python scripts/coverage.py --check    ends with 1 if one of them is stale

What it says comes from TensorFlow's recorded names, from what the package has, from the tables of tests whose answers are
recorded (`coverage_evidence`), and from the differences that docs/tensor_functions.md and those tables state.
"""

import argparse
import ast
import inspect
import sys
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "src")) if path not in sys.path]

import stratagem as tf  # noqa: E402
from scripts import check_table  # noqa: E402
from scripts.check_table import REFUSED, attributes  # noqa: E402
from scripts.coverage_evidence import compared, differences  # noqa: E402
from stratagem._base.errors import UnimplementedError  # noqa: E402
from stratagem._ops import INSTEAD, instead, tensorflow_names  # noqa: E402

PAGE = ROOT / "docs" / "coverage.md"
MEMBERS = ROOT / "scripts" / "tensorflow_members.txt"
COMMAND = "python scripts/coverage.py"
AS_TENSORFLOW, PRESENT, DIFFERS, MISSING = "as TensorFlow", "present", "differs", "missing"
STATES = (AS_TENSORFLOW, PRESENT, DIFFERS, MISSING)
PARTS = (
    ("`tf` without Keras", lambda namespace: not namespace.startswith(("keras", "compat.v1"))),
    ("`tf.keras`", lambda namespace: namespace.startswith("keras")),
    ("`tf.compat.v1` without Keras", lambda namespace: namespace.startswith("compat.v1")),
)
MIRRORED = "compat.v1.keras"  # is tf.keras here: only what it lacks is told
INTRODUCTION = f"""# TensorFlow's names, one by one

<!-- Written by `{COMMAND}`, which a test runs again: do not edit it. -->
Each of the {{count}} public names of TensorFlow 2.15.1, and what it is here. [tensor_functions.md](tensor_functions.md) and
[decisions.md](decisions.md) explain differences.

- **as TensorFlow**: its answers in tests are those recorded from TensorFlow 2.15.1, of drawn inputs, of expressions or of whole
  programs; no difference is known.
- **present**: there, but no recorded answer names it (its parameters may be compared all the same). Most of `tf.keras` is here:
  these are Keras 3's own classes.
- **differs**: there, with a difference that is known and stated.
- **missing**: asking for it raises `NotProvidedError`, an `AttributeError` that says what to use.

Two names of one function, as `tf.add` and `tf.math.add`, share what is known of it. Names of namespaces are not counted, nor
are the kernels of `tf.raw_ops`, which is missing. Methods and properties that a class lacks are listed with the class that
defines them.
"""


@dataclass
class Section:
    """The names of one namespace: the state of each, and the reasons of those that differ or are missing."""

    namespace: str
    states: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)

    def of(self, state: str) -> list[str]:
        """The names in this state."""
        return sorted(name for name, its in self.states.items() if its == state)


def reached(path: str) -> Any:
    """What a path below `tf` leads to, None if it leads nowhere."""
    value: Any = tf
    for part in path.split(".") if path else []:
        try:
            value = getattr(value, part)
        except AttributeError:
            return None
    return value


def is_none(path: str) -> bool:
    """Returns whether a name is there, and None, as `tf.newaxis`."""
    place, _, name = path.rpartition(".")
    return name == "newaxis" and hasattr(reached(place), name)


def identity(value: Any) -> int | None:
    """What two names of one function or class share; None for other values."""
    return id(inspect.unwrap(value)) if inspect.isroutine(value) or inspect.isclass(value) else None


def names() -> dict[str, list[str]]:
    """TensorFlow's names by namespace, without the names of namespaces."""
    theirs = tensorflow_names()
    modules = {*theirs, "initializers", "losses", "metrics", "optimizers"}
    return {
        namespace: [name for name in rows if f"{namespace}.{name}".lstrip(".") not in modules]
        for namespace, rows in theirs.items()
    }


def sections() -> list[Section]:
    """All namespaces with the states of their names."""
    found = {
        f"{namespace}.{name}".lstrip("."): reached(f"{namespace}.{name}".lstrip("."))
        for namespace, rows in names().items()
        for name in rows
    }
    present = {path: value for path, value in found.items() if value is not None or is_none(path)}
    known = {path for path in compared(set(found)) if path in present}
    alike = {identity(present[path]) for path in known} - {None}
    lacking = dict.fromkeys(missing_members(), "lacks members, listed below")
    refused = {path: text for path, value in present.items() if (text := refusal(value))}
    stated = {path: text for path, text in {**lacking, **differences(set(found)), **refused}.items() if path in present}
    stated_alike = {identity(present[path]): text for path, text in stated.items() if identity(present[path])}
    made = []
    for namespace, rows in names().items():
        section = Section(namespace)
        for name in rows:
            path = f"{namespace}.{name}".lstrip(".")
            key = identity(present.get(path))
            reason = stated.get(path) or stated_alike.get(key)
            if path not in present:
                section.states[name], section.reasons[name] = MISSING, replacement(namespace, name)
            elif reason:
                section.states[name], section.reasons[name] = DIFFERS, reason
            else:
                section.states[name] = AS_TENSORFLOW if path in known or key in alike else PRESENT
        made.append(section)
    return made


def refusal(value: Any) -> str | None:
    """What is said of a function that does nothing but raise UnimplementedError; None for others."""
    if not inspect.isfunction(value):
        return None
    tree = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    body = tree.body if isinstance(tree, ast.FunctionDef) else []
    first = next((each for each in body if not isinstance(each, ast.Expr | ast.Delete)), None)
    if not isinstance(first, ast.Raise) or not ast.unparse(first).startswith("raise UnimplementedError"):
        return None
    try:
        value()
    except UnimplementedError as error:
        return f"{REFUSED} `UnimplementedError`: {str(error).partition(': ')[2]}"
    return None


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
    """By class, what TensorFlow's class defines and ours does not have."""
    found = {}
    for line in MEMBERS.read_text(encoding="utf-8").splitlines():
        path, *members = line.split()
        value = reached(path)
        if inspect.isclass(value) and not path.startswith(MIRRORED):
            own = attributes(value)
            lacking = [name for name in members if name[0] != "<" and name not in own and not has(value, name)]
            if lacking:
                found[path] = lacking
    return found


def has(kind: type, name: str) -> bool:
    """Whether a class, or what stands for a tensor of it, has a member."""
    stands = {
        tf.Tensor: lambda: tf.constant(1.0),
        tf.Variable: lambda: tf.Variable(1.0),
        tf.data.Options: tf.data.Options,
    }
    return hasattr(kind, name) or (kind in stands and hasattr(stands[kind](), name))


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
    found = sections()
    by_namespace = {section.namespace: section for section in found}
    for path, lacking in missing_members().items():
        namespace, _, name = path.rpartition(".")
        by_namespace[namespace].members[name] = lacking
    count = sum(len(section.states) for section in found if not section.namespace.startswith(MIRRORED))
    parts = [text_of(section) for section in sorted(merged(found), key=order)]
    return "\n".join([INTRODUCTION.format(count=f"{count:,}"), summary(found), *parts])


def checker_table() -> str:
    """The table of `stratagem check`, of the same states."""
    return check_table.table(sections(), missing_members(), reached)


def idle_rows() -> list[str]:
    """The rows of the table of replacements whose names are there now."""
    return [
        f"{namespace or 'tf'}: {name}"
        for namespace, rows in INSTEAD.items()
        for name in rows
        if name
        and isinstance(reached(namespace), ModuleType)
        and name in tensorflow_names()[namespace]
        and reached(f"{namespace}.{name}".lstrip(".")) is not None
    ]


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    warnings.simplefilter("ignore")
    for row in idle_rows():
        print(f"There is a replacement for a name that exists: remove it from src/stratagem/_ops/_instead*.py: {row}")
    text = page()
    made = {PAGE: text, check_table.TABLE: checker_table()}
    if check:
        stale = [path for path, its in made.items() if not path.exists() or path.read_text(encoding="utf-8") != its]
        for path in made:
            print(f"{path.name} is {f'stale: run {COMMAND}' if path in stale else 'what the script writes'}.")
        return int(bool(stale))
    for path, its in made.items():
        path.write_text(its, encoding="utf-8")
    print(text[text.index("| names of") : text.index("## tf")])
    return 0


if __name__ == "__main__":
    sys.exit(main())
