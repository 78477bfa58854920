"""What code does with the names that it reads: which attributes and items it takes, what it calls, keeps and changes."""

import dis
import functools
import types
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Expr:
    """Where a value comes from: a name, something of another value, or what a call returns.

    kind: "name" and "global" (label: the name), "const" (label: it), "attr" and "item" of base (label: the name or key),
    "each" (an element of base), "call" (label: the number of the call in its code), "either" (label: expressions).
    """

    kind: str
    label: Any
    base: "Expr | None" = None


@dataclass(frozen=True)
class Call:
    """A call: what is called, and the arguments whose origin is known."""

    callee: Expr | None
    args: tuple[Expr | None, ...] = ()
    kwargs: tuple[tuple[str, Expr | None], ...] = ()


@dataclass
class Summary:
    """One code object, without the values that it meets. Names are those of its locals, cells and free variables alike."""

    code: types.CodeType
    assigned: dict[str, list[Expr | None]] = field(default_factory=dict)
    used: list[Expr] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    returns: list[Expr] = field(default_factory=list)
    stores: list[Expr] = field(default_factory=list)
    inner: list["Summary"] = field(default_factory=list)


@functools.lru_cache(maxsize=4096)
def summary_of(code: types.CodeType) -> Summary:
    """The summary of a function's code and of the functions that are defined in it."""
    summary = Summary(code)
    _Walk(summary).run()
    summary.inner = [summary_of(const) for const in code.co_consts if isinstance(const, types.CodeType)]
    return summary


_NULL = Expr("null", None)
_ENDS = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS"}
_ENDS |= {"RERAISE", "INTERPRETER_EXIT"}
_NOTHING = {"RESUME", "CACHE", "NOP", "EXTENDED_ARG", "PRECALL", "MAKE_CELL", "COPY_FREE_VARS", "NOT_TAKEN", "TO_BOOL"}
_NOTHING |= {"GET_ITER", "GET_YIELD_FROM_ITER", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}
_DROPS = {"POP_TOP", "POP_ITER"}
# One operand is tested for something that its type or identity tells, or for its truth.
_TESTS = {"POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"}


