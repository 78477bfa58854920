"""Products in a `scan` that no step waits for: one product of the values of all steps, before the loop or after it.

A recurrent layer multiplies its inputs by their weights in every step, though nothing in the loop changes them. The gradient
of such a loop multiplies in every step for the gradients of the inputs, and adds a product to the gradient of each weight.
XLA leaves all of that in the loop. Outside there is one large product in place of many small ones, and no sum that every step
reads and writes. A step of a network of two LSTMs takes 0.72 of the CPU time where the process keeps its memory
(`_base/allocator.py`), and 1.13 where the system gives it anew each time (two cores, AVX-512, quiet).

Products are those of matrices and, for recurrent layers of images, convolutions.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend import core as xc

from stratagem._core.rewrites._inlined import inlined
from stratagem._core.rewrites._memory import size
from stratagem._core.rewrites._scan import Scan
from stratagem._private import is_literal, needed_equations

_SUMMED = ("dot_general", "convolution_of_filters")  # a sum of these over steps is one of them
_PRODUCTS = (*_SUMMED, "convolution", "convolution_of_input")
_SHAPES = ("transpose", "reshape", "squeeze", "broadcast_in_dim")
# Each of these gives the sum of its results for the sum of its operands.
_LINEAR = (*_SHAPES, "reduce_sum")

Arrays = Mapping[Any, jax.Array]


def products_outside(loop: Any) -> Iterator[Any]:
    """Yields equations in place of a `scan`, with products outside if what they need is no larger than the loop's own arrays.

    So a loop that saves memory, over parts of a batch, say, stays as it is: its products need the activations of all parts.
    """
    *before, loop = _with_early_products(Scan(loop))
    yield from before
    yield from _with_late_products(Scan(loop))


# --- Before the loop ------------------------------------------------------------------------------------------------------


def _with_early_products(scan: Scan) -> Iterator[Any]:
    """Yields products of what each step is given with what is the same in all of them, and a loop that reads their results."""
    given = dict.fromkeys(scan.constants, False) | dict.fromkeys(
        scan.slices, True
    )  # by whether it differs between steps
    shapes, products = [], []
    for eqn in scan.body.eqns:
        operands = [v for v in eqn.invars if not is_literal(v)]
        if not all(v in given for v in operands):
            continue
        if eqn.primitive.name in _SHAPES:
            given[eqn.outvars[0]] = any(given[v] for v in operands)
            shapes.append(eqn)
        elif eqn.primitive.name in _PRODUCTS and any(given[v] for v in operands):
            products.append(eqn)
    results = [eqn.outvars[0] for eqn in products]
    if not products or size(results) > scan.bytes_of_a_step:
        yield scan.loop
        return
    inputs = [*scan.constants, *scan.slices]
    of_a_step = _function(needed_equations([*shapes, *products], results), inputs, results)
    of_all_steps = jax.vmap(of_a_step, [0 if v in scan.slices else None for v in inputs])
    stacks = [_array(v, scan.loop.params["length"]) for v in results]
    yield from _traced(of_all_steps, [scan.outside[v] for v in inputs], stacks)
    yield scan.reading(dict(zip(results, stacks, strict=True)))


# --- After the loop -------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class _Late:
    """A carry, to which every step adds something, or an array of results, that is computed after the loop.

    base: the variable of the body, from which it follows by `shapes`, equations with one operand.
    product: the equation of the base, unless it is taken from the steps as it is.
    """

    position: int
    shapes: Sequence[Any]
    base: Any
    product: Any = None

    @property
    def operands(self) -> Sequence[Any]:
        """The variables of the body, whose values in all steps it is computed from."""
        return [self.base] if self.product is None else [v for v in self.product.invars if not is_literal(v)]

    def summed(self, of: Arrays) -> jax.Array:
        """Returns the sum over the steps of what they add."""
        if self.product is None:
            total = jnp.sum(of[self.base], axis=0, dtype=self.base.aval.dtype)
        else:
            total = _sum_of_products(self.product, *(of[v] for v in self.product.invars))
        return _function(self.shapes, [self.base], [self._result])(total)[0]

    def stacked(self, of: Arrays, differs: Callable[[Any], bool]) -> jax.Array:
        """Returns the array of its values in all steps."""
        inputs = list(dict.fromkeys(self.operands))
        of_a_step = _function([self.product, *self.shapes], inputs, [self._result])
        return jax.vmap(of_a_step, [0 if differs(v) else None for v in inputs])(*(of[v] for v in inputs))[0]

    @property
    def _result(self) -> Any:
        return self.shapes[-1].outvars[0] if self.shapes else self.base


def _with_late_products(scan: Scan) -> Iterator[Any]:
    """Yields a loop that gives what products and sums need, and these, behind it."""
    body = _LoopBody(scan)
    sums, arrays = body.sums(), body.arrays()
    products = [late for late in (*sums, *arrays) if late.product is not None]
    # What products need anyway can be summed outside, too; nothing is kept for a sum alone.
    given = {*scan.constants, *scan.slices}
    kept = {v for late in products for v in late.operands if v not in given}
    sums = [late for late in sums if late.product is not None or late.base in kept or late.base in scan.slices]
    if not products or size(kept) > scan.bytes_of_a_step:
        yield scan.loop
        return
    stacks = {v: _array(v, scan.loop.params["length"]) for v in body.ordered(kept)}
    outside = {**scan.outside, **stacks}
    left = [i for i in range(len(scan.carries)) if i not in {late.position for late in sums}]
    rest = [i for i in range(len(scan.results)) if i not in {late.position for late in arrays}]
    yield scan.giving(left, rest, stacks)
    inputs = list(dict.fromkeys(v for late in (*sums, *arrays) for v in late.operands))
    starts = [scan.carries[late.position] for late in sums]

    def after(*values: jax.Array) -> list[jax.Array]:
        of = dict(zip([*inputs, *starts], values, strict=True))
        ends = [lax.add(of[v], late.summed(of)) for v, late in zip(starts, sums, strict=True)]
        return [*ends, *(late.stacked(of, lambda v: v not in scan.constants) for late in arrays)]

    ends = [scan.ends[late.position] for late in sums]
    yield from _traced(
        after, [outside[v] for v in [*inputs, *starts]], [*ends, *(scan.arrays[late.position] for late in arrays)]
    )


@final
class _LoopBody:
    """The body of a loop, by what it makes of its values."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._equations = {v: eqn for eqn in scan.body.eqns for v in eqn.outvars}
        used = [v for eqn in scan.body.eqns for v in eqn.invars] + list(scan.body.outvars)
        self._uses = Counter(v for v in used if not is_literal(v))

    def ordered(self, variables: set[Any]) -> list[Any]:
        """Returns variables in the order in which the body has them: of carries first."""
        return [v for v in (*self._scan.carries, *self._equations) if v in variables]

    def sums(self) -> list[_Late]:
        """Returns the carries that steps only add products to, or the sums of something."""
        found = (self._sum(i) for i in range(len(self._scan.carries)))
        return [late for late in found if late is not None]

    def arrays(self) -> list[_Late]:
        """Returns the arrays of products that nothing else in the loop reads."""
        found = [self._late(i, v) for i, v in enumerate(self._scan.results) if not is_literal(v)]
        constants = self._scan.constants
        return [late for late in found if late.product is not None and any(v not in constants for v in late.operands)]

    def _sum(self, position: int) -> _Late | None:
        carry, following = self._scan.carries[position], self._scan.next_carries[position]
        eqn = None if is_literal(following) else self._equations.get(following)
        if eqn is None or eqn.primitive.name not in ("add", "add_any"):
            return None
        added = [v for v in eqn.invars if v is not carry]
        if len(added) != 1 or is_literal(added[0]) or self._uses[carry] != 1 or self._uses[following] != 1:
            return None
        late = self._late(position, added[0])
        if late.product is None:
            return late if any(e.primitive.name == "reduce_sum" for e in late.shapes) else None
        constant = any(is_literal(v) or v in self._scan.constants for v in late.product.invars)
        return None if constant or late.product.primitive.name not in _SUMMED else late

    def _late(self, position: int, v: Any) -> _Late:
        """Follows a value back to a product that is used for it alone, or to where more is made of it."""
        shapes: list[Any] = []
        while (eqn := self._equations.get(v)) is not None and self._uses[v] == 1:
            if eqn.primitive.name in _PRODUCTS:
                return _Late(position, shapes[::-1], v, eqn)
            if eqn.primitive.name not in _LINEAR or len(eqn.invars) != 1 or is_literal(eqn.invars[0]):
                break
            shapes.append(eqn)
            v = eqn.invars[0]
        return _Late(position, shapes[::-1], v)


