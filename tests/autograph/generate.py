"""Generates programs with branches and loops over tensors: the text of a function, which every TensorFlow-like `tf` can run.

All numbers are multiples of 1/1024 below 64, so that float32 computes them exactly, in any order, and a decision never
depends on rounding.
"""

import random
from dataclasses import dataclass
from typing import final

MOST_STATEMENTS = 4
DEEPEST = 3

PRELUDE = """
def bounded(t):
    return tf.clip_by_value(tf.round(t * 1024.0) / 1024.0, -64.0, 64.0)


def helper(t, k):
    if tf.reduce_sum(t) > k:
        return bounded(t / 2.0)
    elif tf.reduce_min(t) < -8.0:
        t = t + 4.0
    return bounded(t - k)


def folded(t, n):
    total = tf.zeros([])
    for j in tf.range(n):
        if j == 2:
            continue
        total += tf.cast(j, tf.float32)
        if total > tf.reduce_max(t):
            break
    return bounded(total)


"""


@final
@dataclass(frozen=True)
class ControlFlowProgram:
    """A generated function `program(x, n)`, as text.

    It takes x, float32 (3,), and n, an int32 scalar, and returns a nest of tensors. It may change `state["total"]`, a variable
    that every replica has its own of, and `state["mean"]`, a metric.
    """

    index: int
    text: str


@final
class Writer:
    """Writes one program. The names `a`, `b` are vectors, `s` and `r` scalars, `i` is an integer; all are set at the start."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0
        self._result = self._one_of("a, s, i", "(a, b), s", "a", "{0: a, 1: s, 2: r}", "(b, s, i)")

    def program(self) -> str:
        """Returns the text of the function."""
        first = ("a = bounded(x)", "b = a * 0.5", "s = tf.reduce_sum(a)", "r = tf.constant(1.0)", "i = tf.constant(0)")
        body = [*first, *self._block(loop=False, depth=0), f"return {self._result}"]
        return "\n".join(["def program(x, n):", *_indented(body)]) + "\n"

    def _one_of(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _name(self, of: str) -> str:
        self._names += 1
        return f"{of}{self._names}"

    def _block(self, *, loop: bool, depth: int) -> list[str]:
        count = self._random.randint(1, MOST_STATEMENTS if depth < 2 else 2)
        return [line for _ in range(count) for line in self._statement(loop=loop, depth=depth)]

    def _statement(self, *, loop: bool, depth: int) -> list[str]:
        kinds = ["assignment"] * 4 + ["state", "expression"]
        if depth < DEEPEST:
            kinds += ["branch"] * 4 + ["range"] * 2 + ["rows", "while", "python"] + ["end"] * bool(depth)
        kinds += ["end"] * 3 * (loop and depth < DEEPEST)
        kind = self._random.choice(kinds)
        if kind in ("assignment", "state", "expression"):
            return [{"assignment": self._assignment, "state": self._state, "expression": self._expression}[kind]()]
        if kind == "end":
            return [f"if {self._condition()}:", "    " + self._end(loop)]
        if kind == "branch":
            return self._branch(loop, depth)
        before, head, first = {"range": self._range, "rows": self._rows, "while": self._while, "python": self._python}[
            kind
        ]()
        return [*before, head, *_indented([*first, *self._block(loop=True, depth=depth + 1)])]

    def _assignment(self) -> str:
        vector, scalar = self._vector(), self._scalar()
        return self._one_of(
            *(f"a = bounded({vector})", f"b = bounded({vector})", f"s = bounded({scalar})", f"r = bounded({scalar})"),
            *("i += 1", "i = i * 2 - 1", "a, b = b, a", "s, r = r, bounded(s + 1.0)"),
        )

    def _state(self) -> str:
        scalar = self._scalar()
        return self._one_of(
            *(f'state["total"].assign_add(bounded({scalar}))', f'state["mean"].update_state(bounded({scalar}))'),
            *('state["total"].assign(state["total"] * 0.5)', 's = bounded(s + state["total"])'),
        )

    def _expression(self) -> str:
        return f"s = bounded({self._scalar()} if {self._condition()} else {self._scalar()})"

    def _end(self, loop: bool) -> str:
        return self._one_of("break", "continue", f"return {self._result}") if loop else f"return {self._result}"

    def _branch(self, loop: bool, depth: int) -> list[str]:
        lines = [f"if {self._condition()}:", *_indented(self._block(loop=loop, depth=depth + 1))]
        for _ in range(self._random.choice((0, 0, 1, 2))):
            lines += [f"elif {self._condition()}:", *_indented(self._block(loop=loop, depth=depth + 1))]
        if self._random.random() < 0.5:
            lines += ["else:", *_indented(self._block(loop=loop, depth=depth + 1))]
        return lines

    def _range(self) -> tuple[list[str], str, list[str]]:
        name = self._name("k")
        over = self._one_of("tf.range(n)", "tf.range(3)", "tf.range(1, n + 1)", "range(n)", "tf.range(n, 0, -1)")
        return [], f"for {name} in {over}:", [f"i += {name}"]

    def _rows(self) -> tuple[list[str], str, list[str]]:
        name = self._name("row")
        return (
            [],
            f"for {name} in {self._one_of('a', 'x', 'tf.stack([a, b])')}:",
            [f"s = bounded(s + tf.reduce_sum({name}))"],
        )

    def _while(self) -> tuple[list[str], str, list[str]]:
        name = self._name("left")
        return [f"{name} = n"], f"while {name} > 0 and {self._condition()}:", [f"{name} -= 1"]

    def _python(self) -> tuple[list[str], str, list[str]]:
        return [], f"for {self._name('p')} in range({self._random.randint(1, 3)}):", []

    def _condition(self) -> str:
        one, other = self._comparison(), self._comparison()
        return self._one_of(
            one, one, one, f"not {one}", f"({one} and {other})", f"({one} or {other})", f"not ({one} and r > 0.0)"
        )

    def _comparison(self) -> str:
        number = self._one_of("-4.0", "0.0", "1.5", "8.0", "20.0")
        return self._one_of(
            *(f"s > {number}", f"r < {number}", "i % 2 == 0", "i > n", "tf.reduce_sum(a) > tf.reduce_sum(b)", "n > 2"),
            *(f"tf.reduce_max(a) < {number}", "tf.reduce_any(b > 4.0)", "tf.equal(i, 3)"),
        )

    def _vector(self) -> str:
        return self._one_of(
            *("a + b", "a - b", "a * 2.0", "-a", "b + s", "tf.maximum(a, b)", "a * 0.5", "b + x", "helper(a, r)"),
            *("a[::-1]", "tf.where(a > b, a, -b)", "tf.cond(s > r, lambda: a, lambda: b)"),
        )

    def _scalar(self) -> str:
        return self._one_of(
            *("s + 1.0", "r - s", "tf.reduce_sum(a)", "tf.reduce_max(b) - r", "s * 0.5", "-s", "r + 2.0"),
            *("tf.cast(i, tf.float32)", "folded(a, n)", "s - a[0]", "tf.maximum(s, r)"),
        )


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def generate(index: int) -> ControlFlowProgram:
    """Returns the program of this number, always the same."""
    return ControlFlowProgram(index, PRELUDE + Writer(index).program())
