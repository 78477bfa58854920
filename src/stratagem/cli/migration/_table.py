"""The table of TensorFlow's names, which `make api` makes of what tests and TensorFlow's signatures tell, and its verdicts."""

import functools
import importlib.resources
import json
import re
from collections.abc import Iterable
from typing import Any, Final, final

from stratagem.cli.migration._arguments import Parameters, WrittenArguments
from stratagem.cli.migration._findings import State, Verdict
from stratagem.cli.migration._packages import ADDONS, INTERNALS, KERAS, PACKAGES, PRIVATE, VERSIONED

_PAGE = "docs/coverage.md"
_STATES = {
    **dict.fromkeys(("t", "p", "o"), State.WORKS),
    "d": State.DIFFERS,
    **dict.fromkeys(("m", "r"), State.MISSING),
}
_REFUSED = "r"  # it is there, and every call raises an error
_V1 = "compat.v1"
_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")  # in the texts, which are those of a page
_NESTED = re.compile(r"(compat\.v[12]\.)compat\.v[12](?:\.|$)")  # `tf.compat.v1.compat.v2` is `tf.compat.v2`
_OF_KERAS = {"initializers", "losses", "metrics", "optimizers"}  # `tf.losses` is `tf.keras.losses`
_OF_MODULES = {"__version__", "__name__", "__doc__", "__file__", "__path__"}
Entry = dict[str, Any]  # see `entry` and `classes` in scripts/check_table.py