class _Walk:
    """A walk over one code object with a stack of expressions. What it does not understand becomes an unknown value."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._stack: list[Expr | None] = []
        self._at: dict[int, list[Expr | None]] = {}
        self._keywords: tuple[str, ...] = ()

    def run(self) -> None:
        """Go through the instructions once, in their order."""
        dead = False
        for instruction in dis.get_instructions(self._summary.code):
            self._arrive(instruction.offset, dead)
            before = list(self._stack)
            self._one(instruction)
            dead = instruction.opname in _ENDS
            if instruction.opcode in _JUMPS and isinstance(instruction.argval, int):
                self._leave(instruction, before)

    def _arrive(self, offset: int, dead: bool) -> None:
        known = self._at.get(offset)
        if dead:
            self._stack = list(known or ())
        elif known is not None and len(known) == len(self._stack):
            self._stack = [_either(a, b) for a, b in zip(self._stack, known, strict=True)]

    def _leave(self, instruction: dis.Instruction, before: list[Expr | None]) -> None:
        depth = max(0, len(before) + dis.stack_effect(instruction.opcode, instruction.arg, jump=True))
        stack = (before + [None] * depth)[:depth]
        known = self._at.get(instruction.argval)
        if known is not None and len(known) == depth:
            stack = [_either(a, b) for a, b in zip(stack, known, strict=True)]
        self._at[instruction.argval] = stack

    def _one(self, instruction: dis.Instruction) -> None:
        name, arg = instruction.opname, instruction.argval
        method = getattr(self, f"_{name.lower()}", None)
        if name in _NOTHING:
            return
        if name in _DROPS:
            self._pop()
        elif name in _TESTS:
            self._use(self._pop())
        elif method is not None:
            method(arg, instruction)
        elif name.startswith(("LOAD_FAST", "STORE_FAST")) or name in ("LOAD_DEREF", "LOAD_CLOSURE", "LOAD_CLASSDEREF"):
            self._fast(name, arg)
        else:
            self._other(instruction)

    def _other(self, instruction: dis.Instruction) -> None:
        """Any other instruction: it uses what it takes, and what it gives is unknown."""
        effect = dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
        if effect <= 0:
            for _ in range(1 - effect):
                self._use(self._pop())
        self._push(*[None] * max(1, effect))

    # --- The stack ----------------------------------------------------------------------------------------------------

    def _push(self, *values: Expr | None) -> None:
        self._stack.extend(values)

    def _pop(self) -> Expr | None:
        return self._stack.pop() if self._stack else None

    def _use(self, value: Expr | None) -> None:
        if value is not None and value.kind not in ("null", "const"):
            self._summary.used.append(value)

    def _of(self, kind: str, base: Expr | None, label: Any) -> Expr | None:
        return None if base is None or base.kind in ("null", "const") else Expr(kind, label, base)

    # --- Names --------------------------------------------------------------------------------------------------------

    def _fast(self, name: str, arg: Any) -> None:
        """Also the instructions of later Pythons that load or store two names at once."""
        names = list(arg) if isinstance(arg, tuple) else [arg]
        loads = [part == "LOAD" for part in name.split("_") if part in ("LOAD", "STORE")]
        for load, local in zip(loads, names, strict=False):
            if load:
                self._push(Expr("name", local))
            else:
                self._summary.assigned.setdefault(local, []).append(self._pop())

    def _store_deref(self, arg: Any, instruction: dis.Instruction) -> None:
        self._fast("STORE_FAST", arg)
        if arg in self._summary.code.co_freevars:
            self._summary.stores.append(Expr("name", arg))

    def _store_global(self, arg: Any, instruction: dis.Instruction) -> None:
        self._use(self._pop())
        self._summary.stores.append(Expr("global", arg))

    def _delete_fast(self, arg: Any, instruction: dis.Instruction) -> None:
        return

    def _load_global(self, arg: Any, instruction: dis.Instruction) -> None:
        effect = dis.stack_effect(instruction.opcode, instruction.arg)
        self._push(*[_NULL] * (effect - 1), Expr("global", arg))

    _load_name = _load_global

    def _load_const(self, arg: Any, instruction: dis.Instruction) -> None:
        self._push(Expr("const", arg))

    _load_small_int = _load_const

    def _push_null(self, arg: Any, instruction: dis.Instruction) -> None:
        self._push(_NULL)

    # --- Attributes and items -----------------------------------------------------------------------------------------

    def _load_attr(self, arg: Any, instruction: dis.Instruction) -> None:
        found = self._of("attr", self._pop(), arg)
        effect = dis.stack_effect(instruction.opcode, instruction.arg)
        self._push(found, *[_NULL] * effect)

    _load_method = _load_attr

    def _load_super_attr(self, arg: Any, instruction: dis.Instruction) -> None:
        for _ in range(3):
            self._pop()
        effect = dis.stack_effect(instruction.opcode, instruction.arg)
        self._push(Expr("attr", arg, Expr("super", None)), *[_NULL] * (effect + 2))

    def _store_attr(self, arg: Any, instruction: dis.Instruction) -> None:
        owner, value = self._pop(), self._pop()
        self._use(value)
        self._store(self._of("attr", owner, arg))

    def _store_subscr(self, arg: Any, instruction: dis.Instruction) -> None:
        key, owner, value = self._pop(), self._pop(), self._pop()
        self._use(value)
        self._use(key)
        constant = key is not None and key.kind == "const"
        self._store(
            self._of("item", owner, key.label) if constant and key is not None else self._of("each", owner, None)
        )

    def _store(self, place: Expr | None) -> None:
        if place is not None:
            self._summary.stores.append(place)

    def _binary_subscr(self, arg: Any, instruction: dis.Instruction) -> None:
        key, owner = self._pop(), self._pop()
        if key is not None and key.kind == "const":
            self._push(self._of("item", owner, key.label))
        else:
            self._use(key)
            self._use(owner)
            self._push(self._of("each", owner, None))

    def _binary_op(self, arg: Any, instruction: dis.Instruction) -> None:
        if instruction.argrepr == "[]":  # from Python 3.14 on
            self._binary_subscr(arg, instruction)
        else:
            self._other(instruction)

    def _unpack_sequence(self, arg: int, instruction: dis.Instruction) -> None:
        whole = self._pop()
        self._use(whole)
        self._push(*(self._of("item", whole, i) for i in reversed(range(arg))))

    def _for_iter(self, arg: Any, instruction: dis.Instruction) -> None:
        whole = self._stack[-1] if self._stack else None
        self._use(whole)
        self._push(self._of("each", whole, None))

    def _copy(self, arg: int, instruction: dis.Instruction) -> None:
        self._push(self._stack[-arg] if len(self._stack) >= arg else None)

    def _swap(self, arg: int, instruction: dis.Instruction) -> None:
        if len(self._stack) >= arg:
            self._stack[-1], self._stack[-arg] = self._stack[-arg], self._stack[-1]

    # --- Calls --------------------------------------------------------------------------------------------------------

    def _kw_names(self, arg: Any, instruction: dis.Instruction) -> None:
        self._keywords = self._summary.code.co_consts[instruction.arg or 0]

    def _call(self, arg: Any, instruction: dis.Instruction) -> None:
        keywords, self._keywords = self._keywords, ()
        self._called(instruction.arg or 0, keywords)

    def _call_kw(self, arg: Any, instruction: dis.Instruction) -> None:
        names = self._pop()
        self._called(instruction.arg or 0, () if names is None else names.label)

    def _called(self, count: int, keywords: tuple[str, ...]) -> None:
        values = [self._pop() for _ in range(count)][::-1]
        second, first = self._pop(), self._pop()
        callee = first if second is _NULL or first not in (_NULL, None) else second
        if callee is first and second is not _NULL:
            values.insert(0, second)
        positional = values[: len(values) - len(keywords)]
        self._add_call(callee, tuple(positional), tuple(zip(keywords, values[len(positional) :], strict=True)))

    def _call_function_ex(self, arg: Any, instruction: dis.Instruction) -> None:
        effect = dis.stack_effect(instruction.opcode, instruction.arg)
        values = [self._pop() for _ in range(1 - effect)]
        callees = [v for v in values[1:] if v is not None and v is not _NULL][-1:]
        for value in values:
            if value not in callees:
                self._use(value)
        self._add_call(callees[0] if callees else None, (), ())

    def _add_call(
        self, callee: Expr | None, args: tuple[Expr | None, ...], kwargs: tuple[tuple[str, Expr | None], ...]
    ) -> None:
        self._push(Expr("call", len(self._summary.calls)))
        self._summary.calls.append(Call(None if callee is _NULL else callee, args, kwargs))

    def _return_value(self, arg: Any, instruction: dis.Instruction) -> None:
        value = self._pop()
        if value is not None:
            self._summary.returns.append(value)

    def _return_const(self, arg: Any, instruction: dis.Instruction) -> None:
        return


_JUMPS = {*dis.hasjrel, *dis.hasjabs}


def _either(a: Expr | None, b: Expr | None) -> Expr | None:
    if a == b:
        return a
    options = [o for e in (a, b) if e is not None for o in (e.label if e.kind == "either" else (e,))]
    return Expr("either", tuple(dict.fromkeys(options))) if options else None
