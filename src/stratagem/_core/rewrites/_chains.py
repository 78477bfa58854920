"""Chain: equations that compute each element of an image from the same element of another, one after the other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
from jax.extend import core as xc

from stratagem._private import acts, is_literal, jax_function

# Operations of a single instruction, which may be computed more than once.
CHEAP = ("add", "sub", "mul", "max", "min", "neg")


@final
@dataclass(frozen=True, eq=False)
class Chain:
    """The equations that lead to a value of a program.

    image: the value with which the chain begins, of the shape of the one with which it ends; that one itself if it is empty.
    constants: the other operands, which have the same element along the axes that the chain was asked for.
    equations: in their order; their results nothing else needs.
    """

    image: Any
    constants: tuple[Any, ...]
    equations: tuple[Any, ...]

    def of(self, image: jax.Array, *constants: jax.Array) -> jax.Array:
        """Returns what the chain computes from some of the image's elements; its derivatives are those of the equations."""
        known = {self.image: image, **dict(zip(self.constants, constants, strict=True))}
        result = image
        for eqn in self.equations:
            operands = [atom.val if is_literal(atom) else known[atom] for atom in eqn.invars]
            result = jax.nn.relu(*operands) if _is_rectifier(eqn) else eqn.primitive.bind(*operands, **eqn.params)
            known[eqn.outvars[0]] = result
        return result


@final
class Chains:
    """Finds the chains of a program."""

    def __init__(self, jaxpr: xc.Jaxpr) -> None:
        self._eqns = jaxpr.eqns
        every = (jaxpr.outvars, *(eqn.invars for eqn in jaxpr.eqns))
        self._uses = Counter(atom for atoms in every for atom in atoms if not is_literal(atom))
        self._makers: dict[Any, int] = {v: i for i, eqn in enumerate(jaxpr.eqns) for v in eqn.outvars}
        self._effects = [i for i, eqn in enumerate(jaxpr.eqns) if acts(eqn) or not eqn.outvars]

    def before(self, position: int, axes: Sequence[int]) -> Chain:
        """Returns the chain that leads to the first operand of an equation, a variable.

        It has no equation whose result something else reads, and none before an effect, which may be a mark of a tape.

        Args:
            position: that of the equation in the program.
            axes: along them, all operands of the chain but the image have the same element.
        """
        first = self._after_effects(position)
        image: Any = self._eqns[position].invars[0]
        equations: list[Any] = []
        while self._uses[image] == 1 and self._makers.get(image, -1) >= first:
            eqn = self._eqns[self._makers[image]]
            operand = _image_of_step(eqn, axes)
            if operand is None:
                break
            equations.insert(0, eqn)
            image = operand
        others = (atom for eqn in equations for atom in eqn.invars if not is_literal(atom))
        made = {image, *(v for eqn in equations for v in eqn.outvars)}
        return Chain(image, tuple(dict.fromkeys(atom for atom in others if atom not in made)), tuple(equations))

    def maker(self, value: Any, position: int) -> Any:
        """Returns the equation of a value that one equation alone reads, with no effect between it and the one at a position.

        None if there is no such equation.
        """
        maker = self._makers.get(value, -1)
        return self._eqns[maker] if self._uses[value] == 1 and maker >= self._after_effects(position) else None

    def _after_effects(self, position: int) -> int:
        return max((i + 1 for i in self._effects if i < position), default=0)


def _image_of_step(eqn: Any, axes: Sequence[int]) -> Any:
    """Returns the operand from whose elements an equation computes those of its result, one each; None if it does not."""
    if eqn.primitive.name not in CHEAP and not _is_rectifier(eqn):
        return None
    result = eqn.outvars[0].aval
    images = [atom for atom in eqn.invars if not _is_constant_along(atom.aval.shape, axes, result.ndim)]
    fits = len(images) == 1 and (images[0].aval.shape, images[0].aval.dtype) == (result.shape, result.dtype)
    return images[0] if fits and not is_literal(images[0]) else None


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