@final
class Table:
    """The names of TensorFlow, and what each is here."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.tensorflow: Final[str] = content["tensorflow"]
        self._names: Final[dict[str, dict[str, Entry]]] = content["names"]
        self._addons: Final[dict[str, dict[str, Entry]]] = content["addons"]
        self._classes: Final[dict[str, dict[str, Any]]] = content["classes"]
        self._members: Final[dict[str, str]] = content["members"]
        self.modules: Final = frozenset(content["modules"].split())

    def names_in(self, full: str) -> Iterable[str]:
        """The names that a star import of a module brings."""
        canonical = canonical_name(full)
        if canonical is None or full.partition(".")[0] in PACKAGES:
            return ()
        return self._names.get(canonical, {})

    def has_namespace(self, full: str) -> bool:
        """Returns whether a full name is that of a module which has names itself."""
        canonical = canonical_name(full)
        return canonical is not None and (not canonical or canonical in self._names or self._below(canonical))

    def _below(self, canonical: str) -> bool:
        return any(name.startswith(f"{canonical}.") for name in self._names)

    def verdict(self, full: str, call: WrittenArguments | None = None) -> Verdict | None:
        """The verdict on a full name such as `tensorflow.keras.layers.Dense`, None for a namespace that is there.

        call: its arguments, where it is called.
        """
        package = full.partition(".")[0]
        if package in PACKAGES:
            return PACKAGES[package].verdict(full)
        if package == ADDONS:
            return self._of_addons(full, call)
        canonical = canonical_name(full)
        if canonical is None:
            return _of_internals(full)
        return self._of(canonical, call)

    def _of_addons(self, full: str, call: WrittenArguments | None) -> Verdict | None:
        namespace, _, name = full.removeprefix(ADDONS).lstrip(".").rpartition(".")
        if not name or (not namespace and name in self._addons):
            return None
        shown = f"tfa.{namespace}.{name}".replace("..", ".")
        entry = self._addons.get(namespace, {}).get(name)
        if entry is None:
            advice = "write it with tf or Keras: only a part of TensorFlow Addons is here"
            return Verdict(shown, State.MISSING, advice, "docs/addons.md")
        return self._refused(shown, entry, call, "docs/addons.md") or Verdict(shown, State.WORKS)

    def _of(self, canonical: str, call: WrittenArguments | None) -> Verdict | None:
        if not canonical or canonical == _V1 or canonical in self._names:
            entries = self._names.get(canonical)
            gone = entries and all(entry["state"] == "m" for entry in entries.values())
            place, _, last = canonical.rpartition(".")
            entry = self._entry(place, last)
            if entry is None and not (gone and canonical.startswith("lite")):
                return None
        parts = canonical.split(".")
        for length in range(len(parts), 0, -1):
            namespace, name = ".".join(parts[: length - 1]), parts[length - 1]
            entry = self._entry(namespace, name)
            if entry is not None:
                return self._known(namespace, name, entry, parts[length:], call)
            if ".".join(parts[:length]) in self._names or self._below(".".join(parts[:length])):
                break
        else:
            length = 0
        if length == len(parts):
            return None
        return self._stranger(".".join(parts[:length]), parts[length])

    def _entry(self, namespace: str, name: str) -> Entry | None:
        found = self._names.get(namespace, {}).get(name)
        mirror = f"{_V1}.keras"
        if found is None and (namespace == mirror or namespace.startswith(f"{mirror}.")):
            found = self._names.get(namespace.removeprefix(f"{_V1}."), {}).get(name)
        return found

    def _known(
        self, namespace: str, name: str, entry: Entry, rest: list[str], call: WrittenArguments | None
    ) -> Verdict:
        path = f"{namespace}.{name}".lstrip(".")
        shown, document = f"tf.{path}", f"{_PAGE}#tf{namespace.replace('.', '')}"
        state, text = _STATES[entry["state"]], self._text(entry)
        if state is State.MISSING:
            said = text if entry["state"] == _REFUSED else f"use {text}" if text else "is not provided"
            return Verdict(shown, state, said, document)
        if rest:
            return self._member(path, rest[0], entry, call if len(rest) == 1 else None, document)
        refused = self._refused(shown, entry, call, document)
        if refused is not None:
            return refused
        return Verdict(shown, state, text, document if text else "")

    def _member(
        self,
        path: str,
        member: str,
        entry: Entry,
        call: WrittenArguments | None,
        document: str,
        *,
        of_object: bool = False,
    ) -> Verdict:
        """The verdict on a method or an attribute of what a name is, or with `of_object` of an object of it."""
        shown = f"tf.{path}.{member}"
        kind = self._classes.get(path, {})
        if member in kind.get("lacks", ()):
            return Verdict(shown, State.MISSING, f"tf.{path} has no `{member}` here", document)
        private = member.startswith("_") and not of_object
        if private and not member.startswith("__"):
            return Verdict(shown, State.MISSING, "is private to TensorFlow: use a public name", document)
        if not private and not of_object and member not in kind.get("names", f" {member} ").split(" "):
            return Verdict(shown, State.UNKNOWN, f"TensorFlow {self.tensorflow} has no such name either", document)
        method = kind.get("methods", {}).get(member, {})
        refused = self._refused(shown, method, call, document, of_object=of_object)
        text = self._text(entry)
        if refused is not None or not text:
            return refused or Verdict(shown, State.WORKS)
        return Verdict(shown, State.DIFFERS, text, document)

    def member(self, full: str, member: str, call: WrittenArguments | None) -> Verdict | None:
        """The verdict on a member of what a class or function gives, None where nothing is wrong, or its class is not known."""
        canonical = canonical_name(full)
        namespace, _, name = (canonical or "").rpartition(".")
        entry = self._entry(namespace, name)
        if entry is None or entry["state"] == "m":
            return None
        if "gives" in entry:
            return self.member(f"tensorflow.{entry['gives']}", member, call)
        if canonical is None or canonical not in self._classes:
            return None
        found = self._member(canonical, member, entry, call, f"{_PAGE}#tf{namespace.replace('.', '')}", of_object=True)
        return found if found.state is State.MISSING else None

    def stranded(self, member: str) -> Verdict | None:
        """The verdict on a member of an object of unknown class: MISSING if TensorFlow's classes alone have it, none here."""
        kind = self._members.get(member)
        if kind is None:
            return None
        text = f"no object here has `{member}`, as one of tf.{kind} has in TensorFlow"
        namespace = kind.rpartition(".")[0].replace(".", "")
        return Verdict(f"tf.{kind}.{member}", State.MISSING, text, f"{_PAGE}#tf{namespace}")

    def is_class(self, full: str) -> bool:
        """Returns whether the table knows members of this class."""
        return canonical_name(full) in self._classes

    def makes_dataset(self, full: str) -> bool:
        """Returns whether a call of this name gives a `tf.data.Dataset`."""
        methods = self._classes.get("data.Dataset", {}).get("methods", {})
        return full.startswith("tensorflow.data.Dataset.") and full.rpartition(".")[2] in methods

    def _refused(
        self, shown: str, entry: Entry, call: WrittenArguments | None, document: str, *, of_object: bool = True
    ) -> Verdict | None:
        """The verdict on a call with arguments that our signature does not take."""
        if call is None:
            return None
        text = Parameters(entry["takes"], of_object=of_object).refusal(call) if "takes" in entry else None
        if text is None and "moved" in entry and call.unnamed > entry["moved"]:
            text = f"takes positional argument {entry['moved'] + 1} at a different place: name the arguments"
        return None if text is None else Verdict(shown, State.MISSING, text, document, by_arguments=True)

    def _stranger(self, namespace: str, name: str) -> Verdict:
        """The verdict on a name that a namespace does not have."""
        shown, document = f"tf.{namespace}.{name}".replace("..", "."), f"{_PAGE}#tf{namespace.replace('.', '')}"
        of_keras = namespace.removeprefix("keras.")
        first = f"{_V1}.{of_keras if of_keras in _OF_KERAS else namespace}".rstrip(".")
        entry = self._entry(first, name)
        if not namespace.startswith(_V1) and (entry is not None or f"{first}.{name}" in self._names):
            if entry is not None and entry["state"] == "m":
                return Verdict(shown, State.MISSING, f"use {self._text(entry)}", document)
            advice = (
                f"use tf.{first}.{name}, a name of TensorFlow 1; for a whole program `import stratagem.compat.v1 as tf` and "
                "`tf.disable_v2_behavior()`"
            )
            return Verdict(shown, State.MISSING, advice, document)
        if name in _OF_MODULES:
            return Verdict(shown, State.WORKS)
        if name.startswith("_"):
            return Verdict(shown, State.MISSING, "is private to TensorFlow: use a public name", document)
        if f"{namespace}.{name}".lstrip(".").startswith("contrib"):
            return Verdict("tf.contrib", State.MISSING, VERSIONED, _PAGE)
        return Verdict(shown, State.UNKNOWN, f"TensorFlow {self.tensorflow} has no such name either", document)

    def _text(self, entry: Entry) -> str:
        return _LINK.sub(r"\1 (docs/\2)", entry.get("text", ""))


