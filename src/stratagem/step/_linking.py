"""Follows what code reads from the objects that it meets: functions that it calls, their attributes and items, and so on."""

import functools
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stratagem.step._bytecode import Call, Expr, Summary, summary_of
from stratagem.step._objects import Nodes, Objects, is_container
from stratagem.step._places import found_on, is_users

_MAX_DEPTH = 8
CHANGING = frozenset(
    [
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "add",
        "discard",
        "update",
        "setdefault",
        "popitem",
        "appendleft",
    ]
)


@dataclass
class Frame:
    """A function that is followed, or one that is defined in it: what its names stand for."""

    function: int
    bound: dict[str, Nodes]
    summary: Summary
    outer: "Frame | None" = None
    returned: dict[int, Nodes] = field(default_factory=dict)


class Links:
    """What a function reads, as far as it can be followed through the objects that are there now.

    changed: places that the code changes. codes: the functions that are
    followed, with their code.
    """

    def __init__(self, roots: dict[str, Any]) -> None:
        self.objects = Objects(roots, self._property)
        self.values = self.objects.values
        self.changed: dict[int, None] = {}
        self.codes: dict[int, types.CodeType] = {}
        self._seen: dict[Any, Nodes] = {}
        self._resolving: set[Any] = set()
        self._depth = 0

    def _property(self, getter: int) -> Nodes:
        return self.call(getter, None) or ()

    # --- Functions ----------------------------------------------------------------------------------------------------

    def call(self, node: int, given: Call | None, frame: Frame | None = None) -> Nodes | None:
        """Follow a call of what is at a place; the places that it returns. None: that code is not the user's."""
        value = self.values[node]
        if is_users(value):
            return self._function(node, self.objects.owners.get(node, ()), given, frame)
        if isinstance(value, types.MethodType):
            return self._method(node, given, frame)
        if isinstance(value, functools.partial):
            for part in ("func", "args", "keywords"):
                self.objects.use(self.objects.place(node, "attr", part, self.objects.places[node].name))
            return ()
        if isinstance(value, type):
            _, init = found_on(value, "__init__")
            return () if not is_users(init) else self._function(self._class_item(node, "__init__"), ((),), given, frame)
        for name in ("__call__", "call"):
            if is_users(found_on(type(value), name)[1]):
                return self._function(self._class_item(node, name), ((node,),), given, frame)
        return None

    def _class_item(self, node: int, name: str) -> int:
        value = self.values[node]
        if not isinstance(value, type):
            node = self.objects.place(node, "attr", "__class__", self.objects.places[node].name)
            value = self.values[node]
        return self.objects.place(node, "attr", name, f"{value.__name__}.{name}")

    def _method(self, node: int, given: Call | None, frame: Frame | None) -> Nodes | None:
        name = self.objects.places[node].name
        function = self.objects.place(node, "attr", "__func__", name)
        if not is_users(self.values[function]):
            return None
        owner = self.objects.place(node, "attr", "__self__", name.rpartition(".")[0] or "self")
        return self._function(function, ((owner,),), given, frame)

    def _function(self, node: int, first: tuple[Nodes, ...], given: Call | None, frame: Frame | None) -> Nodes:
        function = self.values[node]
        bound = self._bind(node, first, given, frame)
        key = (node, tuple(sorted(bound.items())))
        if key in self._seen:
            return self._seen[key]
        self._seen[key] = ()
        if self._depth == _MAX_DEPTH:
            self.objects.unclear[f"{function.__qualname__} (called too deep)"] = None
            return ()
        self.codes[node] = function.__code__
        self._depth += 1
        inside = Frame(node, bound, summary_of(function.__code__))
        self._seen[key] = self._follow(inside)
        self._depth -= 1
        return self._seen[key]

    def _bind(self, node: int, first: tuple[Nodes, ...], given: Call | None, frame: Frame | None) -> dict[str, Nodes]:
        """What the parameters of a function stand for: defaults where no argument is known to be given."""
        function = self.values[node]
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        bound: dict[str, Nodes] = dict(zip(names, first, strict=False))
        if given is not None and frame is not None:
            args = [*first, *(self.nodes(arg, frame) for arg in given.args)]
            bound |= dict(zip(names[: code.co_argcount], args, strict=False))
            bound |= {name: self.nodes(arg, frame) for name, arg in given.kwargs if name in names}
            rest = [*args[code.co_argcount :], *(self.nodes(a, frame) for n, a in given.kwargs if n not in names)]
            for node in (n for nodes in rest for n in nodes):
                self.objects.use(node)
        defaults = function.__defaults__ or ()
        for i, name in enumerate(names[code.co_argcount - len(defaults) : code.co_argcount]):
            if name not in bound:
                whole = self.objects.place(node, "attr", "__defaults__", name)
                bound[name] = (self.objects.place(whole, "item", i, name),)
        for name in function.__kwdefaults__ or ():
            if name not in bound:
                whole = self.objects.place(node, "attr", "__kwdefaults__", name)
                bound[name] = (self.objects.place(whole, "item", name, name),)
        return bound

    def _follow(self, frame: Frame) -> Nodes:
        summary = frame.summary
        for store in summary.stores:
            self._store(store, frame)
        for i in range(len(summary.calls)):
            self._called(i, frame)
        for used in summary.used:
            for node in self.nodes(used, frame):
                self.objects.use(node)
        for inner in summary.inner:
            self._follow(Frame(frame.function, {}, inner, frame))
        return tuple(dict.fromkeys(n for e in summary.returns for n in self.nodes(e, frame)))

    def _store(self, store: Expr, frame: Frame) -> None:
        code = frame.summary.code
        if store.kind == "name":  # of a cell, which may be a local name of the function around this one
            free = frame.outer is None and store.label in code.co_freevars
            cells = [code.co_freevars.index(store.label)] if free else []
            found = tuple(self.objects.place(frame.function, "cell", i, store.label) for i in cells)
        else:
            found = self.nodes(store.base if store.kind == "each" else store, frame)
        self.changed.update(dict.fromkeys(found))

    # --- Expressions --------------------------------------------------------------------------------------------------

    def nodes(self, expr: Expr | None, frame: Frame) -> Nodes:
        """The places whose values an expression may have."""
        if expr is None:
            return ()
        key = (expr, id(frame))
        if key in self._resolving:
            return ()
        self._resolving.add(key)
        try:
            return tuple(dict.fromkeys(self._nodes(expr, frame)))
        finally:
            self._resolving.discard(key)

    def _nodes(self, expr: Expr, frame: Frame) -> Iterator[int]:
        if expr.kind == "name":
            yield from self._name(expr.label, frame)
        elif expr.kind == "global":
            function = self.values[frame.function]
            if expr.label in function.__globals__ or expr.label not in _builtins(function):
                yield self.objects.place(frame.function, "global", expr.label, expr.label)
        elif expr.kind == "either":
            for option in expr.label:
                yield from self.nodes(option, frame)
        elif expr.kind == "call":
            yield from self._called(expr.label, frame)
        elif expr.kind in ("attr", "item", "each"):
            views = self._views(expr, frame)
            yield from views
            follow = {"attr": self.objects.attribute, "item": self.objects.item, "each": self._each}[expr.kind]
            for node in () if views else self.nodes(expr.base, frame):
                yield from follow(node, expr.label)

    def _name(self, name: str, frame: Frame) -> Iterator[int]:
        code = frame.summary.code
        yield from frame.bound.get(name, ())
        for value in frame.summary.assigned.get(name, ()):
            yield from self.nodes(value, frame)
        if name not in code.co_freevars:
            return
        if frame.outer is not None:
            yield from self.nodes(Expr("name", name), frame.outer)
        elif name in code.co_freevars:
            yield self.objects.place(frame.function, "cell", code.co_freevars.index(name), name)

    def _views(self, expr: Expr, frame: Frame) -> Nodes:
        """For what a loop over `d.items()` or `d.values()` gives: the values in the dict."""
        pair = expr.kind == "item" and expr.label == 1 and expr.base is not None and expr.base.kind == "each"
        each = expr.base if pair else expr
        if each is None or each.kind != "each" or each.base is None or each.base.kind != "call":
            return ()
        callee = _calls(frame)[each.base.label].callee
        method = "items" if pair else "values"
        if callee is None or callee.kind != "attr" or callee.label != method:
            return ()
        owners = [n for n in self.nodes(callee.base, frame) if isinstance(self.values[n], dict)]
        return tuple(n for owner in owners for n in self._each(owner, None))

    def _inherited(self, callee: Expr, call: Call, frame: Frame) -> Nodes | None:
        """`super().method(…)`: the method that follows in the order of the object's classes."""
        code = frame.summary.code
        maker = _calls(frame)[callee.base.label].callee if callee.base is not None else None
        owners = self.nodes(Expr("name", code.co_varnames[0]), frame) if code.co_argcount else ()
        if maker != Expr("global", "super") or "__class__" not in code.co_freevars or not owners:
            return None
        cls = self.objects.place(frame.function, "cell", code.co_freevars.index("__class__"), "__class__")
        order = self.values[owners[0]].__class__.__mro__
        after = order[order.index(self.values[cls]) + 1 :] if self.values[cls] in order else ()
        base = next((c for c in after if callee.label in c.__dict__), None)
        if base is None or not is_users(base.__dict__[callee.label]):
            return ()
        kind = self.objects.place(owners[0], "attr", "__class__", base.__name__)
        classes = self.objects.place(kind, "attr", "__mro__", base.__name__)
        item = self.objects.place(classes, "item", order.index(base), base.__name__)
        method = self.objects.place(item, "attr", callee.label, f"{base.__name__}.{callee.label}")
        return self._function(method, (owners,), call, frame)

    def _each(self, node: int, label: Any) -> Nodes:
        return self.objects.contents(node) if is_container(self.values[node]) else self.objects.opaque(node)

    def _called(self, number: int, frame: Frame) -> Nodes:
        if number not in frame.returned:
            frame.returned[number] = ()
            frame.returned[number] = self._linked(_calls(frame)[number], frame)
        return frame.returned[number]

    def _linked(self, call: Call, frame: Frame) -> Nodes:
        special = self._special(call, frame)
        if special is not None:
            return special
        found: list[int] = []
        known = bool(callees := self.nodes(call.callee, frame))
        for node in callees:
            returned = self.call(node, call, frame)
            known = known and returned is not None
            found.extend(returned or ())
            if returned is None:
                self.objects.use(node)
        if not known:
            for arg in (*call.args, *(value for _, value in call.kwargs)):
                for node in self.nodes(arg, frame):
                    self.objects.use(node)
        return tuple(found)

    def _special(self, call: Call, frame: Frame) -> Nodes | None:
        """Methods of lists and dicts, and `getattr` with a name that is written out."""
        callee = call.callee
        if callee is None or (args := call.args) is None:
            return None
        if callee.kind == "attr" and callee.base is not None and callee.base.kind == "call":
            return self._inherited(callee, call, frame)
        if callee.kind == "attr":
            owners = [n for n in self.nodes(callee.base, frame) if is_container(self.values[n])]
            if owners and callee.label in CHANGING:
                self.changed.update(dict.fromkeys(owners))
            elif owners and callee.label == "get" and args and args[0] is not None and args[0].kind == "const":
                return tuple(n for owner in owners for n in self.objects.item(owner, args[0].label))
            return None
        name = args[1] if len(args) > 1 else None
        if callee == Expr("global", "getattr") and name is not None and name.kind == "const":
            return tuple(n for owner in self.nodes(args[0], frame) for n in self.objects.attribute(owner, name.label))
        return None


def _calls(frame: Frame) -> list[Call]:
    return frame.summary.calls


def _builtins(function: Any) -> Any:
    found = function.__builtins__
    return found if isinstance(found, dict) else vars(found)