def _sum_of_products(product: Any, x: jax.Array, y: jax.Array) -> jax.Array:
    """Returns the sum of a step's product over all steps, which the first axes of x and y are."""
    if product.primitive.name == "convolution_of_filters":  # sums over the batch anyway
        return product.primitive.bind(*(v.reshape(-1, *v.shape[2:]) for v in (x, y)), **product.params)
    (of_x, of_y), (batch_x, batch_y) = product.params["dimension_numbers"]
    shared = (0, *(i + 1 for i in of_x)), (0, *(i + 1 for i in of_y))
    batch = tuple(i + 1 for i in batch_x), tuple(i + 1 for i in batch_y)
    return product.primitive.bind(x, y, **{**product.params, "dimension_numbers": (shared, batch)})


def _function(eqns: Sequence[Any], inputs: Sequence[Any], results: Sequence[Any]) -> Callable[..., list[jax.Array]]:
    """Returns equations as a function."""

    def run(*values: jax.Array) -> list[jax.Array]:
        known = dict(zip(inputs, values, strict=True))
        for eqn in eqns:
            operands = [v.val if is_literal(v) else known[v] for v in eqn.invars]
            known[eqn.outvars[0]] = eqn.primitive.bind(*operands, **eqn.params)
        return [known[v] for v in results]

    return run


def _array(v: Any, length: int) -> Any:
    """Returns a variable for the values of one in all steps."""
    return xc.Var(v.aval.update(shape=(length, *v.aval.shape)))


def _traced(function: Callable[..., Any], operands: Sequence[Any], results: Sequence[Any]) -> Iterator[Any]:
    yield from inlined(jax.make_jaxpr(function)(*(v.aval for v in operands)), operands, results)