def canonical_name(full: str) -> str | None:
    """A full name below `tf`, without the ways around: `tensorflow.compat.v2.x` is x. None: it is private to TensorFlow."""
    package, _, rest = full.partition(".")
    if package in KERAS:
        rest = f"keras.{rest}".rstrip(".")
    while (nested := _NESTED.match(rest)) is not None:
        rest = rest.removeprefix(nested.group(1))
    for prefix in ("compat.v2", "python.keras", "_api.v2", "keras.api._v2.keras", "keras.api.keras"):
        if rest == prefix or rest.startswith(f"{prefix}."):
            kept = "keras" if "keras" in prefix else ""
            rest = f"{kept}{rest.removeprefix(prefix)}".lstrip(".")
    first = rest.partition(".")[0]
    if first in _OF_KERAS:
        return f"keras.{rest}"
    return None if first in PRIVATE else rest


def _of_internals(full: str) -> Verdict:
    """The verdict on a name of TensorFlow's own modules, which no public name leads to."""
    shown = full.removeprefix("tensorflow.")
    advice = next((INTERNALS[part] for part in reversed(full.split(".")) if part in INTERNALS), None)
    text = (
        f"use {advice}" if advice else "use the public name: modules below tensorflow.python are private to TensorFlow"
    )
    return Verdict(f"tensorflow.{shown}", State.MISSING, text, _PAGE)


@functools.cache
def shipped_table() -> Table:
    """The table that comes with this package. Raises FileNotFoundError in a checkout that has not made it."""
    file = importlib.resources.files(__package__).joinpath("table.json")
    if not file.is_file():
        raise FileNotFoundError(f"{file} is missing: a checkout of stratagem makes it by `make api`.")
    return Table(json.loads(file.read_text(encoding="utf-8")))
