"""Chain: equations that compute each element of an image from the same element of another, one after the other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend import core as xc

from stratagem._private import acts, is_literal, jax_function

# Operations of a single instruction, which may be computed more than once.
_CHEAP = ("add", "sub", "mul", "max", "min", "neg")


@dataclass(frozen=True, eq=False)
class Chain:
    """The equations that lead to a value of a program.

    image: the value with which the chain begins, of the shape of the one with which it ends; that one itself if it is empty.
    constants: the other operands, which have the same element along the axes that the chain was asked for.
    positions: those of the chain's equations in the program, which nothing else needs.
    """

    image: Any
    constants: tuple[Any, ...]
    positions: tuple[int, ...]
    steps: tuple[Any, ...]

    def of(self, image: jax.Array, *constants: jax.Array) -> jax.Array:
        """Returns what the chain computes from some of the image's elements; its derivatives are those of the equations."""
        known = {self.image: image, **dict(zip(self.constants, constants, strict=True))}
        result = image
        for eqn in self.steps:
            operands = [atom.val if is_literal(atom) else known[atom] for atom in eqn.invars]
            result = jax.nn.relu(*operands) if _is_rectifier(eqn) else eqn.primitive.bind(*operands, **eqn.params)
            known[eqn.outvars[0]] = result
        return result


def chain_before(jaxpr: xc.Jaxpr, position: int, axes: Sequence[int]) -> Chain:
    """Returns the chain that leads to the first operand of an equation.

    It contains no equation whose result something else reads, and none before an effect, which may be a mark of a tape.

    Args:
        jaxpr: the program.
        position: that of the equation.
        axes: along them, all operands of the chain but the image have the same element.
    """
    uses = Counter(a for atoms in (jaxpr.outvars, *(e.invars for e in jaxpr.eqns)) for a in atoms if not is_literal(a))
    makers: dict[Any, int] = {v: i for i, eqn in enumerate(jaxpr.eqns) for v in eqn.outvars}
    first = max((i + 1 for i, eqn in enumerate(jaxpr.eqns[:position]) if acts(eqn) or not eqn.outvars), default=0)
    image: Any = jaxpr.eqns[position].invars[0]
    steps: list[int] = []
    while uses[image] == 1 and makers.get(image, -1) >= first:
        operand = _image_of_step(jaxpr.eqns[makers[image]], axes)
        if operand is None:
            break
        steps.append(makers[image])
        image = operand
    positions = tuple(reversed(steps))
    equations = tuple(jaxpr.eqns[i] for i in positions)
    others = (a for eqn in equations for a in eqn.invars if not is_literal(a))
    made = {image, *(v for eqn in equations for v in eqn.outvars)}
    return Chain(image, tuple(dict.fromkeys(a for a in others if a not in made)), positions, equations)


def _image_of_step(eqn: Any, axes: Sequence[int]) -> Any:
    """Returns the operand from whose elements an equation computes those of its result, one each; None if it does not."""
    if eqn.primitive.name not in _CHEAP and not _is_rectifier(eqn):
        return None
    result = eqn.outvars[0].aval
    images = [a for a in eqn.invars if not is_literal(a) and not _is_constant_along(a.aval.shape, axes, result.ndim)]
    fits = len(images) == 1 and (images[0].aval.shape, images[0].aval.dtype) == (result.shape, result.dtype)
    return images[0] if fits else None


def _is_constant_along(shape: tuple[int, ...], axes: Sequence[int], rank: int) -> bool:
    return not shape or (len(shape) == rank and all(shape[axis] == 1 for axis in axes))


def _is_rectifier(eqn: Any) -> bool:
    """Returns whether an equation is a call of `jax.nn.relu`."""
    if eqn.primitive.name != "custom_jvp_call" or len(eqn.invars) != 1:
        return False
    inner = eqn.params["call_jaxpr"].jaxpr.eqns
    return (
        len(inner) == 1 and inner[0].primitive.name == "jit" and jax_function(inner[0].params["jaxpr"].jaxpr) == "relu"
    )
